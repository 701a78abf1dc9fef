package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/storage/redis"
)

// A need is a part on which the service depends.
type need struct {
	name  string
	ask   func(context.Context) error // nil while it can be used
	spare bool                        // whether the service works without it
	// common is set for a part that all nodes share: while none can use it, no other node is better.
	common *common
}

// A common part counts as away for all nodes, unless another reports that it is not.
type common struct {
	seen sightings // nil: nodes do not share reports

	mu    sync.Mutex
	since time.Time // this node cannot use it; zero: it can
}

// sightings are the nodes' reports on common parts; *redis.Sightings implements it.
type sightings interface {
	Saw(ctx context.Context, part string)                // this node can use it
	SeenElsewhere(ctx context.Context, part string) bool // another node could, within redis.SightingFor
}

// elsewhere reports whether other nodes can use a part that answered this one with err. A report from a time when this
// node could still use it does not count.
func (c *common) elsewhere(ctx context.Context, part string, err error) bool {
	c.mu.Lock()
	if err == nil {
		c.since = time.Time{}
	} else if c.since.IsZero() {
		c.since = time.Now()
	}
	late := err != nil && time.Since(c.since) > redis.SightingFor
	c.mu.Unlock()
	if c.seen == nil {
		return false
	}
	if err == nil {
		c.seen.Saw(ctx, part)
	}
	return late && c.seen.SeenElsewhere(ctx, part)
}

// needs returns the needs of the service.
func (a *app) needs() []need {
	list := []need{{name: "database", ask: a.stores.Store.Ping}, {name: "blobs", ask: a.stores.Blobs.Ping}}
	var seen sightings
	if a.shared != nil {
		seen = redis.NewSightings(a.shared)
	}
	if a.settings.DatabaseURL != "" {
		list[0].common = &common{seen: seen}
	}
	if a.settings.BlobURL != "" {
		list[1].common = &common{seen: seen}
	}
	if a.shared != nil {
		list = append(list, need{name: "redis", ask: func(context.Context) error { return a.shared.Err() }, spare: true})
	}
	return list
}

// readyLimit is the longest check of a part: a slower one counts as missing.
const (
	readyLimit = 5 * time.Second
	// commonLimit is the same for a common part: an impatient balancer would leave out every node of a bucket that
	// hangs.
	commonLimit = time.Second
)

// readiness is 503 if another node is better: while this one ends, and without a part that is its own or that others
// can use. It is 200 otherwise, and names the parts that all nodes lack, and those that are full: reads go on, and a
// balancer that left out each node would end them, too. Only the log has the reasons.
func (s *router) readiness(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		plain(w, http.StatusServiceUnavailable, "draining\n")
		return
	}
	l := s.lacks(r.Context())
	status, text := http.StatusOK, "ok\n"
	if len(l.missing) > 0 {
		status, text = http.StatusServiceUnavailable, "not ready\n"
	}
	plain(w, status, text+partsLine("missing", l.missing)+partsLine("full", l.full)+partsLine("without", l.spare))
}

// lacks checks all parts.
func (s *router) lacks(ctx context.Context) lack {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	return lacks(ctx, s.needs, s.log)
}

// partsLine returns a line with the names of parts, empty if there are none.
func partsLine(what string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return what + ": " + strings.Join(parts, ", ") + "\n"
}

// A lack names the parts for which another node is better, the spare parts that this service lacks, and those that are
// full.
type lack struct{ missing, spare, full []string }

// lacks checks all parts at once, so that a silent part hides no other.
func lacks(ctx context.Context, needs []need, log *slog.Logger) (l lack) {
	answers := make([]chan error, len(needs))
	for i, n := range needs {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- n.ask(ctx) }()
	}
	soon, cancel := context.WithTimeout(ctx, commonLimit)
	defer cancel()
	for i, n := range needs {
		until := ctx
		if n.common != nil {
			until = soon
		}
		err := answer(until, answers[i])
		full := errors.Is(err, sandlot.ErrFull)
		reached := err
		if full {
			reached = nil
		}
		elsewhere := n.common != nil && n.common.elsewhere(ctx, n.name, reached)
		switch {
		case err == nil:
		case n.spare:
			l.spare = append(l.spare, n.name)
		case full:
			log.Warn("nothing new is taken", "part", n.name, "error", err)
			l.full = append(l.full, n.name)
		case n.common != nil && !elsewhere:
			log.Warn("all nodes are without it", "part", n.name, "error", err)
			l.spare = append(l.spare, n.name)
		default:
			log.Warn("not ready", "part", n.name, "error", err)
			l.missing = append(l.missing, n.name)
		}
	}
	return l
}

// answer returns the answer of a part, even if it came as the time ended.
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
