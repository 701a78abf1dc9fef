package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// Shown is an account or a project with what belongs to it. Each list has as many as
// were asked for, the newest first, but for files, which are in the order of their names.
type Shown struct {
	Found
	Deleted  *Deletion // of what is not there any more; then of all others Log alone is set
	Proposed *Proposal
	Projects []ProjectDetail         // of an account, oldest first
	Keys     []publish.Key           // in force
	Versions []publish.VersionChange // of a project
	Files    []publish.File          // of its current version
	Reports  []Report                // of the project, or of the projects listed
	Log      []publish.LogEntry
}

// Show is Find for who wants to see all of it; limit bounds each list. What was deleted
// is shown as such.
func (s *Service) Show(ctx context.Context, by publish.Caller, ref string, limit int) (out Shown, err error) {
	if err := operator(by); err != nil {
		return out, err
	}
	out.Found, err = s.find(ctx, ref)
	if errors.Is(err, publish.ErrNotFound) {
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

func (s *Service) showAccount(ctx context.Context, out *Shown, limit int) (err error) {
	proposed, err := s.store.ProposedEmail(ctx, out.Account.ID, s.now().UTC())
	if err == nil {
		out.Proposed = &proposed
	} else if !errors.Is(err, publish.ErrNotFound) {
		return err
	}
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

func (s *Service) showProject(ctx context.Context, out *Shown, limit int) (err error) {
	p := out.Project
	if out.Versions, err = s.store.Versions(ctx, p.ID, 0, limit); err != nil {
		return err
	}
	if out.Files, err = s.store.Files(ctx, p.ID, p.Version); err != nil {
		return err
	}
	out.Files = out.Files[:min(len(out.Files), limit)]
	if out.Keys, err = s.keysOf(ctx, p.Account, p.ID, limit); err != nil {
		return err
	}
	out.Reports, err = s.store.Reports(ctx, ReportQuery{Project: p.ID, Limit: limit})
	return err
}

// keysOf looks for the keys of one project among those of its account.
func (s *Service) keysOf(ctx context.Context, account publish.AccountID, id publish.ProjectID, limit int) (keys []publish.Key, err error) {
	const page = 500
	for before := int64(0); len(keys) < limit; {
		list, err := s.store.Keys(ctx, account, before, page)
		if err != nil {
			return nil, err
		}
		for _, k := range list {
			if before = k.ID; k.Project == id && len(keys) < limit {
				keys = append(keys, k)
			}
		}
		if len(list) < page {
			break
		}
	}
	return keys, nil
}

// deleted tells of the deletion of what an operator named, as Find takes it, but for an
// e-mail address, which went with its account. What is there, or never was, is publish.ErrNotFound.
func (s *Service) deleted(ctx context.Context, ref string) (Deletion, error) {
	ref = strings.TrimSpace(ref)
	handle, isHandle := strings.CutPrefix(ref, "@")
	switch {
	case isHandle:
		return s.store.DeletedAccount(ctx, strings.ToLower(handle))
	case strings.Contains(ref, "://"):
		return s.deletedProject(ctx, idInAddress(ref))
	case strings.Contains(ref, "@"):
		return Deletion{}, publish.ErrNotFound
	}
	d, err := s.deletedProject(ctx, ref)
	if errors.Is(err, publish.ErrNotFound) {
		d, err = s.store.DeletedAccount(ctx, strings.ToLower(ref))
	}
	return d, err
}

func (s *Service) deletedProject(ctx context.Context, id string) (Deletion, error) {
	if !names.ValidProjectID(id) {
		return Deletion{}, publish.ErrNotFound
	}
	return s.store.DeletedProject(ctx, publish.ProjectID(id))
}

// toldDeleted adds to publish.ErrNotFound what became of something that was there.
func (s *Service) toldDeleted(ctx context.Context, ref string, err error) error {
	if !errors.Is(err, publish.ErrNotFound) {
		return err
	}
	d, gone := s.deleted(ctx, ref)
	if gone != nil {
		return err
	}
	return fmt.Errorf("%s was deleted %s: %w", publish.Quoted(strings.TrimSpace(ref)), d.Told(), publish.ErrNotFound)
}

// Told says when it was, by whom, and with what.
func (d Deletion) Told() string {
	text := "at " + d.At.UTC().Format(time.RFC3339)
	if d.Entry.ID != 0 {
		text += " by " + d.Entry.Who()
	}
	return text + ", as " + d.Target
}
