package cluster

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"sandlot/internal/testkit/testenv"
)

// A node that cannot ask the database serves what it knew for half a minute; otherwise for a second. Which of them a read is held to must
// not depend on how busy the machine is, so it is not guessed from the time: a node is alone only after a read of it has waited for
// askLimit, which the sender of that read has seen, or after a confirmation has failed, which the node counts.
const (
	// fresh is how long after a write was acknowledged another node may still show what was before.
	fresh = time.Second
	// blindFor is how long nodes may go on with what they knew while the database cannot be asked.
	blindFor = 30 * time.Second
	// seeing is how long they may take to find it back: a confirmation is put off by 1.75 s.
	seeing = 3 * time.Second
	// askLimit is how long a read waits for the database before it is answered with what is known, and askPause for how long nobody asks
	// then.
	askLimit, askPause = time.Second, time.Second
	// putOff is for how long nobody asks after a confirmation that has failed.
	putOff = 1750 * time.Millisecond
)

// A span is one read of a node.
type span struct{ begun, ended time.Time }

// A watch is what is known of when a node may be alone.
type watch struct {
	mu      sync.Mutex
	life    int // how often it was started
	spans   map[*span]bool
	samples []sample // of this life
}

// A sample is how many confirmations had failed.
type sample struct {
	at     time.Time // when it had come
	failed int
}

func (w *watch) begin() *span {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &span{begun: time.Now()}
	if w.spans == nil {
		w.spans = map[*span]bool{}
	}
	w.spans[s] = true
	return s
}

// end ends a read, and reports whether the node may have been alone meanwhile, because this read or another has waited for so long.
func (w *watch) end(s *span) (alone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.ended = time.Now()
	for a := range w.spans {
		ended := a.ended
		if ended.IsZero() { // it is under way
			ended = s.ended
		}
		if ended.Sub(a.begun) < askLimit {
			if !a.ended.IsZero() {
				delete(w.spans, a)
			}
			continue
		}
		if !s.ended.Before(a.begun.Add(askLimit)) && !s.begun.After(ended.Add(askPause)) {
			alone = true
		}
	}
	return alone
}

// reborn notes that the node ends, or is started again: what it has counted is gone.
func (w *watch) reborn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.life, w.samples = w.life+1, nil
}

func (w *watch) note(life int, s sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if life == w.life {
		w.samples = append(w.samples, s)
	}
}

func (w *watch) lives() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.life
}

// failedBy is how many confirmations had failed when a node could last be put off by them until then.
func (w *watch) failedBy(then time.Time) (failed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.samples {
		if s.at.Before(then.Add(-putOff)) {
			failed = s.failed
		}
	}
	return failed
}

// sample asks every node all the time how many confirmations have failed, so that failedBy knows.
func (r *run) sample(done <-chan struct{}) {
	for {
		for _, n := range r.nodes {
			life := n.lives()
			if failed, ok := n.failed(); ok {
				n.note(life, sample{time.Now(), failed})
			}
		}
		select {
		case <-done:
			return
		case <-time.After(time.Second):
		}
	}
}

// failed asks a node how many confirmations have failed.
func (n *node) failed() (count int, ok bool) {
	resp, err := n.metrics.Get("http://" + n.metricsAddr + "/metrics")
	if err != nil {
		return 0, false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, false
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), `sandlot_worker_failures_total{worker="heads"} `); found {
			count, err := strconv.Atoi(text)
			return count, err == nil
		}
	}
	return 0, false
}

// admits reports whether a node says that it could not ask the database when it answered, or is no more to be asked.
func (n *node) admits(life int, begun time.Time) bool {
	before := n.failedBy(begun)
	return testenv.Poll(askPause, func() bool {
		failed, ok := n.failed()
		return n.lives() != life || ok && failed > before
	})
}

// blind notes that the database cannot be asked until the function is called.
func (r *run) blind() (over func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.down, r.up = false, time.Now()
	}
}

// blinded reports whether the database could not be asked, or could not be again for long, by a read that began then and has ended.
func (r *run) blinded(begun time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down || begun.Sub(r.up) < seeing
}

// allowed returns by how much an answer that is out of date by stale may be so, and whether the bound is exact to the second.
func (r *run) allowed(n *node, a answer, stale time.Duration) (most time.Duration, strict bool) {
	switch {
	case a.alone || r.blinded(a.begun), stale > fresh && n.admits(a.life, a.begun):
		return blindFor, false
	}
	return fresh, true
}
