package storetest

import (
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/domain/trial"
)

// claims claims a trial, of two tries and ten a day.
func (s Stores) claims(t *testing.T) trial.Due {
	t.Helper()
	return must(s.Trials.ClaimTrial(t.Context(), 2, 10, time.Minute))(t)
}

func nothingDue(t *testing.T, s Stores) {
	t.Helper()
	wants(t, "what is due", drop(s.Trials.ClaimTrial(t.Context(), 2, 10, time.Minute)), sandlot.ErrNotFound)
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
	nothingDue(t, s)
	s.Later(2 * time.Minute)
	same(t, "who is at it", must(s.Trials.Trials(t.Context(), p.ID))(t)[p.ID].Running, 0)
	again := s.claims(t)
	same(t, "the version", again.Version, first.Version)
	same(t, "how often it was begun before and now", [2]int{first.Try, again.Try}, [2]int{1, 2})
	same(t, "that it is another lease", again.Lease != first.Lease, true)
}

// countsTrials has an account use up its day, by itself and on request, with two projects.
func countsTrials(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "busy"), s.mustProject(t, "other")
	np := newProject("busy-2", p.Account)
	must(s.Publish.CreateProject(t.Context(), np))(t)
	for range 3 {
		s.claims(t)
	}
	count := func(id sandlot.ProjectID) bool { return must(s.Trials.CountTrial(t.Context(), id, 4))(t) }
	same(t, "that two more are counted, and not a third", []bool{count(p.ID), count("busy-2"), count(p.ID)}, []bool{true, true, false})
	same(t, "that one of another account is", count(other.ID), true)
	same(t, "that nothing ended", must(s.Trials.Trials(t.Context(), p.ID))(t)[p.ID].Version, 0)
	s.Later(24 * time.Hour)
	same(t, "that one is counted the next day", count(p.ID), true)
	fresh := s.mustProject(t, "fresh")
	same(t, "that a version is due though one was counted", []any{count(fresh.ID), claimsOf(t, s, fresh.ID)}, []any{true, true})
}

// claimsOf claims due versions until it has a version of the project.
func claimsOf(t *testing.T, s Stores, id sandlot.ProjectID) bool {
	for range 5 {
		if s.claims(t).Project == id {
			return true
		}
	}
	return false
}

// trialsOfSeveral reads the records of projects of which one was opened, one is being opened, one waits, and one is unknown.
func trialsOfSeveral(t *testing.T, s Stores) {
	opened, running, waits := s.mustProject(t, "opened"), s.mustProject(t, "running"), s.mustProject(t, "waits")
	for range 2 {
		d := s.claims(t)
		if d.Project == opened.ID {
			ok(t, s.Trials.EndTrial(t.Context(), d, trial.Done, []byte(`{"moved":true}`)))
		}
	}
	found := must(s.Trials.Trials(t.Context(), opened.ID, running.ID, waits.ID, "nobodys", opened.ID))(t)
	same(t, "records", len(found), 2)
	same(t, "what was seen", string(found[opened.ID].Seen), `{"moved":true}`)
	same(t, "the version that was opened", found[opened.ID].Version, 1)
	same(t, "the version that is being opened", found[running.ID].Running, 1)
	same(t, "records of no projects", len(must(s.Trials.Trials(t.Context()))(t)), 0)
}

// fresh is a new picture with two widths.
func fresh(id string) *cover.Fresh {
	return &cover.Fresh{ID: sandlot.PictureID(id), Sizes: map[int]sandlot.Blob{320: inline("small " + id), 640: named("large-" + id)}}
}

// leased is the one project whose cover is due.
func (s Stores) leased(t *testing.T) (cover.Task, int64) {
	t.Helper()
	due := must(s.Covers.Due(t.Context(), 0, 10))(t)
	if len(due) != 1 {
		t.Fatalf("%d are due", len(due))
	}
	tasks, lease, err := s.Covers.Lease(t.Context(), []int64{due[0].Number}, time.Minute)
	ok(t, err)
	if len(tasks) != 1 {
		t.Fatalf("%d are leased", len(tasks))
	}
	return tasks[0], lease
}

func settle(t *testing.T, s Stores, id string) cover.Task {
	t.Helper()
	task, lease := s.leased(t)
	err := s.Covers.Settle(t.Context(), task, lease,
		cover.Settled{Cover: sandlot.PictureID(id), Fresh: fresh(id), Source: cover.FromCover, Made: "of " + id, Findings: "[]"}, base())
	ok(t, err)
	return task
}

func leaseCovers(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	begun := func() (cover.Task, int64, int) {
		t.Helper()
		task, lease := s.leased(t)
		return task, lease, must(s.Covers.Begin(t.Context(), task.Number, lease))(t)
	}
	task, lease, tries := begun()
	same(t, "tries", []int{task.Tries, tries}, []int{0, 1})
	_, err := s.Covers.Begin(t.Context(), task.Number, lease+1)
	wants(t, "begun under another lease", err, sandlot.ErrMoved)
	same(t, "due while it is leased", len(must(s.Covers.Due(t.Context(), 0, 10))(t)), 0)
	tasks, _, err := s.Covers.Lease(t.Context(), []int64{task.Number}, time.Minute)
	ok(t, err)
	same(t, "leased a second time", len(tasks), 0)
	ok(t, s.Covers.GiveBack(t.Context(), []int64{task.Number}, lease+1, false))
	same(t, "due after another's lease ended", len(must(s.Covers.Due(t.Context(), 0, 10))(t)), 0)
	ok(t, s.Covers.GiveBack(t.Context(), []int64{task.Number}, lease, false))
	task, lease, tries = begun()
	same(t, "tries of the second time", []int{task.Tries, tries}, []int{1, 2})
	ok(t, s.Covers.GiveBack(t.Context(), []int64{task.Number}, lease, true))
	_, lease, tries = begun()
	same(t, "tries when the last does not count", tries, 2)
	s.Later(2 * time.Minute)
	_, err = s.Covers.Begin(t.Context(), task.Number, lease)
	same(t, "begun late, while nobody else has it", err, nil)
	_, _, tries = begun()
	same(t, "tries when the lease lapsed", tries, 4)
}

