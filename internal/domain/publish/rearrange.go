package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
)

// A FileError is a refusal about one of several files.
type FileError struct {
	Name string // as it would be stored, or was sent if it cannot be
	Err  error
}

// Error implements error.
func (e FileError) Error() string { return fmt.Sprintf("%q: %v", e.Name, e.Err) }

// Unwrap returns the refusal.
func (e FileError) Unwrap() error { return e.Err }

// Filename returns the name under which a file is stored: name itself, or its normalized form. A name that no file can
// have is CodeInvalidFilename.
func Filename(name string) (string, error) {
	clean, _, err := cleanFilename(name)
	return clean, err
}

// MoveFile makes a version in which a file has another name, and the same bytes. The primary file stays the primary one
// under its new name. A missing file is CodeFileNotFound, a name that is taken a FileError. The same form again changes
// nothing; it is a FormUsedError if the project has moved on since.
func (s *Service) MoveFile(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, from, to string, form Form) error {
	to, _, err := cleanFilename(to)
	if err != nil {
		return err
	}
	return s.rearrange(ctx, by, id, formAct{form, []string{"move", from, to}},
		arrangement{change: func(p sandlot.Project, current []sandlot.File) (Change, error) {
			old := fileNamed(current, from)
			switch {
			case old == nil:
				return Change{}, noFile(p, from)
			case from == to:
				return Change{}, nil
			case from == primaryFile && p.Primary != primaryFile:
				return Change{}, sandlot.Refuse(sandlot.CodePrimaryFileProtected,
					"The file %s of %s cannot be renamed: it is what players may open.", from, p.ID).In("filename")
			}
			c := Change{Drop: []sandlot.File{*old}, Put: []sandlot.File{{Name: to, Folded: names.Fold(to), Blob: old.Blob}}}
			if from == p.Primary {
				c.Primary = to
			}
			return c, nil
		}})
}

// ChoosePrimary makes a version in which "/" serves another file. A missing file is CodeFileNotFound, an empty one
// CodeInvalidField. The same form again changes nothing; it is a FormUsedError if the project has moved on since.
func (s *Service) ChoosePrimary(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, name string, form Form) error {
	return s.rearrange(ctx, by, id, formAct{form, []string{"primary", name}}, arrangement{change: choosePrimary(name, "filename")})
}

// choosePrimary makes a file the primary one. A refusal names the field that the file was sent in.
func choosePrimary(name, field string) func(sandlot.Project, []sandlot.File) (Change, error) {
	return func(p sandlot.Project, current []sandlot.File) (Change, error) {
		f := fileNamed(current, name)
		switch {
		case f == nil:
			return Change{}, noFile(p, name).In(field).With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).
				Note("Nothing was changed. The project's files are listed here, names are exact:")
		case f.Blob.Size == 0:
			return Change{}, sandlot.Refuse(sandlot.CodeInvalidField,
				"The file %s is empty, and what players open must not be.", name).In(field).
				With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).
				Note("Nothing was changed. " +
					"Choose another file of the project, or send this one with update first:")
		case name == p.Primary:
			return Change{}, nil
		}
		return Change{Primary: name}, nil
	}
}

// RemoveFiles makes one version of a project that lacks these files. Missing ones are no error. If one is protected
// none is removed, and the error is a FileError. It works on a full disk, too. The same form again changes nothing; it
// is a FormUsedError if the project has moved on since.
func (s *Service) RemoveFiles(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, list []string, form Form) error {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	return s.evenFull(func() error { // the version without the files needs a little room
		return s.rearrange(ctx, by, id, formAct{form, append([]string{"remove"}, list...)},
			arrangement{change: func(p sandlot.Project, current []sandlot.File) (c Change, err error) {
				for _, name := range list {
					if e := refuseOpened(p, name); e != nil {
						return Change{}, FileError{name, e}
					}
					if old := fileNamed(current, name); old != nil {
						c.Drop = append(c.Drop, *old)
					} else if _, _, err := cleanFilename(name); err != nil {
						return Change{}, FileError{name, err}
					}
				}
				return c, nil
			}})
	})
}

// noFile refuses an act on a missing file: somebody else has deleted or renamed it, or the page is old.
func noFile(p sandlot.Project, name string) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeFileNotFound, "The project %s has no file %q.", p.ID, name).In("filename")
}

// refuseOpened refuses to delete a file that players open; it returns nil for any other file.
func refuseOpened(p sandlot.Project, name string) *sandlot.Error {
	if name != primaryFile && name != p.Primary {
		return nil
	}
	return sandlot.Refuse(sandlot.CodePrimaryFileProtected,
		"The file %s of %s cannot be deleted: it is what players open.", name, p.ID).In("filename")
}

