package intake

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/format/content"
	"sandlot/internal/format/unpack"
)

// ignored returns the warning about a field that belongs to another endpoint.
func ignored(code, name, hint string) sandlot.Warning {
	return sandlot.Warning{Code: code, Message: "The field " + name + " was ignored.", Hint: hint}
}

func ofUpdate(name string) sandlot.Warning {
	return ignored("unknown_field", name, "A new project has no files to change; an existing one is changed with POST /v1/update.")
}

var handleIgnored = ignored("handle_ignored", "handle",
	"The account already has a handle. Choose one at signup, or in a first publish without a key.")

// ofPublish has the advice for a field of publish in a call that changes a project. It never changes.
var ofPublish = map[string]sandlot.Warning{"handle": handleIgnored}

// fieldsOf completes a field set with the fields in its operation's row.
func fieldsOf(op sandlot.Op, set FieldSet) *FieldSet {
	row := op.Row()
	set.Names, set.content, set.Chooses = row.Names(), row.Bytes, row.Chooses
	return &set
}

// The fields of the operations that have a body. None of these changes.
var (
	PublishFields = fieldsOf(sandlot.OpPublish, FieldSet{
		html: true,
		elsewhere: map[string]sandlot.Warning{
			"filename": ignored("unknown_field", "filename",
				"Content always becomes index.html; add other files with POST /v1/update."),
			"project_id": ignored("unknown_field", "project_id",
				"This makes a new project; an existing one is changed with POST /v1/update."),
			editsField:  ofUpdate(editsField),
			deleteField: ofUpdate(deleteField),
		},
	})
	UpdateFields = fieldsOf(sandlot.OpUpdate, FieldSet{elsewhere: ofPublish})
	// fileFields are the members of one of many files.
	fileFields          = &FieldSet{content: true, Names: []string{"filename", "sha256", "size"}}
	DeleteFields        = fieldsOf(sandlot.OpDeleteFile, FieldSet{elsewhere: ofPublish})
	RestoreFields       = fieldsOf(sandlot.OpRestore, FieldSet{})
	DeleteProjectFields = fieldsOf(sandlot.OpDeleteProject, FieldSet{mayBeEmpty: true})
	AmendFields         = fieldsOf(sandlot.OpAmend, FieldSet{mayBeEmpty: true, strict: true})
	CheckFields         = fieldsOf(sandlot.OpCheck, FieldSet{mayBeEmpty: true, strict: true})
	BoardFields         = fieldsOf(sandlot.OpRule, FieldSet{strict: true})
	ReportFields        = fieldsOf(sandlot.OpReport, FieldSet{})
	SignupFields        = fieldsOf(sandlot.OpSignup, FieldSet{
		mayBeEmpty: true,
		elsewhere: map[string]sandlot.Warning{
			"content": ignored("unknown_field", "content", "A project is published with POST /v1/publish; use the api_key of this answer."),
		},
	})
)

func ReadPublish(f *Fields) publish.PublishInput {
	return publish.PublishInput{
		Title: f.decorated("title"), About: about(f), Handle: f.decorated("handle"), Email: f.Text("email"), Lang: f.decorated("lang"),
		Content: f.Content, Declared: f.declared(), Part: f.part(), Idempotency: f.Header.Get(IdempotencyKey),
		Tree: f.Tree, Primary: f.Text("primary_file"), Archive: f.archiveFormat(), DryRun: f.truth("dry_run"),
	}
}

// about reads the details of the project from a call, by the rules of PATCH.
func about(f *Fields) publish.About {
	return publish.About{
		Description: f.Words("description"), Tags: f.list("tags"), Listed: f.choice("listed"), Threads: f.choice("threads"),
	}
}

// archiveFormat returns the format of the assembled bytes of an upload. An archive in one call shows its format in its
// own bytes.
func (f *Fields) archiveFormat() string {
	if f.Tree != nil {
		return ""
	}
	return f.Text("archive_format")
}

func ReadUpdate(f *Fields) publish.UpdateInput {
	in := publish.UpdateInput{
		Project: f.Text("project_id"), Named: f.has("project_id"), Filename: f.Text("filename"),
		Title: f.decoration("title"), About: about(f), Email: f.Text("email"), Lang: f.decorated("lang"),
		IfVersion: f.ifVersion(), Content: f.Content, Declared: f.declared(), Part: f.part(),
		Idempotency: f.Header.Get(IdempotencyKey), Force: f.truth("force"), DryRun: f.truth("dry_run"),
		Many: publish.Many{Tree: f.Tree, Replace: f.truth("replace"), Primary: f.Text("primary_file"), Archive: f.archiveFormat()},
	}
	if f.alone {
		in.Filename = "" // the tree has it
	}
	if in.Tree != nil || in.Archive != "" {
		return in // these bring their own names
	}
	// The name of the file comes once: with the content, or with part 1.
	if name := f.ownName(); name != "" && in.Part == nil {
		in.Filename = name
	} else if in.Part == nil || in.Part.N != nil && *in.Part.N == 1 {
		f.checkDetails(in)
		in.Filename = f.required("filename", "it says which file of the project this is")
	}
	return in
}

