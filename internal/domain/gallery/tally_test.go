package gallery

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// written is a record of counts, as a store keeps it.
type written struct {
	mu      sync.Mutex
	plays   map[sandlot.ProjectID]int64
	counted map[sandlot.ProjectID]int64
	loads   map[int64]time.Duration // that others counted, and how long ago
	noted   int                     // loads that others had not
	fail    error
}

func (w *written) write(counts map[sandlot.ProjectID]Counts) (again []Load, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return nil, w.fail
	}
	for id, c := range counts {
		if w.counted[id] != c.Batch {
			w.plays[id] += c.Plays
			w.counted[id] = c.Batch
			for _, l := range c.Loads {
				if ago, known := w.loads[l.ID]; known {
					again = append(again, Load{ID: l.ID, Ago: ago})
				} else {
					w.plays[id]++
					w.noted++
				}
			}
		}
	}
	return again, nil
}

// sameNoon is a clock that stands still.
func sameNoon() time.Time { return noon }

func (w *written) read(id sandlot.ProjectID) func() (plays, number int64) {
	return func() (plays, number int64) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.plays[id], w.counted[id]
	}
}

func newWritten() *written {
	return &written{plays: map[sandlot.ProjectID]int64{}, counted: map[sandlot.ProjectID]int64{}}
}

func TestPlaysAreCountedOncePerPlayerInHalfAnHour(t *testing.T) {
	t.Parallel()
	type load struct {
		project sandlot.ProjectID
		player  PlayerID
		after   time.Duration // since noon
	}
	tests := []struct {
		name  string
		loads []load
		want  int64 // of project a
	}{
		{"one load", []load{{"a", "x", 0}}, 1},
		{"the same player just below 30 minutes", []load{{"a", "x", 0}, {"a", "x", 30*time.Minute - 1}}, 1},
		{"the same player after 30 minutes", []load{{"a", "x", 0}, {"a", "x", 30 * time.Minute}}, 2},
		{"a load that did not count prolongs nothing", []load{{"a", "x", 0}, {"a", "x", 20 * time.Minute}, {"a", "x", 40 * time.Minute}}, 2},
		{"two players", []load{{"a", "x", 0}, {"a", "y", 0}}, 2},
		{"another project", []load{{"a", "x", 0}, {"b", "x", 0}}, 1},
		{"others in between, for hours", []load{{"a", "x", 0}, {"b", "y", 31 * time.Minute}, {"a", "x", 31 * time.Minute}, {"b", "y", 61 * time.Minute}, {"a", "x", 60 * time.Minute}}, 2},
		{"the clock goes back ten minutes", []load{{"a", "x", 0}, {"a", "x", -10 * time.Minute}}, 1},
		{"the clock goes back a year", []load{{"a", "x", 0}, {"a", "x", -365 * 24 * time.Hour}, {"a", "x", -365*24*time.Hour + time.Minute}}, 2},
		{"the clock goes ahead a year and back", []load{{"a", "x", 0}, {"a", "x", 365 * 24 * time.Hour}, {"a", "x", 365*24*time.Hour + time.Minute}}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newTally(DefaultPlays, false)
			for _, l := range tt.loads {
				c.play(l.project, Player{ID: l.player}, noon.Add(l.after), always)
			}
			if got := c.plays("a", func() (int64, int64) { return 100, 0 }) - 100; got != tt.want {
				t.Errorf("%d plays, want %d", got, tt.want)
			}
		})
	}
}

