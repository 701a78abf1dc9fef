package storetest

import (
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
)

func trialCases() []storeCase {
	return []storeCase{
		{"ClaimTrial/leases a current version that was neither opened nor is leased", claimWaiting},
		{"ClaimTrial/RegressionM31 accounts take turns", claimTurns},
		{"ClaimTrial/for as long as it says", claimLapses},
		{"ClaimTrial/a version that was leased tries times without an end has Failed", claimTooOften},
		{"EndTrial/records how a trial ended and the version is not due again", endTrial},
		{"EndTrial/unless the lease is another's by now", endOthersTrial},
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
