package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// Admin is what the operator of an installation may do. It may work beside a
// running server, which notices within publish.FollowEvery. Everything that changes
// something is in the audit log. Its methods may be called concurrently.
type Admin struct {
	Store  AdminStore
	Now    func() time.Time
	Random io.Reader
	As     string // who the operator is, for the log
}

// entry is the line of the log for what the operator does now.
func (a *Admin) entry(action, target, reason string) publish.LogEntry {
	return publish.LogEntry{At: a.Now().UTC(), Actor: publish.ActorOperator, Name: a.As, Action: action, Target: target, Reason: reason}
}

// sameEmail bounds how many accounts of one address are told apart for a person.
const sameEmail = 20

// Found is what an operator named: one of the two is set.
type Found struct {
	Account *AccountDetail
	Project *ProjectDetail
}

// Target is the name in the audit log.
func (f Found) Target() string {
	if f.Account != nil {
		return "@" + f.Account.Handle
	}
	return string(f.Project.ID)
}

func (f Found) subject() publish.Subject {
	if f.Account != nil {
		return publish.Subject{Account: f.Account.ID}
	}
	return publish.Subject{Project: f.Project.ID}
}

// Find looks up what an operator named: an account by its handle, with or
// without the "@", or its address; or a project by its id or any of its
// addresses. What is not there is publish.ErrNotFound, which tells if it was deleted, and what could mean several is an
// error that names them.
func (a *Admin) Find(ctx context.Context, ref string) (Found, error) {
	found, err := a.find(ctx, ref)
	return found, a.toldDeleted(ctx, ref, err)
}

func (a *Admin) find(ctx context.Context, ref string) (Found, error) {
	ref = strings.TrimSpace(ref)
	handle, isHandle := strings.CutPrefix(ref, "@")
	switch {
	case isHandle:
		return a.account(ctx, handle)
	case strings.Contains(ref, "://"):
		return a.project(ctx, idInAddress(ref))
	case strings.Contains(ref, "@"):
		return a.byEmail(ctx, ref)
	}
	project, err := a.project(ctx, ref)
	if err != nil && !errors.Is(err, publish.ErrNotFound) {
		return Found{}, err
	}
	account, accountErr := a.account(ctx, ref)
	switch {
	case errors.Is(accountErr, publish.ErrNotFound) && err != nil:
		return Found{}, fmt.Errorf("there is no account and no project %s: %w", publish.Quoted(ref), publish.ErrNotFound)
	case errors.Is(accountErr, publish.ErrNotFound):
		return project, nil
	case accountErr == nil && err == nil:
		return Found{}, fmt.Errorf("%s is both an account and a project: write @%s for the account, or the address of the project", ref, ref)
	}
	return account, accountErr
}

// Account is Find for what must be an account.
func (a *Admin) Account(ctx context.Context, ref string) (AccountDetail, error) {
	if !strings.Contains(ref, "@") {
		ref = "@" + ref
	}
	found, err := a.Find(ctx, ref)
	if err != nil {
		return AccountDetail{}, err
	}
	if found.Account == nil {
		return AccountDetail{}, fmt.Errorf("%s is a project, and an account is needed", publish.Quoted(ref))
	}
	return *found.Account, nil
}

func (a *Admin) account(ctx context.Context, handle string) (Found, error) {
	found, err := a.Store.AccountByHandle(ctx, strings.ToLower(handle))
	if err != nil {
		return Found{}, fmt.Errorf("account %s: %w", publish.Quoted("@"+handle), err)
	}
	return Found{Account: &found}, nil
}

func (a *Admin) byEmail(ctx context.Context, address string) (Found, error) {
	clean, err := names.Email(address)
	if err != nil {
		return Found{}, fmt.Errorf("%s is not an address: %w", publish.Quoted(address), err)
	}
	list, err := a.Store.AccountsByEmail(ctx, clean, sameEmail)
	switch {
	case err != nil:
		return Found{}, err
	case len(list) == 0:
		return Found{}, fmt.Errorf("account with the address %s: %w", publish.Quoted(address), publish.ErrNotFound)
	case len(list) == 1:
		return Found{Account: &list[0]}, nil
	}
	var handles []string
	for _, account := range list {
		handles = append(handles, "@"+account.Handle)
	}
	return Found{}, fmt.Errorf("several accounts have this address, name one of them: %s", strings.Join(handles, " "))
}

