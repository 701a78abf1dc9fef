package heads

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/testkit/testenv"
)

// numbers are change numbers that a test sets.
type numbers struct {
	mu    sync.Mutex
	of    map[sandlot.ProjectID]int64
	takes time.Duration
	err   error
	asks  int
}

func (n *numbers) Changes(ctx context.Context, _ []sandlot.ProjectID) (map[sandlot.ProjectID]int64, error) {
	n.mu.Lock()
	n.asks++
	of, takes, err := n.of, n.takes, n.err
	n.mu.Unlock()
	if !elapses(ctx, takes) {
		return nil, ctx.Err()
	}
	return of, err
}

// become sets what is answered from now on.
func (n *numbers) become(of map[sandlot.ProjectID]int64, takes time.Duration, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of, n.takes, n.err = of, takes, err
}

func (n *numbers) asked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asks
}

// source is a project as a store has it, for one reader.
type source struct {
	mu      sync.Mutex // a load may be left behind
	version int
	account sandlot.AccountID
	takes   time.Duration
	deaf    bool // it goes on when nobody waits any more
	err     error
	loads   int
}

func (s *source) load(ctx context.Context) (sandlot.Project, error) {
	s.mu.Lock()
	s.loads++
	version, account, takes, deaf, err := s.version, s.account, s.takes, s.deaf, s.err
	s.mu.Unlock()
	if deaf {
		ctx = context.WithoutCancel(ctx)
	}
	if !elapses(ctx, takes) {
		return sandlot.Project{}, ctx.Err()
	}
	if err != nil {
		return sandlot.Project{}, err
	}
	p, err := headAt(version)(ctx)
	p.Account = account
	return p, err
}

// become changes what is answered from now on.
func (s *source) become(change func(*source)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// loaded is how often it was asked.
func (s *source) loaded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

// elapses waits for d to pass, unless ctx ends before it.
func elapses(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// confirming runs a test with heads that are confirmed, on a clock of its own.
func confirming(t *testing.T, n *numbers, test func(t *testing.T, h *Cache, failures *worker.Failures)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		h, failures := testHeads(n), &worker.Failures{}
		go h.Run(ctx, failures)
		test(t, h, failures)
		stop()
		synctest.Wait()
	})
}

// reads asks for the project every 10 ms for a time, and returns the last answer.
func reads(t *testing.T, h *Cache, s *source, during time.Duration) (p sandlot.Project, err error) {
	t.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); testenv.Pass(10 * time.Millisecond) {
		p, err = h.Get(t.Context(), "a", s.load)
	}
	return p, err
}

func TestHeadsInUseAreConfirmedTogether(t *testing.T) {
	t.Parallel()
	n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
	confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
		s := &source{version: 1}
		if p, err := reads(t, h, s, time.Minute); err != nil || p.Version != 1 || s.loaded() != 1 {
			t.Errorf("%v, %v; it was read %d times", p, err, s.loaded())
		}
		if least := int(time.Minute/time.Second) - 1; n.asked() < least || n.asked() > 2*least {
			t.Errorf("the change numbers were asked for %d times in a minute", n.asked())
		}
		asked := n.asked()
		testenv.Pass(time.Minute)
		if n.asked() > asked+1 {
			t.Errorf("nobody read it, and it was confirmed %d times", n.asked()-asked)
		}
		if p, err := h.Get(t.Context(), "a", (&source{version: 2}).load); err != nil || p.Version != 2 {
			t.Errorf("after a minute without a confirmation: %v, %v", p, err)
		}
	})
}

func TestAChangeByAnotherProcessIsSeenWithinTheHold(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]map[sandlot.ProjectID]int64{"changed": {"a": 2}, "deleted": {}} {
		t.Run(name, func(t *testing.T) {
			n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
			confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
				s := &source{version: 1}
				if _, err := reads(t, h, s, 5*time.Second); err != nil {
					t.Fatal(err)
				}
				n.become(now, 0, nil)
				s.become(func(s *source) { s.version = 2 })
				if p, err := reads(t, h, s, Hold+20*time.Millisecond); err != nil || p.Version != 2 {
					t.Errorf("%v, %v", p, err)
				}
			})
		})
	}
}

func TestAConfirmationThatIsOlderThanAHeadEvictsNothing(t *testing.T) {
	t.Parallel()
	n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
	confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
		s := &source{version: 3} // read after the numbers were
		if p, err := reads(t, h, s, confirmEvery+100*time.Millisecond); err != nil || p.Version != 3 || s.loaded() != 1 {
			t.Errorf("%v, %v; it was read %d times", p, err, s.loaded())
		}
	})
}

