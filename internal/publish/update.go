package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sandlot/internal/names"
)

// newFile is an update whose words have been brought into form. It is what an
// upload remembers of its part 1.
type newFile struct {
	Project   ProjectID
	Filename  string
	Title     *string
	Email     string
	Lang      string
	IfVersion *int
	Declared  Declared
	Warnings  []Warning `json:",omitempty"`
}

// Update makes a new version of a project in which one file is new or other. It
// is durable when it returns. If the call is a part of an upload that is not
// complete, Pending is set instead of Updated. The content is used up or
// discarded in any case. With in.Idempotency, the same call again within a day gets the
// first answer again and changes nothing.
func (s *Service) Update(ctx context.Context, by Caller, in UpdateInput) (out Updated, pending *Pending, err error) {
	defer s.Contents.Discard(ctx, in.Content)
	defer func() { err = s.present(ctx, by, err) }()
	if err := Authorize(by, ActEdit, nil); err != nil {
		return Updated{}, nil, err
	}
	if in.Named && strings.TrimSpace(in.Project) == "" {
		return Updated{}, nil, emptyProject(by)
	}
	a, err := s.attempt(by, in.Idempotency, OpUpdate, in.Part, in.Content, in.Project, in.Filename, in.Title, in.Email, in.Lang, in.IfVersion, in.Declared.asked())
	if err != nil {
		return Updated{}, nil, err
	}
	nf := newFile{}
	if in.Part == nil || in.Part.first() {
		if nf, err = prepareUpdate(in); err != nil {
			return Updated{}, nil, err
		}
		nf.Warnings = append(nf.Warnings, s.projectRead(in.Project)...)
	}
	err = s.once(ctx, a, func() error {
		out, pending, err = s.updateNew(ctx, by, in, nf, a)
		return err
	}, func(rec IdempotencyRecord, _ Minted) error {
		out, err = s.updatedAgain(ctx, by, in, nf, rec)
		return err
	})
	return out, pending, err
}

// emptyProject refuses a project_id that is there and empty, as a variable that
// was not set leaves it: it must not reach the newest project.
func emptyProject(by Caller) error {
	return Refuse(CodeProjectIDRequired, "The field project_id is empty: it says which project is changed. Nothing was changed.").In("project_id").
		With(OpSame, Arg{"project_id", cmp.Or(string(by.key.Project), "<project_id>")}).
		Note("Send the project's id. If it comes from a variable, the variable is not set.")
}

// updateNew makes an update that was not made before.
func (s *Service) updateNew(ctx context.Context, by Caller, in UpdateInput, nf newFile, a *attempt) (Updated, *Pending, error) {
	if in.Part == nil || in.Part.first() || by.Scoped() {
		p, err := s.target(ctx, by, in.Project)
		if err != nil {
			return Updated{}, nil, err
		}
		nf.Project = p.ID
	}
	if in.Part != nil {
		return s.updatePart(ctx, by, in, nf, a)
	}
	out, err := s.put(ctx, by, nf, in.Content, beside{once: a})
	return out, nil, err
}

// prepareUpdate checks and mends the words of an update.
func prepareUpdate(in UpdateInput) (newFile, error) {
	nf := newFile{IfVersion: in.IfVersion, Declared: in.Declared}
	var err error
	var w []Warning
	if nf.Filename, nf.Warnings, err = cleanFilename(in.Filename); err != nil {
		return nf, err
	}
	if nf.Email, w, err = readEmail(in.Email); err != nil {
		return nf, err
	}
	nf.Warnings = append(nf.Warnings, w...)
	if nf.Lang, w = cleanLang(in.Lang); w != nil {
		nf.Warnings = append(nf.Warnings, w...)
	}
	if in.Title != nil {
		title, w := cleanTitle(*in.Title)
		nf.Title, nf.Warnings = &title, append(nf.Warnings, w...)
	}
	return nf, nil
}

