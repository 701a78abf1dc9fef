package account

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"sandlot/internal/publish"
)

// ErrUnreachable: there is no mail server where it should be, or it does not let the
// service in: nothing that is about one message.
var ErrUnreachable = errors.New("the mail server cannot be reached")

// A Reacher is a Mailer that can find out whether its server is there.
type Reacher interface {
	// Reach connects as for a message, and sends none. Its errors wrap ErrUnreachable.
	Reach(ctx context.Context) error
}

const (
	// reachEvery is how often a server that could not be reached is looked for: messages themselves may wait for hours.
	reachEvery = 15 * time.Second
	reachLimit = 30 * time.Second
)

// MailServer knows whether the mail server was reachable when it was last used. The zero
// value has not used it, and takes it for reachable. It may be used concurrently.
type MailServer struct{ down atomic.Bool }

// Up reports whether the mail server could be reached when it was last used.
func (s *MailServer) Up() bool { return s == nil || !s.down.Load() }

// note takes the outcome of a use. A server that refuses a message is there.
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

// watch looks for the server at the start, and then for as long as it cannot be reached.
func (c *Courier) watch(ctx context.Context) {
	server, ok := c.Mailer.(Reacher)
	if !ok || c.Server == nil {
		return
	}
	tick := time.NewTicker(reachEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		if first || !c.Server.Up() {
			limited, cancel := context.WithTimeout(ctx, reachLimit)
			err := publish.Guarded(func() error { return server.Reach(limited) })
			cancel()
			if ctx.Err() == nil {
				c.Server.note(err, c.Log)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
