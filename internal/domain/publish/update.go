package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// newFile holds the normalized fields of an update. An upload remembers it from its part 1.
type newFile struct {
	Project   sandlot.ProjectID
	Filename  string
	Title     *string
	Email     string
	Lang      string
	IfVersion *int
	Declared  Declared
	Replace   bool              `json:",omitempty"` // of many files: they are all that the project has afterwards
	Primary   string            `json:",omitempty"` // of many files
	Force     bool              `json:",omitempty"`
	Warnings  []sandlot.Warning `json:",omitempty"`

	Details DetailsChange `json:",omitzero"`
}

// Update makes a new version of a project in which one file, or those of in.Tree, are new or changed. It is durable
// when Update returns. The content and the Tree are consumed in any case. A part of an upload that is not complete
// returns Pending instead.
//
// Many files are checked as those of Publish are. With in.Replace the project has exactly these afterwards, and keeps
// the name of its primary file if it is among them; without, the others stay. A file with the same name and bytes is
// not stored again. It makes a version also if nothing is new.
//
// An account key may leave in.Project out, and then changes the project that was changed last; a project key must name
// its own. Updates of one project take effect one after another, each on the version that the one before it made. An
// update that expects another version than it finds is CodeVersionConflict.
//
// With in.Idempotency the same call within IdempotencyLife returns the first answer and changes nothing. The same form
// with the same files does so by in.FormToken; it is a FormUsedError if the project has moved on since.
func (s *Service) Update(ctx context.Context, by sandlot.Caller, in UpdateInput) (out Updated, pending *Pending, err error) {
	defer s.Contents.DiscardTree(ctx, in.Tree)
	defer s.Contents.Discard(ctx, in.Content)
	defer func() { err = s.present(ctx, by, err) }()
	if err := sandlot.Authorize(by, sandlot.ActEdit, nil); err != nil {
		return Updated{}, nil, err
	}
	if in.Named && strings.TrimSpace(in.Project) == "" {
		return Updated{}, nil, emptyProject(by)
	}
	if err := checkMany(in.Part, in.Tree, &in.Archive, in.DryRun); err != nil {
		return Updated{}, nil, err
	}
	set, err := in.Tree.arranged(ctx, in.Replace || in.Unwrap, in.Folder)
	if err != nil {
		return Updated{}, nil, err
	}
	asked := append([]any{in.Project, in.Filename, in.Title, in.Email, in.Lang, in.IfVersion, in.Declared.asked()},
		manyAsked(set, in.Archive, in.Primary, in.Replace)...)
	if in.Force {
		asked = append(asked, "force")
	}
	if !in.About.Empty() {
		asked = append(asked, in.About)
	}
	req, err := s.idempotency.newRequest(by, s.idempotency.keyOf(in), sandlot.OpUpdate, in.Part, set.content(in.Content), asked...)
	if err != nil {
		return Updated{}, nil, err
	}
	if in.FormToken != "" {
		s.idempotency.ofForm(req)
	}
	words, first := newFile{}, in.Part == nil || in.Part.first()
	if first { // the fields of a later part do not count
		if words, err = s.checkUpdate(in); err != nil {
			return Updated{}, nil, err
		}
	}
	if in.DryRun {
		out, err = s.tryUpdate(ctx, by, in, words, set)
		return out, nil, err
	}
	out, err = idempotent(ctx, s.idempotency, req, func() (out Updated, err error) {
		if first || by.Scoped() {
			p, err := s.target(ctx, by, in.Project)
			if err != nil {
				return Updated{}, err
			}
			words.Project = p.ID
		}
		if in.Part != nil {
			out, pending, err = s.updatePart(ctx, by, in, words, req)
			return out, err
		}
		return s.put(ctx, by, words, set, in.Content, extras{request: req})
	}, func(rec IdempotencyRecord, _ Minted) (Updated, error) {
		return s.recordedUpdate(ctx, by, in, words, rec)
	})
	return out, pending, err
}

// foreseeUpdate is Foresee of an update.
func foreseeUpdate(ctx context.Context, s *Service, by sandlot.Caller, in UpdateInput) (p sandlot.Project, w []sandlot.Warning, err error) {
	if err := sandlot.Authorize(by, sandlot.ActEdit, nil); err != nil {
		return p, nil, err
	}
	if strings.TrimSpace(in.Project) == "" {
		return p, nil, emptyProject(by)
	}
	words, err := s.checkUpdate(in)
	if err != nil {
		return p, nil, err
	}
	if p, err = s.target(ctx, by, in.Project); err != nil {
		return p, nil, err
	}
	if in.IfVersion != nil && *in.IfVersion != p.Version {
		return p, nil, versionConflict(p, *in.IfVersion)
	}
	return p, words.Warnings, nil
}

