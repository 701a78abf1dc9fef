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

// target finds the project that a caller wants to edit, and decides whether they may. An empty ref is the project that
// was changed last.
func (s *Service) target(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
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
func (s *Service) latest(ctx context.Context, by sandlot.Caller) (sandlot.Project, error) {
	if by.Scoped() {
		return sandlot.Project{}, sandlot.Refuse(sandlot.CodeProjectIDRequired, "The field project_id is missing: a project key must always name its project.").In("project_id").
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
func (s *Service) find(ctx context.Context, ref string) (sandlot.Project, error) {
	if len(ref) > maxProjectRef {
		return sandlot.Project{}, sandlot.Refuse(sandlot.CodeInvalidField, "The field project_id has %d bytes; an id has at most 40.", len(ref)).In("project_id").With(sandlot.OpWhoami)
	}
	id, p, err := s.Places.ProjectID(ref), sandlot.Project{}, sandlot.ErrNotFound
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

// noProject refuses a call on a project that does not exist.
func noProject(ref string) error {
	return sandlot.Refuse(sandlot.CodeProjectNotFound, "There is no project %s here.", inspect.Quoted(ref)).In("project_id").With(sandlot.OpWhoami).
		Note("The projects of a key are listed by whoami.")
}

// edit makes a new version of a project. change computes it from the current state, and is called again when that state
// has changed meanwhile: the project, the verification of its owner's address, the rights of the caller, or the room
// for a message.
func (s *Service) edit(ctx context.Context, id sandlot.ProjectID, ifVersion *int, change func(p sandlot.Project) (sandlot.Project, error)) (next sandlot.Project, previous int, err error) {
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
			return sandlot.Project{}, 0, unknownKey()
		case errors.Is(err, sandlot.ErrNotFound):
			if _, gone := s.find(ctx, string(id)); errors.Is(gone, sandlot.CodeProjectNotFound) {
				return sandlot.Project{}, 0, gone // deleted while the step was made
			}
			return next, p.Version, err
		case !errors.Is(err, sandlot.ErrMoved) && !errors.Is(err, sandlot.ErrVerified) && !errors.Is(err, sandlot.ErrTooOften) && !errors.Is(err, sandlot.ErrSuspended):
			return next, p.Version, err
		}
	}
	return sandlot.Project{}, 0, sandlot.Refuse(sandlot.CodeUnavailable, "The project %s changed too often while this update was in progress. Nothing was changed.", id).
		With(sandlot.OpWait).After(time.Second)
}

// versionConflict refuses an edit that expects another version. It states the current one: the client has to read that
// before it overwrites it.
func versionConflict(p sandlot.Project, want int) error {
	return sandlot.Refuse(sandlot.CodeVersionConflict, "The project %s is at version %d, not %d. Nothing was changed.", p.ID, p.Version, want).In("if_version").
		With(sandlot.OpSame, sandlot.Set("project_id", string(p.ID)), sandlot.Set("if_version", p.Version)).
		Detail("version", p.Version).Detail("project_id", string(p.ID)).
		Note("Read the project again, make your change on what is there now, and send it with the current if_version.")
}
