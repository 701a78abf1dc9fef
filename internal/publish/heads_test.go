package publish

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func headAt(version int) func() (Project, error) {
	return func() (Project, error) { return Project{ID: "a", Version: version}, nil }
}

func version(t *testing.T, h *heads, load func() (Project, error)) int {
	t.Helper()
	p, err := h.get(t.Context(), "a", load)
	if err != nil {
		t.Fatal(err)
	}
	return p.Version
}

func TestHeads(t *testing.T) {
	t.Run("what is known is not loaded again", func(t *testing.T) {
		h := newHeads(DefaultProjects)
		if first, second := version(t, h, headAt(1)), version(t, h, headAt(2)); first != 1 || second != 1 {
			t.Errorf("got versions %d and %d", first, second)
		}
	})
	t.Run("what was forgotten is loaded again", func(t *testing.T) {
		h := newHeads(DefaultProjects)
		version(t, h, headAt(1))
		h.forget("a")
		if got := version(t, h, headAt(2)); got != 2 {
			t.Errorf("got version %d", got)
		}
	})
	t.Run("all that was forgotten is loaded again", func(t *testing.T) {
		h := newHeads(DefaultProjects)
		version(t, h, headAt(1))
		h.forgetAll()
		if got := version(t, h, headAt(2)); got != 2 {
			t.Errorf("got version %d", got)
		}
	})
	for name, forget := range map[string]func(*heads){
		"forget":    func(h *heads) { h.forget("a") },
		"forgetAll": func(h *heads) { h.forgetAll() },
	} {
		t.Run("a look-up that began before a write does not enter after it/"+name, func(t *testing.T) {
			h := newHeads(DefaultProjects)
			p, err := h.get(t.Context(), "a", func() (Project, error) {
				forget(h) // the write commits while the old state is on its way
				return headAt(1)()
			})
			if err != nil || p.Version != 1 {
				t.Fatalf("got %v, %v", p, err)
			}
			if got := version(t, h, headAt(2)); got != 2 {
				t.Errorf("version %d was kept", got)
			}
		})
	}
	t.Run("an error is not kept", func(t *testing.T) {
		h, broken := newHeads(DefaultProjects), errors.New("broken")
		if _, err := h.get(t.Context(), "a", func() (Project, error) { return Project{}, broken }); !errors.Is(err, broken) {
			t.Fatalf("got %v", err)
		}
		if got := version(t, h, headAt(1)); got != 1 {
			t.Errorf("got version %d", got)
		}
	})
	t.Run("what was found under another id is not kept", func(t *testing.T) {
		h := newHeads(DefaultProjects)
		if _, err := h.get(t.Context(), " a ", headAt(1)); err != nil {
			t.Fatal(err)
		}
		if _, ok := h.peek("a"); ok {
			t.Error("it entered under an id whose writes were not watched")
		}
	})
	t.Run("however many ask at once, one loads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, loads := newHeads(DefaultProjects), atomic.Int64{}
			release := make(chan struct{})
			for range 50 {
				go h.get(t.Context(), "a", func() (Project, error) {
					loads.Add(1)
					<-release
					return headAt(1)()
				})
			}
			synctest.Wait()
			close(release)
			synctest.Wait()
			if n := loads.Load(); n != 1 {
				t.Errorf("%d loaded", n)
			}
		})
	})
	t.Run("one who waits for a look-up goes when its context ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHeads(DefaultProjects)
			release := make(chan struct{})
			go h.get(t.Context(), "a", func() (Project, error) { <-release; return headAt(1)() })
			synctest.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := h.get(ctx, "a", headAt(1)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			close(release)
		})
	})
	t.Run("only so many are kept", func(t *testing.T) {
		h := newHeads(DefaultProjects)
		for i := range DefaultProjects + 500 {
			h.put(Project{ID: ProjectID(fmt.Sprint("p", i))}, 0)
		}
		if len(h.known) > DefaultProjects {
			t.Errorf("%d are kept", len(h.known))
		}
	})
	t.Run("a reader never sees less than what was acknowledged before it asked", func(t *testing.T) {
		h := newHeads(DefaultProjects)
		var stored, acknowledged atomic.Int64
		var all sync.WaitGroup
		all.Go(func() {
			for range 2000 {
				n := stored.Add(1)
				h.forget("a")
				acknowledged.Store(n)
			}
		})
		for range 4 {
			all.Go(func() {
				for range 2000 {
					least := acknowledged.Load()
					p, _ := h.get(context.Background(), "a", func() (Project, error) { return headAt(int(stored.Load()))() })
					if int64(p.Version) < least {
						t.Errorf("version %d after %d was acknowledged", p.Version, least)
						return
					}
				}
			})
		}
		all.Wait()
	})
}