// emptyProject refuses an empty project_id, as a variable that was not set leaves it: it must not reach the newest
// project.
func emptyProject(by sandlot.Caller) error {
	return sandlot.Refuse(sandlot.CodeProjectIDRequired,
		"The field project_id is empty: it says which project is changed. Nothing was changed.").In("project_id").
		With(sandlot.OpSame, sandlot.Set("project_id", cmp.Or(string(by.Key().Project), "<project_id>"))).
		Note("Send the project's id. If it comes from a variable, the variable is not set.")
}

// many reports whether the call brings many files, or begins an upload that does.
func (in UpdateInput) many() bool { return in.Tree != nil || in.Archive != "" }

// manyWarnings warns about fields that a call with many files ignores.
func (in UpdateInput) manyWarnings() []sandlot.Warning {
	if in.Filename == "" {
		return nil
	}
	return []sandlot.Warning{sandlot.Warn("filename_ignored",
		"The field filename was ignored: each of the files has its own name.",
		"Leave filename out of a call with many files.")}
}

// checkOne refuses fields that only a call with many files obeys, of one file that comes by itself: in parts, or with a
// ticket.
func checkOne(in UpdateInput) error {
	field := "replace"
	if !in.Replace {
		field = "primary_file"
	}
	if in.Filename == "" || !in.Replace && in.Primary == "" {
		return nil
	}
	e := sandlot.Refuse(sandlot.CodeInvalidField,
		"The field %s is not for one file that comes in parts or with a ticket. Nothing was changed.", field).
		In(field).With(sandlot.OpSame).
		Note("Leave it out, or send an archive of all files that way, with archive_format instead of filename:")
	e.Fix.Without = []string{"replace", "primary_file"}
	return e
}

// checkSecret refuses a file whose name suggests secrets, unless it is forced.
func checkSecret(name string, force bool) error {
	if names.Secret(name) == "" || force {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidFilename,
		"A file called %s may hold secrets of yours, and everything published is public. Nothing was changed.",
		inspect.Quoted(name)).In("filename").
		With(sandlot.OpSame, sandlot.Set("filename", name), sandlot.Set("force", true)).
		Note("Leave it out: a page cannot keep a secret. If the file holds none and is to be public, force it:")
}

// checkUpdate normalizes the fields of an update, or refuses them.
func (s Config) checkUpdate(in UpdateInput) (newFile, error) {
	nf := newFile{IfVersion: in.IfVersion, Declared: in.Declared, Replace: in.Replace, Primary: in.Primary, Force: in.Force}
	var err error
	var w []sandlot.Warning
	if in.many() {
		nf.Warnings = in.manyWarnings()
	} else if nf.Filename, nf.Warnings, err = cleanFilename(in.Filename); err != nil {
		return nf, err
	} else if err := checkOne(in); err != nil {
		return nf, err
	} else if err := checkSecret(nf.Filename, in.Force); err != nil {
		return nf, err
	}
	if nf.Email, w, err = s.readEmail(in.Email); err != nil {
		return nf, err
	}
	nf.Warnings = append(nf.Warnings, w...)
	if nf.Lang, w = sandlot.CleanLang(in.Lang); w != nil {
		nf.Warnings = append(nf.Warnings, w...)
	}
	if in.Title != nil {
		title, w := cleanTitle(*in.Title)
		nf.Title, nf.Warnings = &title, append(nf.Warnings, w...)
	}
	if nf.Details, err = in.About.change(); err != nil {
		return nf, err
	}
	nf.Warnings = append(nf.Warnings, s.projectRead(in.Project)...)
	return nf, nil
}

// withoutWrapper removes p.Wrapper, the folder that once wrapped the project's files, from a filename, if the project
// has nothing in that folder.
func withoutWrapper(ctx context.Context, store Store, p sandlot.Project, name string) (string, []sandlot.Warning, error) {
	inside, found := strings.CutPrefix(name, p.Wrapper)
	clean, err := names.Filename(inside)
	if p.Wrapper == "" || !found || err != nil || clean != inside {
		return name, nil, nil
	}
	near, err := store.FilesNear(ctx, p.ID, names.Fold(strings.TrimSuffix(p.Wrapper, "/")))
	if err != nil {
		return name, nil, fmt.Errorf("read files near %q: %w", p.Wrapper, err)
	}
	if len(near) > 0 {
		return name, nil, nil
	}
	return inside, []sandlot.Warning{unwrapped(p.Wrapper)}, nil
}

