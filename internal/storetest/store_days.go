package storetest

import (
	"testing"
	"time"

	"sandlot/internal/publish"
)

func dayCases() []storeCase {
	return []storeCase{
		{"PlaysByDay/returns the plays of projects on each day", playsByDay},
		{"PlaysByDay/projects that were not played, or are deleted, are absent", playsOfUnplayed},
		{"PlaysByDay/the day of from is the first", playsOfOtherDays},
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

func (s Stores) play(t *testing.T, counts map[publish.ProjectID]int64) {
	t.Helper()
	in := map[publish.ProjectID]publish.Counts{}
	for id, n := range counts {
		in[id] = publish.Counts{Plays: n, Likes: 1}
	}
	ok(t, s.AddCounts(t.Context(), in))
}

func playsByDay(t *testing.T, s Stores) {
	now := today(t)
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "other")
	second := must(s.CreateProject(t.Context(), newProject("second", p.Account)))(t)
	gone := must(s.CreateProject(t.Context(), newProject("gone", p.Account)))(t)
	s.play(t, map[publish.ProjectID]int64{p.ID: 2, second.ID: 5, other.ID: 7, gone.ID: 1})
	s.play(t, map[publish.ProjectID]int64{p.ID: 3, "never-there": 1})
	ok(t, s.Remove(t.Context(), publish.Subject{Project: gone.ID}, entry(publish.ActionDelete, "gone")))
	got := must(s.PlaysByDay(t.Context(), []publish.ProjectID{p.ID, second.ID, gone.ID, "never-there"}, now.Add(-2*aDay), now))(t)
	same(t, "plays of three days", got, map[publish.ProjectID][]int64{p.ID: {0, 0, 5}, second.ID: {0, 0, 5}})
}

func playsOfUnplayed(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.play(t, map[publish.ProjectID]int64{p.ID: 0})
	same(t, "of likes alone", len(must(s.PlaysByDay(t.Context(), []publish.ProjectID{p.ID}, base(), base()))(t)), 0)
	same(t, "of none", len(must(s.PlaysByDay(t.Context(), nil, base(), base()))(t)), 0)
}

func playsOfOtherDays(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	s.play(t, map[publish.ProjectID]int64{p.ID: 2})
	same(t, "up to yesterday", len(must(s.PlaysByDay(t.Context(), []publish.ProjectID{p.ID}, now.Add(-9*aDay), now.Add(-aDay)))(t)), 0)
	same(t, "from tomorrow", len(must(s.PlaysByDay(t.Context(), []publish.ProjectID{p.ID}, now.Add(aDay), now.Add(2*aDay)))(t)), 0)
	got := must(s.PlaysByDay(t.Context(), []publish.ProjectID{p.ID}, now.Truncate(aDay), now.Add(aDay)))(t)
	same(t, "from this midnight to tomorrow", got, map[publish.ProjectID][]int64{p.ID: {2, 0}})
}

func sweepDays(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	s.play(t, map[publish.ProjectID]int64{p.ID: 2})
	read := func() int { return len(must(s.PlaysByDay(t.Context(), []publish.ProjectID{p.ID}, now, now))(t)) }
	_, _, err := s.Sweep(t.Context(), now.Add(60*aDay), base(), 100)
	ok(t, err)
	same(t, "projects with plays after 60 days", read(), 1)
	_, _, err = s.Sweep(t.Context(), now.Add(61*aDay), base(), 100)
	ok(t, err)
	same(t, "after 61", read(), 0)
}
