package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/publish"
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

// readiness is 200 while all parts answer that the service cannot do without, and names
// those that do not in either case, and those that take nothing more: what they have is
// served all the same, and a balancer that left out each node of a full bucket would end
// that, too. Why is for the log alone.
func (s *router) readiness(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		plain(w, http.StatusServiceUnavailable, "draining\n")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyLimit)
	defer cancel()
	l := lacks(ctx, s.needs, s.log)
	status, text := http.StatusOK, "ok\n"
	if len(l.missing) > 0 {
		status, text = http.StatusServiceUnavailable, "not ready\n"
	}
	plain(w, status, text+listed("missing", l.missing)+listed("full", l.full)+listed("without", l.spare))
}

// listed is a line with the names of parts; it is empty where there are none.
func listed(what string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return what + ": " + strings.Join(parts, ", ") + "\n"
}

// A lack names the parts that do not answer, those among them that the service can spare,
// and those that are full.
type lack struct{ missing, spare, full []string }

// lacks asks all parts at once, so that one that does not answer hides no other.
func lacks(ctx context.Context, needs []need, log *slog.Logger) (l lack) {
	answers := make([]chan error, len(needs))
	for i, n := range needs {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- n.ask(ctx) }()
	}
	for i, n := range needs {
		switch err := answer(ctx, answers[i]); {
		case err == nil:
		case n.spare:
			l.spare = append(l.spare, n.name)
		case errors.Is(err, publish.ErrFull):
			log.Warn("nothing new is taken", "part", n.name, "error", err)
			l.full = append(l.full, n.name)
		default:
			log.Warn("not ready", "part", n.name, "error", err)
			l.missing = append(l.missing, n.name)
		}
	}
	return l
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
