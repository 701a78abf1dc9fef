package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
)

// ownFiles is what the forms about a project's files ask of the domain.
type ownFiles interface {
	Update(ctx context.Context, by sandlot.Caller, in publish.UpdateInput) (publish.Updated, *publish.Pending, error)
	PutFiles(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, files []publish.FormFile, form publish.Form) error
	MoveFile(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, from, to string, form publish.Form) error
	RemoveFiles(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, names []string, form publish.Form) error
	ChoosePrimary(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, name string, form publish.Form) error
	versionFiles
}

const (
	maxUpload = publish.DefaultMaxFile // bytes of one form: the largest file there may be
	maxWord   = 1 << 10                // bytes of a field that is not a file
)

// errBroken: the form broke off, or was none.
var errBroken = errors.New("form broken off")

// uploadFiles makes one version with all files of the form, or none.
func (o *ownPages) uploadFiles(v *visit) error {
	// Who may not do it is told before their files are kept.
	m, err := o.manage(v)
	if err != nil {
		return err
	}
	v.turn.end() // from here on the visitor is waited for
	if m.Project.Suspended {
		return sandlot.Refuse(sandlot.CodeTakenDown, "The project was taken down.")
	}
	tooLarge := ownPage{Wrong: v.T("own.too-large", "size", v.Size(maxUpload))}
	if v.r.ContentLength > maxUpload {
		return o.show(v, http.StatusRequestEntityTooLarge, tooLarge)
	}
	body := &limitedBody{ReadCloser: v.r.Body, grant: v.grant}
	v.r.Body = http.MaxBytesReader(v.w, body, maxUpload)
	u := &upload{visit: v, contents: o.contents}
	defer func() { o.contents.DiscardTree(v.r.Context(), u.tree) }()
	err = u.receive()
	if err == nil {
		body.end()
	}
	var large *http.MaxBytesError
	switch {
	case err != nil || body.denied != nil:
		for _, f := range u.files {
			o.contents.Discard(v.r.Context(), f.Content)
		}
		if body.denied != nil {
			return body.denied
		}
		if errors.As(err, &large) {
			tooLarge.Folder = u.folder
			return o.show(v, http.StatusRequestEntityTooLarge, tooLarge)
		}
		if errors.Is(err, errBroken) {
			return o.show(v, http.StatusUnprocessableEntity, ownPage{Wrong: v.T("own.broken"), Folder: u.folder})
		}
		if errors.Is(err, publish.ErrTooMany) {
			return o.show(v, http.StatusUnprocessableEntity, ownPage{Wrong: v.T("own.too-many", "n", publish.MaxForm), Folder: u.folder})
		}
		return o.arranged(v, err, ownPage{Folder: u.folder}, "")
	case u.tree != nil && len(u.files) > 0:
		for _, f := range u.files {
			o.contents.Discard(v.r.Context(), f.Content)
		}
		return o.show(v, http.StatusUnprocessableEntity, ownPage{Wrong: v.T("own.zip-alone"), Folder: u.folder})
	case u.tree != nil:
		tree := u.tree
		u.tree = nil // the call has it
		out, _, err := o.service.Update(v.r.Context(), v.by, publish.UpdateInput{
			Force:   true, // people choose files, and models write them
			Project: string(v.ownID()), Tree: tree, Folder: u.in(), Unwrap: u.in() == "", Idempotency: u.formToken, IfVersion: u.ifVersion(),
		})
		return o.arranged(v, err, ownPage{Folder: u.folder}, "said.uploaded", "n", len(out.Files))
	case len(u.files) == 0:
		return o.show(v, http.StatusUnprocessableEntity, ownPage{Wrong: v.T("own.no-files"), Folder: u.folder})
	}
	err = o.service.PutFiles(v.r.Context(), v.by, v.ownID(), u.files, publish.Form{Token: u.formToken, Seen: number(u.seen)})
	return o.arranged(v, err, ownPage{Folder: u.folder}, "said.uploaded", "n", len(u.files))
}

// An upload is a form with files on its way in.
type upload struct {
	*visit
	contents          Contents
	formToken, folder string
	seen              string // the version that the form was made from
	as                string // the file that is replaced; empty: each has its own name
	unpack            string // whether a ZIP brings the files that are in it
	files             []publish.FormFile
	tree              *publish.Tree // those of a ZIP
}

