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
	Deleted  *Deletion               // of what is not there any more; then of all others Log alone is set
	Proposed *publish.EmailMove      // another address that an account wants, and has not confirmed
	Projects []ProjectDetail         // of an account, oldest first
	Keys     []publish.Key           // in force
	Versions []publish.VersionChange // of a project
	Files    []publish.File          // of its current version
	Reports  []publish.Report        // of the project, or of the projects listed
	Log      []publish.LogEntry
}

// Show is Find for who wants to see all of it; limit bounds each list. What was deleted
// is shown as such.
func (a *Admin) Show(ctx context.Context, ref string, limit int) (s Shown, err error) {
	s.Found, err = a.Find(ctx, ref)
	if errors.Is(err, publish.ErrNotFound) {
		d, gone := a.Deleted(ctx, ref)
		if gone != nil {
			return s, err
		}
		s.Deleted = &d
		s.Log, err = a.Store.Log(ctx, LogQuery{Target: d.Target, Limit: limit})
		return s, err
	}
	if err != nil {
		return s, err
	}
	if s.Account != nil {
		err = a.showAccount(ctx, &s, limit)
	} else {
		err = a.showProject(ctx, &s, limit)
	}
	if err != nil {
		return s, err
	}
	s.Log, err = a.Store.Log(ctx, LogQuery{Target: s.Target(), Limit: limit})
	return s, err
}

func (a *Admin) showAccount(ctx context.Context, s *Shown, limit int) (err error) {
	proposed, err := a.Store.ProposedEmail(ctx, s.Account.ID, a.Now().UTC())
	if err == nil {
		s.Proposed = &proposed
	} else if !errors.Is(err, publish.ErrNotFound) {
		return err
	}
	if s.Projects, err = a.Store.ListProjects(ctx, ProjectQuery{Account: s.Account.ID, Limit: limit}); err != nil {
		return err
	}
	if s.Keys, err = a.Store.Keys(ctx, s.Account.ID, 0, limit); err != nil {
		return err
	}
	for _, p := range s.Projects {
		list, err := a.Store.Reports(ctx, ReportQuery{Project: p.ID, Limit: limit - len(s.Reports)})
		if err != nil {
			return err
		}
		s.Reports = append(s.Reports, list...)
	}
	return nil
}

func (a *Admin) showProject(ctx context.Context, s *Shown, limit int) (err error) {
	p := s.Project
	if s.Versions, err = a.Store.Versions(ctx, p.ID, 0, limit); err != nil {
		return err
	}
	if s.Files, err = a.Store.Files(ctx, p.ID, p.Version); err != nil {
		return err
	}
	s.Files = s.Files[:min(len(s.Files), limit)]
	if s.Keys, err = a.keysOf(ctx, p.Account, p.ID, limit); err != nil {
		return err
	}
	s.Reports, err = a.Store.Reports(ctx, ReportQuery{Project: p.ID, Limit: limit})
	return err
}

// keysOf looks for the keys of one project among those of its account.
func (a *Admin) keysOf(ctx context.Context, account publish.AccountID, id publish.ProjectID, limit int) (keys []publish.Key, err error) {
	const page = 500
	for before := int64(0); len(keys) < limit; {
		list, err := a.Store.Keys(ctx, account, before, page)
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

// Deleted tells of the deletion of what an operator named, as Find takes it, but for an
// e-mail address, which went with its account. What is there, or never was, is publish.ErrNotFound.
func (a *Admin) Deleted(ctx context.Context, ref string) (Deletion, error) {
	ref = strings.TrimSpace(ref)
	handle, isHandle := strings.CutPrefix(ref, "@")
	switch {
	case isHandle:
		return a.Store.DeletedAccount(ctx, strings.ToLower(handle))
	case strings.Contains(ref, "://"):
		return a.deletedProject(ctx, idInAddress(ref))
	case strings.Contains(ref, "@"):
		return Deletion{}, publish.ErrNotFound
	}
	d, err := a.deletedProject(ctx, ref)
	if errors.Is(err, publish.ErrNotFound) {
		d, err = a.Store.DeletedAccount(ctx, strings.ToLower(ref))
	}
	return d, err
}

func (a *Admin) deletedProject(ctx context.Context, id string) (Deletion, error) {
	if !names.ValidProjectID(id) {
		return Deletion{}, publish.ErrNotFound
	}
	return a.Store.DeletedProject(ctx, publish.ProjectID(id))
}

// toldDeleted adds to publish.ErrNotFound what became of something that was there.
func (a *Admin) toldDeleted(ctx context.Context, ref string, err error) error {
	if !errors.Is(err, publish.ErrNotFound) {
		return err
	}
	d, gone := a.Deleted(ctx, ref)
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

// LogTarget is how the log names what an operator named, whether it is there or was deleted.
func (a *Admin) LogTarget(ctx context.Context, ref string) (string, error) {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "@") || strings.HasPrefix(ref, "R-") || strings.HasPrefix(ref, "mailbox:") {
		return ref, nil
	}
	found, err := a.Find(ctx, ref)
	if err == nil {
		return found.Target(), nil
	}
	if !errors.Is(err, publish.ErrNotFound) {
		return "", err
	}
	id := ref
	if strings.Contains(ref, "://") {
		id = idInAddress(ref)
	}
	if _, gone := a.deletedProject(ctx, id); gone == nil {
		return id, nil
	}
	if d, gone := a.Deleted(ctx, ref); gone == nil {
		return d.Target, nil
	}
	return "", err
}
