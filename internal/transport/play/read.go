package play

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/format/content"
	"sandlot/internal/format/names"
)

// This file follows a read from the top down: to the project, its file, a form of the file, and the answer.

// ServeOrigin answers a request to the origin with a label from Label: a project's, a version's, a preview's or a
// frame's; 404 for any other. The request's URL must be unchanged: a router that cleans paths must not see it before.
func (h *Handler) ServeOrigin(w http.ResponseWriter, r *http.Request, label string) {
	x := exchange{Handler: h, w: w, r: r, root: "/"}
	id, n, suffix, ok := names.ParseLabel(label)
	var err error
	switch {
	case !ok && names.ValidPreview(label):
		aside := x
		aside.preview(r.URL.Path)
		return
	case !ok && strings.Contains(label, onFrame):
		aside := x
		aside.frame(label)
		return
	case !ok:
		err = sandlot.CodeProjectNotFound
	case n == 0:
		x.project, err = h.Service.Current(r.Context(), sandlot.Caller{}, sandlot.ProjectID(id))
	default:
		x.place = onVersion
		x.project, err = h.Service.AtVersion(r.Context(), sandlot.Caller{}, sandlot.ProjectID(id), n, suffix)
		if errors.Is(err, sandlot.CodeHeld) {
			from := admission.Origin{Addr: admission.Peer(r.RemoteAddr)}
			err = h.Service.View(r.Context(), sandlot.Caller{From: h.Admission.Sender(from)}, x.project)
		}
	}
	if err != nil && r.URL.Path == reportPath && sandlot.Gone(err) {
		leadToReport(&x, label)
		return
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.serve(r.URL.Path)
}

// ServeTrial answers a request of the play-tester for a file of a project as ServeOrigin would, but counts nothing, and
// adds no heartbeat. With the suffix of the version's address, the files are those of that version; without it, all
// files are missing once the project has another.
func (h *Handler) ServeTrial(w http.ResponseWriter, r *http.Request, id sandlot.ProjectID, version int, suffix string) {
	x := exchange{Handler: h, w: w, r: r, root: "/", trial: true}
	p, err := h.Service.Current(r.Context(), sandlot.Caller{}, id)
	if (err == nil || errors.Is(err, sandlot.CodeHeld)) && p.Version != version {
		err = sandlot.CodeProjectNotFound
		if suffix != "" {
			p, err = h.Service.AtVersion(r.Context(), sandlot.Caller{}, id, version, suffix)
		}
	}
	if errors.Is(err, sandlot.CodeHeld) {
		err = nil // its owner and moderators see the page as the play-tester saw it
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.project = p
	x.serve(r.URL.Path)
}

// serve answers a request for a decoded path within the project, which begins with a slash.
func (x *exchange) serve(path string) {
	switch {
	case x.quarantined() && asksForWorker(x.r):
		x.worker(noWorkerJS)
	case strings.HasPrefix(path, ours):
		aside := *x // so that x, which every read has, stays on the stack
		aside.own(path[len(ours):])
	case x.takes(allowed):
		x.file(path)
	}
}

// file answers a GET or HEAD of a decoded path: with the file of that name, a redirect to a folder or to a primary file
// that lies in one, the icon, or a 404.
func (x *exchange) file(path string) {
	l, err := x.list(x.r.Context(), &x.project)
	if err != nil {
		x.fail(err)
		return
	}
	path = names.Requested(path)
	f, name, folder := l.find(path, x.project.Primary)
	switch {
	case folder:
		x.redirect(http.StatusPermanentRedirect, "./"+escape(name[lastSegment(name):])+"/")
	case f == nil && path == iconPath:
		x.icon(l)
	case f == nil && path == securityPath && !x.trial:
		x.redirect(http.StatusTemporaryRedirect, x.Places.Base.String()+securityPath)
	case f == nil && path == reportPath && x.place != onPath && !x.trial:
		leadToReport(x, string(x.project.ID))
	case f == nil:
		x.missing(l)
	case path == "/" && lastSegment(name) > 0:
		if strings.HasSuffix(name, "/index.html") {
			name = name[:lastSegment(name)]
		}
		x.redirect(http.StatusTemporaryRedirect, "./"+escape(name))
	case name == x.project.Primary:
		x.primary(f)
	default:
		x.send(f, f.form(x.r.Header), http.StatusOK)
	}
}

// primary answers with the primary file. A browser's own navigation gets the script after it, also in a frame, and a load
// counts as a play; not so on the address of a version, which is the owner's preview.
func (x *exchange) primary(f *file) {
	o := f.form(x.r.Header)
	if x.place == onVersion || x.trial {
		x.send(f, o, http.StatusOK)
		return
	}
	x.followed = f.html
	if f.html && opens(x.r.Header) {
		var err error
		if o, err = x.scripted(f); err != nil {
			x.fail(err)
			return
		}
	}
	if status := x.send(f, o, http.StatusOK); x.plays(status) {
		x.Gallery.Play(x.r.Context(), sandlot.Caller{}, x.project.ID, x.visitor())
	}
}

// visitor returns the player that sent the request. Its token counts only on the website's origin: a project may have
// set the cookies of other origins.
func (x *exchange) visitor() gallery.Player {
	token := ""
	if x.place == onPath && x.Token != nil {
		token = x.Token(x.r)
	}
	return gallery.Player{
		ID: x.Visitors.ID(x.r, token, x.Now()), From: admission.Peer(x.r.RemoteAddr), Version: x.project.Version,
		Source: figures.Source(x.Places, first(x.r.Header["Referer"])),
	}
}

// missing answers 404 for a missing file, with the project's own 404.html if it has one.
func (x *exchange) missing(l *list) {
	if f := l.files["404.html"]; f != nil {
		x.send(f, f.form(x.r.Header), http.StatusNotFound)
		return
	}
	x.notFound()
}

// send answers with one form of a file, and returns the status of the answer. Conditions and ranges count only if
// status is 200. A failure after the first byte breaks the connection. The plain form replaces a damaged compressed one.
func (x *exchange) send(f *file, o *form, status int) int {
	if status == http.StatusOK {
		cut, part := x.ranges(f, o)
		if part {
			o = &f.plain
		}
		if x.unchanged(f, o) {
			return http.StatusNotModified
		}
		if part {
			return x.sendSpan(f, cut)
		}
	}
	p, err := x.open(x.r.Context(), o, 0, o.size-int64(len(o.after))) // for HEAD, too: it promises no more than a GET keeps
	if err != nil && x.spare(f, o, err) {
		return x.send(f, f.whole(o, x.root), status)
	}
	if err != nil {
		x.fail(err)
		return http.StatusInternalServerError
	}
	if p.stream == nil && x.sendPrepared(f, o, status, p.body) {
		return status
	}
	defer p.Close()
	h := x.describe(f, o, status)
	h["Content-Length"] = o.length
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead && x.copy(p) && len(o.after) > 0 {
		_, _ = x.w.Write(o.after)
	}
	return status
}

// A piece holds bytes to send: body, or the first n bytes of stream.
type piece struct {
	body   []byte
	stream io.ReadCloser // nil if the bytes are in body
	n      int64
}

// Close closes the stream, if there is one.
func (p piece) Close() {
	if p.stream != nil {
		_ = p.stream.Close() // nothing was written
	}
}

// open returns n of a form's own bytes from off, without the script after them. Small forms come from the cache, whose
// bytes must not be changed. A damaged form is sandlot.ErrCorrupt, before the first byte or while a stream is read.
func (h *Handler) open(ctx context.Context, o *form, off, n int64) (piece, error) {
	body := o.body
	switch {
	case n <= 0 || body != nil:
	case o.blob.Size <= h.bodyMax:
		var err error
		if body, err = h.body(ctx, o.blob); err != nil {
			return piece{}, err
		}
	default:
		rc, err := h.Contents.Open(ctx, o.blob, off, n)
		if err != nil {
			return piece{}, blobError("open", o.blob, err)
		}
		return piece{stream: rc, n: n}, nil
	}
	if n <= 0 {
		return piece{}, nil
	}
	return piece{body: body[off : off+n]}, nil
}

// spare reports whether a form that failed to open is a damaged compressed variant, and logs it if so. The caller then
// sends the plain bytes instead. A file that its author compressed has no others.
func (x *exchange) spare(f *file, o *form, err error) bool {
	if o.coding == identity || f.encoded || !errors.Is(err, sandlot.ErrCorrupt) {
		return false
	}
	x.Log.WarnContext(x.r.Context(), "skipped a damaged compressed copy",
		"project", x.project.ID, "path", x.r.URL.Path, "err", err)
	return true
}

// whole returns the form to send in place of the variant o: the plain one, followed by the script if o is.
func (f *file) whole(o *form, root string) *form {
	if len(o.after) == 0 {
		return &f.plain
	}
	return f.follow(&f.plain, f.plain.size, []byte(tag(root)))
}

// copy sends a piece and reports whether all of it was written to the client. If the bytes cannot be read to their end,
// it breaks the answer off and does not return.
func (x *exchange) copy(p piece) bool {
	if p.stream == nil {
		_, err := x.w.Write(p.body)
		return err == nil
	}
	src := content.Source{Reader: io.LimitReader(p.stream, p.n)}
	n, err := io.Copy(x.w, &src)
	if src.Err == nil && err == nil && n < p.n {
		src.Err = io.ErrUnexpectedEOF
	}
	if src.Err != nil {
		if x.r.Context().Err() == nil {
			x.Log.ErrorContext(x.r.Context(), "response ended early", "project", x.project.ID, "path", x.r.URL.Path, "err", src.Err)
		}
		panic(http.ErrAbortHandler) // so that the client sees that the answer is incomplete
	}
	return err == nil
}
