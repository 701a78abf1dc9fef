package storetest

import (
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/domain/trial"
)

func judgeCases() []storeCase {
	return []storeCase{
		{"StartJudging/passes over the versions from before the first judge, and those of a gap", judgeStarts},
		{"ClaimVerdict/leases the version that waits longest, for as long as it says", claimsVerdicts},
		{"ClaimVerdict/passes over accounts that are verified or trusted, and projects that a person looks at", passesOver},
		{"ClaimVerdict/leases nothing that is deleted or suspended", judgesNothingGone},
		{"ClaimVerdict/waits for the play-tester, and not for longer than that", judgeWaits},
		{"ClaimVerdict/of many callers at once each version has one", judgesOnce},
		{"EndVerdict/holds the project in its step, and nothing comes after another's lease", endsVerdicts},
		{"EndVerdict/a newer version is due", judgesNewer},
		{"GiveBackVerdict/the version is due after the pause, with or without this try", givesBackVerdicts},
		{"Verdicts/newest first, of one answer or all", listsVerdicts},
		{"Release/reverses the verdict that holds the project", reversesVerdicts},
	}
}

func claimsVerdict(t *testing.T, s Stores) judge.Due {
	t.Helper()
	return must(s.Verdicts.ClaimVerdict(t.Context(), 0, time.Minute))(t)
}

func nothingToJudge(t *testing.T, s Stores) {
	t.Helper()
	wants(t, "what is due", drop(s.Verdicts.ClaimVerdict(t.Context(), 0, time.Minute)), sandlot.ErrNotFound)
}

func heldBy(t *testing.T, s Stores, id sandlot.ProjectID) sandlot.Rule {
	t.Helper()
	return must(s.Publish.Project(t.Context(), id))(t).Held.Rule
}

func judgeStarts(t *testing.T, s Stores) {
	ctx, week := t.Context(), 7*24*time.Hour
	p := s.mustProject(t, "before")
	ok(t, s.Verdicts.StartJudging(ctx, week))
	nothingToJudge(t, s)
	p = s.mustPut(t, p, file("a.js", inline("a")))
	same(t, "a version of now", claimsVerdict(t, s).Project.Version, 2)
	s.mustProject(t, "meanwhile")
	s.Later(6 * 24 * time.Hour)
	ok(t, s.Verdicts.StartJudging(ctx, week))
	same(t, "a version of days ago", claimsVerdict(t, s).Project.ID, p.ID)
	same(t, "another", claimsVerdict(t, s).Project.ID, "meanwhile")
	s.mustProject(t, "in-the-gap")
	s.Later(8 * 24 * time.Hour)
	ok(t, s.Verdicts.StartJudging(ctx, week))
	nothingToJudge(t, s)
}

func claimsVerdicts(t *testing.T, s Stores) {
	late := newProject("late", s.mustAccount(t, newAccount("late")).ID)
	late.CreatedAt = base().Add(time.Second)
	must(s.Publish.CreateProject(t.Context(), late))(t)
	first := s.mustProject(t, "early")
	due := claimsVerdict(t, s)
	same(t, "the project", due.Project.ID, first.ID)
	same(t, "the version", [2]int{due.Project.Version, due.Try}, [2]int{1, 1})
	same(t, "its suffix and title", due.Project.Suffix+" "+due.Project.Title, "first-early Title of early")
	same(t, "the next", claimsVerdict(t, s).Project.ID, "late")
	nothingToJudge(t, s)
	s.Later(2 * time.Minute)
	again := claimsVerdict(t, s)
	same(t, "the first again", [2]any{again.Project.ID, again.Try}, [2]any{first.ID, 2})
	same(t, "that it is another lease", again.Lease != due.Lease, true)
}

func passesOver(t *testing.T, s Stores) {
	a := s.verified(t, "kim", "kim@example.com")
	must(s.Publish.CreateProject(t.Context(), newProject("of-kim", a.ID)))(t)
	p := s.mustProject(t, "held")
	ok(t, s.Verdicts.EndVerdict(t.Context(), claimsVerdict(t, s), judge.Verdict{Answer: judge.Hold}))
	p.Held.Rule = sandlot.HeldJudge
	p = s.mustPut(t, p, file("a.js", inline("a")))
	nothingToJudge(t, s)
	ok(t, s.Holds.Release(t.Context(), p.ID, base(), entry(sandlot.ActionRelease, "held")))
	nothingToJudge(t, s)
	s.mustPut(t, p, file("a.js", inline("b")))
	same(t, "the version after a person has looked", claimsVerdict(t, s).Project.Version, 3)
}