// receive keeps the files of the form, one after another. The words come first.
func (u *upload) receive() error {
	parts, err := u.r.MultipartReader()
	if err != nil {
		return errBroken
	}
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF && u.formToken == "" {
			return errBroken // every form of ours has it
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return broken(err)
		}
		if err := u.take(part); err != nil {
			return err
		}
	}
}

func (u *upload) take(part *multipart.Part) error {
	switch part.FormName() {
	case "form_token":
		return word(part, &u.formToken)
	case "seen":
		return word(part, &u.seen)
	case "folder":
		return word(part, &u.folder)
	case "as":
		return word(part, &u.as)
	case "unpack":
		return word(part, &u.unpack)
	case "files":
	default:
		return nil // the next part is found behind it
	}
	name := filename(part)
	if name == "" {
		return nil // a field in which no file was chosen
	}
	if u.in() != "" {
		name = u.in() + "/" + name
	}
	if u.as != "" {
		name = u.as
	}
	if u.unpack != "" && u.as == "" && u.tree == nil && strings.HasSuffix(strings.ToLower(name), ".zip") {
		return u.open(part)
	}
	if len(u.files) == publish.MaxForm {
		return publish.ErrTooMany
	}
	from := content.Source{Reader: part}
	c, err := u.contents.Stage(u.r.Context(), &from)
	if from.Err != nil {
		err = broken(from.Err)
	}
	if err == nil {
		c.Head = nil // not looked at again: of each file there are 16 KiB
		u.files = append(u.files, publish.FormFile{Name: name, Content: c})
	}
	return err
}

// in is the folder that the files go to; empty: the project's top.
func (u *upload) in() string { return strings.Trim(u.folder, "/ ") }

// ifVersion is the version that there must be; nil: any.
func (u *upload) ifVersion() *int {
	if n := number(u.seen); n != 0 {
		return &n
	}
	return nil
}

// open takes the files of a ZIP, each of which has its place in it.
func (u *upload) open(part io.Reader) error {
	u.tree = u.contents.NewTree(u.grant.Charge())
	from := content.Source{Reader: part}
	err := u.tree.Unpack(u.r.Context(), "zip", &from)
	if from.Err != nil {
		return broken(from.Err)
	}
	return err
}

// limitedBody ends where a limit does. What comes costs as much as what is kept of it.
type limitedBody struct {
	io.ReadCloser
	grant  *admission.Grant
	denied error
}

// errDenied ends a body; denied says why.
var errDenied = errors.New("a limit is reached")

// Read implements io.Reader.
func (c *limitedBody) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if c.denied = cmp.Or(c.denied, c.grant.Received(n)); err != nil {
		c.end()
	}
	if c.denied != nil {
		return 0, errDenied
	}
	return n, err
}

// end says that nothing more is read.
func (c *limitedBody) end() { c.denied = cmp.Or(c.denied, c.grant.Whole()) }

// broken keeps what tells that a form is too large.
func broken(err error) error { return fmt.Errorf("%w: %w", errBroken, err) }

func word(part io.Reader, into *string) error {
	b, err := io.ReadAll(io.LimitReader(part, maxWord+1))
	if err != nil {
		return broken(err)
	}
	if len(b) > maxWord || *into != "" || !utf8.Valid(b) || bytes.Contains(b, []byte{0}) {
		return errBroken // a form of ours has each word once
	}
	*into = string(b)
	return nil
}