func (a *Admin) project(ctx context.Context, id string) (Found, error) {
	if !names.ValidProjectID(id) {
		return Found{}, fmt.Errorf("project %s: %w", publish.Quoted(id), publish.ErrNotFound)
	}
	found, err := a.Store.ProjectDetail(ctx, publish.ProjectID(id))
	if err != nil {
		return Found{}, fmt.Errorf("project %s: %w", publish.Quoted(id), err)
	}
	return Found{Project: &found}, nil
}

// idInAddress finds a project id in any address of a project, wherever the
// installation is reached: ids are random, so one of another is not found here.
func idInAddress(ref string) string {
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	for _, prefix := range []string{"/~/", "/p/"} {
		if rest, ok := strings.CutPrefix(u.Path, prefix); ok {
			id, _, _ := strings.Cut(rest, "/")
			return id
		}
	}
	label, _, _ := strings.Cut(strings.ToLower(u.Hostname()), ".")
	if id, _, _, ok := names.ParseLabel(label); ok {
		return id
	}
	return label
}

// Suspend takes a project off all its addresses, or an account with all its
// projects, and keeps everything. It needs a reason.
func (a *Admin) Suspend(ctx context.Context, ref, reason string) (Found, error) {
	return a.act(ctx, ref, publish.ActionSuspend, reason, true, func(f Found, e publish.LogEntry) error {
		err := a.Store.Suspend(ctx, f.subject(), e)
		if errors.Is(err, publish.ErrExists) {
			return fmt.Errorf("%s is suspended already; nothing was changed", f.Target())
		}
		return err
	})
}

// Restore ends a suspension.
func (a *Admin) Restore(ctx context.Context, ref, reason string) (Found, error) {
	return a.act(ctx, ref, publish.ActionRestore, reason, false, func(f Found, e publish.LogEntry) error {
		err := a.Store.Restore(ctx, f.subject(), e)
		if errors.Is(err, publish.ErrMoved) {
			return fmt.Errorf("%s is not suspended; nothing was changed", f.Target())
		}
		return err
	})
}

// Delete removes a project, or an account with all its projects, for good. Its
// bytes go with the next rounds of the collector. It needs a reason.
func (a *Admin) Delete(ctx context.Context, ref, reason string) (Found, error) {
	return a.act(ctx, ref, publish.ActionDelete, reason, true, func(f Found, e publish.LogEntry) error {
		return a.Store.Remove(ctx, f.subject(), e)
	})
}

// maxReason bounds a reason: a paragraph and a reference.
const maxReason = 2000

func (a *Admin) act(ctx context.Context, ref, action, reason string, needed bool, do func(Found, publish.LogEntry) error) (Found, error) {
	reason, err := checkReason(reason, needed)
	if err != nil {
		return Found{}, err
	}
	found, err := a.Find(ctx, ref)
	if err != nil {
		return found, err
	}
	if err := do(found, a.entry(action, found.Target(), reason)); err != nil {
		return found, err
	}
	return a.again(ctx, found)
}

// checkReason returns a reason as the log keeps it.
func checkReason(reason string, needed bool) (string, error) {
	reason = strings.TrimSpace(reason)
	switch {
	case needed && reason == "":
		return "", errors.New("a reason is required for the audit log")
	case len(reason) > maxReason:
		return "", fmt.Errorf("the reason has %d bytes; at most %d are kept", len(reason), maxReason)
	}
	return publish.Redact(reason), nil
}

// again reads what an act has left; what it deleted stays as it was found.
func (a *Admin) again(ctx context.Context, f Found) (Found, error) {
	after, err := a.Find(ctx, f.Target())
	if f.Project != nil {
		after, err = a.project(ctx, string(f.Project.ID))
	}
	if errors.Is(err, publish.ErrNotFound) {
		return f, nil
	}
	return after, err
}

// NewKey mints an account key for an account that has lost its own, or whose key
// has leaked; if revoke, its other account keys end at once. It tells how many.
func (a *Admin) NewKey(ctx context.Context, ref, reason string, revoke bool) (AccountDetail, publish.Secret, int, error) {
	account, err := a.Account(ctx, ref)
	if err != nil {
		return account, "", 0, err
	}
	secret, err := publish.MintSecret(publish.AccountKey, a.Random)
	if err != nil {
		return account, "", 0, err
	}
	now := a.Now().UTC()
	key := publish.Key{Hash: secret.Hash(), Kind: publish.AccountKey, Name: "from the operator", LastFour: string(secret[len(secret)-4:]), CreatedAt: now}
	revoked, err := a.Store.AddKey(ctx, account.ID, key, revoke, a.entry(publish.ActionNewKey, "@"+account.Handle, publish.Redact(strings.TrimSpace(reason))))
	return account, secret, revoked, err
}
