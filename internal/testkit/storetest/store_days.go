package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

func countCases() []storeCase {
	return []storeCase{
		{"AddCounts/a Batch that was added already adds nothing, whatever others were added since", addCountsTwice},
		{"AddCounts/Loads of the same ID add one play in half an hour, whoever added them", addLoads},
		{"AddCounts/many nodes that have the same loads count each once", addLoadsAtOnce},
		{"Sweep/forgets loads of more than half an hour ago", sweepLoads},
		{"Sweep/forgets processes that counted nothing for a week", sweepCounters},
	}
}

func (s Stores) addCounts(t *testing.T, counts map[sandlot.ProjectID]gallery.Counts) {
	t.Helper()
	_, err := s.Gallery.AddCounts(t.Context(), counts)
	ok(t, err)
}

func addCountsTwice(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	add := func(batch int64, ids ...sandlot.ProjectID) {
		counts := map[sandlot.ProjectID]gallery.Counts{}
		for _, id := range ids {
			counts[id] = gallery.Counts{Plays: 1, Batch: batch}
		}
		s.addCounts(t, counts)
	}
	const another = 3 * gallery.BatchesOfProcess
	add(7, p.ID)
	add(7, p.ID, other.ID)
	p.Plays, p.Counted = 1, 7
	same(t, "a project that had the batch", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "today's plays", must(s.Gallery.PlaysByDay(t.Context(), []sandlot.ProjectID{p.ID}, base(), base()))(t), map[sandlot.ProjectID][]int64{p.ID: {1}})
	add(8, p.ID)
	add(another+2, p.ID, other.ID)
	add(8, p.ID)
	add(another+1, p.ID)
	same(t, "plays after the next batch, and one of another process", must(s.Publish.Project(t.Context(), p.ID))(t).Plays, int64(3))
	same(t, "plays of what only the other has counted", must(s.Publish.Project(t.Context(), other.ID))(t).Plays, int64(1))
}

func sweepCounters(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	add := func() {
		s.addCounts(t, map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 1, Batch: 7}})
	}
	sweep := func(after time.Duration) {
		_, _, err := s.Upkeep.Sweep(t.Context(), base().Add(after), base().Add(after-aDay), 100)
		ok(t, err)
	}
	add()
	sweep(6 * aDay)
	add()
	same(t, "plays while the batch is known", must(s.Publish.Project(t.Context(), p.ID))(t).Plays, int64(1))
	sweep(8 * aDay)
	add()
	same(t, "plays when it is forgotten", must(s.Publish.Project(t.Context(), p.ID))(t).Plays, int64(2))
}

func dayCases() []storeCase {
	return []storeCase{
		{"PlaysByDay/returns the plays of projects on each day", playsByDay},
		{"Sweep/forgets days that began 61 days ago or earlier", sweepDays},
	}
}

const aDay = 24 * time.Hour

// today returns the present, unless midnight is so near that the test could span it.
func today(t *testing.T) time.Time {
	t.Helper()
	now := base()
	if left := aDay - now.Sub(now.Truncate(aDay)); left < 5*time.Second {
		time.Sleep(left)
		now = base()
	}
	return now
}

func (s Stores) play(t *testing.T, counts map[sandlot.ProjectID]int64) {
	t.Helper()
	in := map[sandlot.ProjectID]gallery.Counts{}
	for id, n := range counts {
		in[id] = gallery.Counts{Plays: n, Likes: 1}
	}
	s.addCounts(t, in)
}

func playsByDay(t *testing.T, s Stores) {
	now := today(t)
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "other")
	second := must(s.Publish.CreateProject(t.Context(), newProject("second", p.Account)))(t)
	gone := must(s.Publish.CreateProject(t.Context(), newProject("gone", p.Account)))(t)
	s.play(t, map[sandlot.ProjectID]int64{p.ID: 2, second.ID: 5, other.ID: 7, gone.ID: 1})
	s.play(t, map[sandlot.ProjectID]int64{p.ID: 3, "never-there": 1})
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Project: gone.ID}, entry(sandlot.ActionDelete, "gone")))
	got := must(s.Gallery.PlaysByDay(t.Context(), []sandlot.ProjectID{p.ID, second.ID, gone.ID, "never-there"}, now.Add(-2*aDay), now))(t)
	same(t, "plays of three days", got, map[sandlot.ProjectID][]int64{p.ID: {0, 0, 5}, second.ID: {0, 0, 5}})
}

func sweepDays(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	s.play(t, map[sandlot.ProjectID]int64{p.ID: 2})
	read := func() int {
		return len(must(s.Gallery.PlaysByDay(t.Context(), []sandlot.ProjectID{p.ID}, now, now))(t))
	}
	_, _, err := s.Upkeep.Sweep(t.Context(), now.Add(60*aDay), base(), 100)
	ok(t, err)
	same(t, "projects with plays after 60 days", read(), 1)
	_, _, err = s.Upkeep.Sweep(t.Context(), now.Add(61*aDay), base(), 100)
	ok(t, err)
	same(t, "after 61", read(), 0)
}
