package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/intake"
)

// ownFiles changes the files of a project.
type ownFiles interface {
	Update(ctx context.Context, by sandlot.Caller, in publish.UpdateInput) (publish.Updated, *publish.Pending, error)
	MoveFile(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, from, to string, form publish.Form) error
	RemoveFiles(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, names []string, form publish.Form) error
	ChoosePrimary(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, name string, form publish.Form) error
}

// maxUpload bounds one form in bytes: the size of the largest file allowed.
const maxUpload = sandlot.DefaultMaxFile

// uploadFiles makes one version with all files of the form, or none.
func (o *ownPages) uploadFiles(v *visit) error {
	// A visitor without permission gets the refusal before the files are staged.
	m, err := o.manage(v)
	if err != nil {
		return err
	}
	v.turn.end() // from here on the server waits for the visitor
	if m.Project.Suspended {
		return sandlot.Refuse(sandlot.CodeTakenDown, "The project was taken down.")
	}
	if v.r.ContentLength > maxUpload {
		return o.uploadTooLarge(v, "")
	}
	u := &upload{visit: v, contents: o.contents, tree: o.contents.NewTree(v.grant.Charge())}
	defer func() { o.contents.DiscardTree(v.r.Context(), u.tree) }()
	form := intake.Form{Most: maxUpload, Words: []string{"form_token", "seen", "folder", "as", "unpack"}, Files: "files", Take: u.take}
	words, err := form.Read(v.w, v.r, v.grant)
	page := ownPage{Folder: words["folder"]}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return o.uploadTooLarge(v, words["folder"])
	case errors.Is(err, intake.ErrBroken), err == nil && words["form_token"] == "": // every form of ours has it
		page.Wrong = v.T("own.broken")
	case err != nil:
		return o.arranged(v, err, page, "")
	case u.packed && u.plain > 0:
		page.Wrong = v.T("own.zip-alone")
	case !u.packed && u.plain == 0:
		page.Wrong = v.T("own.no-files")
	}
	if page.Wrong != "" {
		return o.show(v, http.StatusUnprocessableEntity, page)
	}
	tree := u.tree
	u.tree = nil                                                                                                                       // the call owns it
	in := publish.UpdateInput{Project: string(v.ownID()), Many: publish.Many{Tree: tree}, FormToken: words["form_token"], Force: true} // people choose files, and models write them
	if n := number(words["seen"]); n != 0 {
		in.IfVersion = &n
	}
	if u.packed {
		in.Folder, in.Unwrap = inFolder(words), inFolder(words) == ""
	}
	out, _, err := o.service.Update(v.r.Context(), v.by, in)
	return o.arranged(v, err, page, "said.uploaded", "n", len(out.Files)+out.Unchanged)
}

func (o *ownPages) uploadTooLarge(v *visit, folder string) error {
	return o.show(v, http.StatusRequestEntityTooLarge, ownPage{Wrong: v.T("own.too-large", "size", v.Size(maxUpload)), Folder: folder})
}

// An upload collects the files of a form.
type upload struct {
	*visit
	contents Contents
	tree     *publish.Tree
	plain    int  // files that came unpacked
	packed   bool // whether a ZIP brought files
}

// take stages a file of the form, or the files in a ZIP to unpack.
func (u *upload) take(words map[string]string, name string, r io.Reader) error {
	if words["unpack"] != "" && words["as"] == "" && !u.packed && strings.HasSuffix(strings.ToLower(name), ".zip") {
		u.packed = true
		return u.tree.Unpack(u.r.Context(), "zip", r)
	}
	u.plain++
	name = cmp.Or(words["as"], path.Join(inFolder(words), name))
	c, err := u.contents.Stage(u.r.Context(), r)
	if err == nil {
		err = u.tree.Put(u.r.Context(), name, publish.Declared{}, c)
	}
	if err != nil {
		return publish.FileError{Name: name, Err: err}
	}
	return nil
}

// inFolder returns the target folder of a form's files; empty: the project's root.
func inFolder(words map[string]string) string { return strings.Trim(words["folder"], "/ ") }

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

// askFilename asks for confirmation if a file's name will differ from the typed one.
func askFilename(v *visit, from, to string, form publish.Form) error {
	return v.ask(v.T("own.move-title", "from", from, "to", to), askPage{
		Action: ownForm(v, "move"), Fields: []askField{{"file", from}, {"to", to}, {"form_token", form.Token}, {"seen", strconv.Itoa(form.Seen)}}, Yes: v.T("own.move"), Back: ownFolder(v) + "#files",
	})
}

// formSent returns the token of a form and the version that it was made for.
func formSent(of url.Values) publish.Form {
	return publish.Form{Token: of.Get("form_token"), Seen: number(of.Get("seen"))}
}

// askRemove asks for confirmation, and names the file to delete.
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

// arranged answers a form about files: it reports success with the text of that name, or shows the refusal on the page.
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

// refusal returns the text of a refusal on the page; empty: the refusal has a page of its own.
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
