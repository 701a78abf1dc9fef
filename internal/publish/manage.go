package publish

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sandlot/internal/names"
)

// MaxDescription bounds a project's description, in characters: some paragraphs.
const MaxDescription = 1000

// Details are what a project's owner says about it. They belong to no version.
type Details struct {
	Title       string
	Description string // plain text, with line breaks
	Unlisted    bool
	Threads     bool
}

// Change is what a new version has other than the one before.
type Change struct {
	Drop    []File // current files that are gone, or make room for one in Put
	Put     []File // new files; a Blob with an ID is one that is recorded already
	Primary string // empty: as before
}

// VersionChange is a version with what it changed.
type VersionChange struct {
	Version
	Erased                  bool
	Known                   bool // whether the three are known: not next to a version that is gone, and not where they would be very many
	Added, Changed, Removed []string
}

// A ProjectStore keeps what owners do with a project by hand, under the same
// promises as a Store.
type ProjectStore interface {
	// Details returns a project's details.
	Details(ctx context.Context, id ProjectID) (Details, error)
	// SetDetails records a project's details, and makes no version. A suspended project is
	// ErrSuspended, as it is for EraseVersion.
	SetDetails(ctx context.Context, id ProjectID, d Details) (Changed, error)
	// Rearrange makes the version after at.Expect, in which c.Drop are gone, c.Put are there, and
	// all other files are as before. A file to drop, or a recorded blob, that is not there is
	// ErrNotFound; a version that would lack its primary file is ErrNoPrimary; an owner that would
	// have more bytes than at.Within is ErrTooManyBytes. One of many files may take its time, in
	// which others write: the version is there wholly or not at all, and another edit of the
	// project waits for it.
	Rearrange(ctx context.Context, id ProjectID, c Change, at Edit) (Project, Changed, error)
	// Versions returns a project's versions below before (0: all), newest first, at most limit.
	Versions(ctx context.Context, id ProjectID, before, limit int) ([]VersionChange, error)
	// Remove deletes a project, as the operator does, and records e.
	Remove(ctx context.Context, s Subject, e LogEntry) (Changed, error)
	// EraseVersion takes a version's files away, but for those of other versions, and leaves its
	// number; a second call has no further effect. The current version is ErrMoved.
	EraseVersion(ctx context.Context, id ProjectID, n int, at time.Time) (Changed, error)
}

// Managed is a project as its owner sees it on the website.
type Managed struct {
	ProjectView
	Details Details
}

// owned returns a project on which the owner of an account, in a session, may do act.
// A project of another account is ErrNotFound.
func (s *Service) owned(ctx context.Context, by Caller, act Action, id ProjectID) (Project, error) {
	if err := Authorize(by, ActSeeOwn, nil); err != nil {
		return Project{}, err
	}
	if !names.ValidProjectID(string(id)) {
		return Project{}, ErrNotFound
	}
	p, err := s.store.Project(ctx, id)
	if err != nil {
		return Project{}, err
	}
	return p, Authorize(by, act, &p)
}

// Manage shows a project to its owner, in a session, with what they say about it; to another
// account it is ErrNotFound. One that was taken down comes without its files.
func (s *Service) Manage(ctx context.Context, by Caller, id ProjectID) (Managed, error) {
	p, err := s.owned(ctx, by, ActSeeOwn, id)
	if err != nil {
		return Managed{}, err
	}
	view, err := s.Project(ctx, by, string(p.ID))
	if err != nil {
		return Managed{}, err
	}
	d, err := s.management.Details(ctx, id)
	return Managed{view, d}, err
}

// Describe records what an owner says about a project: the title as any title is
// brought into form. A description that is too long is CodeInvalidField.
func (s *Service) Describe(ctx context.Context, by Caller, id ProjectID, d Details) error {
	if _, err := s.owned(ctx, by, ActOwn, id); err != nil {
		return err
	}
	d.Title, _ = cleanTitle(d.Title)
	d.Description = cleanDescription(d.Description)
	if n := utf8.RuneCountInString(d.Description); n > MaxDescription {
		return Refuse(CodeInvalidField, "The description has %d characters; at most %d are kept.", n, MaxDescription).In("description")
	}
	return s.suspendedSince(ctx, by, id, s.management.SetDetails(ctx, id, d))
}

// suspendedSince is the error of a step on a project: its refusal where the project was
// suspended since it was looked up.
func (s *Service) suspendedSince(ctx context.Context, by Caller, id ProjectID, err error) error {
	if !errors.Is(err, ErrSuspended) {
		return err
	}
	if _, now := s.owned(ctx, by, ActOwn, id); now != nil {
		return now
	}
	return err
}

// cleanDescription takes out what could act where the text is shown, and keeps
// its lines.
func cleanDescription(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text))
}

// DeleteProject deletes a project for good, as the operator's delete does, once
// its owner has typed its id; anything else is CodeInvalidField. Its address is
// never used again.
func (s *Service) DeleteProject(ctx context.Context, by Caller, id ProjectID, typed string) error {
	p, err := s.owned(ctx, by, ActDelete, id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(typed) != string(p.ID) {
		return Refuse(CodeInvalidField, "This is not the id of the project.").In("id")
	}
	entry := LogEntry{At: s.now().UTC(), Actor: ActorOwner, Action: ActionDelete, Target: string(id), Reason: "on the website"}
	return s.evenFull(func() error { return s.management.Remove(ctx, Subject{Project: id}, entry) })
}

// evenFull does what frees room on a full disk, too.
func (s *Service) evenFull(do func() error) error {
	err := do()
	if !errors.Is(err, ErrFull) || s.Spend == nil {
		return err
	}
	s.Spend()
	return do()
}

// ExportProject is Export of one project for its owner, in a session. A project of another
// account is ErrNotFound.
func (s *Service) ExportProject(ctx context.Context, by Caller, id ProjectID) (Export, error) {
	p, err := s.owned(ctx, by, ActSeeOwn, id)
	if err != nil {
		return Export{}, err
	}
	return s.export(ctx, p.Account, []Project{p})
}