// checkPlace refuses a filename that collides with another one on some file system, and a file beyond the limit. It
// returns the file of that name, nil if there is none.
func (s *Service) checkPlace(ctx context.Context, p sandlot.Project, f sandlot.File) (before *sandlot.File, err error) {
	near, err := s.store.FilesNear(ctx, p.ID, f.Folded)
	if err != nil {
		return nil, fmt.Errorf("read files near %q: %w", f.Name, err)
	}
	for i, other := range near {
		if other.Name == f.Name {
			before = &near[i]
			continue
		}
		return nil, filenameConflict(p, f.Name, other.Name)
	}
	if before == nil && p.FileCount >= s.MaxFiles {
		return nil, sandlot.Refuse(sandlot.CodeQuotaExceeded, "The project %s has %d files, which is the limit.",
			p.ID, p.FileCount).In("filename").
			With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).
			Note("Put several files into one, or first delete one that is not needed, with delete-file. " +
				"The project's files are listed when you read it with its key.")
	}
	return before, nil
}

// Bounds of a page that most likely lost its content: a twentieth of a page of at least two kilobytes.
const (
	shrunkTo   = 20
	shrunkFrom = 2 << 10
)

// shrunk warns about a page that replaces one of twenty times its size.
func shrunk(f sandlot.File, before *sandlot.File) []sandlot.Warning {
	if before == nil || !inspect.IsHTML(f.Name) || before.Blob.Size < shrunkFrom || f.Blob.Size*shrunkTo > before.Blob.Size {
		return nil
	}
	return []sandlot.Warning{sandlot.Warn("shrunk",
		fmt.Sprintf("%s has %d bytes now, and had %d before.", f.Name, f.Blob.Size, before.Blob.Size),
		"If a part of it was sent for the whole, send the whole file with update, or bring the version before back with restore.")}
}

// filenameConflict refuses a name that no file system could keep apart from another, and proposes a free one.
func filenameConflict(p sandlot.Project, name, other string) error {
	// Never the other file's own name: a client that pastes the proposal must not lose a file.
	ext := path.Ext(name)
	use := strings.TrimSuffix(name, ext)
	e := sandlot.Refuse(sandlot.CodeFilenameConflict, "The file %q conflicts with %q: the names differ only in case.", name, other)
	if names.Fold(name) != names.Fold(other) {
		e.Message = fmt.Sprintf("The file %q conflicts with %q: one name is a folder in the other's path.", name, other)
		use = strings.ReplaceAll(use, "/", "-")
	}
	use += "-2" + ext
	if other == primaryFile && names.Fold(name) == names.Fold(other) {
		use = other // two start pages are never intended
	}
	return e.In("filename").With(sandlot.OpSame, sandlot.Set("project_id", string(p.ID)), sandlot.Set("filename", use)).
		Note("Use another name, or %s if that is the one to replace, or delete the file that is in the way.", inspect.Quoted(other))
}

// DeleteFile makes a new version of a project that lacks one file; earlier versions keep it. It is durable when
// DeleteFile returns. The primary file is CodePrimaryFileProtected, a missing one CodeFileNotFound. It works on a full
// disk, too. With in.Idempotency the same call within IdempotencyLife returns the first answer and changes nothing.
func (s *Service) DeleteFile(ctx context.Context, by sandlot.Caller, in DeleteInput) (Deleted, error) {
	if err := sandlot.Authorize(by, sandlot.ActEdit, nil); err != nil {
		return Deleted{}, err
	}
	if strings.TrimSpace(in.Project) == "" {
		return Deleted{}, emptyProject(by)
	}
	name, read, err := cleanFilename(in.Filename)
	if err != nil {
		return Deleted{}, unknownFile(err)
	}
	email, w, err := s.readEmail(in.Email)
	if err != nil {
		return Deleted{}, err
	}
	in.Email, read = email, slices.Concat(read, w, s.projectRead(in.Project))
	req, err := s.idempotency.newRequest(by, in.Idempotency, sandlot.OpDeleteFile, nil, Content{}, in.Project,
		in.Filename, in.Email, in.Lang, in.IfVersion)
	if err != nil {
		return Deleted{}, err
	}
	out, err := idempotent(ctx, s.idempotency, req, func() (Deleted, error) {
		return s.deleteFile(ctx, by, in, name, req)
	}, func(rec IdempotencyRecord, _ Minted) (Deleted, error) {
		return s.recordedDelete(ctx, by, name, rec)
	})
	out.Warnings = append(read, out.Warnings...)
	return out, err
}