func judgesNothingGone(t *testing.T, s Stores) {
	for name, subject := range map[string]sandlot.Subject{"project": ofProject("project"), "account": {}} {
		p := s.mustProject(t, name)
		if subject.Project == "" {
			subject = ofAccount(p.Account)
		}
		ok(t, s.Operate.Suspend(t.Context(), subject, entry(sandlot.ActionSuspend, name)))
		nothingToJudge(t, s)
		ok(t, s.Operate.Reinstate(t.Context(), subject, entry(sandlot.ActionReinstate, name)))
		same(t, "a reinstated one", claimsVerdict(t, s).Project.ID, p.ID)
	}
	ok(t, s.Operate.Remove(t.Context(), ofProject(s.mustProject(t, "gone").ID), entry(sandlot.ActionDelete, "gone")))
	nothingToJudge(t, s)
}

func judgeWaits(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	claim := func() (judge.Due, error) { return s.Verdicts.ClaimVerdict(t.Context(), time.Minute, time.Minute) }
	wants(t, "before", drop(claim()), sandlot.ErrNotFound)
	ok(t, s.Trials.EndTrial(t.Context(), s.claims(t), trial.Done, nil))
	same(t, "a picture after a trial without one", must(claim())(t).Shot, false)
	s.mustPut(t, p, file("a.js", inline("a")))
	s.Later(3 * time.Minute)
	due := must(claim())(t)
	same(t, "after a minute", [2]any{due.Project.Version, due.Shot}, [2]any{2, false})
	future := newProject("future", p.Account)
	future.CreatedAt = base().AddDate(1, 0, 0)
	must(s.Publish.CreateProject(t.Context(), future))(t)
	same(t, "with a time of its own", must(claim())(t).Project.ID, "future")
}

func judgesOnce(t *testing.T, s Stores) {
	for _, id := range []string{"one", "two", "three"} {
		s.mustProject(t, id)
	}
	var mu sync.Mutex
	got := map[sandlot.ProjectID]int{}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if due, err := s.Verdicts.ClaimVerdict(background(), 0, time.Minute); err == nil {
				mu.Lock()
				defer mu.Unlock()
				got[due.Project.ID]++
			}
		})
	}
	all.Wait()
	same(t, "who got what", got, map[sandlot.ProjectID]int{"one": 1, "two": 1, "three": 1})
}

func endsVerdicts(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	due := claimsVerdict(t, s)
	s.Later(2 * time.Minute)
	other := claimsVerdict(t, s)
	wants(t, "one that is late", s.Verdicts.EndVerdict(t.Context(), due, judge.Verdict{Answer: judge.Hold}), sandlot.ErrNotFound)
	same(t, "the hold by it", heldBy(t, s, p.ID), sandlot.NotHeld)
	s.observed.change()
	ok(t, s.Verdicts.EndVerdict(t.Context(), other, judge.Verdict{Answer: judge.Refuse, Reason: "a bank"}))
	same(t, "what has changed", s.observed.change().Projects, []sandlot.ProjectID{p.ID})
	same(t, "the hold", heldBy(t, s, p.ID), sandlot.HeldJudge)
	wants(t, "a second end", s.Verdicts.EndVerdict(t.Context(), other, judge.Verdict{Answer: judge.Pass}), sandlot.ErrNotFound)
	nothingToJudge(t, s)
	got := must(s.Verdicts.Verdicts(t.Context(), judge.Query{Limit: 9}))(t)[0]
	same(t, "the verdict", got.Verdict, judge.Verdict{Answer: judge.Refuse, Reason: "a bank"})
	same(t, "its version", [2]any{got.Version, got.Held}, [2]any{1, true})
}

func judgesNewer(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	due := claimsVerdict(t, s)
	s.mustPut(t, p, file("a.js", inline("a")))
	ok(t, s.Verdicts.EndVerdict(t.Context(), due, judge.Verdict{Answer: judge.Pass}))
	same(t, "the hold", heldBy(t, s, p.ID), sandlot.NotHeld)
	due = claimsVerdict(t, s)
	same(t, "the version and the try", [2]int{due.Project.Version, due.Try}, [2]int{2, 1})
	same(t, "the verdict meanwhile", must(s.Verdicts.Verdicts(t.Context(), judge.Query{Limit: 9}))(t)[0].Version, 1)
}

func givesBackVerdicts(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	ok(t, s.Verdicts.GiveBackVerdict(t.Context(), claimsVerdict(t, s), 30*time.Second, false))
	nothingToJudge(t, s)
	s.Later(time.Minute)
	due := claimsVerdict(t, s)
	same(t, "the try", due.Try, 2)
	ok(t, s.Verdicts.GiveBackVerdict(t.Context(), due, 0, true))
	same(t, "the try that did not count", claimsVerdict(t, s).Try, 2)
	ok(t, s.Verdicts.GiveBackVerdict(t.Context(), due, 0, true))
	nothingToJudge(t, s)
}

