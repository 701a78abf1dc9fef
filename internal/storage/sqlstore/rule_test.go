package sqlstore

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAChangeOfTheRuleHoldsNobodyUp: lists are right at once but for what they lack, and neither the start nor
// a change of an account meanwhile waits until all have followed.
func TestAChangeOfTheRuleHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
	const projects = 5 * followStep
	var first, last sandlot.Project
	for n := range uint64(projects) {
		if last = mustProject(t, db, n); n == 0 {
			first = last
		}
	}
	steps := 0
	watchSteps(t, db, func(int64) { steps++ })
	listed := func(what string, want int) {
		t.Helper()
		list, err := db.Gallery().Listed(t.Context(), gallery.ListedQuery{Limit: 2 * projects})
		expect.OK(t, err)
		expect.Equal(t, what, len(list), want)
	}
	atMost := func(what string, most int) {
		t.Helper()
		if steps > most {
			t.Errorf("%s took %d steps", what, steps)
		}
		steps = 0
	}
	expect.OK(t, db.Gallery().ListUnverified(t.Context(), true))
	atMost("the rule", 1)
	expect.OK(t, db.Account().Rename(t.Context(), first.Account, "toad", time.Now(), time.Time{}, 9))
	atMost("a new handle", 3) // the step, and those in which its one project follows
	listed("those of who changed something", 1)
	expect.OK(t, db.Gallery().Follow(t.Context()))
	listed("all", projects)
	found, err := db.Gallery().Named(t.Context(), 0, 2*projects)
	expect.OK(t, err)
	expect.Equal(t, "found by searches", len(found), projects)

	expect.OK(t, db.Gallery().ListUnverified(t.Context(), false))
	listed("at once when the rule is as before", 0)
	expect.OK(t, db.Operate().Suspend(t.Context(), sandlot.Subject{Project: last.ID}, sandlot.LogEntry{At: time.Now(), Actor: "me", Action: "act", Target: "it"}))
	expect.OK(t, db.Gallery().ListUnverified(t.Context(), true))
	listed("when it is another one again before any has followed", projects-1)
	expect.OK(t, db.Gallery().ListUnverified(t.Context(), false))
	expect.OK(t, db.Gallery().Follow(t.Context()))
	expect.Equal(t, "entries", records(t, db, "projects WHERE listed = 1"), 0)
	expect.Equal(t, "accounts that are to follow", records(t, db, "follows"), 0)
}
