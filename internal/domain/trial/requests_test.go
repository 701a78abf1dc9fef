package trial_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// A player is a browser that is a function.
type player func(context.Context, trial.Due) error

func (p player) Play(ctx context.Context, due trial.Due, _ trial.Script) (trial.Played, error) {
	return trial.Played{Before: []byte("a picture")}, p(ctx, due)
}

// A glance is a browser that has seen so much.
type glance trial.Played

func (g glance) Play(context.Context, trial.Due, trial.Script) (trial.Played, error) {
	return trial.Played(g), nil
}

// TestAPageThatIsDrawnTooSlowlyIsAnswered with the observations so far; without any, the play-tester is busy.
func TestAPageThatIsDrawnTooSlowlyIsAnswered(t *testing.T) {
	t.Parallel()
	owner := sandlot.Identified(sandlot.Sender{}, sandlot.Credential{Key: &sandlot.Key{Account: 'a', Kind: sandlot.AccountKey}})
	for _, row := range []struct {
		seen glance
		busy bool
	}{{glance{}, true}, {glance{Frames: 0.4}, false}, {glance{Before: []byte("a picture")}, false}, {glance{After: []byte("a picture")}, false}} {
		r := &trial.Requests{
			Store: store{}, Projects: street{}, Turn: trial.NewTurn(), Status: &trial.Status{}, Log: slog.New(slog.DiscardHandler), Counts: &trial.Counts{}, Now: time.Now,
			Player: row.seen,
		}
		_, err := r.Play(t.Context(), owner, "a", trial.Script{})
		expect.Equal(t, "that the machine was busy", errors.Is(err, sandlot.CodeUnavailable), row.busy)
	}
}

func requestsOf(w *testworld.World, p player) *trial.Requests {
	return &trial.Requests{
		Store: w.DB.Trials(), Projects: w.Publish.Reader, Player: p, Turn: trial.NewTurn(),
		Status: &trial.Status{}, Log: slog.New(slog.DiscardHandler), Counts: &trial.Counts{}, Now: time.Now,
	}
}

func atOnce(context.Context, trial.Due) error { return nil }

// TestWhoMayHaveAVersionOpened calls the Requests as every kind of caller: those who may read the files of a project.
func TestWhoMayHaveAVersionOpened(t *testing.T) {
	t.Parallel()
	testworld.CheckAccess(t, reflect.TypeFor[*trial.Requests](), func(*testworld.Scene) {}, map[string]testworld.Gate{
		"Play": {
			Call: func(s *testworld.Scene, by sandlot.Caller) error {
				_, err := requestsOf(s.World, atOnce).Play(t.Context(), by, string(s.Project.ID), trial.Script{})
				return err
			},
			Want: wanted,
		},
	})
}

// A store counts every opening.
type store struct{ trial.Store }

func (store) CountTrial(context.Context, sandlot.ProjectID, int) (bool, error) { return true, nil }

// A street has a project for each account, whose version 1 is the only one.
type street struct{ trial.Projects }

func (street) Versions(_ context.Context, _ sandlot.Caller, ref string, _ int, _ string) (page sandlot.VersionPage, err error) {
	page.Project = sandlot.Project{ID: sandlot.ProjectID(ref), Account: sandlot.AccountID(ref[0]), Version: 1}
	page.Versions = []sandlot.VersionView{{VersionChange: sandlot.VersionChange{Version: sandlot.Version{N: 1, Suffix: "s"}}}}
	return page, nil
}

// TestChecksTakeTurns with each other: one of an account at a time, four that wait, and 17 seconds each.
func TestChecksTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release, opened := make(chan struct{}), 0
		r := &trial.Requests{
			Store: store{}, Projects: street{}, Turn: trial.NewTurn(), Status: &trial.Status{}, Log: slog.New(slog.DiscardHandler), Counts: &trial.Counts{}, Now: time.Now,
			Player: player(func(context.Context, trial.Due) error { opened++; <-release; return nil }),
		}
		owner := sandlot.Identified(sandlot.Sender{}, sandlot.Credential{Key: &sandlot.Key{Account: 1, Kind: sandlot.AccountKey}})
		results := map[string]chan error{}
		play := func(ref string) {
			results[ref] = make(chan error, 1)
			go func() {
				_, err := r.Play(t.Context(), owner, ref, trial.Script{})
				results[ref] <- err
			}()
			synctest.Wait()
		}
		for _, ref := range []string{"a", "b", "c", "d", "e", "f", "a2"} {
			play(ref)
		}
		expect.Equal(t, "how many are opened", opened, 1)
		expect.Equal(t, "another of the same account", errors.Is(<-results["a2"], sandlot.CodeRateLimited), true)
		expect.Equal(t, "one too many", errors.Is(<-results["f"], sandlot.CodeUnavailable), true)
		release <- struct{}{}
		expect.OK(t, <-results["a"])
		synctest.Wait()
		expect.Equal(t, "how many were opened", opened, 2)
		testenv.Pass(18 * time.Second)
		synctest.Wait()
		for _, ref := range []string{"c", "d", "e"} {
			var e *sandlot.Error
			if err := <-results[ref]; !errors.As(err, &e) || e.Code != sandlot.CodeUnavailable || e.RetryAfter <= 0 {
				t.Errorf("the wait of %s ends with %v", ref, err)
			}
		}
		close(release)
		expect.OK(t, <-results["b"])
		play("c")
		expect.OK(t, <-results["c"])
	})
}
