package publish

import (
	"context"
	"errors"
	"strconv"
)

// versionsPage is how many versions a person sees at once.
const versionsPage = 20

// ErrCurrent: this cannot be done to the current version.
var ErrCurrent = errors.New("the current version")

// Versions returns a page of 20 of the versions of an account's project, newest first: those
// below before, where 0 is all. next is the before of the following page, 0 after the last.
// Versions that were erased are among them.
func (s *Service) Versions(ctx context.Context, by Caller, id ProjectID, before int) (list []VersionChange, next int, err error) {
	if _, err := s.owned(ctx, by, ActOwn, id); err != nil {
		return nil, 0, err
	}
	list, err = s.management.Versions(ctx, id, before, versionsPage+1)
	if len(list) > versionsPage {
		list = list[:versionsPage]
		next = list[versionsPage-1].N
	}
	return list, next, err
}

// RestoreVersion makes a new version with the files of version n and its primary file, and the
// title as it is. No bytes are copied. A version that is gone is ErrNotFound. The same form
// again changes nothing.
func (s *Service) RestoreVersion(ctx context.Context, by Caller, id ProjectID, n int, form string) error {
	return s.rearrange(ctx, by, id, formAct{form, []string{"restore", strconv.Itoa(n)}}, func(p Project, current []File) (Change, error) {
		v, err := s.store.Version(ctx, id, n)
		if err != nil {
			return Change{}, err
		}
		old, err := s.store.Files(ctx, id, n)
		if err != nil {
			return Change{}, err
		}
		c := difference(current, old)
		c.Primary = v.Primary
		return c, nil
	})
}

// difference is what makes the files old of the files current. What is the same
// in both stays as it is.
func difference(current, old []File) Change {
	var c Change
	same := map[string]bool{}
	for _, f := range old {
		if now := fileNamed(current, f.Name); now != nil && now.Blob.ID == f.Blob.ID {
			same[f.Name] = true
			continue
		}
		c.Put = append(c.Put, File{Name: f.Name, Folded: f.Folded, Blob: f.Blob})
	}
	for _, f := range current {
		if !same[f.Name] {
			c.Drop = append(c.Drop, f)
		}
	}
	return c
}

// EraseVersion takes the bytes of a version away, but for those that other versions use, and
// its address; the number stays. It cannot be undone, and works on a full disk, too. It is
// idempotent. The current version is ErrCurrent, one that is not there ErrNotFound.
func (s *Service) EraseVersion(ctx context.Context, by Caller, id ProjectID, n int) error {
	if _, err := s.owned(ctx, by, ActOwn, id); err != nil {
		return err
	}
	err := s.evenFull(func() error { return s.management.EraseVersion(ctx, id, n, s.now().UTC()) })
	if errors.Is(err, ErrMoved) {
		return ErrCurrent
	}
	return s.suspendedSince(ctx, by, id, err)
}