// put records the file.
func (s *Service) put(ctx context.Context, by Caller, nf newFile, c Content, also beside) (Updated, error) {
	var mail EmailOutcome
	var err error
	out := Updated{File: File{Name: nf.Filename, Folded: names.Fold(nf.Filename), Blob: c.Blob}}
	out.Project, out.Previous, err = s.edit(ctx, nf.Project, nf.IfVersion, func(p Project) (_ Project, err error) {
		if err := Authorize(by, ActEdit, &p); err != nil {
			return p, err
		}
		if err := checkContent(c, nf.Filename, nf.Filename == p.Primary || nf.Filename == primaryFile, nf.Declared); err != nil {
			return p, err
		}
		if out.Created, err = s.checkPlace(ctx, p, out.File); err != nil {
			return p, err
		}
		at := Edit{At: s.now().UTC(), Expect: p.Version, Suffix: s.randomSuffix(), By: by.key.ID, Title: nf.Title, Within: s.Quota}
		if at.Email, mail, err = s.pendingEmail(ctx, by, nf.Email, nf.Lang); err != nil {
			return p, err
		}
		title := p.Title
		if nf.Title != nil {
			title = *nf.Title
		}
		m := madeOf(title, at.Suffix, at.At, out.File, out.Created)
		if at.Upload, err = s.completion(by, also.upload, p.ID, p.Version+1, Minted{}, m); err != nil {
			return p, err
		}
		if at.Idempotency, err = s.record(also.once, p.ID, p.Version+1, mail, Minted{}, m); err != nil {
			return p, err
		}
		return s.store.PutFile(ctx, p.ID, out.File, at)
	})
	if err != nil {
		return Updated{}, fmt.Errorf("update project: %w", s.overQuota(err))
	}
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Warnings = slices.Concat(nf.Warnings, contentWarnings(c, nf.Filename, nf.Filename == out.Project.Primary), s.mailWarnings(by, mail))
	out.Quarantined = s.quarantined(out.Project)
	kept, err := s.quarantineWarnings(ctx, out.Project, out.File)
	s.untold(err)
	out.Warnings = append(out.Warnings, kept...)
	return out, nil
}

// checkPlace refuses a filename that could not stand beside the others on every
// file system, and a file too many. It tells whether the file is new.
func (s *Service) checkPlace(ctx context.Context, p Project, f File) (created bool, err error) {
	near, err := s.store.FilesNear(ctx, p.ID, f.Folded)
	if err != nil {
		return false, fmt.Errorf("read files near %q: %w", f.Name, err)
	}
	created = true
	for _, other := range near {
		if other.Name == f.Name {
			created = false
			continue
		}
		return false, filenameConflict(p, f.Name, other.Name)
	}
	if created && p.FileCount >= s.MaxFiles {
		return false, Refuse(CodeQuotaExceeded, "The project %s has %d files, which is the limit.", p.ID, p.FileCount).In("filename").
			With(OpProject, Arg{"id", string(p.ID)}).
			Note("Put several files into one, or first delete one that is not needed, with delete-file. The project's files are listed when you read it with its key.")
	}
	return created, nil
}

func filenameConflict(p Project, name, other string) error {
	// Never the other file's own name: whoever pastes the proposal must not lose a file.
	ext := path.Ext(name)
	use := strings.TrimSuffix(name, ext)
	e := Refuse(CodeFilenameConflict, "The file %q conflicts with %q: the names differ only in case.", name, other)
	if names.Fold(name) != names.Fold(other) {
		e.Message = fmt.Sprintf("The file %q conflicts with %q: one name is a folder in the other's path.", name, other)
		use = strings.ReplaceAll(use, "/", "-")
	}
	use += "-2" + ext
	if other == primaryFile && names.Fold(name) == names.Fold(other) {
		use = other // nobody means a second page beside it
	}
	return e.In("filename").With(OpSame, Arg{"project_id", string(p.ID)}, Arg{"filename", use}).
		Note("Use another name, or %s if that is the one to replace, or delete the file that is in the way.", Quoted(other))
}