// filename is the name of a part with its folders, which multipart drops: here it
// only becomes a filename by the rules for them.
func filename(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

func (o *ownPages) moveFile(v *visit) error {
	from, to, form := v.r.PostForm.Get("file"), v.r.PostForm.Get("to"), formSent(v.r.PostForm)
	name, err := publish.Filename(to)
	if err == nil && name != to {
		return askFilename(v, from, name, form)
	}
	if err == nil {
		err = o.service.MoveFile(v.r.Context(), v.by, v.ownID(), from, to, form)
	}
	return o.arranged(v, err, ownPage{From: from, To: to}, "said.moved", "from", from, "to", to)
}

// askFilename shows the name that a file will have, where it is not the one that was typed.
func askFilename(v *visit, from, to string, form publish.Form) error {
	return v.ask(v.T("own.move-title", "from", from, "to", to), askPage{
		Action: ownForm(v, "move"), Fields: []askField{{"file", from}, {"to", to}, {"form_token", form.Token}, {"seen", strconv.Itoa(form.Seen)}}, Yes: v.T("own.move"), Back: ownFolder(v) + "#files",
	})
}

// formSent is what a form says of itself.
func formSent(of url.Values) publish.Form {
	return publish.Form{Token: of.Get("form_token"), Seen: number(of.Get("seen"))}
}

// askRemove names the file that is deleted.
func (o *ownPages) askRemove(v *visit) error {
	name := v.query("file")
	if name == "" {
		return sandlot.ErrNotFound
	}
	m, err := o.manage(v)
	if err != nil {
		return err
	}
	return v.ask(v.T("own.remove-title", "name", name), askPage{
		Leads:  []any{v.T("own.remove-lead")},
		Action: ownForm(v, "remove"), Fields: []askField{{"file", name}, {"form_token", rand.Text()}, {"seen", strconv.Itoa(m.Project.Version)}},
		Yes: v.T("own.remove"), Back: ownFolder(v) + "#files",
	})
}

func (o *ownPages) removeFiles(v *visit) error {
	list := v.r.PostForm["file"]
	err := o.service.RemoveFiles(v.r.Context(), v.by, v.ownID(), list, formSent(v.r.PostForm))
	if len(list) > 1 {
		return o.arranged(v, err, ownPage{}, "said.removed-all", "n", len(list))
	}
	return o.arranged(v, err, ownPage{}, "said.removed", "name", list[0])
}

func (o *ownPages) choosePrimary(v *visit) error {
	form := v.r.PostForm
	return o.arranged(v, o.service.ChoosePrimary(v.r.Context(), v.by, v.ownID(), form.Get("file"), formSent(form)), ownPage{}, "said.primary", "name", form.Get("file"))
}

// arranged answers a form about files: what it did, in the text of that name, or what was
// refused is told on the page.
func (o *ownPages) arranged(v *visit, err error, page ownPage, said string, args ...any) error {
	switch {
	case err == nil:
		return v.done(ownFolder(v), said, args...)
	case refusedToken(err):
		return err
	}
	var used publish.FormUsedError
	if errors.As(err, &used) {
		return o.show(v, http.StatusConflict, ownPage{Wrong: v.T("own.form-used", "version", used.Version)})
	}
	if errors.Is(err, sandlot.CodeVersionConflict) {
		page.Wrong = v.T("own.files-moved")
		return o.show(v, http.StatusPreconditionFailed, page)
	}
	var e *sandlot.Error
	if !errors.As(err, &e) {
		return err
	}
	if page.Wrong = refusal(v, e.Code); page.Wrong == "" {
		return err
	}
	var file publish.FileError
	if errors.As(err, &file) {
		page.Refused = file.Name
	}
	return o.show(v, http.StatusUnprocessableEntity, page)
}

// refusal is what a refusal of the domain says on the page; empty: it is a page of
// its own.
func refusal(v *visit, code sandlot.Code) string {
	switch code {
	case sandlot.CodeInvalidFilename:
		return v.T("own.bad-name")
	case sandlot.CodeFilenameConflict:
		return v.T("own.conflict")
	case sandlot.CodePrimaryFileProtected:
		return v.T("own.protected")
	case sandlot.CodeFileNotFound:
		return v.T("own.no-file")
	case sandlot.CodeQuotaExceeded:
		return v.T("own.quota")
	case sandlot.CodeKeyInContent:
		return v.T("own.key-inside")
	case sandlot.CodeInvalidField:
		return v.T("own.empty-primary")
	case sandlot.CodeDoubleEncoded:
		return v.T("own.encoded")
	case sandlot.CodeContentTooLarge:
		return v.T("own.file-large")
	case sandlot.CodeInvalidArchive:
		return v.T("own.bad-zip")
	case sandlot.CodeNoPrimaryFile:
		return v.T("own.no-page")
	}
	return ""
}