func listsVerdicts(t *testing.T, s Stores) {
	for _, answer := range []judge.Answer{judge.Pass, judge.Hold, judge.Refuse} {
		s.mustProject(t, string(answer))
		ok(t, s.Verdicts.EndVerdict(t.Context(), claimsVerdict(t, s), judge.Verdict{Answer: answer}))
		s.Later(time.Second)
	}
	list := func(q judge.Query) (ids []sandlot.ProjectID) {
		for _, v := range must(s.Verdicts.Verdicts(t.Context(), q))(t) {
			ids = append(ids, v.Project)
		}
		return ids
	}
	same(t, "all", list(judge.Query{Limit: 9}), []sandlot.ProjectID{"refuse", "hold", "pass"})
	same(t, "a page", list(judge.Query{Skip: 1, Limit: 1}), []sandlot.ProjectID{"hold"})
	same(t, "of an answer", list(judge.Query{Answer: judge.Pass, Limit: 9}), []sandlot.ProjectID{"pass"})
}

func reversesVerdicts(t *testing.T, s Stores) {
	p, e := s.mustProject(t, "pong"), entry(sandlot.ActionRelease, "pong")
	ok(t, s.Verdicts.EndVerdict(t.Context(), claimsVerdict(t, s), judge.Verdict{Answer: judge.Hold}))
	ok(t, s.Holds.Release(t.Context(), p.ID, base(), e))
	same(t, "the hold", heldBy(t, s, p.ID), sandlot.NotHeld)
	got := must(s.Verdicts.Verdicts(t.Context(), judge.Query{Limit: 9}))(t)[0]
	same(t, "the verdict", [2]any{got.ReversedAt, got.Held}, [2]any{e.At, false})
}

func listedCases() []storeCase {
	return []storeCase{
		{"ClaimLook/once a day, and an hour after a failure, by one of many", claimsLooks},
		{"RecordLook/a host keeps the time since when it is listed", recordsLooks},
		{"Reported/projects with open reports, the newest first", reportedProjects},
	}
}

func claimsLooks(t *testing.T, s Stores) {
	claim := func() bool {
		return must(s.Sightings.ClaimLook(t.Context(), "dbl.example", 24*time.Hour, time.Hour))(t)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	got := 0
	for range 4 {
		all.Go(func() {
			due, err := s.Sightings.ClaimLook(background(), "dbl.example", 24*time.Hour, time.Hour)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && due {
				got++
			}
		})
	}
	all.Wait()
	same(t, "how many got the first", got, 1)
	same(t, "another service", must(s.Sightings.ClaimLook(t.Context(), "other", 24*time.Hour, time.Hour))(t), true)
	s.Later(59 * time.Minute)
	same(t, "before the hour is over", claim(), false)
	s.Later(2 * time.Minute)
	same(t, "an hour after one without an end", claim(), true)
	ok(t, s.Sightings.RecordLook(t.Context(), "dbl.example", map[string]bool{"a.example": false}, true))
	s.Later(23 * time.Hour)
	same(t, "on the same day", claim(), false)
	same(t, "by hand", must(s.Sightings.ClaimLook(t.Context(), "dbl.example", 0, 0))(t), true)
	s.Later(2 * time.Hour)
	same(t, "the next day", claim(), true)
}

func recordsLooks(t *testing.T, s Stores) {
	record := func(found map[string]bool, done bool) []listed.Sighting {
		s.Later(time.Hour)
		must(s.Sightings.ClaimLook(t.Context(), "dbl.example", 0, 0))(t)
		ok(t, s.Sightings.RecordLook(t.Context(), "dbl.example", found, done))
		return must(s.Sightings.Sightings(t.Context()))(t)
	}
	first := record(map[string]bool{"a.example": true, "b.example": false}, true)
	same(t, "what is listed", len(first), 1)
	same(t, "the host", first[0].Host+" "+first[0].Service, "a.example dbl.example")
	again := record(map[string]bool{"a.example": true, "b.example": true}, false)
	same(t, "the time since when", again[0].FoundAt, first[0].FoundAt)
	same(t, "when it was looked up", again[0].CheckedAt.After(first[0].CheckedAt), true)
	same(t, "the newer one", again[1].Host, "b.example")
	same(t, "after a failure that saw nothing", len(record(nil, false)), 2)
	same(t, "one that is looked up no more", record(map[string]bool{"a.example": true}, true)[0].Host, "a.example")
	same(t, "how many are left", len(record(map[string]bool{"a.example": true}, true)), 1)
	same(t, "what is listed no more", len(record(map[string]bool{"a.example": false}, true)), 0)
	same(t, "since when it is listed anew", record(map[string]bool{"a.example": true}, true)[0].FoundAt.After(first[0].FoundAt), true)
}

func reportedProjects(t *testing.T, s Stores) {
	for i, id := range []sandlot.ProjectID{"one", "two", "one", "three"} {
		r := report(string(rune('a' + i)))
		r.Project = id
		must(s.Operate.AddReport(t.Context(), r, operate.Filing{Form: sum(r.Case)}))(t)
	}
	ok(t, s.Operate.CloseReport(t.Context(), report("d").Case, entry(sandlot.ActionCloseReport, "d")))
	same(t, "the projects", must(s.Sightings.Reported(t.Context(), 9))(t), []sandlot.ProjectID{"one", "two"})
	same(t, "the most", must(s.Sightings.Reported(t.Context(), 1))(t), []sandlot.ProjectID{"one"})
}