// fileNamed finds a file in a list by name.
func fileNamed(files []sandlot.File, name string) *sandlot.File {
	i, found := slices.BinarySearchFunc(files, name, func(f sandlot.File, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return &files[i]
}

// FormUsedError means that the same form made a version before, and that the project has moved on since: it was no
// double press of the button, but a person who went back to an old page.
type FormUsedError struct{ Version int } // the version that the form made

// Error implements error.
func (e FormUsedError) Error() string {
	return fmt.Sprintf("the form was used: it made version %d", e.Version)
}

// A Form is a form of the website. A project at another version than Seen is CodeVersionConflict.
type Form struct {
	Token string // distinguishes an act from the same act at another time
	Seen  int    // the version that the form was made from; 0: any
}

// formAct is the act of a form of the website.
type formAct struct {
	form Form
	what []string
}

// arrangement is a version that is computed from the files before it, with the conditions of its step.
type arrangement struct {
	request   *request       // nil: without an idempotency record
	act       sandlot.Action // the action that its caller must be allowed on the project
	ifVersion *int           // nil: any current version
	details   DetailsChange
	restored  int  // the version whose files it has again, 0 for none
	always    bool // whether it is made even if nothing changes
	change    func(p sandlot.Project, current []sandlot.File) (Change, error)
}

// arrange makes the version that a.change computes from the current files, and returns its screening; an empty Change makes none,
// unless a.always.
func (s *Service) arrange(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID,
	a arrangement,
) (next sandlot.Project, previous int, screened Screened, err error) {
	next, previous, err = s.edit(ctx, id, a.ifVersion, func(p sandlot.Project) (sandlot.Project, error) {
		if err := sandlot.Authorize(by, a.act, &p); err != nil {
			return p, err
		}
		current, err := s.store.Files(ctx, p.ID, p.Version)
		if err != nil {
			return p, fmt.Errorf("read files: %w", err)
		}
		c, err := a.change(p, current)
		if err != nil || !a.always && len(c.Put) == 0 && len(c.Drop) == 0 && c.Primary == "" {
			return p, err
		}
		if err := s.checkPlaces(p, current, c); err != nil {
			return p, err
		}
		rec, err := s.idempotency.record(a.request, id, p.Version+1, EmailNone, Minted{}, made{})
		if err != nil {
			return p, err
		}
		screened, err = s.screen(ctx, by, Screening{
			Project: p, Title: or(a.details.Title), Primary: c.Primary, Files: changedTo(current, c), New: c.Put,
		})
		if err != nil {
			return p, err
		}
		return s.management.Rearrange(ctx, p.ID, c, Edit{
			At: s.now().UTC(), Expect: p.Version, Suffix: s.vault.Suffix(), By: by.Key().
				ID, Idempotency: rec, Within: s.Quota, RestoredFrom: a.restored,
			Title: a.details.Title, Details: a.details, Screened: screened,
		})
	})
	return next, previous, screened, s.Quota.exceeded(err)
}

// changedTo returns the files after a change.
func changedTo(current []sandlot.File, c Change) []sandlot.File {
	return without(current, namesOf(c.Drop), c.Put)
}

// rearrange is arrange for a form of the website. A form that was sent before changes nothing; if the project has moved
// on since, it is a FormUsedError.
func (s *Service) rearrange(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, act formAct, a arrangement) error {
	if _, err := s.owned(ctx, by, sandlot.ActOwn, id); err != nil {
		return err
	}
	var err error
	if a.request, err = s.idempotency.formRequest(by, fmt.Sprintf("%s %q", id, act.what), act.form.Token); err != nil {
		return err
	}
	change := a.change
	a.act, a.change = sandlot.ActOwn, func(p sandlot.Project, current []sandlot.File) (Change, error) {
		switch rec, err := s.store.IdempotencyRecord(ctx, a.request.key, s.now().UTC()); {
		case err == nil && rec.Version != p.Version:
			return Change{}, FormUsedError{rec.Version}
		case !errors.Is(err, sandlot.ErrNotFound):
			return Change{}, err
		case act.form.Seen != 0 && act.form.Seen != p.Version:
			return Change{}, versionConflict(p, act.form.Seen)
		}
		return change(p, current)
	}
	_, _, _, err = s.arrange(ctx, by, id, a)
	switch {
	case errors.Is(err, sandlot.ErrAlreadyDone):
		return nil
	case errors.Is(err, sandlot.ErrNoPrimary): // an older version has damaged records
		return sandlot.ErrNotFound
	}
	return err
}

// checkPlaces refuses files whose names collide on some file system, and a file beyond the limit.
func (s *Service) checkPlaces(p sandlot.Project, current []sandlot.File, c Change) error {
	dropped := make(map[string]bool, len(c.Drop))
	for _, f := range c.Drop {
		dropped[f.Folded] = true
	}
	files := make([]names.Place, 0, len(current)+len(c.Put))
	for _, f := range current {
		if !dropped[f.Folded] {
			files = append(files, names.Place{Folded: f.Folded, Name: f.Name})
		}
	}
	for _, f := range c.Put {
		files = append(files, names.Place{Folded: f.Folded, Name: f.Name, New: true})
	}
	if name, other, found := names.Collide(files); found {
		return FileError{name, filenameConflict(p, name, other)}
	}
	if len(files) > s.MaxFiles && len(files) > p.FileCount {
		return sandlot.Refuse(sandlot.CodeQuotaExceeded, "The project %s would have %d files; %d is the limit.", p.ID,
			len(files), s.MaxFiles).In("filename")
	}
	return nil
}
