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

// SessionLife is how long a session lives after it was seen last: whoever plays once a
// month stays logged in. One that seems to live longer got its time from a wrong clock.
const SessionLife = 30 * 24 * time.Hour

// sessionSeen is how often it is noted that a session lives: a write for each page would be many.
const sessionSeen = time.Hour

// A SessionStore looks sessions up, under the same promises as a Store.
type SessionStore interface {
	// Session returns the session of a token and its account. One that has expired, and one of an account that is gone, is ErrNotFound.
	Session(ctx context.Context, token Digest, now time.Time) (Session, Account, error)
	// SeeSession records that a session was seen, and until when it lives now.
	SeeSession(ctx context.Context, id int64, seen, expires time.Time) error
}

// identifySession looks a browser's session up by its token.
func (s *Service) identifySession(ctx context.Context, token string, from Sender) (Caller, error) {
	now := s.now().UTC()
	found, a, err := s.site.Session(ctx, digest([]byte(token)), now)
	if err != nil {
		return Caller{}, err
	}
	if now.Sub(found.SeenAt).Abs() >= sessionSeen {
		found.SeenAt, found.ExpiresAt = now, now.Add(SessionLife)
		if err := s.site.SeeSession(ctx, found.ID, found.SeenAt, found.ExpiresAt); err != nil {
			s.log.Warn("session not noted as seen", "error", err) // it goes on, only not for longer
		}
	}
	return InSession(found, a, from), nil
}
