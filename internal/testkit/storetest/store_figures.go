package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
)

func figureCases() []storeCase {
	return []storeCase{
		{"AddCounts/a load that another has counted is in no figure but that of players", addFiguresOfLoads},
		{"AddCounts/figures add up to the counts, whatever was played where", addFiguresAtRandom},
		{"AddCounts/hosts beyond the most of a day are one of the others", addManySources},
		{"FiguresByDay/days are those from that of from to that of to", figuresOfDays},
		{"Sweep/leaves nothing but a number of the players of a day that has ended", sweepSeen},
		{"Sweep/forgets figures of days that began 401 days ago or earlier, and keeps those of versions", sweepFigures},
	}
}

func played(version int, player, source string) (a figures.Added) {
	a.Play(version, player, source)
	return a
}

// figuresOf is what is kept of today and of the versions.
func (s Stores) figuresOf(t *testing.T, id sandlot.ProjectID) (figures.Cell, map[string]int64, []figures.VersionCell) {
	t.Helper()
	days := must(s.Gallery.FiguresByDay(t.Context(), id, base(), base()))(t)
	return days.Days[figures.DayOf(base())], days.Sources, must(s.Gallery.FiguresByVersion(t.Context(), id, 100))(t).Versions
}

func (s Stores) addAll(t *testing.T, id sandlot.ProjectID, batch int64, added ...figures.Added) {
	t.Helper()
	c := gallery.Counts{Batch: batch}
	for _, a := range added {
		c.Figures.Merge(a)
	}
	c.Plays = c.Figures.Whole().Plays
	s.addCounts(t, map[sandlot.ProjectID]gallery.Counts{id: c})
}

func addFiguresOfLoads(t *testing.T, s Stores) {
	today(t)
	p := s.mustProject(t, "pong")
	add := func(batch int64, load gallery.Load) {
		seen := played(load.Version, fmt.Sprint(load.ID), load.Source)
		seen.Move(load.Version, load.Source, -1)
		s.addCounts(t, map[sandlot.ProjectID]gallery.Counts{p.ID: {Batch: batch, Loads: []gallery.Load{load}, Figures: seen}})
	}
	add(ofProcess(1), gallery.Load{ID: 1, Version: 1, Source: "example.org"})
	add(ofProcess(2), gallery.Load{ID: 1, Version: 1, Source: "example.com"})
	add(ofProcess(3), gallery.Load{ID: 2, Version: 1})
	day, sources, versions := s.figuresOf(t, p.ID)
	same(t, "plays and players of the day, plays of the version", []int64{day.Plays, day.People(), versions[0].Plays}, []int64{2, 2, 2})
	same(t, "sources", sources, map[string]int64{"example.org": 1})
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
			s.addAll(t, p.ID, ofProcess(int64(1+batch%3))+int64(batch), added)
		}
	}
	day, kept, versions := s.figuresOf(t, p.ID)
	delete(sources, "")
	same(t, "sources", kept, sources)
	same(t, "plays and players", []int64{day.Plays, day.People()}, []int64{s.playsOf(t, p.ID), int64(len(players))})
	for _, v := range versions {
		same(t, fmt.Sprint("plays of version ", v.Version), v.Plays, plays[v.Version])
	}
}

func addManySources(t *testing.T, s Stores) {
	today(t)
	p := s.mustProject(t, "pong")
	const each, batches = 40, 3
	for batch := range int64(batches) {
		var added figures.Added
		for i := range each {
			added.Play(1, "x", fmt.Sprintf("%d.example", batch*each+int64(i)))
		}
		s.addAll(t, p.ID, ofProcess(1)+batch, added)
	}
	s.addAll(t, p.ID, ofProcess(2), played(1, "x", "0.example"))
	_, sources, _ := s.figuresOf(t, p.ID)
	same(t, "hosts, and plays of those that came first, and of others", []int64{int64(len(sources)), sources["0.example"], sources[figures.Others]},
		[]int64{figures.MostSources + 1, 2, batches*each - figures.MostSources})
}

func figuresOfDays(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	s.addAll(t, p.ID, ofProcess(1), played(1, "x", "a.example"))
	s.Later(2 * aDay)
	s.addAll(t, p.ID, ofProcess(2), played(1, "x", "a.example"))
	read := func(from, to time.Time) []int64 {
		found := must(s.Gallery.FiguresByDay(t.Context(), p.ID, from, to))(t)
		return []int64{int64(len(found.Days)), found.Sources["a.example"]}
	}
	for _, c := range []struct {
		from, to time.Time
		want     []int64
	}{
		{now.Add(-aDay), now.Add(-aDay), []int64{0, 0}},
		{now.Truncate(aDay), now, []int64{1, 1}},
		{now, now.Truncate(aDay).Add(2*aDay - 1), []int64{1, 1}},
		{now, now.Add(2 * aDay), []int64{2, 2}},
		{now.Add(aDay), now.Add(9 * aDay), []int64{1, 1}},
	} {
		same(t, fmt.Sprint(c.from, " to ", c.to), read(c.from, c.to), c.want)
	}
	versions := must(s.Gallery.FiguresByVersion(t.Context(), p.ID, 9))(t).Versions
	same(t, "players of the version, each day once", versions[0].People(), int64(2))
}

func (s Stores) sweepAt(t *testing.T, at time.Time) {
	t.Helper()
	_, _, err := s.Upkeep.Sweep(t.Context(), at, base().Add(aDay), 1000)
	ok(t, err)
}

func sweepSeen(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	s.addAll(t, p.ID, ofProcess(1), played(1, "x", ""), played(1, "y", ""))
	read := func() (day, version figures.Cell) {
		c, _, versions := s.figuresOf(t, p.ID)
		return c, versions[0].Cell
	}
	s.sweepAt(t, now)
	if day, version := read(); len(day.Seen) == 0 || len(version.Seen) == 0 {
		t.Error("the players of today are forgotten")
	}
	for range 2 {
		s.sweepAt(t, now.Truncate(aDay).Add(aDay+time.Hour))
	}
	day, version := read()
	same(t, "what is left of the players of yesterday", []any{day.Seen, version.Seen, day.People(), version.People()}, []any{figures.Sketch(nil), figures.Sketch(nil), int64(2), int64(2)})
	s.Later(aDay + time.Hour)
	s.addAll(t, p.ID, ofProcess(2), played(1, "x", ""))
	_, version = read()
	same(t, "players of the version on both days", version.People(), int64(3))
}

func sweepFigures(t *testing.T, s Stores) {
	now := today(t)
	p := s.mustProject(t, "pong")
	s.addAll(t, p.ID, ofProcess(1), played(1, "x", "a.example"))
	s.sweepAt(t, now.Add(400*aDay))
	day, sources, _ := s.figuresOf(t, p.ID)
	same(t, "plays and sources after 400 days", []int64{day.Plays, sources["a.example"]}, []int64{1, 1})
	s.sweepAt(t, now.Add(401*aDay))
	day, sources, versions := s.figuresOf(t, p.ID)
	same(t, "plays and sources after 401, and plays of the version", []int64{day.Plays, int64(len(sources)), versions[0].Plays}, []int64{0, 0, 1})
}
