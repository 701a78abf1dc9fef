package api

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
)

// ignored is the warning about a field that belongs to another endpoint.
func ignored(code, name, hint string) sandlot.Warning {
	return sandlot.Warning{Code: code, Message: "The field " + name + " was ignored.", Hint: hint}
}

var handleIgnored = ignored("handle_ignored", "handle", "The account already has a handle. Choose one at signup, or in a first publish without a key.")

// The fields of the endpoints that have a body. None of these changes.
var (
	publishFields = &fieldSet{
		content: true, html: true,
		names: []string{
			"title", "description", "tags", "listed", "threads", "email", "handle", "lang", "sha256", "size", "primary_file", "archive_format", "dry_run",
			"upload_id", "part", "total_parts", "last", "parts", "total", "total_chunks",
		},
		elsewhere: map[string]sandlot.Warning{
			"filename":   ignored("unknown_field", "filename", "Content always becomes index.html; add other files with POST /v1/update."),
			"project_id": ignored("unknown_field", "project_id", "This makes a new project; an existing one is changed with POST /v1/update."),
		},
	}
	updateFields = &fieldSet{
		content: true, chooses: true,
		names: []string{
			"project_id", "filename", "title", "description", "tags", "listed", "threads", "email", "lang", "if_version", "sha256", "size", "primary_file", "archive_format", "replace", "force", "dry_run",
			"upload_id", "part", "total_parts", "last", "parts", "total", "total_chunks",
		},
		elsewhere: map[string]sandlot.Warning{"handle": handleIgnored},
	}
	// fileFields are the members of one of many files.
	fileFields   = &fieldSet{content: true, names: []string{"filename", "sha256", "size"}}
	deleteFields = &fieldSet{
		chooses:   true,
		names:     []string{"project_id", "filename", "email", "lang", "if_version"},
		elsewhere: map[string]sandlot.Warning{"handle": handleIgnored},
	}
	restoreFields = &fieldSet{
		chooses: true,
		names:   []string{"project_id", "version", "if_version"},
	}
	deleteProjectFields = &fieldSet{names: []string{"confirm"}, mayBeEmpty: true}
	signupFields        = &fieldSet{
		names:      []string{"handle", "email", "lang"},
		mayBeEmpty: true,
		elsewhere: map[string]sandlot.Warning{
			"content": ignored("unknown_field", "content", "A project is published with POST /v1/publish; use the api_key of this answer."),
		},
	}
)

func publishInput(f *fields) publish.PublishInput {
	return publish.PublishInput{
		Title: f.decorated("title"), About: about(f), Handle: f.decorated("handle"), Email: f.text("email"), Lang: f.decorated("lang"),
		Content: f.content, Declared: f.declared(), Part: f.part(), Idempotency: f.header.Get(idempotencyKey),
		Tree: f.tree, Primary: f.text("primary_file"), Archive: f.archiveFormat(), DryRun: f.truth("dry_run"),
	}
}

// about reads the details of the project from a call, as PATCH takes them.
func about(f *fields) publish.About {
	return publish.About{Description: f.words("description"), Tags: f.list("tags"), Listed: f.choice("listed"), Threads: f.choice("threads")}
}

// archiveFormat is that of an upload's assembled bytes. Of an archive in one call its own bytes tell.
func (f *fields) archiveFormat() string {
	if f.tree != nil {
		return ""
	}
	return f.text("archive_format")
}

func updateInput(f *fields) publish.UpdateInput {
	in := publish.UpdateInput{
		Project: f.text("project_id"), Named: f.has("project_id"), Filename: f.text("filename"), Title: f.decoration("title"), About: about(f), Email: f.text("email"), Lang: f.decorated("lang"),
		IfVersion: f.ifVersion(), Content: f.content, Declared: f.declared(), Part: f.part(), Idempotency: f.header.Get(idempotencyKey),
		Tree: f.tree, Replace: f.truth("replace"), Force: f.truth("force"), Primary: f.text("primary_file"), Archive: f.archiveFormat(), DryRun: f.truth("dry_run"),
	}
	if f.alone {
		in.Filename = "" // the tree has it
	}
	if in.Tree != nil || in.Archive != "" {
		return in // these bring their own names
	}
	// What file it is, is told once: with the content, or with part 1.
	if name := f.ownName(); name != "" && in.Part == nil {
		in.Filename = name
	} else if in.Part == nil || in.Part.N != nil && *in.Part.N == 1 {
		f.checkDetails(in)
		in.Filename = f.required("filename", "it says which file of the project this is")
	}
	return in
}

// checkDetails refuses an update that brings no file but a title or a language, with the call that changes these.
func (f *fields) checkDetails(in publish.UpdateInput) {
	if f.form.HasContent || f.has("filename") || in.Title == nil && in.Lang == "" && in.About.Empty() {
		return
	}
	e := sandlot.Refuse(sandlot.CodeMissingField, "The call brings no file: filename and content are missing. Nothing was changed.").In("filename")
	var args []sandlot.Arg
	for _, name := range []string{"project_id", "title", "description", "tags", "lang"} {
		if text, ok := f.repeatedText(name); ok {
			args = append(args, sandlot.Arg{Name: name, Value: text})
		}
	}
	for _, name := range []string{"listed", "threads"} {
		if field, ok := f.form.Get(name); ok && field.Kind == content.Bool {
			args = append(args, sandlot.Arg{Name: name, Value: field.Raw == "true"})
		}
	}
	f.fail(e.With(sandlot.OpAmend, args...).Note("What is said about a project is changed with PATCH:"))
}

