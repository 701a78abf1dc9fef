package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/trial"
)

func trialCases() []storeCase {
	return []storeCase{
		{"ClaimTrial/leases a current version that was neither opened nor is leased", claimWaiting},
		{"ClaimTrial/RegressionM31 accounts take turns", claimTurns},
		{"ClaimTrial/projects that are deleted or suspended have none", claimNoneOfThose},
		{"ClaimTrial/for as long as it says", claimLapses},
		{"ClaimTrial/a version that was leased tries times without an end has Failed", claimTooOften},
		{"ClaimTrial/one whose account had daily trials today is Passed over", claimTooMany},
		{"EndTrial/records how a trial ended and the version is not due again", endTrial},
		{"EndTrial/unless the lease is another's by now", endOthersTrial},
		{"GiveBackTrial/the version is due again and the try may be forgotten", giveBackTrial},
		{"Trial/nothing is a Record of nothing", noTrial},
		{"TrialsAhead/counts the versions that ClaimTrial would lease before", trialsAhead},
	}
}

// claims claims a trial, of two tries and ten a day.
func (s Stores) claims(t *testing.T) trial.Due {
	t.Helper()
	return must(s.Trials.ClaimTrial(t.Context(), 2, 10, time.Minute))(t)
}

func (s Stores) nothingDue(t *testing.T) {
	t.Helper()
	wants(t, "what is due", drop(s.Trials.ClaimTrial(t.Context(), 2, 10, time.Minute)), sandlot.ErrNotFound)
}

func claimWaiting(t *testing.T, s Stores) {
	s.nothingDue(t)
	first, second := s.mustProject(t, "pong"), s.mustProject(t, "tetris")
	at := edit(first)
	at.At = base().Add(time.Minute)
	first = must(s.Publish.PutFile(t.Context(), first.ID, file("a.js", inline("a")), at))(t)
	for _, p := range []sandlot.Project{second, first} {
		d := s.claims(t)
		same(t, "the project", d.Project, p.ID)
		same(t, "its version", d.Version, p.Version)
		same(t, "who is at it", must(s.Trials.Trial(t.Context(), p.ID))(t), trial.Record{Running: p.Version})
	}
	s.nothingDue(t)
}

// claimTurns has an account with many new versions beside others with an older one.
func claimTurns(t *testing.T, s Stores) {
	busy := s.mustProject(t, "busy")
	for _, id := range []string{"busy-2", "busy-3", "busy-4"} {
		np := newProject(id, busy.Account)
		np.CreatedAt = base().Add(time.Hour)
		must(s.Publish.CreateProject(t.Context(), np))(t)
	}
	s.claims(t)
	second := s.mustProject(t, "second")
	same(t, "the turn after the first", s.claims(t).Project, second.ID)
	third := s.mustProject(t, "third")
	same(t, "the turn after the second", s.claims(t).Project, third.ID)
}

func claimNoneOfThose(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "pong"), s.mustProject(t, "tetris")
	ok(t, s.Management.Trash(t.Context(), p.ID, 0, entry("trash", "pong")))
	ok(t, s.Operate.Suspend(t.Context(), ofProject(q.ID), entry(sandlot.ActionSuspend, "tetris")))
	s.nothingDue(t)
	ok(t, s.Management.TakeBack(t.Context(), p.ID, publish.Quota{}, entry("take back", "pong")))
	same(t, "what is due", s.claims(t).Project, p.ID)
}

func claimLapses(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	first := s.claims(t)
	s.nothingDue(t)
	s.Later(2 * time.Minute)
	same(t, "who is at it", must(s.Trials.Trial(t.Context(), p.ID))(t).Running, 0)
	again := s.claims(t)
	same(t, "the version", again.Version, first.Version)
	same(t, "how often it was begun before and now", [2]int{first.Try, again.Try}, [2]int{1, 2})
	same(t, "that it is another lease", again.Lease != first.Lease, true)
}

func claimTooOften(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for range 2 {
		s.claims(t)
		s.Later(2 * time.Minute)
	}
	s.nothingDue(t)
	r := must(s.Trials.Trial(t.Context(), p.ID))(t)
	same(t, "the outcome", r.Outcome, trial.Failed)
	same(t, "the version", r.Version, 1)
	p = s.mustPut(t, p, file("a.js", inline("a")))
	same(t, "the next version", s.claims(t).Version, p.Version)
}

func claimTooMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for range 3 {
		d := must(s.Trials.ClaimTrial(t.Context(), 2, 3, time.Minute))(t)
		ok(t, s.Trials.EndTrial(t.Context(), d, trial.Done, []byte("{}")))
		p = s.mustPut(t, p, file("a.js", inline(string(rune('a'+p.Version)))))
	}
	wants(t, "the fourth", drop(s.Trials.ClaimTrial(t.Context(), 2, 3, time.Minute)), sandlot.ErrNotFound)
	same(t, "the outcome", must(s.Trials.Trial(t.Context(), p.ID))(t).Outcome, trial.Passed)
	q := s.mustProject(t, "tetris")
	same(t, "another account's", must(s.Trials.ClaimTrial(t.Context(), 2, 3, time.Minute))(t).Project, q.ID)
	s.Later(24 * time.Hour)
	p = s.mustPut(t, p, file("b.js", inline("b")))
	same(t, "the next day", must(s.Trials.ClaimTrial(t.Context(), 2, 3, time.Minute))(t).Version > 0, true)
}

func endTrial(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	d := s.claims(t)
	ok(t, s.Trials.EndTrial(t.Context(), d, trial.Done, []byte(`{"moved":true}`)))
	r := must(s.Trials.Trial(t.Context(), p.ID))(t)
	same(t, "when", time.Since(r.At).Abs() < time.Hour, true)
	r.At = time.Time{}
	same(t, "the record", r, trial.Record{Version: 1, Outcome: trial.Done, Seen: []byte(`{"moved":true}`)})
	s.nothingDue(t)
	p = s.mustPut(t, p, file("a.js", inline("a")))
	same(t, "the next version", s.claims(t).Version, p.Version)
	r = must(s.Trials.Trial(t.Context(), p.ID))(t)
	same(t, "the version that ended", r.Version, 1)
	same(t, "the one that is opened", r.Running, 2)
}

func endOthersTrial(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	late := s.claims(t)
	s.Later(2 * time.Minute)
	now := s.claims(t)
	wants(t, "the end of who was late", s.Trials.EndTrial(t.Context(), late, trial.Done, nil), sandlot.ErrNotFound)
	ok(t, s.Trials.GiveBackTrial(t.Context(), late, false))
	ok(t, s.Trials.EndTrial(t.Context(), now, trial.Done, nil))
	err := s.Trials.EndTrial(t.Context(), now, trial.Done, nil)
	same(t, "a second end", errors.Is(err, sandlot.ErrNotFound), true)
}

func giveBackTrial(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	d := s.claims(t)
	for range 3 { // more than there are tries
		ok(t, s.Trials.GiveBackTrial(t.Context(), d, true))
		d = s.claims(t)
		same(t, "what is due", d.Version, 1)
		same(t, "which try that is, where the one before does not count", d.Try, 1)
	}
	ok(t, s.Trials.GiveBackTrial(t.Context(), d, false))
	ok(t, s.Trials.GiveBackTrial(t.Context(), s.claims(t), false))
	s.nothingDue(t)
}

func noTrial(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for _, id := range []sandlot.ProjectID{p.ID, "nobodys"} {
		same(t, "the record", must(s.Trials.Trial(t.Context(), id))(t), trial.Record{})
	}
}

func trialsAhead(t *testing.T, s Stores) {
	first, second := s.mustProject(t, "pong"), s.mustProject(t, "tetris")
	ahead := func(when string, wants ...int) {
		t.Helper()
		for i, p := range []sandlot.Project{first, second} {
			same(t, fmt.Sprintf("those before project %d %s", i+1, when), must(s.Trials.TrialsAhead(t.Context(), p.ID))(t), wants[i])
		}
	}
	ahead("at first", 0, 1)
	d := s.claims(t)
	same(t, "the first that is due", d.Project, first.ID)
	ahead("while the first is opened", 0, 0)
	ok(t, s.Trials.EndTrial(t.Context(), d, trial.Done, nil))
	s.claims(t)
	ahead("when nothing is due", 0, 0)
}