// DeleteFile makes a new version of a project that lacks one file. With in.Idempotency,
// the same call again within a day gets the first answer again and changes
// nothing.
func (s *Service) DeleteFile(ctx context.Context, by Caller, in DeleteInput) (out Deleted, err error) {
	if err := Authorize(by, ActEdit, nil); err != nil {
		return Deleted{}, err
	}
	if strings.TrimSpace(in.Project) == "" {
		return Deleted{}, emptyProject(by)
	}
	name, read, err := cleanFilename(in.Filename)
	if err != nil {
		return Deleted{}, unknownFile(err)
	}
	email, w, err := readEmail(in.Email)
	if err != nil {
		return Deleted{}, err
	}
	in.Email, read = email, slices.Concat(read, w, s.projectRead(in.Project))
	a, err := s.attempt(by, in.Idempotency, OpDeleteFile, nil, Content{}, in.Project, in.Filename, in.Email, in.Lang, in.IfVersion)
	if err != nil {
		return Deleted{}, err
	}
	err = s.once(ctx, a, func() error {
		out, err = s.deleteNew(ctx, by, in, name, a)
		return err
	}, func(rec IdempotencyRecord, _ Minted) error {
		out, err = s.deletedAgain(ctx, by, name, rec)
		return err
	})
	out.Warnings = append(read, out.Warnings...)
	return out, err
}

func (s *Service) deleteNew(ctx context.Context, by Caller, in DeleteInput, name string, a *attempt) (Deleted, error) {
	target, err := s.target(ctx, by, in.Project)
	if err != nil {
		return Deleted{}, err
	}
	out, mail := Deleted{Filename: name}, EmailNone
	out.Project, out.Previous, err = s.edit(ctx, target.ID, in.IfVersion, func(p Project) (_ Project, err error) {
		at := Edit{At: s.now().UTC(), Expect: p.Version, Suffix: s.randomSuffix(), By: by.key.ID}
		if at.Email, mail, err = s.pendingEmail(ctx, by, in.Email, in.Lang); err != nil {
			return p, err
		}
		if at.Idempotency, err = s.record(a, p.ID, p.Version+1, mail, Minted{}, made{}); err != nil {
			return p, err
		}
		return s.deleteOnce(ctx, by, p, name, at)
	})
	if err != nil {
		return Deleted{}, fmt.Errorf("delete file: %w", err)
	}
	out.Warnings = s.mailWarnings(by, mail)
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Files, err = s.store.Files(ctx, out.Project.ID, out.Project.Version)
	return out, done(err)
}

// unknownFile proposes to look for the file instead of a usable name, which may
// be that of another file.
func unknownFile(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.With(OpProject).Note("No file can have this name. The project's files are listed when you read it with its key.")
	}
	return err
}

func (s *Service) deleteOnce(ctx context.Context, by Caller, p Project, name string, at Edit) (Project, error) {
	if err := Authorize(by, ActEdit, &p); err != nil {
		return p, err
	}
	if name == primaryFile || name == p.Primary {
		return p, Refuse(CodePrimaryFileProtected, "The file %s of %s cannot be deleted: it is what players open.", name, p.ID).In("filename").
			With(OpUpdate, Arg{"project_id", string(p.ID)}, Arg{"filename", name}, Arg{"content", "<base64 of the new file>"}).
			Note("To change it, send new content with update.")
	}
	near, err := s.store.FilesNear(ctx, p.ID, names.Fold(name))
	if err != nil {
		return p, fmt.Errorf("read files near %q: %w", name, err)
	}
	for _, f := range near {
		if f.Name == name {
			return s.deleteFile(ctx, p.ID, name, at)
		}
	}
	return p, Refuse(CodeFileNotFound, "The project %s has no file %q.", p.ID, name).In("filename").
		With(OpProject, Arg{"id", string(p.ID)}).Note("If it was deleted before, nothing is left to do. The project's files are listed when you read it with its key.")
}

// deleteFile deletes a file on a full disk, too: it needs a little room for the
// version without the file, which is kept for that.
func (s *Service) deleteFile(ctx context.Context, id ProjectID, name string, at Edit) (Project, error) {
	p, err := s.store.DeleteFile(ctx, id, name, at)
	if !errors.Is(err, ErrFull) || s.Spend == nil {
		return p, err
	}
	s.Spend()
	return s.store.DeleteFile(ctx, id, name, at)
}
