// Package connect lets the person with a connect_url take over the projects that an agent has published for them. The url has a
// one-time code in its fragment, which publish and signup return with a new account.
//
// It decides which projects a code moves, and where: those of an account without a verified address, into the verified
// account of a login. Who verifies the address of that account itself takes no projects and needs no code.
package connect

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/format/inspect"
)

// Shown is the most projects of an account that an Offer shows, the last changed first. Nobody looks through more.
const Shown = 100

// A Store keeps codes, under the same promises as a publish.Store. A code is sandlot.ErrNotFound once it was used or is
// past its ExpiresAt, and as soon as its account has a verified address, is suspended or was deleted.
type Store interface {
	// Connectable returns the account of a code.
	Connectable(ctx context.Context, code sandlot.Digest, now time.Time) (sandlot.Account, error)
	// Connect makes all projects of the account of a code those of another, with their keys, and with those in the trash,
	// and records e, with the former account for its Reason. The codes, account keys and edit tokens of the former account
	// end. A receiver without a verified address is sandlot.ErrNotFound, a suspended one sandlot.ErrSuspended. Of two calls
	// with one code one succeeds.
	Connect(ctx context.Context, code sandlot.Digest, to sandlot.AccountID, e sandlot.LogEntry) error
	// SetEmail is that of publish.Store. Without a Kind, the job is none.
	SetEmail(ctx context.Context, id sandlot.AccountID, address string, job sandlot.Job, checked int64) error
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
}

// Logins sends messages for logins; *account.Logins does.
type Logins interface {
	AskLogin(ctx context.Context, by sandlot.Caller, in account.LoginInput) (browser string, err error)
}

// A Service applies the rules of this package. Its fields are set before it is used, and its methods may be called
// concurrently. A code that does not work is sandlot.ErrNotFound, whatever the reason: transports count it as a guess.
type Service struct {
	Store  Store
	Logins Logins
	Now    func() time.Time

	Blocklist account.Blocklist // nil: no address is blocked
}

// An Offer shows the account and the projects that a code takes.
type Offer struct {
	Account  sandlot.Account
	Projects []sandlot.Project // at most Shown, the last changed first
	More     bool              // whether the account has others
}

// Offer returns the account and the projects that a code takes. It changes nothing.
func (s *Service) Offer(ctx context.Context, by sandlot.Caller, code string) (Offer, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Offer{}, err
	}
	if !inspect.LooksLikeConnectCode(code) {
		return Offer{}, sandlot.ErrNotFound
	}
	a, err := s.Store.Connectable(ctx, sandlot.Secret(code).Hash(), s.Now().UTC())
	if err != nil {
		return Offer{}, err
	}
	list, err := s.Store.Projects(ctx, a.ID, 0, Shown+1)
	return Offer{a, list[:min(len(list), Shown)], len(list) > Shown}, err
}

// AskLogin makes an address the unverified one of the code's account, and has a message sent to it as Logins.AskLogin
// does: one that logs in, if an account has verified the address, and else one that verifies it. So a person without an
// account keeps the one that the agent made. Errors are those of Logins.AskLogin, too.
func (s *Service) AskLogin(ctx context.Context, by sandlot.Caller, code string, in account.LoginInput) (browser string, err error) {
	of, err := s.Offer(ctx, by, code)
	if err != nil {
		return "", err
	}
	email, err := sandlot.CleanEmail(in.Email)
	if err == nil && email != "" && email != of.Account.Email {
		err = account.Unblocked(ctx, s.Blocklist, email, func(checked int64) error {
			return s.Store.SetEmail(ctx, of.Account.ID, email, sandlot.Job{}, checked)
		})
	}
	if errors.Is(err, sandlot.ErrVerified) { // meanwhile
		err = sandlot.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return s.Logins.AskLogin(ctx, by, in)
}

// Take makes the projects of a code's account those of the caller's account, which must have a verified address, in one
// step: see Store.Connect.
func (s *Service) Take(ctx context.Context, by sandlot.Caller, code string) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	if !inspect.LooksLikeConnectCode(code) {
		return sandlot.ErrNotFound
	}
	_, me, _ := by.Login()
	entry := sandlot.LogEntry{At: s.Now().UTC(), Actor: sandlot.ActorOwner, Action: sandlot.ActionConnect, Target: "@" + me.Handle}
	err := s.Store.Connect(ctx, sandlot.Secret(code).Hash(), by.Account(), entry)
	if errors.Is(err, sandlot.ErrSuspended) {
		return sandlot.AccountSuspended()
	}
	return err
}
