package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sandlot"
)

// Restore makes a new version with the files of version in.Version and its primary file, and the title as it is. It
// copies no bytes. It makes one even if the files are the same already, as an update of the same bytes does. It is
// durable when Restore returns.
//
// A version that was erased or never made is CodeVersionNotFound; a project at another version than in.IfVersion is
// CodeVersionConflict. With in.Idempotency the same call within IdempotencyLife returns the first answer and changes
// nothing.
func (s *Service) Restore(ctx context.Context, by sandlot.Caller, in RestoreInput) (out Restored, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	if err := sandlot.Authorize(by, sandlot.ActEdit, nil); err != nil {
		return Restored{}, err
	}
	if strings.TrimSpace(in.Project) == "" {
		return Restored{}, emptyProject(by)
	}
	req, err := s.idempotency.newRequest(by, in.Idempotency, sandlot.OpRestore, nil, Content{}, in.Project, in.Version, in.IfVersion)
	if err != nil {
		return Restored{}, err
	}
	out, err = idempotent(ctx, s.idempotency, req, func() (Restored, error) {
		return s.restore(ctx, by, in, req)
	}, func(rec IdempotencyRecord, _ Minted) (Restored, error) {
		p, files, err := s.asOf(ctx, rec.Project, rec.Version, nil)
		if err == nil {
			err = sandlot.Authorize(by, sandlot.ActEdit, &p)
		}
		if err != nil {
			return Restored{}, err
		}
		return Restored{Project: p, Previous: rec.Version - 1, Warnings: s.heldAgain(ctx, p, files), FromRecord: true}, nil
	})
	if err != nil {
		return Restored{}, err
	}
	out.From, out.Quarantined = in.Version, s.quarantined(out.Project)
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	files, err := s.store.Files(ctx, out.Project.ID, out.Project.Version)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		s.untold(err)
	}
	out.Warnings = slices.Concat(s.projectRead(in.Project), out.Warnings, s.lacking(ctx, out.Project, files))
	return out, nil
}

// restore makes the version with the files of an earlier one.
func (s *Service) restore(ctx context.Context, by sandlot.Caller, in RestoreInput, req *request) (out Restored, err error) {
	target, err := s.target(ctx, by, in.Project)
	if err != nil {
		return Restored{}, err
	}
	a := arrangement{request: req, act: sandlot.ActEdit, ifVersion: in.IfVersion, restored: in.Version, always: true}
	a.change = func(p sandlot.Project, current []sandlot.File) (Change, error) {
		return s.backTo(ctx, p, current, in.Version)
	}
	var screened Screened
	out.Project, out.Previous, screened, err = s.arrange(ctx, by, target.ID, a)
	if errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.ErrNoPrimary) { // a file was deleted meanwhile
		err = versionGone(sandlot.Project{ID: target.ID, Version: out.Previous}, in.Version)
	}
	if err != nil {
		return Restored{}, fmt.Errorf("restore version: %w", err)
	}
	out.Warnings = heldWarnings(out.Project, screened.Signs)
	return out, nil
}

// RestoreVersion is Restore for the owner of an account, in a session. A missing version is ErrNotFound. The same form
// again changes nothing.
func (s *Service) RestoreVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int, form Form) error {
	err := s.rearrange(ctx, by, id, formAct{form, []string{string(sandlot.OpRestore), strconv.Itoa(n)}},
		arrangement{restored: n, change: func(p sandlot.Project, current []sandlot.File) (Change, error) {
			return s.backTo(ctx, p, current, n)
		}})
	if errors.Is(err, sandlot.CodeVersionNotFound) {
		return sandlot.ErrNotFound
	}
	return err
}

// backTo returns the change from the current files to those of version n.
func (s *Service) backTo(ctx context.Context, p sandlot.Project, current []sandlot.File, n int) (Change, error) {
	v, err := s.store.Version(ctx, p.ID, n)
	if errors.Is(err, sandlot.ErrNotFound) {
		return Change{}, versionGone(p, n)
	}
	if err != nil {
		return Change{}, err
	}
	old, err := s.store.Files(ctx, p.ID, n)
	if errors.Is(err, sandlot.ErrNotFound) {
		return Change{}, versionGone(p, n)
	}
	c := difference(current, old)
	c.Primary = v.Primary
	return c, err
}

// versionGone refuses a call on a missing version.
func versionGone(p sandlot.Project, n int) error {
	why := "is no longer kept"
	if n < 1 || n > p.Version {
		why = "was never made"
	}
	return sandlot.Refuse(sandlot.CodeVersionNotFound, "Version %d of %s %s.", n, p.ID, why).In("version").
		With(sandlot.OpVersions, sandlot.Set("project_id", string(p.ID))).Detail("version", p.Version).
		Note("The current one is %d. Those that are kept, and what each changed, are listed here:", p.Version)
}

// difference returns the change from the files current to the files old. Files that are the same in both stay as they
// are.
func difference(current, old []sandlot.File) Change {
	var c Change
	same := map[string]bool{}
	for _, f := range old {
		if now := fileNamed(current, f.Name); now != nil && now.Blob.ID == f.Blob.ID {
			same[f.Name] = true
			continue
		}
		c.Put = append(c.Put, sandlot.File{Name: f.Name, Folded: f.Folded, Blob: f.Blob})
	}
	for _, f := range current {
		if !same[f.Name] {
			c.Drop = append(c.Drop, f)
		}
	}
	return c
}

// EraseVersion removes the bytes of a version, except those that other versions use, and its address; the number stays.
// It cannot be undone, and works on a full disk, too. It is idempotent. The current version is ErrMoved, a missing
// one ErrNotFound.
func (s *Service) EraseVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int) error {
	if _, err := s.owned(ctx, by, sandlot.ActOwn, id); err != nil {
		return err
	}
	err := s.evenFull(func() error { return s.management.EraseVersion(ctx, id, n, s.now().UTC()) })
	return s.suspendedSince(ctx, by, id, err)
}
