package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/redis"
)

// A need is a part that the service works with.
type need struct {
	name  string
	ask   func(context.Context) error // nil while it can be used
	spare bool                        // whether the service goes on without it
}

// needs are those of the service.
func (a *app) needs() []need {
	list := []need{{name: "database", ask: a.stores.Store.Ping}, {name: "blobs", ask: a.stores.Blobs.Ping}}
	if a.shared != nil {
		list = append(list, need{name: "redis", ask: func(context.Context) error { return away(a.shared.State()) }, spare: true})
	}
	return list
}

// away is an error for a server that is not used now.
func away(state redis.State, why error) error {
	if state == redis.Up {
		return nil
	}
	return fmt.Errorf("it is %s: %w", state, why)
}

// readyLimit bounds the question to each part: one that takes longer is missing.
const readyLimit = 5 * time.Second

// readiness is 200 while all parts can be used that the service cannot do without, and
// names those that are missing in either case. Why is for the log alone.
func (s *router) readiness(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		plain(w, http.StatusServiceUnavailable, "draining\n")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyLimit)
	defer cancel()
	missing, spare := lacks(ctx, s.needs, s.log)
	text := "ok\n"
	if len(missing) > 0 {
		text = "not ready\nmissing: " + strings.Join(missing, ", ") + "\n"
	}
	if len(spare) > 0 {
		text += "without: " + strings.Join(spare, ", ") + "\n"
	}
	status := http.StatusOK
	if len(missing) > 0 {
		status = http.StatusServiceUnavailable
	}
	plain(w, status, text)
}

// lacks asks all parts at once, so that one that does not answer hides no other, and
// names those that are missing, and those among them that the service can spare.
func lacks(ctx context.Context, needs []need, log *slog.Logger) (missing, spare []string) {
	answers := make([]chan error, len(needs))
	for i, n := range needs {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- n.ask(ctx) }()
	}
	for i, n := range needs {
		switch err := answer(ctx, answers[i]); {
		case err == nil:
		case n.spare:
			spare = append(spare, n.name)
		default:
			log.Warn("not ready", "part", n.name, "error", err)
			missing = append(missing, n.name)
		}
	}
	return missing, spare
}

// answer is the answer of a part, also one that had come when the time was over.
func answer(ctx context.Context, of <-chan error) error {
	select {
	case err := <-of:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-of:
		return err
	default:
		return errors.New("it does not answer")
	}
}