func TestHeadsAreServedWhileTheStoreCannotBeAsked(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*numbers, *source){
		"it refuses":         func(n *numbers, s *source) { n.become(nil, 0, sandlot.ErrUnavailable); s.err = sandlot.ErrUnavailable },
		"it does not answer": func(n *numbers, s *source) { n.become(nil, time.Hour, nil); s.takes = time.Hour },
		// As a read of PostgreSQL that has begun: until it finds out itself that nobody is there.
		"it does not answer, nor end": func(n *numbers, s *source) {
			n.become(nil, time.Hour, nil)
			s.takes, s.deaf, s.err = 10*time.Second, true, sandlot.ErrUnavailable
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
			confirming(t, n, func(t *testing.T, h *Cache, failures *worker.Failures) {
				s := &source{version: 1}
				if _, err := reads(t, h, s, 5*time.Second); err != nil {
					t.Fatal(err)
				}
				s.become(func(s *source) { breaks(n, s) })
				begin := time.Now()
				for time.Since(begin) < HoldAlone-2*time.Second {
					asked := time.Now()
					p, err := h.Get(t.Context(), "a", s.load)
					if err != nil || p.Version != 1 || time.Since(asked) > askLimit {
						t.Fatalf("after %v: %v, %v, in %v", time.Since(begin), p, err, time.Since(asked))
					}
					testenv.Pass(10 * time.Millisecond)
				}
				if most := int(HoldAlone/askPause) + 2; s.loaded() > most {
					t.Errorf("a store that cannot be asked was asked %d times by readers", s.loaded())
				}
				testenv.Pass(4 * time.Second)
				ctx, stop := context.WithTimeout(t.Context(), time.Second)
				if p, err := h.Get(ctx, "a", s.load); err == nil {
					t.Errorf("%v was served after %v", p, time.Since(begin))
				}
				stop()
				if failures.Count() == 0 {
					t.Error("no failure was counted")
				}
				n.become(map[sandlot.ProjectID]int64{"a": 2}, 0, nil)
				s.become(func(s *source) { s.version, s.takes, s.deaf, s.err = 2, 0, false, nil })
				if p, err := h.Get(t.Context(), "a", s.load); err != nil || p.Version != 2 {
					t.Errorf("when the store is back: %v, %v", p, err)
				}
			})
		})
	}
}

// TestAHeadIsServedWhereAnyErrorKeepsTheStoreFromAnswering, also before a confirmation has failed.
func TestAHeadIsServedWhereAnyErrorKeepsTheStoreFromAnswering(t *testing.T) {
	for _, err := range []error{sandlot.ErrUnavailable, sandlot.ErrCorrupt, errors.New("no such table: projects")} { // the last where SQLite could not read the schema
		synctest.Test(t, func(t *testing.T) {
			h, s := testHeads(&numbers{}), &source{version: 1}
			if _, err := h.Get(t.Context(), "a", s.load); err != nil {
				t.Fatal(err)
			}
			testenv.Pass(Hold + time.Second)
			s.become(func(s *source) { s.err = err })
			if p, err := h.Get(t.Context(), "a", s.load); err != nil || p.Version != 1 {
				t.Errorf("%v, %v", p, err)
			}
		})
	}
}

// TestRegression36WhoCannotConfirmHeadsCounts: each query that fails, also where the log has the first alone.
func TestRegression36WhoCannotConfirmHeadsCounts(t *testing.T) {
	t.Parallel()
	n := &numbers{err: sandlot.ErrUnavailable}
	confirming(t, n, func(t *testing.T, h *Cache, failures *worker.Failures) {
		if _, err := reads(t, h, &source{version: 1}, 3*confirmEvery+confirmEvery/2); err != nil {
			t.Fatal(err)
		}
		if failures.Count() != 3 || n.asked() != 3 {
			t.Errorf("%d of %d queries that failed were counted", failures.Count(), n.asked())
		}
	})
}

// TestAConfirmationCountsFromItsQuestion: what changed while the answer was on its way is not confirmed by it.
func TestAConfirmationCountsFromItsQuestion(t *testing.T) {
	t.Parallel()
	n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}, takes: 3 * time.Second}
	confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
		s := &source{version: 1}
		if _, err := h.Get(t.Context(), "a", s.load); err != nil {
			t.Fatal(err)
		}
		testenv.Pass(confirmEvery + 10*time.Millisecond)
		n.become(map[sandlot.ProjectID]int64{"a": 2}, 0, nil)
		s.become(func(s *source) { s.version = 2 })
		testenv.Pass(3 * time.Second)
		if p, err := h.Get(t.Context(), "a", s.load); err != nil || p.Version != 2 {
			t.Errorf("%v, %v", p, err)
		}
	})
}

func TestADeletedProjectIsNotServedWhileTheStoreAnswers(t *testing.T) {
	t.Parallel()
	n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
	confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
		s := &source{version: 1}
		if _, err := h.Get(t.Context(), "a", s.load); err != nil {
			t.Fatal(err)
		}
		s.become(func(s *source) { s.err = sandlot.ErrNotFound })
		testenv.Pass(10 * time.Second)
		if _, err := h.Get(t.Context(), "a", s.load); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}
