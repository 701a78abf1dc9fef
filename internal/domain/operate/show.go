package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// Shown is an account or a project with its records. Each list has at most as many items as the limit of Show, newest
// first unless it says otherwise.
type Shown struct {
	Found
	Deleted  *Deletion               // of a deleted one; then only Log is set besides
	Projects []ProjectDetail         // of an account, oldest first
	Keys     []sandlot.Key           // of an account, without revoked ones
	Versions []sandlot.VersionChange // of a project
	Files    []sandlot.File          // of a project's current version, by their names
	Reports  []Report                // of the project, or of the projects listed
	Log      []sandlot.LogEntry
}

// Show returns an account or project with its records. ref names an account as @handle or by its e-mail address, or a
// project by its id or any of its addresses. An e-mail address of several accounts is an error that lists them. Each list
// has at most limit items. A deleted one is no error: Deleted describes it.
func (s *Service) Show(ctx context.Context, by sandlot.Caller, ref string, limit int) (out Shown, err error) {
	if err := operator(by); err != nil {
		return out, err
	}
	out.Found, err = s.find(ctx, ref)
	if errors.Is(err, sandlot.ErrNotFound) {
		d, gone := s.deleted(ctx, ref)
		if gone != nil {
			return out, err
		}
		out.Deleted = &d
		out.Log, err = s.store.Log(ctx, LogQuery{Target: d.Target, Limit: limit})
		return out, err
	}
	if err != nil {
		return out, err
	}
	if out.Account != nil {
		err = s.showAccount(ctx, &out, limit)
	} else {
		err = s.showProject(ctx, &out, limit)
	}
	if err != nil {
		return out, err
	}
	out.Log, err = s.store.Log(ctx, LogQuery{Target: out.Target(), Limit: limit})
	return out, err
}

// showAccount adds the records of an account.
func (s *Service) showAccount(ctx context.Context, out *Shown, limit int) (err error) {
	if out.Projects, err = s.store.ListProjects(ctx, ProjectQuery{Account: out.Account.ID, Limit: limit}); err != nil {
		return err
	}
	if out.Keys, err = s.store.Keys(ctx, out.Account.ID, 0, limit); err != nil {
		return err
	}
	for _, p := range out.Projects {
		list, err := s.store.Reports(ctx, ReportQuery{Project: p.ID, Limit: limit - len(out.Reports)})
		if err != nil {
			return err
		}
		out.Reports = append(out.Reports, list...)
	}
	return nil
}

// showProject adds the records of a project.
func (s *Service) showProject(ctx context.Context, out *Shown, limit int) (err error) {
	p := out.Project
	if !p.DeletedAt.IsZero() { // nobody reads the other records until it is taken back
		out.Reports, err = s.store.Reports(ctx, ReportQuery{Project: p.ID, Limit: limit})
		return err
	}
	if out.Versions, err = s.store.Versions(ctx, p.ID, 0, limit); err != nil {
		return err
	}
	if out.Files, err = s.store.Files(ctx, p.ID, p.Version); err != nil {
		return err
	}
	out.Files = out.Files[:min(len(out.Files), limit)]
	out.Reports, err = s.store.Reports(ctx, ReportQuery{Project: p.ID, Limit: limit})
	return err
}

// deleted returns the deletion of the account or project that an operator named, as for Show. E-mail addresses find
// nothing, because they went with their accounts. One that was not deleted is sandlot.ErrNotFound.
func (s *Service) deleted(ctx context.Context, ref string) (Deletion, error) {
	ref = strings.TrimSpace(ref)
	if handle, isHandle := strings.CutPrefix(ref, "@"); isHandle {
		return s.store.DeletedAccount(ctx, strings.ToLower(handle))
	}
	return s.deletedProject(ctx, idIn(ref))
}

func (s *Service) deletedProject(ctx context.Context, id string) (Deletion, error) {
	if !names.ValidProjectID(id) {
		return Deletion{}, sandlot.ErrNotFound
	}
	return s.store.DeletedProject(ctx, sandlot.ProjectID(id))
}

// toldDeleted adds to an error that is sandlot.ErrNotFound the time and the actor of ref's deletion, if it was deleted.
func (s *Service) toldDeleted(ctx context.Context, ref string, err error) error {
	if !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	d, gone := s.deleted(ctx, ref)
	if gone != nil {
		return err
	}
	return fmt.Errorf("%s was deleted %s: %w", inspect.Quoted(strings.TrimSpace(ref)), d.Told(), sandlot.ErrNotFound)
}

// Told describes the time, the actor and the target of the deletion for people.
func (d Deletion) Told() string {
	text := "at " + d.At.UTC().Format(time.RFC3339)
	if d.Entry.ID != 0 {
		text += " by " + d.Entry.Who()
	}
	return text + ", as " + d.Target
}