func deleteInput(f *fields) publish.DeleteInput {
	return publish.DeleteInput{
		Project:  f.required("project_id", "it says of which project a file is to be removed"),
		Filename: f.required("filename", "it says which file is to be removed"),
		Email:    f.text("email"), Lang: f.decorated("lang"), IfVersion: f.ifVersion(), Idempotency: f.header.Get(idempotencyKey),
	}
}

// listed returns the names in a list of files to delete, however the list is called.
func (f *fields) listed() []string {
	for _, name := range []string{"filenames", "files", "filename"} {
		if field, ok := f.form.Get(name); ok && (field.Kind == content.Array || field.Kind == content.Object) {
			return filesIn(field)
		}
	}
	return nil
}

func restoreInput(f *fields) publish.RestoreInput {
	in := publish.RestoreInput{Project: f.required("project_id", "it says of which project a version is to be restored"), IfVersion: f.ifVersion(), Idempotency: f.header.Get(idempotencyKey)}
	if field, ok := f.form.Get("version"); ok && field.Kind == content.String && versionName.MatchString(field.Text) {
		n, _ := strconv.Atoi(field.Text[1:])
		f.read = append(f.read, publish.ReadAs("version", strconv.Itoa(n)))
		in.Version = n
	} else if n := f.whole("version"); n != nil {
		in.Version = *n
	} else if f.err == nil {
		f.fail(f.noVersion())
	}
	return in
}

// versionName matches a version as people write it.
var versionName = regexp.MustCompile(`^[vV][1-9][0-9]{0,8}$`)

// noVersion refuses a restore without a version. It lists those there are, unless one came under
// another name.
func (f *fields) noVersion() error {
	e := sandlot.Refuse(sandlot.CodeMissingField, "The field version is missing: it says which version's files the next one is to have.").In("version")
	if slices.ContainsFunc(f.unknown(), func(name string) bool { return slices.Contains(f.set.candidates(name), "version") }) {
		return e.Note("Send it as version.")
	}
	return e.With(sandlot.OpVersions).Note("Send version. The project's are listed here:")
}

// deleteProjectInput is what was sent to confirm. A version guards nothing here, and a guard that is ignored is worse than none.
func deleteProjectInput(f *fields) string {
	if f.ifMatch() != nil {
		f.fail(sandlot.Refuse(sandlot.CodeInvalidField, "A project is deleted with all its versions, so the header If-Match guards nothing. Nothing was deleted.").In("If-Match").
			With(sandlot.OpSame).Note("Send the same call without If-Match; for 7 days the owner can take the project back."))
	}
	return f.text("confirm")
}

func signupInput(f *fields) publish.SignupInput {
	return publish.SignupInput{Handle: f.decorated("handle"), Email: f.text("email"), Lang: f.decorated("lang"), Idempotency: f.header.Get(idempotencyKey)}
}

// ifVersion is the version that the client changes, from the field or from
// If-Match, which must not contradict.
func (f *fields) ifVersion() *int {
	field, header := f.whole("if_version"), f.ifMatch()
	if field != nil && header != nil && *field != *header {
		f.fail(badVersion("if_version", "if_version is %d, but If-Match says %d", *field, *header))
	}
	if field == nil {
		return header
	}
	return field
}

// badVersion proposes to look: the same call without the version would change the
// project unguarded.
func badVersion(name, format string, args ...any) error {
	return badField(name, format, args...).With(sandlot.OpProject).Note("Send the version that the project has now.")
}

// ifMatch reads If-Match. The ETag of a project is its version in quotes. A weak
// one is taken for the same: proxies weaken what they compress, and a version is
// exact in any case. "*" asks for any version, so for none in particular.
func (f *fields) ifMatch() *int {
	var found *int
	if f.header.Values("If-Match") != nil && strings.Trim(strings.Join(f.header.Values("If-Match"), ""), ", \t") == "" {
		f.fail(badVersion("If-Match", "If-Match is empty, so it would guard nothing"))
	}
	for _, tag := range strings.Split(strings.Join(f.header.Values("If-Match"), ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "" || tag == "*" {
			continue
		}
		quoted := strings.TrimPrefix(tag, "W/")
		n, err := strconv.Atoi(strings.Trim(quoted, `"`))
		switch {
		case err != nil || len(quoted) < 3 || quoted[0] != '"' || quoted[len(quoted)-1] != '"':
			f.fail(badVersion("If-Match", `If-Match is not the ETag of a project, which is its version in quotes, such as "7"`))
			return nil
		case found != nil && *found != n:
			f.fail(badVersion("If-Match", "If-Match names more than one version"))
			return nil
		}
		found = &n
	}
	return found
}
