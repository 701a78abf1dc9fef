package squeeze

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRest(t *testing.T) {
	t.Run("it rests while content is arriving", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			b.add("game.js", program(5000))
			begin := time.Now()
			b.shelf.receiving = func() bool { return time.Since(begin) < time.Second }
			b.round(t)
			expect.Equal(t, "it took", time.Since(begin), time.Second)
		})
	})
	t.Run("it goes on after a while although content keeps arriving", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			f := b.add("game.js", program(5000))
			b.shelf.receiving = func() bool { return true }
			begin := time.Now()
			b.round(t)
			if took := time.Since(begin); took != 3*maxRest {
				t.Errorf("it took %v for three formats", took)
			}
			if v, _ := b.records.recorded(f); len(v) != 3 {
				t.Errorf("recorded %v", encodings(v))
			}
		})
	})
	t.Run("it does not rest for files that get no variants", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			b.add("hero.png", program(5000))
			b.shelf.receiving = func() bool { return true }
			begin := time.Now()
			b.round(t)
			expect.Equal(t, "it took", time.Since(begin), 0)
		})
	})
}

func TestRecord(t *testing.T) {
	unsure := errors.New("connection reset")
	t.Run("if the file went away meanwhile its variants are discarded", func(t *testing.T) {
		b := newBench()
		b.add("game.js", program(5000))
		b.records.fails = []error{sandlot.ErrNotFound}
		b.round(t)
		if b.shelf.staged != 3 || b.shelf.discarded != 3 {
			t.Errorf("%d made, %d discarded", b.shelf.staged, b.shelf.discarded)
		}
		b.clean(t)
	})
	t.Run("a full disk: they are discarded, and made again later", func(t *testing.T) {
		b := newBench()
		f := b.add("game.js", program(5000))
		b.records.fails = []error{sandlot.ErrFull}
		if _, err := b.Round(context.Background()); !errors.Is(err, sandlot.ErrFull) {
			t.Errorf("got %v", err)
		}
		b.clean(t)
		b.later = time.Minute
		b.round(t)
		if v, _ := b.records.recorded(f); len(v) != 3 {
			t.Errorf("recorded %v", encodings(v))
		}
		b.clean(t)
	})
	t.Run("if nobody can tell whether it happened the same is tried again, and nothing is made twice", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			f := b.add("game.js", program(5000))
			b.records.fails = []error{unsure, sandlot.ErrUnavailable}
			begin := time.Now()
			b.round(t)
			expect.Equal(t, "it took", time.Since(begin), 3*afterFail)
			if v, _ := b.records.recorded(f); len(v) != 3 || b.shelf.staged != 3 || b.shelf.discarded != 0 {
				t.Errorf("recorded %v, %d made, %d discarded", encodings(v), b.shelf.staged, b.shelf.discarded)
			}
			b.clean(t)
		})
	})
	t.Run("if it had happened, nothing that was recorded is discarded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			b.add("game.js", program(5000))
			b.records.fails = []error{unsure, sandlot.ErrExists}
			b.round(t)
			if b.records.puts != 2 || b.shelf.discarded != 0 {
				t.Errorf("%d tries, %d discarded", b.records.puts, b.shelf.discarded)
			}
		})
	})
	t.Run("it is not tried for ever", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			b.add("game.js", program(5000))
			for range putTries {
				b.records.fails = append(b.records.fails, unsure)
			}
			if _, err := b.Round(context.Background()); !errors.Is(err, unsure) || b.records.puts != putTries {
				t.Errorf("got %v after %d tries", err, b.records.puts)
			}
		})
	})
}

