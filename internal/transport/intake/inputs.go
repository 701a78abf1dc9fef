package intake

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
)

// ignored returns the warning about a field that belongs to another endpoint.
func ignored(code, name, hint string) sandlot.Warning {
	return sandlot.Warning{Code: code, Message: "The field " + name + " was ignored.", Hint: hint}
}

var handleIgnored = ignored("handle_ignored", "handle", "The account already has a handle. Choose one at signup, or in a first publish without a key.")

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
			"filename":   ignored("unknown_field", "filename", "Content always becomes index.html; add other files with POST /v1/update."),
			"project_id": ignored("unknown_field", "project_id", "This makes a new project; an existing one is changed with POST /v1/update."),
		},
	})
	UpdateFields = fieldsOf(sandlot.OpUpdate, FieldSet{
		elsewhere: map[string]sandlot.Warning{"handle": handleIgnored},
	})
	// fileFields are the members of one of many files.
	fileFields   = &FieldSet{content: true, Names: []string{"filename", "sha256", "size"}}
	DeleteFields = fieldsOf(sandlot.OpDeleteFile, FieldSet{
		elsewhere: map[string]sandlot.Warning{"handle": handleIgnored},
	})
	RestoreFields       = fieldsOf(sandlot.OpRestore, FieldSet{})
	DeleteProjectFields = fieldsOf(sandlot.OpDeleteProject, FieldSet{mayBeEmpty: true})
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
	return publish.About{Description: f.Words("description"), Tags: f.list("tags"), Listed: f.choice("listed"), Threads: f.choice("threads")}
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
		Project: f.Text("project_id"), Named: f.has("project_id"), Filename: f.Text("filename"), Title: f.decoration("title"), About: about(f), Email: f.Text("email"), Lang: f.decorated("lang"),
		IfVersion: f.ifVersion(), Content: f.Content, Declared: f.declared(), Part: f.part(), Idempotency: f.Header.Get(IdempotencyKey),
		Many: publish.Many{Tree: f.Tree, Replace: f.truth("replace"), Primary: f.Text("primary_file"), Archive: f.archiveFormat()}, Force: f.truth("force"), DryRun: f.truth("dry_run"),
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
	e := sandlot.Refuse(sandlot.CodeMissingField, "The call brings no file: filename and content are missing. Nothing was changed.").In("filename")
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
	in := publish.RestoreInput{Project: f.required("project_id", "it says of which project a version is to be restored"), IfVersion: f.ifVersion(), Idempotency: f.Header.Get(IdempotencyKey)}
	if field, ok := f.Form.Get("version"); ok && field.Kind == content.String && versionName.MatchString(field.Text) {
		n, _ := strconv.Atoi(field.Text[1:])
		f.read = append(f.read, publish.ReadAs("version", strconv.Itoa(n)))
		in.Version = n
	} else if n := f.whole("version"); n != nil {
		in.Version = *n
	} else if f.Err == nil {
		f.Fail(f.noVersion())
	}
	return in
}

// versionName matches a version as people write it.
var versionName = regexp.MustCompile(`^[vV][1-9][0-9]{0,8}$`)

// noVersion refuses a restore without a version. Its hint lists the versions, unless one came under another name.
func (f *Fields) noVersion() error {
	e := sandlot.Refuse(sandlot.CodeMissingField, "The field version is missing: it says which version's files the next one is to have.").In("version")
	if slices.ContainsFunc(f.unknown(), func(name string) bool { return slices.Contains(f.Set.Candidates(name), "version") }) {
		return e.Note("Send it as version.")
	}
	return e.With(sandlot.OpVersions).Note("Send version. The project's are listed here:")
}

// ReadDeleteProject returns the confirmation. A version guards nothing here, and an ignored guard is worse than none.
func ReadDeleteProject(f *Fields) string {
	if f.ifMatch() != nil {
		f.Fail(sandlot.Refuse(sandlot.CodeInvalidField, "A project is deleted with all its versions, so the header If-Match guards nothing. Nothing was deleted.").In("If-Match").
			With(sandlot.OpSame).Note("Send the same call without If-Match; for 7 days the owner can take the project back."))
	}
	return f.Text("confirm")
}

func ReadSignup(f *Fields) publish.SignupInput {
	return publish.SignupInput{Handle: f.decorated("handle"), Email: f.Text("email"), Lang: f.decorated("lang"), Idempotency: f.Header.Get(IdempotencyKey)}
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
// same: proxies weaken the ETag of a body that they compress, and a version is exact in any case. "*" accepts any
// version, so it names none.
func (f *Fields) ifMatch() *int {
	var found *int
	if f.Header.Values("If-Match") != nil && strings.Trim(strings.Join(f.Header.Values("If-Match"), ""), ", \t") == "" {
		f.Fail(badVersion("If-Match", "If-Match is empty, so it would guard nothing"))
	}
	for _, tag := range strings.Split(strings.Join(f.Header.Values("If-Match"), ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "" || tag == "*" {
			continue
		}
		quoted := strings.TrimPrefix(tag, "W/")
		n, err := strconv.Atoi(strings.Trim(quoted, `"`))
		switch {
		case err != nil || len(quoted) < 3 || quoted[0] != '"' || quoted[len(quoted)-1] != '"':
			f.Fail(badVersion("If-Match", `If-Match is not the ETag of a project, which is its version in quotes, such as "7"`))
			return nil
		case found != nil && *found != n:
			f.Fail(badVersion("If-Match", "If-Match names more than one version"))
			return nil
		}
		found = &n
	}
	return found
}

// AmendFields are the fields of a PATCH of a project. It never changes.
var AmendFields = fieldsOf(sandlot.OpAmend, FieldSet{
	mayBeEmpty: true,
	strict:     true,
})

func ReadAmend(f *Fields) publish.AmendInput {
	in := publish.AmendInput{
		Title: f.Words("title"), Description: f.Words("description"), Lang: f.Words("lang"), Tags: f.list("tags"), Primary: f.Words("primary_file"),
		Listed: f.choice("listed"), Threads: f.choice("threads"), IfVersion: f.ifVersion(),
	}
	return in
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