func settleLate(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	task, lease := s.leased(t)
	s.Later(2 * time.Minute)
	s.leased(t)
	err := s.Covers.Settle(t.Context(), task, lease, cover.Settled{Cover: "jlate", Fresh: fresh("jlate")}, base())
	wants(t, "settling late", err, sandlot.ErrMoved)
	_, err = s.Covers.Picture(t.Context(), "jlate", 320)
	wants(t, "its picture", err, sandlot.ErrNotFound)
}

func settleAgain(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	settle(t, s, "jone")
	s.mustPut(t, must(s.Publish.Project(t.Context(), "pong"))(t), file("a.js", inline("a")))
	settle(t, s, "jtwo")
	now := base()
	kept := must(s.Covers.Picture(t.Context(), "jone", 320))(t)
	if kept.GoneAt.IsZero() || !must(s.Covers.Picture(t.Context(), "jtwo", 320))(t).GoneAt.IsZero() {
		t.Errorf("the first is gone since %v", kept.GoneAt)
	}
	gone, _, err := s.Upkeep.Sweep(t.Context(), now.Add(2*time.Hour), now.Add(time.Hour), 1000)
	ok(t, err)
	same(t, "bytes that Sweep let go of", gone, []sandlot.BlobRef{"large-jone"})
	_, err = s.Covers.Picture(t.Context(), "jone", 320)
	wants(t, "the first after that", err, sandlot.ErrNotFound)
	must(s.Covers.Picture(t.Context(), "jtwo", 640))(t)
}

// three may wait, of everybody.
var three = ticket.Most{3, 4, 5}

func ticketOf(name string) sandlot.Ticket {
	return sandlot.Ticket{Hash: sum("ticket " + name), Owner: sum("owner"), Told: []byte("told " + name), ExpiresAt: base().Add(time.Hour)}
}

func tooManyTicketsAround(t *testing.T, s Stores) {
	for i, most := range three[1:] {
		for n := range most + 1 {
			k := ticketOf(string(rune('a'+i)) + string(rune('0'+n)))
			k.Owner, k.Wider[i] = sum(k.Hash.String()), sum("around")
			err := s.Tickets.AddTicket(t.Context(), k, three)
			if n < most {
				ok(t, err)
			} else {
				wants(t, "one more", err, publish.ErrTooMany)
			}
		}
	}
}

func useTicket(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	k := ticketOf("a")
	ok(t, s.Tickets.AddTicket(t.Context(), k, ticket.Most{1}))
	rec := recordOf("pong")
	rec.Ticket, rec.ExpiresAt = k.Hash, base().Add(2*time.Hour)
	at := edit(p)
	at.Idempotency = rec
	stale := at
	stale.Expect++
	_, err := s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), stale)
	wants(t, "a step that fails", err, sandlot.ErrMoved)
	got, _, err := s.Credentials.Ticket(t.Context(), k.Hash, base())
	ok(t, err)
	same(t, "the ticket after it", got, k)
	_, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at)
	ok(t, err)
	k.Used, k.ExpiresAt = true, rec.ExpiresAt
	got, _, err = s.Credentials.Ticket(t.Context(), k.Hash, base())
	ok(t, err)
	same(t, "the ticket", got, k)
	ok(t, s.Tickets.AddTicket(t.Context(), ticketOf("b"), ticket.Most{1}))
}

// trialsOfHeld claims the version of a held project last.
func trialsOfHeld(t *testing.T, s Stores) {
	held, seen := s.mustProject(t, "held"), s.mustProject(t, "seen")
	s.Hold(t, held.ID, sandlot.HeldFields)
	same(t, "the order", []sandlot.ProjectID{s.claims(t).Project, s.claims(t).Project}, []sandlot.ProjectID{seen.ID, held.ID})
}

// trialsThatHold ends trials of versions that request secrets: of an account without a verified address, of one with, and of a
// version that is no longer the current one.
func trialsThatHold(t *testing.T, s Stores) {
	lure, old, honest := s.mustProject(t, "lure"), s.mustProject(t, "old"), s.mustProject(t, "honest")
	s.verify(t, honest.Account)
	for range 3 {
		d := s.claims(t)
		if d.Project == old.ID {
			s.mustPut(t, old, file("next.js", inline("next")))
		}
		ok(t, s.Trials.EndTrialHeld(t.Context(), d, []byte(`{"fields":["password"]}`)))
		same(t, "the end without a lease", errors.Is(s.Trials.EndTrialHeld(t.Context(), d, nil), sandlot.ErrNotFound), true)
	}
	rules := func(id sandlot.ProjectID) sandlot.Rule { return must(s.Publish.Project(t.Context(), id))(t).Held.Rule }
	same(t, "holds", []sandlot.Rule{rules(lure.ID), rules(old.ID), rules(honest.ID)}, []sandlot.Rule{sandlot.HeldFields, "", ""})
	same(t, "what was seen", string(must(s.Trials.Trials(t.Context(), lure.ID))(t)[lure.ID].Seen), `{"fields":["password"]}`)
}
