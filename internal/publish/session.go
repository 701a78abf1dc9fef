package publish

import (
	"context"
	"time"
)

// Session is a browser that has logged in to an account.
type Session struct {
	ID        int64
	Account   AccountID
	Agent     string // what the browser said it is, cut to 200 bytes
	CreatedAt time.Time
	ProvedAt  time.Time // when its owner proved last that they read the account's address
	SeenAt    time.Time // to about an hour
	ExpiresAt time.Time
}

// Life of a session, and how often it is noted that it lives.
const (
	sessionLife = 30 * 24 * time.Hour // after it was seen last: whoever plays once a month stays logged in
	sessionSeen = time.Hour           // a write for each page would be many
	maxAgent    = 200
)

// A SessionStore keeps the logins, under the same promises as a Store.
type SessionStore interface {
	// AddSession records a session under the hash of its token, and returns its ID.
	AddSession(ctx context.Context, token Digest, s Session) (int64, error)
	// Session returns the session of a token and its account. One that has expired, and one of an account that is gone, is ErrNotFound.
	Session(ctx context.Context, token Digest, now time.Time) (Session, Account, error)
	// SeeSession records that a session was seen, and until when it lives now.
	SeeSession(ctx context.Context, id int64, seen, expires time.Time) error
	// Sessions returns an account's sessions that have not expired, newest first.
	Sessions(ctx context.Context, id AccountID, now time.Time) ([]Session, error)
	// EndSession ends one of an account's sessions; one that is over or another account's is ErrNotFound.
	EndSession(ctx context.Context, account AccountID, id int64) error
	// EndSessions ends all of an account's sessions but one (0: all).
	EndSessions(ctx context.Context, account AccountID, but int64) error
}

// identifySession looks a browser's session up by its token.
func (s *Service) identifySession(ctx context.Context, token string, from Sender) (Caller, error) {
	now := s.now().UTC()
	found, a, err := s.site.Session(ctx, digest([]byte(token)), now)
	if err != nil {
		return Caller{}, err
	}
	if now.Sub(found.SeenAt).Abs() >= sessionSeen {
		found.SeenAt, found.ExpiresAt = now, now.Add(sessionLife)
		if err := s.site.SeeSession(ctx, found.ID, found.SeenAt, found.ExpiresAt); err != nil {
			s.log.Warn("session not noted as seen", "error", err) // it goes on, only not for longer
		}
	}
	return InSession(found, a, from), nil
}

// Sessions returns the account's sessions, newest first.
func (s *Service) Sessions(ctx context.Context, id AccountID) ([]Session, error) {
	return s.site.Sessions(ctx, id, s.now().UTC())
}

// EndSession logs one of the account's browsers out. One that is not the
// account's, or is out already, is ErrNotFound.
func (s *Service) EndSession(ctx context.Context, account AccountID, id int64) error {
	return s.site.EndSession(ctx, account, id)
}

// EndSessions logs all of the account's browsers out but one (0: all).
func (s *Service) EndSessions(ctx context.Context, account AccountID, but int64) error {
	return s.site.EndSessions(ctx, account, but)
}
