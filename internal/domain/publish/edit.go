package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// editTries bounds the retries of an edit because another node was faster; in one process edits of a project wait for
// each other. One of the nodes is the fastest each time: of ten that edit a project without a pause one gives up in
// 40,000.
const editTries = 100

// A finder finds the projects that callers name.
type finder struct {
	store  Store
	places sandlot.Places
}

// target finds the project that a caller wants to edit, and decides whether they may. An empty ref is the project that
// was changed last.
func (s *finder) target(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActEdit, nil); err != nil {
		return sandlot.Project{}, err
	}
	if ref == "" {
		return s.latest(ctx, by)
	}
	p, err := s.find(ctx, ref)
	if err != nil {
		return sandlot.Project{}, err
	}
	return p, sandlot.Authorize(by, sandlot.ActEdit, &p)
}

// latest returns the project that an account key means when it names none.
func (s *finder) latest(ctx context.Context, by sandlot.Caller) (sandlot.Project, error) {
	if by.Scoped() {
		return sandlot.Project{}, sandlot.Refuse(sandlot.CodeProjectIDRequired,
			"The field project_id is missing: a project key must always name its project.").In("project_id").
			With(sandlot.OpSame, sandlot.Set("project_id", string(by.Key().Project)))
	}
	newest, err := s.store.Projects(ctx, by.Account(), 0, 1)
	if err != nil {
		return sandlot.Project{}, fmt.Errorf("find the latest project: %w", err)
	}
	if len(newest) == 0 {
		return sandlot.Project{}, sandlot.Refuse(sandlot.CodeNoProjects, "The account has no project yet, and the request names none.").
			With(sandlot.OpPublish, sandlot.Set("content", "<base64 of the file>")).Note("Publish one first.")
	}
	return newest[0], nil
}

// maxProjectRef bounds a reference to a project in bytes: an address with room.
const maxProjectRef = 1024

// find looks a project up by its id or one of its addresses.
func (s *finder) find(ctx context.Context, ref string) (sandlot.Project, error) {
	if len(ref) > maxProjectRef {
		return sandlot.Project{}, sandlot.Refuse(sandlot.CodeInvalidField,
			"The field project_id has %d bytes; an id has at most 40.", len(ref)).In("project_id").
			With(sandlot.OpWhoami)
	}
	id, p, err := s.places.ProjectID(ref), sandlot.Project{}, sandlot.ErrNotFound
	if names.ValidProjectID(string(id)) {
		p, err = s.store.Project(ctx, id)
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Project{}, noProject(ref)
	}
	if err != nil {
		return sandlot.Project{}, fmt.Errorf("read project: %w", err)
	}
	return p, nil
}

// present returns err, or CodeInvalidKey if something was not found because the caller's account was deleted since the
// call began: its key is then like any unknown key. So a call that came a moment too late gets the same answer as one
// that came a day too late.
func (s *finder) present(ctx context.Context, by sandlot.Caller, err error) error {
	if by.Nobody() || !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.CodeProjectNotFound) {
		return err
	}
	if _, gone := s.store.Account(ctx, by.Account()); errors.Is(gone, sandlot.ErrNotFound) {
		return sandlot.UnknownKey()
	}
	return err
}

// owned returns a project on which the owner of an account, in a session, may do act. A project of another account is
// ErrNotFound.
func (s *finder) owned(ctx context.Context, by sandlot.Caller, act sandlot.Action, id sandlot.ProjectID) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return sandlot.Project{}, err
	}
	if !names.ValidProjectID(string(id)) {
		return sandlot.Project{}, sandlot.ErrNotFound
	}
	p, err := s.store.Project(ctx, id)
	if err != nil {
		return sandlot.Project{}, err
	}
	return p, sandlot.Authorize(by, act, &p)
}

// readable returns the project that ref names, if the caller is its owner, and it was not taken down.
func (s *finder) readable(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, err := s.find(ctx, ref)
	switch {
	case by.InSession() && errors.Is(err, sandlot.CodeProjectNotFound):
		return p, sandlot.ErrNotFound
	case err != nil:
		return p, err
	}
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, &p); err != nil {
		return p, err
	}
	if p.Suspended {
		return p, sandlot.TakenDown(p) // its owner, too, gets the files only by an export
	}
	return p, nil
}

// noProject refuses a call on a project that does not exist.
func noProject(ref string) error {
	return sandlot.Refuse(sandlot.CodeProjectNotFound, "There is no project %s here.", inspect.Quoted(ref)).
		In("project_id").With(sandlot.OpWhoami).
		Note("The projects of a key are listed by whoami.")
}

// edit makes a new version of a project. change computes it from the current state, and is called again when that state
// has changed meanwhile: the project, the verification of its owner's address, the rights of the caller, or the room
// for a message.
func (s *Service) edit(ctx context.Context, id sandlot.ProjectID, ifVersion *int,
	change func(p sandlot.Project) (sandlot.Project, error),
) (next sandlot.Project, previous int, err error) {
	unlock, err := s.edits.Lock(ctx, id)
	if err != nil {
		return sandlot.Project{}, 0, err
	}
	defer unlock()
	for range editTries {
		p, err := s.find(ctx, string(id))
		if err != nil {
			return sandlot.Project{}, 0, err
		}
		if ifVersion != nil && *ifVersion != p.Version {
			return sandlot.Project{}, 0, versionConflict(p, *ifVersion)
		}
		next, err = change(p)
		switch {
		case errors.Is(err, sandlot.ErrRevoked):
			return sandlot.Project{}, 0, sandlot.UnknownKey()
		case errors.Is(err, sandlot.ErrNotFound):
			if _, gone := s.find(ctx, string(id)); errors.Is(gone, sandlot.CodeProjectNotFound) {
				return sandlot.Project{}, 0, gone // deleted while the step was made
			}
			return next, p.Version, err
		case !errors.Is(err, sandlot.ErrMoved) && !errors.Is(err, sandlot.ErrVerified) &&
			!errors.Is(err, sandlot.ErrTooOften) && !errors.Is(err, sandlot.ErrSuspended) && !errors.Is(err, sandlot.ErrBlocksMoved):
			return next, p.Version, err
		}
	}
	return sandlot.Project{}, 0,
		sandlot.Refuse(sandlot.CodeUnavailable,
			"The project %s changed too often while this update was in progress. Nothing was changed.", id).
			With(sandlot.OpWait).After(time.Second)
}

// versionConflict refuses an edit that expects another version. It states the current one: the client has to read that
// before it overwrites it.
func versionConflict(p sandlot.Project, want int) error {
	return sandlot.Refuse(sandlot.CodeVersionConflict,
		"The project %s is at version %d, not %d. Nothing was changed.", p.ID, p.Version, want).In("if_version").
		With(sandlot.OpSame, sandlot.Set("project_id", string(p.ID)), sandlot.Set("if_version", p.Version)).
		Detail("version", p.Version).Detail("project_id", string(p.ID)).
		Note("Read the project again, make your change on what is there now, and send it with the current if_version.")
}