func TestCounters(t *testing.T) {
	t.Parallel()
	t.Run("loads remembered are bounded", func(t *testing.T) {
		c := newTally(DefaultPlays, false)
		for i := range DefaultPlays + 1000 {
			c.play("a", Player{ID: PlayerID(fmt.Sprint(i))}, noon, always)
		}
		if n := len(c.recent) + len(c.older); n > DefaultPlays {
			t.Errorf("%d loads are remembered", n)
		}
		expect.Equal(t, "plays", c.plays("a", func() (int64, int64) { return 0, 0 }), DefaultPlays+1000)
	})
	t.Run("what cannot be written stays for the next time", func(t *testing.T) {
		c, w := newTally(DefaultPlays, false), newWritten()
		c.play("a", Player{ID: "x"}, noon, always)
		w.fail = errors.New("broken")
		if err := c.flush(sameNoon, w.write); !errors.Is(err, w.fail) {
			t.Fatalf("got %v", err)
		}
		c.play("a", Player{ID: "y"}, noon, always)
		expect.Equal(t, "plays while the store is broken", c.plays("a", w.read("a")), 2)
		w.fail = nil
		expect.OK(t, c.flush(sameNoon, w.write))
		if w.plays["a"] != 2 || len(c.pending.figures) != 0 {
			t.Errorf("%d written, %d projects pending", w.plays["a"], len(c.pending.figures))
		}
	})
	t.Run("what was written although the store said otherwise counts once", func(t *testing.T) {
		c, w, lost := newTally(DefaultPlays, false), newWritten(), errors.New("the answer was lost")
		c.play("a", Player{ID: "x"}, noon, always)
		err := c.flush(sameNoon, func(counts map[sandlot.ProjectID]Counts) ([]Load, error) {
			_, err := w.write(counts)
			return nil, errors.Join(err, lost)
		})
		if got := c.plays("a", w.read("a")); !errors.Is(err, lost) || got != 1 {
			t.Errorf("%d plays, %v", got, err)
		}
		c.play("a", Player{ID: "y"}, noon, always)
		if err := c.flush(sameNoon, w.write); err != nil || w.plays["a"] != 2 || len(c.pending.figures) != 0 {
			t.Errorf("%d written, %d projects pending, %v", w.plays["a"], len(c.pending.figures), err)
		}
	})
	t.Run("a play during a flush is neither lost nor written twice", func(t *testing.T) {
		c, w := newTally(DefaultPlays, false), newWritten()
		c.play("a", Player{ID: "x"}, noon, always)
		err := c.flush(sameNoon, func(counts map[sandlot.ProjectID]Counts) ([]Load, error) {
			c.play("a", Player{ID: "y"}, noon, always)
			return w.write(counts)
		})
		if got := c.plays("a", w.read("a")); err != nil || got != 2 || w.plays["a"] != 1 {
			t.Errorf("%d plays, %d written, %v", got, w.plays["a"], err)
		}
	})
	t.Run("two flushes at once write a play once", func(t *testing.T) {
		c, w := newTally(DefaultPlays, false), newWritten()
		c.play("a", Player{ID: "x"}, noon, always)
		var second sync.WaitGroup
		err := c.flush(sameNoon, func(counts map[sandlot.ProjectID]Counts) ([]Load, error) {
			second.Go(func() {
				if err := c.flush(sameNoon, w.write); err != nil {
					t.Error(err)
				}
			})
			for range 1000 { // gives the second flush every chance to look at what is pending
				runtime.Gosched()
			}
			return w.write(counts)
		})
		second.Wait()
		if err != nil || w.plays["a"] != 1 {
			t.Errorf("%d written, %v", w.plays["a"], err)
		}
	})
	t.Run("the sum never goes back and is exact, however flushes and reads fall", func(t *testing.T) {
		c, w := newTally(DefaultPlays, false), newWritten()
		var players, others sync.WaitGroup
		var done atomic.Bool
		for i := range 4 {
			players.Go(func() {
				for j := range 500 {
					c.play("a", Player{ID: PlayerID(fmt.Sprint(i, "-", j))}, noon, always)
				}
			})
		}
		for range 2 {
			others.Go(func() {
				for !done.Load() {
					if err := c.flush(sameNoon, w.write); err != nil {
						t.Error(err)
					}
				}
			})
			others.Go(func() {
				for last := int64(0); !done.Load(); {
					n := c.plays("a", w.read("a"))
					if n < last || n > 2000 {
						t.Errorf("%d plays after %d", n, last)
						return
					}
					last = n
				}
			})
		}
		players.Wait()
		done.Store(true)
		others.Wait()
		if err := c.flush(sameNoon, w.write); err != nil || w.plays["a"] != 2000 {
			t.Errorf("%d written, %v", w.plays["a"], err)
		}
	})
}

