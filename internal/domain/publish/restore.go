package publish

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sandlot"
)

// ErrCurrent: the act is not possible on the current version.
var ErrCurrent = errors.New("the current version")

// Restore makes a new version with the files of version in.Version and its primary file, and the title as it is. It
// copies no bytes. It makes one even if the files are the same already, with a warning, as an update of the same bytes
// does. It is durable when Restore returns.
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
		p, _, err := s.asOf(ctx, rec.Project, rec.Version, nil)
		if err == nil {
			err = sandlot.Authorize(by, sandlot.ActEdit, &p)
		}
		return Restored{Project: p, Previous: rec.Version - 1, FromRecord: true}, err
	})
	if err != nil {
		return Restored{}, err
	}
	out.From, out.Quarantined = in.Version, s.quarantined(out.Project)
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Warnings = s.projectRead(in.Project)
	if s.repeats(ctx, out.Project) {
		out.Warnings = append(out.Warnings, sandlot.Warn(
			"nothing_changed", fmt.Sprintf("Version %d already had the files of version %d, "+
				"so only the number is new.", out.Previous, in.Version),
			"List the versions with what each changed, and restore another if that was meant.",
		))
	}
	files, err := s.store.Files(ctx, out.Project.ID, out.Project.Version)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		s.untold(err)
	}
	out.Warnings = append(out.Warnings, s.lacking(ctx, out.Project, files)...)
	return out, nil
}

// repeats reports whether the version of p has the files and the primary file of the one before. A failed read is
// false: the version is made by then.
func (s *finder) repeats(ctx context.Context, p sandlot.Project) bool {
	before, err1 := s.store.Version(ctx, p.ID, p.Version-1)
	old, err2 := s.store.Files(ctx, p.ID, p.Version-1)
	files, err3 := s.store.Files(ctx, p.ID, p.Version)
	c := difference(old, files)
	return err1 == nil && err2 == nil && err3 == nil && before.Primary == p.Primary && len(c.Put) == 0 && len(c.Drop) == 0
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
	out.Project, out.Previous, err = s.arrange(ctx, by, target.ID, a)
	if err != nil {
		return Restored{}, fmt.Errorf("restore version: %w", s.goneMeanwhile(ctx, target.ID, in.Version, err))
	}
	return out, nil
}

// RestoreVersion is Restore for the owner of an account, in a session. A missing version is ErrNotFound. The same form
// again changes nothing.
func (s *Service) RestoreVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int, form Form) error {
	err := s.rearrange(ctx, by, id, formAct{form, []string{"restore", strconv.Itoa(n)}},
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
		return Change{}, versionGone(ctx, s.management, p, n)
	}
	if err != nil {
		return Change{}, err
	}
	old, err := s.store.Files(ctx, p.ID, n)
	if errors.Is(err, sandlot.ErrNotFound) {
		return Change{}, versionGone(ctx, s.management, p, n)
	}
	c := difference(current, old)
	c.Primary = v.Primary
	return c, err
}

// goneMeanwhile returns the error of a step on version n of a project: CodeVersionNotFound if a file of it was deleted
// while the step was made.
func (s *Service) goneMeanwhile(ctx context.Context, id sandlot.ProjectID, n int, err error) error {
	if !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrNoPrimary) {
		return err
	}
	p, lost := s.store.Project(ctx, id)
	switch {
	case errors.Is(lost, sandlot.ErrNotFound):
		return noProject(string(id))
	case lost != nil:
		return lost
	}
	return versionGone(ctx, s.management, p, n)
}

// versionsTold bounds the newest versions that a refusal lists.
const versionsTold = 100

// versionGone refuses a call on a missing version, and lists the kept ones.
func versionGone(ctx context.Context, management ManagementStore, p sandlot.Project, n int) error {
	list, err := management.Versions(ctx, p.ID, 0, versionsTold)
	if err != nil {
		return err
	}
	kept, why := []int{}, "is no longer kept"
	for _, v := range list {
		if !v.Erased {
			kept = append(kept, v.N)
		} else if v.N == n {
			why = "was erased by its owner"
		}
	}
	if n < 1 || n > p.Version {
		why = "was never made"
	}
	return sandlot.Refuse(sandlot.CodeVersionNotFound, "Version %d of %s %s.", n, p.ID, why).In("version").
		With(sandlot.OpVersions, sandlot.Set("project_id", string(p.ID))).Detail("version", p.Version).
		Note("Its versions: %s. The current one is %d. What each changed is told here:", spans(kept), p.Version)
}

// spans writes falling numbers as "1-3, 5".
func spans(falling []int) string {
	var list []string
	for i := len(falling) - 1; i >= 0; {
		from := falling[i]
		for i--; i >= 0 && falling[i] == falling[i+1]+1; i-- {
		}
		if to := falling[i+1]; to > from {
			list = append(list, fmt.Sprintf("%d-%d", from, to))
		} else {
			list = append(list, strconv.Itoa(from))
		}
	}
	return strings.Join(list, ", ")
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
// It cannot be undone, and works on a full disk, too. It is idempotent. The current version is ErrCurrent, a missing
// one ErrNotFound.
func (s *Service) EraseVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int) error {
	if _, err := s.owned(ctx, by, sandlot.ActOwn, id); err != nil {
		return err
	}
	err := s.evenFull(func() error { return s.management.EraseVersion(ctx, id, n, s.now().UTC()) })
	if errors.Is(err, sandlot.ErrMoved) {
		return ErrCurrent
	}
	return s.suspendedSince(ctx, by, id, err)
}