// checkDetails refuses an update that brings no file but a title or a language, and proposes the call that changes
// these.
func (f *Fields) checkDetails(in publish.UpdateInput) {
	if f.Form.HasContent || f.has("filename") || in.Title == nil && in.Lang == "" && in.About.Empty() {
		return
	}
	e := sandlot.Refuse(sandlot.CodeMissingField, "The call brings no file: filename and content are missing. "+
		"Nothing was changed.").In("filename")
	var args []sandlot.Arg
	for _, name := range []string{"project_id", "title", "description", "tags", "lang"} {
		if text, ok := repeatedText(f, name); ok {
			args = append(args, sandlot.Arg{Name: name, Value: text})
		}
	}
	for _, name := range []string{"listed", "threads"} {
		if field, ok := f.Form.Get(name); ok && field.Kind == content.Bool {
			args = append(args, sandlot.Arg{Name: name, Value: field.Raw == "true"})
		}
	}
	f.Fail(e.With(sandlot.OpAmend, args...).Note("What is said about a project is changed with PATCH:"))
}

func ReadDeleteFile(f *Fields) publish.DeleteInput {
	return publish.DeleteInput{
		Project:  f.required("project_id", "it says of which project a file is to be removed"),
		Filename: f.required("filename", "it says which file is to be removed"),
		Email:    f.Text("email"), Lang: f.decorated("lang"), IfVersion: f.ifVersion(), Idempotency: f.Header.Get(IdempotencyKey),
	}
}

// listed returns the names in a list of files to delete, under any of the names for such a list.
func (f *Fields) listed() []string {
	for _, name := range []string{"filenames", "files", "filename"} {
		if field, ok := f.Form.Get(name); ok && (field.Kind == content.Array || field.Kind == content.Object) {
			return filesIn(field)
		}
	}
	return nil
}

func ReadRestore(f *Fields) publish.RestoreInput {
	in := publish.RestoreInput{
		Project:   f.required("project_id", "it says of which project a version is to be restored"),
		IfVersion: f.ifVersion(), Idempotency: f.Header.Get(IdempotencyKey),
	}
	if n := f.whole("version"); n != nil {
		in.Version = *n
	} else if f.Err == nil {
		f.Fail(sandlot.Refuse(sandlot.CodeMissingField, "The field version is missing: its files are those of the next one.").
			In("version").With(sandlot.OpVersions).Note("Send version. The project's are listed here:"))
	}
	return in
}

// ReadReport returns the report of a trusted reporter. Its project is the field as received: an id, or any address of the project.
func ReadReport(f *Fields) operate.NewReport {
	return operate.NewReport{
		Project: sandlot.ProjectID(f.required("project", "it says which project is reported, by its id or any of its addresses")),
		Reason:  f.required("reason", "it is one of "+strings.Join(operate.Reasons(), ", ")),
		Details: f.Text("details"), Contact: f.Text("contact"),
	}
}

// ReadDeleteProject returns the confirmation. A version guards nothing here, and an ignored guard is worse than none.
func ReadDeleteProject(f *Fields) string {
	if f.ifMatch() != nil {
		f.Fail(sandlot.Refuse(sandlot.CodeInvalidField, "A project is deleted with all its versions, so the header "+
			"If-Match guards nothing. Nothing was deleted.").In("If-Match").
			With(sandlot.OpSame).Note("Send the same call without If-Match; for 7 days the owner can take the project back."))
	}
	return f.Text("confirm")
}

// ReadBoard returns a change of a board. A bound that is null is taken away.
func ReadBoard(f *Fields) boards.Change {
	c := boards.Change{
		Min: real(f, "min"), Max: real(f, "max"), NoMin: isNull(f, "min"), NoMax: isNull(f, "max"), MinSeconds: f.whole("min_seconds"),
		Reset: f.truth("reset"), RemovePlayers: f.list("remove"),
	}
	const mostSeconds, mostRemoved = 24 * 60 * 60, 100
	switch {
	case c.MinSeconds != nil && (*c.MinSeconds < 0 || *c.MinSeconds > mostSeconds):
		f.Fail(badField("min_seconds", "min_seconds is %d, and has to be 0 to %d", *c.MinSeconds, mostSeconds))
	case len(c.RemovePlayers) > mostRemoved:
		f.Fail(badField("remove", "remove has %d players; a call takes at most %d", len(c.RemovePlayers), mostRemoved))
	case c.Min != nil && c.Max != nil && *c.Min > *c.Max:
		f.Fail(badField("min", "min is above max"))
	}
	return c
}

