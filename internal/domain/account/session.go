package account

import (
	"context"
	"time"

	"sandlot"
)

// maxAgent is the most bytes that are kept of a browser's name for itself.
const maxAgent = 200

// A SessionStore keeps the sessions as their owners see them, under the same promises as
// a publish.Store.
type SessionStore interface {
	// Sessions returns an account's sessions that have not expired, newest first.
	Sessions(ctx context.Context, id sandlot.AccountID, now time.Time) ([]sandlot.Session, error)
	// AddSession records a session under the hash of its token, and returns its ID.
	AddSession(ctx context.Context, token sandlot.Digest, s sandlot.Session) (id int64, err error)
	// EndSession ends one of an account's sessions; one that is over, or another account's, is sandlot.ErrNotFound.
	EndSession(ctx context.Context, account sandlot.AccountID, id int64) error
	// EndSessions ends all of an account's sessions but one (0: all).
	EndSessions(ctx context.Context, account sandlot.AccountID, but int64) error
}

// Sessions returns the account's sessions that have not expired, newest first.
func (s *Service) Sessions(ctx context.Context, by sandlot.Caller) ([]sandlot.Session, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, err
	}
	return s.store.Sessions.Sessions(ctx, by.Account(), s.now().UTC())
}

// EndSession logs one of the account's browsers out at once. A session that is over, or another account's, is
// sandlot.ErrNotFound. A suspended account may do it, too.
func (s *Service) EndSession(ctx context.Context, by sandlot.Caller, id int64) error {
	if err := sandlot.Authorize(by, sandlot.ActDelete, nil); err != nil {
		return err
	}
	return s.evenFull(func() error { return s.store.Sessions.EndSession(ctx, by.Account(), id) })
}

// EndOtherSessions logs out all of the account's browsers but the caller's own.
func (s *Service) EndOtherSessions(ctx context.Context, by sandlot.Caller) error {
	if err := sandlot.Authorize(by, sandlot.ActDelete, nil); err != nil {
		return err
	}
	own, _, _ := by.Login()
	return s.evenFull(func() error { return s.store.Sessions.EndSessions(ctx, by.Account(), own.ID) })
}
