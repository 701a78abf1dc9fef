package night

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/proof/night/corpus"
)

// typical is the time that the play-tester takes for a page that is held already: its result changes nothing, so it is not opened.
const typical = 13 * time.Second

// timed is a Browser that takes its real time on the clock of a night: meanwhile the night goes on.
type timed struct {
	*night
	trial.Browser
	known map[sandlot.Digest]opened
	total time.Duration // of the pages that were opened
}

// opened holds the observations of a trial, and its time.
type opened struct {
	seen trial.Seen
	took time.Duration
}

// Open implements trial.Browser. The same page is opened once.
func (b *timed) Open(ctx context.Context, due trial.Due) (trial.Seen, error) {
	if b.rule(b.t, string(due.Project)) == sandlot.HeldFields {
		b.run(b.clock.Now().Add(typical))
		return trial.Seen{}, nil
	}
	key := hashOf(b.byID[string(due.Project)].Page)
	o, ok := b.known[key]
	if !ok {
		began := time.Now()
		seen, err := b.Browser.Open(ctx, due)
		if err != nil {
			b.run(b.clock.Now().Add(time.Since(began)))
			return seen, err
		}
		o = opened{seen, time.Since(began)}
		b.known[key] = o
		b.total += o.took
	}
	b.run(b.clock.Now().Add(o.took))
	return o.seen, nil
}

// hashOf returns the hash of all files of a page. A maker's updates change nothing that the play-tester sees.
func hashOf(p corpus.Page) sandlot.Digest {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		all = fmt.Appendf(all, "%q %q\n", name, p.Files[name])
	}
	return sandlot.DigestOf(all)
}

// test lets the play-tester notice a new version at its next look, and open the due versions one after the other.
func (n *night) test() {
	if n.runner == nil || n.testing {
		return
	}
	n.testing = true
	n.after(pollEvery, n.round)
}

func (n *night) round() {
	passed := n.runner.Counts.Passed.Load()
	err := n.runner.Round(n.t.Context())
	switch {
	case errors.Is(err, sandlot.ErrNotFound) && n.runner.Counts.Passed.Load() == passed:
		n.testing = false // nothing is due
	case errors.Is(err, sandlot.ErrNotFound):
		n.after(pollEvery, n.round)
	case err != nil:
		n.t.Log("trial: ", err)
		n.after(30*time.Second, n.round) // as the runner waits after a failure
	default:
		n.after(0, n.round)
	}
}