func ReadSignup(f *Fields) publish.SignupInput {
	return publish.SignupInput{
		Handle: f.decorated("handle"), Email: f.Text("email"), Lang: f.decorated("lang"),
		Idempotency: f.Header.Get(IdempotencyKey),
	}
}

// ifVersion returns the version that the client changes, from the field or from If-Match, which must agree.
func (f *Fields) ifVersion() *int {
	field, header := f.whole("if_version"), f.ifMatch()
	if field != nil && header != nil && *field != *header {
		f.Fail(badVersion("if_version", "if_version is %d, but If-Match says %d", *field, *header))
	}
	if field == nil {
		return header
	}
	return field
}

// badVersion refuses a version and proposes to read the project: the same call without the version would change the
// project unguarded.
func badVersion(name, format string, args ...any) error {
	return badField(name, format, args...).With(sandlot.OpProject).Note("Send the version that the project has now.")
}

// ifMatch returns the version in If-Match. The ETag of a project is its version in quotes. A weak one counts as the
// same, for proxies weaken the ETag of a body that they compress. "*" names none.
func (f *Fields) ifMatch() *int {
	values := f.Header.Values("If-Match")
	tag := strings.TrimSpace(strings.Join(values, ","))
	if len(values) == 0 || tag == "*" {
		return nil
	}
	quoted, opened := strings.CutPrefix(strings.TrimPrefix(tag, "W/"), `"`)
	text, closed := strings.CutSuffix(quoted, `"`)
	n, err := strconv.Atoi(text)
	if err != nil || !opened || !closed {
		f.Fail(badVersion("If-Match", `If-Match is not the ETag of a project, which is its version in quotes, such as "7"`))
		return nil
	}
	return &n
}

func ReadAmend(f *Fields) publish.AmendInput {
	return publish.AmendInput{
		Title: f.Words("title"), About: about(f), Runtime: f.Words("runtime"), Lang: f.Words("lang"), Primary: f.Words("primary_file"),
		IfVersion: f.ifVersion(),
	}
}

// FormFields are the fields of the website's form. form_token stands for the idempotency key; upload is the one file of
// a form without a script.
var FormFields = &FieldSet{
	content: true, Upload: true,
	Names: []string{"form_token", "title", "description", "tags", "email", "lang", "primary_file", "dry_run"},
}

func ReadForm(f *Fields) publish.PublishInput {
	in := ReadPublish(f)
	in.Description, in.Idempotency, in.Early = f.Words("description"), f.Text("form_token"), true
	if f.Err == nil && in.Idempotency != "" {
		f.Fail(publish.CheckIdempotencyKey(in.Idempotency))
	}
	return in
}

// TicketFields are the fields of a publish and of an update, without those for bytes.
var TicketFields = fieldsOf(sandlot.OpTicket, FieldSet{mayBeEmpty: true, bytesLater: true})

// bytesFields are names under which clients send bytes, or parts of them; a request for a ticket has none of these.
var bytesFields = append([]string{"content", "text", "html", "files", "file", "archive", "content_encoding", editsField, deleteField}, PartFields...)

// bytesLaterRefused refuses bytes in a request for a ticket.
func bytesLaterRefused(name string) error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field %s brings bytes, or says how they come, and this call "+
		"takes none: it answers with a ticket, which sends them as they are.", name).In(name).With(sandlot.OpSame).
		Note("Leave it out, and send the bytes with the command of the answer. " +
			"To send them at once, or in parts, use publish or update.")
}

