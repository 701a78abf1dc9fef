package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// Suspend takes a project off all its addresses, or an account with all its projects, and keeps everything. ref is as
// for Show. A reason is required. A suspended one is an error. Suspend returns the account or project as it is then; so
// do Reinstate and Delete.
func (s *Service) Suspend(ctx context.Context, by sandlot.Caller, ref, reason string) (Found, error) {
	return s.act(ctx, by, ref, sandlot.ActionSuspend, reason, true, func(f Found, e sandlot.LogEntry) error {
		err := s.store.Suspend(ctx, f.subject(), e)
		if errors.Is(err, sandlot.ErrExists) {
			return fmt.Errorf("%s is suspended already; nothing was changed", f.Target())
		}
		return err
	})
}

// Reinstate ends a suspension. A project of a suspended account stays down until the account is reinstated. A subject
// that is not suspended is an error. A reason may be given.
func (s *Service) Reinstate(ctx context.Context, by sandlot.Caller, ref, reason string) (Found, error) {
	return s.act(ctx, by, ref, sandlot.ActionReinstate, reason, false, func(f Found, e sandlot.LogEntry) error {
		err := s.store.Reinstate(ctx, f.subject(), e)
		if errors.Is(err, sandlot.ErrMoved) {
			return fmt.Errorf("%s is not suspended; nothing was changed", f.Target())
		}
		return err
	})
}

// Trust makes an account count as one with a verified address in quarantine, holds and lists, or ends that. It ends the
// holds of its projects by the rule fields. An account that is trusted already, or with end not at all, is an error. A
// reason may be given.
func (s *Service) Trust(ctx context.Context, by sandlot.Caller, ref, reason string, end bool) (Found, error) {
	action, state := sandlot.ActionTrust, "is trusted already"
	if end {
		action, state = sandlot.ActionEndTrust, "is not trusted"
	}
	return s.act(ctx, by, ref, action, reason, false, func(f Found, e sandlot.LogEntry) error {
		if f.Account == nil {
			return fmt.Errorf("%s is a project, and an account is needed", f.Target())
		}
		err := s.holds.Trust(ctx, f.Account.ID, end, e)
		if errors.Is(err, sandlot.ErrExists) || errors.Is(err, sandlot.ErrMoved) {
			return fmt.Errorf("%s %s; nothing was changed", f.Target(), state)
		}
		return err
	})
}

// Release ends the hold of a project. Reports do not hold it again for Immunity; the next version of an account without a
// verified address is looked at anew. A project that is not held is an error. A reason is required.
func (s *Service) Release(ctx context.Context, by sandlot.Caller, ref, reason string) (Found, error) {
	return s.act(ctx, by, ref, sandlot.ActionRelease, reason, true, func(f Found, e sandlot.LogEntry) error {
		if f.Project == nil {
			return fmt.Errorf("%s is an account, and a project is needed", f.Target())
		}
		err := s.holds.Release(ctx, f.Project.ID, e.At.Add(Immunity), e)
		if errors.Is(err, sandlot.ErrMoved) {
			return fmt.Errorf("%s is not held; nothing was changed", f.Target())
		}
		return err
	})
}

// Delete removes a project, or an account with all its projects, for good. The bytes go a day later, with the rounds of
// the Collector. A reason is required. The result is as it was before.
func (s *Service) Delete(ctx context.Context, by sandlot.Caller, ref, reason string) (Found, error) {
	return s.act(ctx, by, ref, sandlot.ActionDelete, reason, true, func(f Found, e sandlot.LogEntry) error {
		return s.store.Remove(ctx, f.subject(), e)
	})
}

// maxReason is the longest reason, in bytes: a paragraph and a reference.
const maxReason = 2000

// act does one thing to the account or project that ref names, with its entry in the audit log, and returns that
// account or project.
func (s *Service) act(
	ctx context.Context, by sandlot.Caller, ref, action, reason string, needed bool, do func(Found, sandlot.LogEntry) error,
) (Found, error) {
	if err := operator(by); err != nil {
		return Found{}, err
	}
	reason, err := checkReason(reason, needed)
	if err != nil {
		return Found{}, err
	}
	found, err := s.find(ctx, ref)
	if err != nil {
		return found, err
	}
	e := s.entry(by, action, found.Target(), reason)
	if err := s.evenFull(func() error { return do(found, e) }); err != nil {
		return found, err
	}
	return s.after(ctx, found)
}

// checkReason returns a reason in its form for the log: trimmed, and without keys.
func checkReason(reason string, needed bool) (string, error) {
	reason = strings.TrimSpace(reason)
	switch {
	case needed && reason == "":
		return "", errors.New("a reason is required for the audit log")
	case len(reason) > maxReason:
		return "", fmt.Errorf("the reason has %d bytes; at most %d are kept", len(reason), maxReason)
	}
	return inspect.Redact(reason), nil
}

// after reads the account or project again after an act. A deleted one is returned as it was before.
func (s *Service) after(ctx context.Context, f Found) (Found, error) {
	after, err := s.find(ctx, f.Target())
	if f.Project != nil {
		after, err = s.project(ctx, string(f.Project.ID))
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return f, nil
	}
	return after, err
}

// NewKey mints an account key for an account that has lost its own, or whose key has leaked. The secret is returned and
// kept nowhere. If revoke, the account's other account keys end in the same step; the int is their number.
func (s *Service) NewKey(
	ctx context.Context, by sandlot.Caller, ref, reason string, revoke bool,
) (account AccountDetail, secret sandlot.Secret, revoked int, err error) {
	if account, err = s.Account(ctx, by, ref); err != nil {
		return account, "", 0, err
	}
	if secret, err = sandlot.MintSecret(sandlot.AccountKey, s.random); err != nil {
		return account, "", 0, err
	}
	now := s.now().UTC()
	key := sandlot.Key{
		Hash: secret.Hash(), Kind: sandlot.AccountKey, Name: "from the operator", LastFour: string(secret[len(secret)-4:]), CreatedAt: now,
	}
	e := s.entry(by, sandlot.ActionNewKey, "@"+account.Handle, inspect.Redact(strings.TrimSpace(reason)))
	err = s.evenFull(func() (err error) {
		revoked, err = s.store.AddKey(ctx, account.ID, key, revoke, e)
		return err
	})
	return account, secret, revoked, err
}
