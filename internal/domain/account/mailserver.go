package account

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"sandlot/internal/base/worker"
)

// ErrUnreachable means that there is no mail server at its address, or that it does not let the service in. It is never
// about one message.
var ErrUnreachable = errors.New("the mail server cannot be reached")

// A Reacher is a Mailer that can check whether its mail server answers.
type Reacher interface {
	// Reach connects as for a message and sends none. It returns nil if that worked, and otherwise an error that wraps
	// ErrUnreachable.
	Reach(ctx context.Context) error
}

const (
	// reachEvery is the time between two checks of an unreachable server: messages themselves may wait for hours.
	reachEvery = 15 * time.Second
	reachLimit = 30 * time.Second // for one check
)

// MailServer records whether the mail server could be reached when it was last used. The zero value is a server that
// was not used yet and counts as reachable. All methods may be called concurrently, and on nil, which is always
// reachable.
type MailServer struct{ down atomic.Bool }

// Up reports whether the mail server could be reached when it was last used.
func (s *MailServer) Up() bool { return s == nil || !s.down.Load() }

// note records the outcome of a use, and logs a change. A server that refuses a message could be reached.
func (s *MailServer) note(err error, log *slog.Logger) {
	down := errors.Is(err, ErrUnreachable)
	if s == nil || s.down.Swap(down) == down {
		return
	}
	if down {
		log.Warn("mail server cannot be reached; messages wait, and answers say so", "error", err)
	} else {
		log.Info("mail server is reachable again")
	}
}

// watch tries to reach the server at the start, and then every 15 seconds while it cannot be reached, until ctx ends.
// It returns at once for a Mailer that is no Reacher.
func (c *Courier) watch(ctx context.Context) {
	server, ok := c.Mailer.(Reacher)
	if !ok || c.Server == nil {
		return
	}
	first := true
	worker.Every(ctx, reachEvery, func() {
		if !first && c.Server.Up() {
			return
		}
		first = false
		limited, cancel := context.WithTimeout(ctx, reachLimit)
		err := worker.Guarded(func() error { return server.Reach(limited) })
		cancel()
		if ctx.Err() == nil {
			c.Server.note(err, c.Log)
		}
	})
}
