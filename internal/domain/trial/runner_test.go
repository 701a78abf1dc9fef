package trial_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// byOperator is the operator at the machine.
var byOperator = sandlot.AsOperator("root")

// A room has kim's project, and a runner whose browser is a function.
type room struct {
	*testworld.World
	t      *testing.T
	owner  sandlot.Caller
	key    sandlot.Caller
	id     sandlot.ProjectID
	opened []int                               // the versions that were opened
	broken error                               // why no browser can be started
	open   func(trial.Due) (trial.Seen, error) // nil: something moved
}

func newRoom(t *testing.T) *room {
	t.Helper()
	w := &room{World: testworld.New(t), t: t}
	account, key, p := w.Owned("kim@example.org", "<!doctype html><p>1")
	w.key, w.id, w.owner = key, p.ID, w.OwnerOf(account.ID)
	return w
}

func (w *room) Probe(context.Context) error { return w.broken }

func (w *room) Open(_ context.Context, p trial.Due) (trial.Seen, error) {
	w.opened = append(w.opened, p.Version)
	if w.open != nil {
		return w.open(p)
	}
	return trial.Seen{Moved: true}, nil
}

// runner is that of a node.
func (w *room) runner(node *testworld.World) *trial.Runner {
	return &trial.Runner{
		Store: node.DB.Trials(), Projects: node.Publish.Reader, Browser: w, Turn: trial.NewTurn(),
		Status: &trial.Status{}, Log: slog.New(slog.DiscardHandler), Failures: &worker.Failures{}, Counts: &trial.Counts{},
	}
}

// round has the runner of this node take what is due.
func (w *room) round() error { return w.runner(w.World).Round(w.t.Context()) }

// says compares the answer to the owner with a state and its version.
func (w *room) says(when string, state trial.State, version int) trial.Checks {
	w.t.Helper()
	c, err := w.Trials.Checks(w.t.Context(), w.owner, string(w.id))
	expect.OK(w.t, err)
	expect.Equal(w.t, "the state "+when, c.State, state)
	expect.Equal(w.t, "the version that was opened "+when, c.Version, version)
	return c
}

func (w *room) none(what string, err error) {
	w.t.Helper()
	expect.Equal(w.t, what, errors.Is(err, sandlot.ErrNotFound), true)
}

func TestATrialGoesFromWaitingToDone(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	w.says("before", trial.Waiting, 0)
	w.open = func(trial.Due) (trial.Seen, error) {
		w.says("meanwhile", trial.Running, 0)
		w.open = nil
		return trial.Seen{Errors: []string{"it failed"}, Moved: true}, nil
	}
	expect.OK(t, w.round())
	c := w.says("afterwards", trial.Ended, 1)
	expect.Equal(t, "what was found", c.Findings[0].Code, trial.ScriptError)
	w.none("that nothing is due", w.round())
	w.PutFile(w.key, w.id, "a.js", "a")
	w.says("of the next version", trial.Waiting, 1)
	expect.OK(t, w.round())
	w.says("of the next version", trial.Ended, 2)
}

// TestWhatChangesDuringATrialIsNotToldOfAnother: it is neither the result of a newer version, nor is a project that comes back left out.
func TestWhatChangesDuringATrialIsNotToldOfAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile, back func(*room)
		version         int // that is opened in the end
	}{
		"another version": {meanwhile: func(w *room) { w.PutFile(w.key, w.id, "a.js", "a") }, version: 2},
		"a deleted project that is taken back": {
			meanwhile: func(w *room) {
				_, err := w.Publish.DeleteProject(w.t.Context(), w.key, string(w.id), string(w.id))
				expect.OK(w.t, err)
			},
			back: func(w *room) {
				_, err := w.Publish.Trash.TakeBack(w.t.Context(), w.owner, w.id)
				expect.OK(w.t, err)
			},
			version: 1,
		},
		"a suspended project that is reinstated": {
			meanwhile: func(w *room) {
				_, err := w.Operate.Suspend(w.t.Context(), byOperator, string(w.id), "a report")
				expect.OK(w.t, err)
				expect.OK(w.t, w.Publish.Heads.Confirm(w.t.Context()))
			},
			back: func(w *room) {
				_, err := w.Operate.Reinstate(w.t.Context(), byOperator, string(w.id), "")
				expect.OK(w.t, err)
				expect.OK(w.t, w.Publish.Heads.Confirm(w.t.Context()))
			},
			version: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRoom(t)
			w.open = func(trial.Due) (trial.Seen, error) {
				c.meanwhile(w)
				return trial.Seen{}, nil
			}
			w.none("that nothing is told", w.round())
			w.open = nil
			if c.back != nil {
				w.none("that nothing is due", w.round())
				c.back(w)
			}
			w.says("after that", trial.Waiting, 0)
			expect.OK(t, w.round())
			w.says("in the end", trial.Ended, c.version)
		})
	}
}