// ReadTicket reads the fields of a request for a ticket. With project_id it is an update, otherwise a publish.
func ReadTicket(f *Fields) ticket.Told {
	for _, name := range bytesFields {
		if f.has(name) {
			f.Fail(bytesLaterRefused(name))
		}
	}
	told := ticket.Told{
		Update: f.has("project_id"), Project: f.Text("project_id"), Filename: f.Text("filename"),
		Title: f.decoration("title"), Handle: f.decorated("handle"), Email: f.Text("email"), Lang: f.decorated("lang"),
		IfVersion: f.ifVersion(), Declared: f.declared(), Replace: f.truth("replace"), Force: f.truth("force"),
		Primary: f.Text("primary_file"), DryRun: f.truth("dry_run"),
	}
	if said := about(f); !said.Empty() {
		told.About = &said
	}
	if f.has("archive_format") {
		format, err := publish.ReadArchiveFormat(f.Text("archive_format"))
		if err != nil {
			f.Fail(err)
		}
		told.Archive = format
	}
	if !told.Update {
		f.checkPublishTicket(told)
		return told
	}
	if told.Handle != "" {
		f.read = append(f.read, handleIgnored)
		told.Handle = ""
	}
	switch {
	case told.Archive != "" && told.Filename != "":
		f.Fail(badField("filename", "filename is of one file, and an archive brings its own names").With(sandlot.OpSame).
			Note("Leave filename out. To store the archive itself as a file, leave archive_format out."))
	case told.Archive == "" && strings.TrimSpace(told.Project) != "":
		told.Filename = f.required("filename", "it says which file of the project the bytes are; an archive says archive_format instead")
	}
	return told
}

// checkPublishTicket refuses a probable update without a project: it must neither make a new project nor change the
// newest one.
func (f *Fields) checkPublishTicket(told ticket.Told) {
	for name, said := range map[string]bool{
		"if_version": told.IfVersion != nil, "replace": told.Replace,
		"filename": told.Filename != "" && told.Filename != "index.html",
	} {
		if said {
			f.Fail(sandlot.Refuse(sandlot.CodeProjectIDRequired, "The field %s is of an update, and no project_id "+
				"says which project is changed. Nothing was changed.", name).In("project_id").
				With(sandlot.OpSame, sandlot.Arg{Name: "project_id", Value: "<project_id>"}).
				Note("For a new project, leave %s out: its one file becomes index.html. "+
					"To change a project that is there, send its project_id:", name))
		}
	}
}

// TakeBytes stages the body of a ticket's call, which is a file or an archive, and calls do once. From then on the bytes
// belong to the Service.
func (a *Intake) TakeBytes(c *Call, do func(*Fields) error) error {
	f := &Fields{Set: TicketFields, Header: c.R.Header, Staging: c.Grant.Charge()}
	f.Content.Missing = true
	if err := a.receiveBytes(c, f); err != nil {
		a.discard(c, f)
		return err
	}
	return do(f)
}

func (a *Intake) receiveBytes(c *Call, f *Fields) (err error) {
	if err := a.checkHeaders(c); err != nil {
		return err
	}
	format, archive, err := c.archiveOfTicket()
	if err != nil {
		return err
	}
	if archive {
		err = a.unarchive(c, f, format, http.MaxBytesReader(c.W, c.Body, a.MaxFile+a.MaxFile/1024+BodyRoom))
	} else {
		err = a.receiveFile(c, f)
	}
	c.Whole = c.Body.Err == io.EOF
	if err == nil && archive {
		err = comparePacked(c.Told.Declared, f.packed)
	}
	if err != nil {
		return err
	}
	return c.Grant.Whole()
}

func (a *Intake) receiveFile(c *Call, f *Fields) (err error) {
	f.Content, err = a.staged(c, f, http.MaxBytesReader(c.W, c.Body, a.MaxContent))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return sandlot.Refuse(sandlot.CodeContentTooLarge, "The file has more than %d bytes, which is the limit of "+
			"one call.", a.MaxContent).In("content").
			Detail("limit", a.MaxContent).With(sandlot.OpNothing).Note("Make the file smaller, or send it in parts with publish or update.")
	}
	if size := c.Told.Declared.Size; err == nil && f.Content.Size == 0 && (size == nil || *size != 0) {
		return sandlot.Refuse(sandlot.CodeMissingField, "The request has no body.").In("content").With(sandlot.OpNothing).
			Note("Send the file's bytes as the body, as curl -T does. For a file that is to be empty, ask for a ticket with size: 0.")
	}
	return err
}

// archiveOfTicket reports whether the body is an archive: if the ticket declares one or, where it names no file, if the
// media type is that of an archive.
func (c *Call) archiveOfTicket() (unpack.Format, bool, error) {
	value := c.R.Header.Get("Content-Type")
	name, _, _ := mime.ParseMediaType(value)
	if strings.HasPrefix(name, "multipart/") {
		return "", false, sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "The body is a form, and this call takes "+
			"the file itself.").In("Content-Type").
			With(sandlot.OpNothing).Note("Send the bytes as they are, with curl -T and not with -F.")
	}
	if c.Told.Archive != "" {
		return unpack.Format(c.Told.Archive), true, nil
	}
	format, ok := rawTypes[name]
	return format, ok && c.Told.Filename == "", nil
}