func TestStage(t *testing.T) {
	for what, err := range map[string]error{"is full": sandlot.ErrFull, "fails": errors.New("input/output error")} {
		t.Run("a disk that "+what+" midway: nothing is leaked, and it is tried again", func(t *testing.T) {
			b := newBench()
			f := b.add("game.js", program(500_000))
			b.shelf.full = []error{nil, err}
			if _, got := b.Round(context.Background()); !errors.Is(got, err) {
				t.Errorf("got %v", got)
			}
			if _, ok := b.records.recorded(f); ok || b.shelf.discarded != 1 {
				t.Errorf("recorded %v, %d discarded", ok, b.shelf.discarded)
			}
			b.clean(t)
			b.later = time.Minute
			b.round(t)
			if v, _ := b.records.recorded(f); len(v) != 3 {
				t.Errorf("recorded %v", encodings(v))
			}
			b.clean(t)
		})
	}
	t.Run("a full disk ends the round: the other files would fail as well", func(t *testing.T) {
		b := newBench()
		b.add("a.js", program(500))
		b.add("b.js", program(500))
		b.shelf.full = []error{sandlot.ErrFull}
		if _, err := b.Round(context.Background()); err == nil || b.shelf.opened != 1 {
			t.Errorf("got %v, %d files opened", err, b.shelf.opened)
		}
	})
	t.Run("a compressor that fails leaks nothing", func(t *testing.T) {
		b := newBench()
		b.add("a.js", program(500))
		broken := errors.New("out of luck")
		b.formats[2].make = func() (encoder, error) { return nil, broken }
		if _, err := b.Round(context.Background()); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		b.clean(t)
	})
}

func TestRun(t *testing.T) {
	t.Run("files that come later get theirs, and those that failed are tried again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); b.Run(ctx) }()
			testenv.Pass(10 * poll)
			b.records.mu.Lock()
			f := b.add("game.js", program(5000))
			b.records.fails = []error{sandlot.ErrFull}
			b.records.mu.Unlock()
			testenv.Pass(poll)
			synctest.Wait()
			if _, ok := b.records.recorded(f); ok || !strings.Contains(b.log.String(), "level=WARN") {
				t.Errorf("recorded %v, logged %q", ok, b.log)
			}
			testenv.Pass(afterFail)
			synctest.Wait()
			if v, _ := b.records.recorded(f); len(v) != 3 {
				t.Errorf("recorded %v", encodings(v))
			}
			cancel()
			<-ended
			b.clean(t)
		})
	})
	t.Run("idle, it lets go of its memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			b.add("game.js", program(5000))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			b.Run(ctx)
			for _, f := range b.formats {
				if f.encoder != nil {
					t.Errorf("the %s compressor is kept", f.name)
				}
			}
		})
	})
	for what, during := range map[string]func(b *bench, cancel func()){
		"with nothing to do": func(b *bench, cancel func()) { b.round(t); time.AfterFunc(time.Hour, cancel) },
		"while it rests":     func(b *bench, cancel func()) { b.shelf.receiving = func() bool { cancel(); return true } },
		"while it compresses": func(b *bench, cancel func()) {
			b.formats[1].make = func() (encoder, error) { return &ending{cancel: cancel}, nil }
		},
	} {
		t.Run("ends with ctx "+what+", leaks nothing and warns of nothing", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench()
				b.add("game.js", program(1<<20))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				during(b, cancel)
				b.Run(ctx)
				if b.log.Len() > 0 {
					t.Errorf("logged %s", b.log)
				}
				b.clean(t)
			})
		})
	}
	t.Run("ends with ctx while it waits to record again, and discards nothing that may be recorded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench()
			b.add("game.js", program(5000))
			b.records.fails = []error{errors.New("connection reset")}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			b.Run(ctx)
			if b.records.puts != 1 || b.shelf.discarded != 0 {
				t.Errorf("%d tries, %d discarded", b.records.puts, b.shelf.discarded)
			}
		})
	})
}

// ending is a compressor that ends a context with the first bytes it gets, and must get no more.
type ending struct {
	cancel func()
	ended  bool
}

func (e *ending) Write(p []byte) (int, error) {
	if e.ended {
		panic("compressing went on")
	}
	e.cancel()
	e.ended = true
	return len(p), nil
}
func (*ending) Close() error    { return nil }
func (*ending) Reset(io.Writer) {}
