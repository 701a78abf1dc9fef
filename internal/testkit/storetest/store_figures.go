package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
)

func played(version int, player, source string) (a figures.Added) {
	a.Play(version, player, source)
	return a
}

// figuresOf is what is kept of today and of the versions.
func figuresOf(t *testing.T, s Stores, id sandlot.ProjectID) (figures.Cell, map[string]int64, []figures.VersionCell) {
	t.Helper()
	days := must(s.Gallery.FiguresByDay(t.Context(), id, base(), base()))(t)
	return days.Days[figures.DayOf(base())], days.Sources, must(s.Gallery.FiguresByVersion(t.Context(), id, 100))(t).Versions
}

func addAll(t *testing.T, s Stores, id sandlot.ProjectID, batch int64, added ...figures.Added) {
	t.Helper()
	c := gallery.Counts{Batch: batch}
	for _, a := range added {
		c.Figures.Merge(a)
	}
	c.Plays = c.Figures.Whole().Plays
	addCounts(t, s, map[sandlot.ProjectID]gallery.Counts{id: c})
}

// addFiguresAtRandom compares what nodes have added, some of it twice, with a plain count.
func addFiguresAtRandom(t *testing.T, s Stores) {
	today(t)
	p := s.mustProject(t, "pong")
	r := rand.New(rand.NewPCG(1, 2))
	plays, sources, players := map[int]int64{}, map[string]int64{}, map[string]bool{}
	for batch := range 12 {
		var added figures.Added
		for range r.IntN(20) {
			version, player, source := 1+r.IntN(3), fmt.Sprint(r.IntN(40)), []string{"", "a.example", "b.example"}[r.IntN(3)]
			added.Play(version, player, source)
			plays[version]++
			sources[source]++
			players[player] = true
		}
		for range 1 + r.IntN(2) {
			addAll(t, s, p.ID, ofProcess(int64(1+batch%3))+int64(batch), added)
		}
	}
	day, kept, versions := figuresOf(t, s, p.ID)
	delete(sources, "")
	same(t, "sources", kept, sources)
	same(t, "plays and players", []int64{day.Plays, day.People()}, []int64{playsOf(t, s, p.ID), int64(len(players))})
	for _, v := range versions {
		same(t, fmt.Sprint("plays of version ", v.Version), v.Plays, plays[v.Version])
	}
}

func sweepAt(t *testing.T, s Stores, at time.Time) {
	t.Helper()
	_, _, err := s.Upkeep.Sweep(t.Context(), at, base().Add(aDay), 1000)
	ok(t, err)
}

func sweepFigures(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	addAll(t, s, p.ID, ofProcess(1), played(1, "x", "a.example"))
	sweepAt(t, s, now.Add(400*aDay))
	day, sources, _ := figuresOf(t, s, p.ID)
	same(t, "plays and sources after 400 days", []int64{day.Plays, sources["a.example"]}, []int64{1, 1})
	sweepAt(t, s, now.Add(401*aDay))
	day, sources, versions := figuresOf(t, s, p.ID)
	same(t, "plays and sources after 401, and plays of the version", []int64{day.Plays, int64(len(sources)), versions[0].Plays},
		[]int64{0, 0, 1})
}

func addCounts(t *testing.T, s Stores, counts map[sandlot.ProjectID]gallery.Counts) {
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
		addCounts(t, s, counts)
	}
	const another = 3 * gallery.BatchesOfProcess
	add(7, p.ID)
	add(7, p.ID, other.ID)
	p.Plays, p.Counted = 1, 7
	same(t, "a project that had the batch", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "today's plays", must(s.Gallery.PlaysByDay(t.Context(), []sandlot.ProjectID{p.ID}, base(), base()))(t),
		map[sandlot.ProjectID][]int64{p.ID: {1}})
	add(8, p.ID)
	add(another+2, p.ID, other.ID)
	add(8, p.ID)
	add(another+1, p.ID)
	same(t, "plays after the next batch, and one of another process", must(s.Publish.Project(t.Context(), p.ID))(t).Plays, int64(3))
	same(t, "plays of what only the other has counted", must(s.Publish.Project(t.Context(), other.ID))(t).Plays, int64(1))
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

func playsOf(t *testing.T, s Stores, id sandlot.ProjectID) int64 {
	t.Helper()
	return must(s.Publish.Project(t.Context(), id))(t).Plays
}

// ofProcess is the first batch of a process.
func ofProcess(n int64) int64 { return n * gallery.BatchesOfProcess }

func addLoadsAtOnce(t *testing.T, s Stores) {
	a, b := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	const nodes, visitors, batches = 4, 40, 5
	var all sync.WaitGroup
	for node := range nodes {
		all.Go(func() {
			for batch := range batches {
				counts := map[sandlot.ProjectID]gallery.Counts{
					a.ID: {Batch: ofProcess(int64(node+1)) + int64(batch)},
					b.ID: {Batch: ofProcess(int64(node+1)) + int64(batch)},
				}
				for v := range visitors {
					visitor := (v*7 + node*13) % visitors // each node has another order
					id := []sandlot.ProjectID{a.ID, b.ID}[visitor%2]
					c := counts[id]
					c.Loads = append(c.Loads, gallery.Load{ID: int64(visitor), Ago: time.Duration(v) * time.Millisecond})
					counts[id] = c
				}
				if _, err := s.Gallery.AddCounts(t.Context(), counts); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	same(t, "plays", playsOf(t, s, a.ID)+playsOf(t, s, b.ID), int64(visitors))
}

func liker(player string) sandlot.Digest { return sum("player " + player) }

// mustLike likes, and looks whether the project's count is what it should be.
func mustLike(t *testing.T, s Stores, p sandlot.Project, by string, want int64) {
	t.Helper()
	same(t, "the count after a like", must(s.Gallery.Like(t.Context(), p.ID, liker(by), true))(t), want)
	same(t, "the project's likes", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, want)
}

func likeUncounted(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	mustLike(t, s, p, "a", 1)
	same(t, "the count", must(s.Gallery.Like(t.Context(), p.ID, liker("b"), false))(t), 1)
	same(t, "b likes it", must(s.Gallery.Liked(t.Context(), p.ID, liker("b")))(t), true)
	mustLike(t, s, p, "b", 1) // it is no new one
	same(t, "the count, b's taken back", must(s.Gallery.Unlike(t.Context(), p.ID, liker("b")))(t), 1)
	same(t, "b likes it", must(s.Gallery.Liked(t.Context(), p.ID, liker("b")))(t), false)
	mustLike(t, s, p, "b", 2)
}

func likeAtOnce(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	atOnce(t, 50, nil, func(int) error { return drop(s.Gallery.Like(background(), p.ID, liker("a"), true)) })
	same(t, "likes", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 1)
	atOnce(t, 50, nil, func(int) error { return drop(s.Gallery.Unlike(background(), p.ID, liker("a"))) })
	same(t, "likes, taken back fifty times", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 0)
}