// TestOfTwoNodesOneOpensAVersion: also where the first dies with it, and then comes too late.
func TestOfTwoNodesOneOpensAVersion(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	other := w.runner(w.Node(t))
	w.open = func(trial.Due) (trial.Seen, error) {
		w.none("that the other node has nothing to do", other.Round(t.Context()))
		w.Clock.Move(3 * time.Minute) // longer than a node has it
		w.open = nil
		expect.OK(t, other.Round(t.Context()))
		return trial.Seen{Errors: []string{"late"}}, nil
	}
	expect.OK(t, w.round())
	c := w.says("afterwards", trial.Ended, 1)
	expect.Equal(t, "how often it was opened", len(w.opened), 2)
	expect.Equal(t, "errors of the one that was late", len(c.Seen.Errors), 0)
}

// TestANodeWaitsForAVersionOfAnother: what a node has read of a project it keeps for a moment, in which that is no other version.
func TestANodeWaitsForAVersionOfAnother(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	r := w.runner(w.World)
	r.Projects = &behind{Projects: w.Publish.Reader, times: 2}
	w.PutFile(w.key, w.id, "a.js", "a")
	expect.OK(t, r.Round(t.Context()))
	w.says("afterwards", trial.Ended, 2)
	expect.Equal(t, "the versions that were passed over", r.Counts.Passed.Load(), 0)
}

// behind reports the first version some times more.
type behind struct {
	trial.Projects
	times int
}

func (b *behind) Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	p, err := b.Projects.Current(ctx, by, id)
	if b.times > 0 {
		p.Version, b.times = 1, b.times-1
	}
	return p, err
}

// TestABrowserThatFailsIsTriedTwice: an error says nothing about the page, and neither does one that panics.
func TestABrowserThatFailsIsTriedTwice(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	expect.OK(t, w.round())
	w.PutFile(w.key, w.id, "a.js", "a")
	w.open = func(trial.Due) (trial.Seen, error) { return trial.Seen{}, errors.New("it broke off") }
	expect.Equal(t, "an error", w.round() != nil, true)
	w.says("after the first", trial.Waiting, 1)
	w.open = func(trial.Due) (trial.Seen, error) { panic("it broke off") }
	expect.Equal(t, "an error", w.round() != nil, true)
	w.none("that it is not tried again", w.round())
	c := w.says("after the second", trial.NotOpened, 0)
	expect.Equal(t, "that there were too many", c.TooMany, false)
	w.open = nil
	w.PutFile(w.key, w.id, "a.js", "b")
	expect.OK(t, w.round())
	w.says("of the next version", trial.Ended, 3)
}

