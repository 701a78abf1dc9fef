package heads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func headAt(version int) func(context.Context) (sandlot.Project, error) {
	return func(context.Context) (sandlot.Project, error) {
		return sandlot.Project{ID: "a", Account: 7, Version: version, Change: int64(version)}, nil
	}
}

func version(t *testing.T, h *Cache, load func(context.Context) (sandlot.Project, error)) int {
	t.Helper()
	p, err := h.Get(t.Context(), "a", load)
	if err != nil {
		t.Fatal(err)
	}
	return p.Version
}

// testHeads caches as many as a Service does, over the change numbers of a test.
func testHeads(changes ChangeStore) *Cache {
	return New(changes, 20_000, nil, slog.New(slog.DiscardHandler))
}

func TestHeads(t *testing.T) {
	t.Run("where one cannot be loaded all who wait have the error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, broken, loads := testHeads(nil), errors.New("broken"), 0
			begun, errs := time.Now(), make(chan error)
			for range 50 {
				go func() {
					_, err := h.Get(t.Context(), "a", func(context.Context) (sandlot.Project, error) {
						loads++
						testenv.Pass(5 * time.Second)
						return sandlot.Project{}, broken
					})
					errs <- err
				}()
			}
			for range 50 {
				expect.Is(t, "a look-up", <-errs, broken)
			}
			expect.Equal(t, "loads", loads, 1)
			expect.Equal(t, "how long all waited", time.Since(begun), 5*time.Second)
		})
	})
	t.Run("what is known is not loaded again", func(t *testing.T) {
		h := testHeads(nil)
		if first, second := version(t, h, headAt(1)), version(t, h, headAt(2)); first != 1 || second != 1 {
			t.Errorf("got versions %d and %d", first, second)
		}
	})
	t.Run("what was dropped is loaded again", func(t *testing.T) {
		h := testHeads(nil)
		version(t, h, headAt(1))
		h.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{"a"}})
		if got := version(t, h, headAt(2)); got != 2 {
			t.Errorf("got version %d", got)
		}
	})
	t.Run("the projects of an account that was dropped are loaded again", func(t *testing.T) {
		h := testHeads(nil)
		version(t, h, headAt(1))
		h.Drop(sandlot.Changed{Account: 7})
		if got := version(t, h, headAt(2)); got != 2 {
			t.Errorf("got version %d", got)
		}
	})
	for name, drop := range map[string]func(*Cache){
		"a project":  func(h *Cache) { h.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{"a"}}) },
		"an account": func(h *Cache) { h.Drop(sandlot.Changed{Account: 7}) },
	} {
		t.Run("a look-up that began before a write does not enter after it/"+name, func(t *testing.T) {
			h := testHeads(nil)
			p, err := h.Get(t.Context(), "a", func(ctx context.Context) (sandlot.Project, error) {
				drop(h) // the write commits while the old state is on its way
				return headAt(1)(ctx)
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
		h, broken := testHeads(nil), errors.New("broken")
		if _, err := h.Get(t.Context(), "a", func(context.Context) (sandlot.Project, error) { return sandlot.Project{}, broken }); !errors.Is(err, broken) {
			t.Fatalf("got %v", err)
		}
		if got := version(t, h, headAt(1)); got != 1 {
			t.Errorf("got version %d", got)
		}
	})
	t.Run("what was found under another id is not kept", func(t *testing.T) {
		h := testHeads(nil)
		if _, err := h.Get(t.Context(), " a ", headAt(1)); err != nil {
			t.Fatal(err)
		}
		if _, ok := h.Peek("a"); ok {
			t.Error("it entered under an id whose writes were not watched")
		}
	})
	t.Run("however many ask at once, one loads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, loads := testHeads(nil), atomic.Int64{}
			release := make(chan struct{})
			for range 50 {
				go h.Get(t.Context(), "a", func(ctx context.Context) (sandlot.Project, error) {
					loads.Add(1)
					<-release
					return headAt(1)(ctx)
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
			h := testHeads(nil)
			release := make(chan struct{})
			go h.Get(t.Context(), "a", func(ctx context.Context) (sandlot.Project, error) { <-release; return headAt(1)(ctx) })
			synctest.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := h.Get(ctx, "a", headAt(1)); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			close(release)
		})
	})
	t.Run("only so many are kept", func(t *testing.T) {
		h := testHeads(nil)
		for i := range 20_000 + 500 {
			h.put(sandlot.Project{ID: sandlot.ProjectID(fmt.Sprint("p", i))}, 0, 0)
		}
		if len(h.known) > 20_000 {
			t.Errorf("%d are kept", len(h.known))
		}
	})
	t.Run("a reader never sees less than what was acknowledged before it asked", func(t *testing.T) {
		h := testHeads(nil)
		var stored, acknowledged atomic.Int64
		var all sync.WaitGroup
		all.Go(func() {
			for range 2000 {
				n := stored.Add(1)
				h.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{"a"}})
				acknowledged.Store(n)
			}
		})
		for range 4 {
			all.Go(func() {
				for range 2000 {
					least := acknowledged.Load()
					p, _ := h.Get(context.Background(), "a", func(ctx context.Context) (sandlot.Project, error) { return headAt(int(stored.Load()))(ctx) })
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
