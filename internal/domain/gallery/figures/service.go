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
	// DefaultDays is the number of days in a report by default.
	DefaultDays = 30
	// MostDays is the limit of days in a report.
	MostDays = DaysKept
	// MostVersions is the limit of versions in a report: nobody could read a chart of more.
	MostVersions = 1000
)

// Projects holds the methods of publish that a Service needs; *publish.Reader implements it.
type Projects interface {
	// Find returns a project by its id or address, in its current state in the store. For a project that was taken down
	// it returns both the project and CodeTakenDown.
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// Counts holds the counts that are not written yet; *gallery.Counters implements it.
type Counts interface {
	// Unwritten returns the counts of a project that the record from read does not include; read returns the last batch
	// of that record. It may call read more than once, and its result is exact for the record of the last call.
	Unwritten(id sandlot.ProjectID, read func() (batch int64)) Added
}

// Service returns to owners the figures of their projects. Its methods may be called concurrently. Each takes the
// caller, and returns a *sandlot.Error or sandlot.ErrNotFound for a refusal. Any other error is a fault of the service.
type Service struct {
	store    Store
	projects Projects
	counts   Counts
	now      func() time.Time
}

// New returns a Service. now must be the clock of the store.
func New(store Store, projects Projects, counts Counts, now func() time.Time) *Service {
	return &Service{store, projects, counts, now}
}

// Numbers are the figures of a day, a version or a period.
type Numbers struct {
	Plays   int64
	Players int64         // each counted once a day; the sum over several days
	Likes   int64         // likes given, less likes taken back
	Median  time.Duration // median length of play
	Known   bool          // whether Median is known: at least one stay was measured
}

func numbers(c Cell) Numbers {
	median, known := c.Lengths.Median()
	return Numbers{c.Plays, c.People(), c.Likes, median, known}
}

// A Day holds the figures of one day.
type Day struct {
	Date time.Time // its beginning, in UTC
	Numbers
}

// A Referrer is a source host, Direct or Others, with the plays that it led to the project.
type Referrer struct {
	Host  string
	Plays int64
}

// Days holds the figures of a project by day.
type Days struct {
	Project   sandlot.Project
	Days      []Day // without gaps, oldest first, today last
	Total     Numbers
	Referrers []Referrer // over all these days, most plays first, including Direct
}

// A Version holds the figures of one version.
type Version struct {
	Version int
	Numbers
}

// Versions holds the figures of a project by version.
type Versions struct {
	Project  sandlot.Project
	Versions []Version // newest first, at most MostVersions; versions without figures are absent
}

// ByDay returns the figures of the last days of a project, including today's and the counts of this process that are
// not written yet. ref is the project's id or any of its addresses. The caller must be allowed to read the project's
// files; for such a caller a project that was taken down is sandlot.CodeTakenDown. A number of days outside 1 to
// MostDays is sandlot.CodeInvalidField.
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

// arrange returns the days in order, and adds the unwritten counts to today.
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

// referrers lists at most MostSources hosts, most plays first, then the sum of the others. Plays without a source are
// Direct.
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

// ByVersion returns the figures of the versions of a project, under the same conditions as ByDay.
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

// readable returns a project whose figures the caller may see.
func (s *Service) readable(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadFiles, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, err := s.projects.Find(ctx, by, ref)
	if _, _, session := by.Login(); session && errors.Is(err, sandlot.CodeProjectNotFound) {
		return p, sandlot.ErrNotFound // the same as for another account's project
	}
	if err != nil && !errors.Is(err, sandlot.CodeTakenDown) {
		return p, err
	}
	if refused := sandlot.Authorize(by, sandlot.ActReadFiles, &p); refused != nil {
		return p, refused
	}
	return p, err
}

// missing returns for a project that was deleted meanwhile the error of a project that does not exist.
func missing(err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.CodeProjectNotFound
	}
	return err
}