// TestAVersionOfWhichNothingWasSeenIsOpenedOnceMore: a machine that is too busy to draw a page sees nothing of it, and the findings of the second
// time are reported all the same. A page that is seen to hang or to take too much is not opened again.
func TestAVersionOfWhichNothingWasSeenIsOpenedOnceMore(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	w.open = func(trial.Due) (trial.Seen, error) {
		return trial.Seen{Unseen: true, Failed: []trial.Request{{Path: "/a.js", Status: 404}}}, nil
	}
	expect.Equal(t, "that the first is an error", w.round() != nil, true)
	w.says("after the first", trial.Waiting, 0)
	expect.OK(t, w.round())
	c := w.says("after the second", trial.Ended, 1)
	expect.Equal(t, "what was found", c.Findings[0].Code, trial.MissingFile)
	for _, seen := range []trial.Seen{{Unseen: true, Hangs: true}, {Unseen: true, Memory: true}, {Unseen: true, Shot: []byte("one")}, {Blank: true}} {
		w.open = func(trial.Due) (trial.Seen, error) { return seen, nil }
		w.PutFile(w.key, w.id, "a.js", fmt.Sprint(seen))
		expect.OK(t, w.round())
		w.says("of one that was seen", trial.Ended, w.opened[len(w.opened)-1])
	}
}

// TestABrowserThatIsAwayUsesUpNoVersion: neither one that breaks after the start, nor a server that ends.
func TestABrowserThatIsAwayUsesUpNoVersion(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	w.broken = errors.New("there is no Chromium")
	w.open = func(trial.Due) (trial.Seen, error) { return trial.Seen{}, w.broken }
	for range 3 {
		expect.Equal(t, "the error", errors.Is(w.round(), w.broken), true)
	}
	w.broken = nil
	for range 3 {
		ctx, end := context.WithCancel(t.Context())
		w.open = func(trial.Due) (trial.Seen, error) { end(); return trial.Seen{}, ctx.Err() }
		expect.Equal(t, "the error", errors.Is(w.runner(w.World).Round(ctx), context.Canceled), true)
	}
	w.open = nil
	w.says("meanwhile", trial.Waiting, 0)
	expect.OK(t, w.round())
	w.says("with a browser", trial.Ended, 1)
}

// asked is a browser that does not start.
type asked struct {
	trial.Browser
	err    error
	at     []time.Time
	enough func()
}

func (a *asked) Probe(context.Context) error {
	if a.at = append(a.at, time.Now()); len(a.at) == 3 {
		a.enough()
	}
	return a.err
}

// TestABrowserThatDoesNotStartIsAskedForAgain: every ten minutes, and where it only took too long, as on a machine that is busy, soon.
func TestABrowserThatDoesNotStartIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		wait time.Duration
	}{
		"there is none": {errors.New("there is no Chromium"), 10 * time.Minute}, "it is slow": {fmt.Errorf("slow: %w", context.DeadlineExceeded), 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				a := &asked{err: c.err, enough: cancel}
				r := &trial.Runner{Browser: a, Turn: trial.NewTurn(), Status: &trial.Status{}, Log: slog.New(slog.DiscardHandler)}
				r.Run(ctx)
				expect.Equal(t, "how long it waits", a.at[1].Sub(a.at[0]), c.wait)
				expect.Equal(t, "how long it waits then", a.at[2].Sub(a.at[1]), c.wait)
			})
		})
	}
}

// TestADayHasSoManyTrialsOfAnAccount: what is beyond them is passed over, and nobody else waits for it.
func TestADayHasSoManyTrialsOfAnAccount(t *testing.T) {
	t.Parallel()
	w := newRoom(t)
	for n := range 60 {
		if err := w.round(); err != nil {
			w.none("that it is not opened", err)
		}
		w.PutFile(w.key, w.id, "a.js", string(rune('a'+n)))
	}
	w.none("that nothing is due", w.round())
	expect.Equal(t, "versions that were opened", len(w.opened), 50)
	expect.Equal(t, "that there were too many", w.says("of those beyond", trial.NotOpened, 0).TooMany, true)
	w.PublishPage(w.NewAccount(), "<!doctype html><p>2")
	expect.OK(t, w.round())
	w.Clock.Move(24 * time.Hour)
	w.PutFile(w.key, w.id, "a.js", "tomorrow")
	expect.OK(t, w.round())
	w.says("the next day", trial.Ended, 62)
}