func TestLoadsThatOtherProcessesCounted(t *testing.T) {
	t.Parallel()
	const a = sandlot.ProjectID("a")
	shared := func() (*tally, *written) {
		w := newWritten()
		w.loads = map[int64]time.Duration{}
		return newTally(DefaultPlays, true), w
	}
	t.Run("are plays until the store says that they are not", func(t *testing.T) {
		c, w := shared()
		w.loads[load{a, "x"}.id()] = time.Minute
		c.play(a, Player{ID: "x"}, noon, always)
		c.play(a, Player{ID: "y"}, noon, always)
		expect.Equal(t, "plays before", c.plays(a, w.read(a)), 2)
		expect.OK(t, c.flush(sameNoon, w.write))
		expect.Equal(t, "plays after", c.plays(a, w.read(a)), 1)
		expect.Equal(t, "plays of a read that began before", sumOf(c, a, c.sent.number-1), 1)
	})
	t.Run("begin the half hour where the other process counted them", func(t *testing.T) {
		c, w := shared()
		w.loads[load{a, "x"}.id()] = 20 * time.Minute
		c.play(a, Player{ID: "x"}, noon, always)
		expect.OK(t, c.flush(sameNoon, w.write))
		clear(w.loads)
		c.play(a, Player{ID: "x"}, noon.Add(9*time.Minute), always)
		expect.Equal(t, "plays after 29 minutes", c.plays(a, w.read(a)), 0)
		c.play(a, Player{ID: "x"}, noon.Add(10*time.Minute), always)
		expect.Equal(t, "plays after 30", c.plays(a, w.read(a)), 1)
	})
	t.Run("one that counts again before the first is written is a play", func(t *testing.T) {
		c, w := shared()
		c.play(a, Player{ID: "x"}, noon, always)
		c.play(a, Player{ID: "x"}, noon.Add(PlayWindow), always)
		expect.OK(t, c.flush(sameNoon, w.write))
		expect.Equal(t, "plays", c.plays(a, w.read(a)), 2)
		expect.Equal(t, "loads that were noted", w.noted, 1)
	})
	t.Run("those beyond what is remembered are not asked about, so that the store keeps no more", func(t *testing.T) {
		c, w := shared()
		c.most = 10
		count := func(players int, now time.Time) {
			for i := range players {
				c.play(a, Player{ID: PlayerID(fmt.Sprint(now, i))}, now, always)
			}
			expect.OK(t, c.flush(sameNoon, w.write))
		}
		count(25, noon)
		expect.Equal(t, "plays", w.plays[a], 25)
		expect.Equal(t, "loads that were noted", w.noted, 10)
		count(25, noon.Add(PlayWindow+1))
		expect.Equal(t, "loads that were noted half an hour later", w.noted, 20)
	})
	t.Run("a process that is alone asks about none", func(t *testing.T) {
		c, w := newTally(DefaultPlays, false), newWritten()
		c.play(a, Player{ID: "x"}, noon, always)
		expect.OK(t, c.flush(sameNoon, w.write))
		if w.plays[a] != 1 || w.noted != 0 {
			t.Errorf("%d plays, %d loads noted", w.plays[a], w.noted)
		}
	})
}

// sumOf is what a read makes of a stored count of 0 that it began to read when that batch was the last, and that no batch is in.
func sumOf(c *tally, id sandlot.ProjectID, begun int64) int64 {
	var sum int64
	c.lacks(0, begun, func(b *batch) {
		if a := b.figures[id]; a != nil {
			sum += a.Plays()
		}
	})
	return sum
}

func always() bool { return true }

// TestNoBatchHasTooManyProjects, as after an hour without a store: each of them has all of its plays, and its loads with them.
func TestNoBatchHasTooManyProjects(t *testing.T) {
	t.Parallel()
	const projects = 2*maxWritten + 1
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared %v", shared), func(t *testing.T) {
			const filed = 10
			c, w := newTally(2*filed*projects, shared), newWritten()
			for i := range projects {
				id := sandlot.ProjectID(fmt.Sprint(i))
				c.play(id, Player{ID: "x"}, noon, always)
				if i == filed {
					c.filed = c.most // the others are not held against those of other processes
				}
				c.play(id, Player{ID: "y"}, noon, always)
			}
			batches := 0
			expect.OK(t, c.flush(sameNoon, func(counts map[sandlot.ProjectID]Counts) ([]Load, error) {
				if batches++; len(counts) > maxWritten {
					t.Errorf("%d projects in one batch", len(counts))
				}
				return w.write(counts)
			}))
			expect.Equal(t, "batches", batches, 3)
			for i := range projects {
				if id := sandlot.ProjectID(fmt.Sprint(i)); w.plays[id] != 2 {
					t.Errorf("%d plays of project %s, want 2", w.plays[id], id)
				}
			}
			expect.Equal(t, "loads that were noted", w.noted, map[bool]int{false: 0, true: 2*filed + 1}[shared])
		})
	}
}