// deleteFile makes the version without the file.
func (s *Service) deleteFile(ctx context.Context, by sandlot.Caller, in DeleteInput, name string, req *request) (Deleted, error) {
	target, err := s.target(ctx, by, in.Project)
	if err != nil {
		return Deleted{}, err
	}
	out, email, screened := Deleted{Filename: name}, EmailNone, Screened{}
	out.Project, out.Previous, err = s.edit(ctx, target.ID, in.IfVersion, func(p sandlot.Project) (_ sandlot.Project, err error) {
		if err := s.checkDeletion(ctx, by, p, name); err != nil {
			return p, err
		}
		at := Edit{At: s.now().UTC(), Expect: p.Version, Suffix: s.vault.Suffix(), By: by.Key().ID}
		if at.Email, email, err = s.pendingEmail(ctx, by, in.Email, in.Lang, email); err != nil {
			return p, err
		}
		if at.Idempotency, err = s.idempotency.record(req, p.ID, p.Version+1, email, Minted{}, made{}); err != nil {
			return p, err
		}
		left, err := nextFiles(ctx, s, p, nil, name)
		if err != nil {
			return p, err
		}
		if screened, err = s.screen(ctx, by, Screening{Project: p, Email: at.Email.address(), Files: left}); err != nil {
			return p, err
		}
		at.Screened = screened
		var next sandlot.Project
		err = s.evenFull(func() (err error) { // the version without the file needs a little room
			next, err = s.store.DeleteFile(ctx, p.ID, name, at)
			return err
		})
		return next, email.unlessFull(err)
	})
	if err != nil {
		return Deleted{}, fmt.Errorf("delete file: %w", err)
	}
	out.Warnings = s.mailWarnings(by, email)
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	files, err := s.store.Files(ctx, out.Project.ID, out.Project.Version)
	if err != nil {
		return out, done(err)
	}
	out.Warnings = slices.Concat(out.Warnings, heldWarnings(out.Project, screened.Signs), s.lacking(ctx, out.Project, files))
	return out, nil
}

// unknownFile proposes to list the files instead of a usable name, which may be that of another file.
func unknownFile(err error) error {
	var e *sandlot.Error
	if errors.As(err, &e) {
		e.With(sandlot.OpProject).Note("No file can have this name. The project's files are listed when you read it with its key.")
	}
	return err
}

// checkDeletion refuses to delete the primary file, and a missing file.
func (s *Service) checkDeletion(ctx context.Context, by sandlot.Caller, p sandlot.Project, name string) error {
	if err := sandlot.Authorize(by, sandlot.ActEdit, &p); err != nil {
		return err
	}
	if e := refuseOpened(p, name); e != nil {
		return e.With(sandlot.OpUpdate, sandlot.Set("project_id", string(p.ID)), sandlot.Set("filename", name),
			sandlot.Set("content", "<base64 of the new file>")).
			Note("To change it, send new content with update.")
	}
	near, err := s.store.FilesNear(ctx, p.ID, names.Fold(name))
	if err != nil {
		return fmt.Errorf("read files near %q: %w", name, err)
	}
	if !slices.ContainsFunc(near, func(f sandlot.File) bool { return f.Name == name }) {
		return sandlot.Refuse(sandlot.CodeFileNotFound, "The project %s has no file %q.", p.ID, name).In("filename").
			With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).
			Note("If it was deleted before, nothing is left to do. " +
				"The project's files are listed when you read it with its key.")
	}
	return nil
}

// done returns the error of work after a step that had its effect, for its answer. It keeps nil, and the kind of the
// error, but not ErrNoEffect.
func done(err error) error {
	if !errors.Is(err, sandlot.ErrNoEffect) {
		return err
	}
	for _, kind := range []error{sandlot.ErrFull, sandlot.ErrUnavailable} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w, after the step: %v", kind, err)
		}
	}
	return fmt.Errorf("after the step: %v", err)
}
