package play

import (
	"net/http"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
)

// ServePath answers a request to the path form, {base}/~/{project_id}/{file}, as ServeOrigin does; 404 if it is not
// served. Published code runs there in a sandbox with an opaque origin, since the origin is the website's.
func (h *Handler) ServePath(w http.ResponseWriter, r *http.Request) {
	x := exchange{Handler: h, w: w, r: r, place: onPath}
	rest, ok := strings.CutPrefix(r.URL.Path, h.prefix)
	id, path, slash := strings.Cut(rest, "/")
	if ok && h.Places.Content == "" && names.ValidPreview(id) {
		x.preview("/" + path)
		return
	}
	if !ok || !h.hasPath() || !names.ValidProjectID(id) {
		x.fail(sandlot.CodeProjectNotFound)
		return
	}
	var err error
	if x.project, err = h.Service.Current(r.Context(), sandlot.Caller{}, sandlot.ProjectID(id)); err != nil {
		x.fail(err)
		return
	}
	x.root = h.prefix + id + "/"
	x.servePath("/"+path, slash)
}

// hasPath reports whether the path form is served.
func (h *Handler) hasPath() bool { return h.Places.PathForm || h.Places.Content == "" }

// servePath handles the special cases of the path form, and then serves the path.
func (x *exchange) servePath(path string, slash bool) {
	switch reading := x.r.Method == http.MethodGet || x.r.Method == http.MethodHead; {
	case asksForWorker(x.r):
		// A worker would run outside of the sandbox, on the origin of the website.
		x.refuse(http.StatusForbidden, "Service workers are for projects on their own address.")
	case reading && x.moves() && navigates(x.r.Header):
		x.redirect(http.StatusTemporaryRedirect, x.Places.Origin(string(x.project.ID))+escape(path))
	case reading && !slash:
		x.redirect(http.StatusPermanentRedirect, x.root)
	default:
		x.serve(path)
	}
}

// moves reports whether a browser's own navigation to this address is redirected to the project's own origin.
func (x *exchange) moves() bool { return x.place == onPath && x.Places.Content != "" }

// redirect redirects the client to another location, with the query of the request.
func (x *exchange) redirect(status int, location string) {
	cacheControl := x.fresh()
	if status == http.StatusTemporaryRedirect {
		cacheControl = never
	}
	h := x.headers(cacheControl)
	if x.moves() {
		h["Vary"] = varyBrowser
	}
	if x.r.URL.RawQuery != "" {
		location += "?" + x.r.URL.RawQuery
	}
	h.Set("Location", location)
	h.Set("Content-Length", "0")
	x.w.WriteHeader(status)
}

// escape returns a decoded path as it must be written in a URL.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// lastSegment returns the index at which the last segment of a name begins.
func lastSegment(name string) int {
	for i := len(name); i > 0; i-- {
		if name[i-1] == '/' {
			return i
		}
	}
	return 0
}
