package operate

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
)

// Grant gives an account a role, or ends its role where off is set. ref is as for Show. The rights count from the next
// request of the account on, on every node. A role that the account has already, or not at all, is an error. A reason may
// be given.
func (s *Service) Grant(ctx context.Context, by sandlot.Caller, ref string, role sandlot.Role, off bool, reason string) (Found, error) {
	target, has := role, "has the role"
	if off {
		target, has = sandlot.NoRole, "does not have the role"
	}
	return s.act(ctx, by, ref, sandlot.ActionGrant, reason, false, func(f Found, e sandlot.LogEntry) error {
		switch {
		case f.Account == nil:
			return fmt.Errorf("%s is a project, and an account is needed", f.Target())
		case off && f.Account.Role != role:
			return fmt.Errorf("%s %s %s; nothing was changed", f.Target(), has, role)
		case !off && role == sandlot.ModeratorRole && f.Account.Role == sandlot.OperatorRole:
			return fmt.Errorf("%s has the role operator, which may do all that a moderator may; nothing was changed", f.Target())
		}
		e.Reason = roleReason(role, off, e.Reason)
		err := s.store.SetRole(ctx, f.Account.ID, target, e)
		if errors.Is(err, sandlot.ErrExists) {
			return fmt.Errorf("%s %s %s; nothing was changed", f.Target(), has, role)
		}
		return err
	})
}

// roleReason names the role in the reason of its entry.
func roleReason(role sandlot.Role, off bool, reason string) string {
	words := "role " + string(role)
	if off {
		words = "end of " + words
	}
	if reason != "" {
		words += ": " + reason
	}
	return words
}

// Feature pins a project to the home page, in place of a former one. ref is as for Show. It is shown while it may be
// listed: neither suspended nor deleted nor hidden by its owner. A project that is pinned already is an error. A reason
// may be given.
func (s *Service) Feature(ctx context.Context, by sandlot.Caller, ref, reason string) (Found, error) {
	return s.act(ctx, by, ref, sandlot.ActionFeature, reason, false, func(f Found, e sandlot.LogEntry) error {
		if f.Project == nil {
			return fmt.Errorf("%s is an account, and a project is needed", f.Target())
		}
		err := s.store.Feature(ctx, f.Project.ID, e)
		if errors.Is(err, sandlot.ErrExists) {
			return fmt.Errorf("%s is on the home page already; nothing was changed", f.Target())
		}
		return err
	})
}

// Unfeature takes the pinned project off the home page. Without one it is an error. A reason may be given.
func (s *Service) Unfeature(ctx context.Context, by sandlot.Caller, reason string) error {
	if err := operator(by); err != nil {
		return err
	}
	reason, err := checkReason(reason, false)
	if err != nil {
		return err
	}
	e := s.entry(by, sandlot.ActionFeature, "none", reason)
	err = s.evenFull(func() error { return s.store.Feature(ctx, "", e) })
	if errors.Is(err, sandlot.ErrExists) {
		return errors.New("no project is pinned to the home page; nothing was changed")
	}
	return err
}
