package figures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sandlot"
)

const (
	// DefaultDays is how many days are told where nobody says how many.
	DefaultDays = 30
	// MostDays is how many days are told at most.
	MostDays = DaysKept
	// MostVersions is how many versions are told: more are no chart that one could read.
	MostVersions = 1000
)

// Projects is what a Service asks of publish; *publish.Service has it.
type Projects interface {
	// Find returns a project by its id or address, as the store has it now. One that was taken down is CodeTakenDown, and is returned, too.
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// Counts has what was counted and is not written yet; *gallery.Counters does.
type Counts interface {
	// Unwritten returns what was counted of a project and is not in what read returns the last batch of. It may call read more than once, and
	// what it returns is exact with what the last call read.
	Unwritten(id sandlot.ProjectID, read func() (batch int64)) Added
}

// Service tells owners the figures of their projects. Its methods may be called concurrently. Each takes the caller, and returns a
// *sandlot.Error or sandlot.ErrNotFound for what it refuses. Any other error is a fault of the service.
type Service struct {
	store    Store
	projects Projects
	counts   Counts
	now      func() time.Time
}

// New makes a Service. Its time is that of the store.
func New(store Store, projects Projects, counts Counts, now func() time.Time) *Service {
	return &Service{store, projects, counts, now}
}

// Numbers are those of a day, or of a version.
type Numbers struct {
	Plays   int64
	Players int64         // of each day once; those of several days are added up
	Likes   int64         // that were given, less those that were taken back
	Median  time.Duration // how long half of the players play at most
	Known   bool          // whether it is known how long anybody played
}

func numbers(c Cell) Numbers {
	median, known := c.Lengths.Median()
	return Numbers{c.Plays, c.People(), c.Likes, median, known}
}

// A Day is the figures of one day.
type Day struct {
	Date time.Time // its beginning, in UTC
	Numbers
}

// A Referrer is a host and the plays to which it led, or Direct or Others.
type Referrer struct {
	Host  string
	Plays int64
}

// Days is the figures of a project by day.
type Days struct {
	Project   sandlot.Project
	Days      []Day // without a gap, oldest first, today last
	Total     Numbers
	Referrers []Referrer // of these days together, most plays first, with Direct
}

// A Version is the figures of one version.
type Version struct {
	Version int
	Numbers
}

// Versions is the figures of a project by version.
type Versions struct {
	Project  sandlot.Project
	Versions []Version // newest first; those without figures are left out, and those beyond MostVersions
}

// ByDay returns the figures of the last days of a project, today's included. What was counted by this process and is not written yet is among
// them. ref is the project's id or any of its addresses. It is for whoever may read the project's files; one that was taken down is
// sandlot.CodeTakenDown for them. A number of days that is not from 1 to MostDays is sandlot.CodeInvalidField.
func (s *Service) ByDay(ctx context.Context, by sandlot.Caller, ref string, days int) (Days, error) {
	p, err := s.readable(ctx, by, ref)
	if err != nil {
		return Days{}, err
	}
	if days < 1 || days > MostDays {
		return Days{}, sandlot.Refuse(sandlot.CodeInvalidField, "The statistics of %d days were asked for; there are those of 1 to %d.", days, MostDays).In("days").
			With(sandlot.OpStats, sandlot.Arg{Name: "project_id", Value: string(p.ID)}, sandlot.Arg{Name: "by", Value: "day"})
	}
	today := s.now().UTC().Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, 1-days)
	var kept ByDay
	added := s.counts.Unwritten(p.ID, func() int64 {
		kept, err = s.store.FiguresByDay(ctx, p.ID, first, today)
		return kept.Batch
	})
	if err != nil {
		return Days{}, fmt.Errorf("read figures by day: %w", missing(err))
	}
	return arrange(p, first, days, kept, added), nil
}

// arrange puts days into their order, with what was added today.
func arrange(p sandlot.Project, first time.Time, days int, kept ByDay, added Added) Days {
	out := Days{Project: p}
	var total Cell
	sources := map[string]int64{}
	for _, from := range []map[string]int64{kept.Sources, added.Sources} {
		for host, n := range from {
			sources[host] += n
		}
	}
	for i := range days {
		date := first.AddDate(0, 0, i)
		c := kept.Days[DayOf(date)]
		if i == days-1 {
			c.Merge(added.Whole())
		}
		n := numbers(c)
		out.Days = append(out.Days, Day{date, n})
		c.Players, c.Seen = n.Players, nil
		total.Merge(c)
	}
	out.Total = numbers(total)
	out.Referrers = referrers(total.Plays, sources)
	return out
}

// referrers lists at most MostSources hosts, most plays first, then the others together. What none of them led to is direct.
func referrers(plays int64, sources map[string]int64) (list []Referrer) {
	others := sources[Others]
	for host, n := range sources {
		plays -= n
		if host != Others {
			list = append(list, Referrer{host, n})
		}
	}
	if plays > 0 {
		list = append(list, Referrer{Direct, plays})
	}
	slices.SortFunc(list, func(a, b Referrer) int { return cmp.Or(cmp.Compare(b.Plays, a.Plays), cmp.Compare(a.Host, b.Host)) })
	for _, r := range list[min(len(list), MostSources):] {
		others += r.Plays
	}
	list = list[:min(len(list), MostSources)]
	if others > 0 {
		list = append(list, Referrer{Others, others})
	}
	return list
}

// ByVersion returns the figures of the versions of a project, to those and under the same conditions as ByDay.
func (s *Service) ByVersion(ctx context.Context, by sandlot.Caller, ref string) (Versions, error) {
	p, err := s.readable(ctx, by, ref)
	if err != nil {
		return Versions{}, err
	}
	var kept ByVersion
	added := s.counts.Unwritten(p.ID, func() int64 {
		kept, err = s.store.FiguresByVersion(ctx, p.ID, MostVersions)
		return kept.Batch
	})
	if err != nil {
		return Versions{}, fmt.Errorf("read figures by version: %w", missing(err))
	}
	all := Added{Versions: map[int]Cell{}}
	for _, v := range kept.Versions {
		all.Versions[v.Version] = v.Cell
	}
	for version, c := range added.Versions {
		all.Merge(Added{Versions: map[int]Cell{cmp.Or(version, kept.Current): c}})
	}
	out := Versions{Project: p}
	for _, version := range slices.Backward(slices.Sorted(maps.Keys(all.Versions))) {
		out.Versions = append(out.Versions, Version{version, numbers(all.Versions[version])})
	}
	return out, nil
}

// readable returns a project of which the caller may see the figures.
func (s *Service) readable(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, err := s.projects.Find(ctx, by, ref)
	if _, _, session := by.Login(); session && errors.Is(err, sandlot.CodeProjectNotFound) {
		return p, sandlot.ErrNotFound // as if it were another's
	}
	if err != nil && !errors.Is(err, sandlot.CodeTakenDown) {
		return p, err
	}
	if refused := sandlot.Authorize(by, sandlot.ActReadFiles, &p); refused != nil {
		return p, refused
	}
	return p, err
}

// missing says of a project that was deleted meanwhile what is said of one that is not there.
func missing(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.CodeProjectNotFound
	}
	return err
}
