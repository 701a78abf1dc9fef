package sqlstore

import (
	"context"
	"maps"
	"slices"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/storage/sqlstore/engine"
)

type projectFigures struct {
	num     int64
	version int // the current one
	figures.Added
}

func scanProjectFigures(r row) (p projectFigures, err error) {
	err = r.Scan(&p.num, &p.version)
	return p, err
}

// with makes the figures add up to the counts. Figures without a version go to the current one.
func (p projectFigures) with(added figures.Added, c gallery.Counts) projectFigures {
	versions := added.Versions
	added.Versions = nil
	for version, cell := range versions {
		if version == 0 {
			version = p.version
		}
		added.Merge(figures.Added{Versions: map[int]figures.Cell{version: cell}})
	}
	rest := figures.Cell{Plays: c.Plays - added.Whole().Plays, Likes: c.Likes}
	if !empty(rest) {
		added.Merge(figures.Added{Versions: map[int]figures.Cell{p.version: rest}})
	}
	p.Added = added
	return p
}

// figuring is a step that adds to the figures of a day.
type figuring struct {
	*tx
	day int64
}

// add adds to the figures of projects. It reads the stored players and lengths once for all of them. No other step adds
// to them meanwhile, for each locks its projects first; a sweep does not.
func (t figuring) add(list []projectFigures) error {
	kept, err := t.kept(list)
	if err != nil {
		return err
	}
	for _, p := range list {
		whole := p.Whole()
		if empty(whole) && len(p.Sources) == 0 {
			continue
		}
		if err := t.addDay(p.num, whole, kept.days[p.num]); err != nil {
			return err
		}
		for _, version := range slices.Sorted(maps.Keys(p.Versions)) {
			if err := t.addVersion(p.num, version, p.Versions[version], kept.versions[versionKey(p.num, version)]); err != nil {
				return err
			}
		}
		if err := t.addSources(p.num, p.Sources, kept.sources[p.num]); err != nil {
			return err
		}
	}
	return nil
}

func empty(c figures.Cell) bool {
	return c.Plays == 0 && c.Likes == 0 && len(c.Seen) == 0 && len(c.Lengths) == 0
}

type keptFigures struct {
	days     map[int64]figures.Cell // by project
	versions map[int64]keptVersion  // by versionKey
	sources  map[int64]map[string]bool
}

// keptVersion is the figures of a version, whose players are those of one day.
type keptVersion struct {
	key, day int64
	figures.Cell
}

func versionKey(project int64, version int) int64 { return project<<32 | int64(version) }

func (t figuring) kept(list []projectFigures) (kept keptFigures, err error) {
	var projects, versions, led []int64
	for _, p := range list {
		projects = append(projects, p.num)
		for version := range p.Versions {
			versions = append(versions, versionKey(p.num, version))
		}
		if len(p.Sources) > 0 {
			led = append(led, p.num)
		}
	}
	kept = keptFigures{map[int64]figures.Cell{}, map[int64]keptVersion{}, map[int64]map[string]bool{}}
	ctx, j := context.Background(), t.dialect.Numbers("?1", "j")
	scan := fields(func(v *keptVersion) []any { return []any{&v.key, &v.day, asSketch{&v.Seen}, asLengths{&v.Lengths}} })
	days, err := all(ctx, t, scan, "SELECT d.project, d.day, d.seen, d.lengths FROM "+j+` CROSS JOIN day_figures d
		WHERE d.project = j.value AND d.day = ?2`, engine.List(projects), t.day)
	if err != nil {
		return kept, err
	}
	for _, d := range days {
		kept.days[d.key] = d.Cell
	}
	ofVersions, err := all(ctx, t, scan, "SELECT j.value, v.day, v.seen, v.lengths FROM "+j+` CROSS JOIN version_figures v
		WHERE v.project = j.value / 4294967296 AND v.version = j.value % 4294967296`, engine.List(versions))
	for _, v := range ofVersions {
		kept.versions[v.key] = v
	}
	if err != nil || len(led) == 0 {
		return kept, err
	}
	type source struct {
		project int64
		host    string
	}
	sources, err := all(ctx, t, fields(func(s *source) []any { return []any{&s.project, &s.host} }),
		"SELECT s.project, s.host FROM "+j+` CROSS JOIN day_sources s WHERE s.project = j.value AND s.day = ?2`, engine.List(led), t.day)
	for _, s := range sources {
		if kept.sources[s.project] == nil {
			kept.sources[s.project] = map[string]bool{}
		}
		kept.sources[s.project][s.host] = true
	}
	return kept, err
}

func (t figuring) addDay(project int64, c, kept figures.Cell) error {
	kept.Merge(c)
	return t.do(`INSERT INTO day_figures (project, day, plays, likes, seen, lengths) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (project, day) DO UPDATE SET plays = day_figures.plays + excluded.plays, likes = day_figures.likes + excluded.likes,
			seen = excluded.seen, lengths = excluded.lengths`,
		project, t.day, c.Plays, c.Likes, orNoBytes(kept.Seen), orNoBytes(kept.Lengths.Bytes()))
}

func (t figuring) addVersion(project int64, version int, c figures.Cell, kept keptVersion) error {
	var players int64
	day := t.day
	switch kept.day {
	case day:
	case day + 1: // by the clock of another node, where it has begun already
		day = kept.day
	default: // the players of a day that is over, which a sweep may count meanwhile
		players, kept.Seen = kept.Seen.Count(), nil
	}
	kept.Merge(c)
	return t.do(`INSERT INTO version_figures (project, version, day, plays, likes, players, seen, lengths) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (project, version) DO UPDATE
		SET day = excluded.day, plays = version_figures.plays + excluded.plays, likes = version_figures.likes + excluded.likes,
			players = version_figures.players +
				CASE WHEN version_figures.seen IS NULL THEN 0 ELSE excluded.players END, seen = excluded.seen, lengths = excluded.lengths`,
		project, version, day, c.Plays, c.Likes, players, orNoBytes(kept.Seen), orNoBytes(kept.Lengths.Bytes()))
}

// addSources adds plays by the hosts that led to them. A host beyond the most of a day is one of the others.
func (t figuring) addSources(project int64, plays map[string]int64, kept map[string]bool) error {
	named := len(kept)
	if kept[figures.Others] {
		named--
	}
	others := plays[figures.Others]
	for _, host := range slices.Sorted(maps.Keys(plays)) {
		switch {
		case host == figures.Others:
			continue
		case !kept[host] && named >= figures.MostSources:
			others += plays[host]
			continue
		case !kept[host]:
			named++
		}
		if err := t.addSource(project, host, plays[host]); err != nil {
			return err
		}
	}
	return t.addSource(project, figures.Others, others)
}

func (t figuring) addSource(project int64, host string, plays int64) error {
	if plays == 0 {
		return nil
	}
	return t.do(`INSERT INTO day_sources (project, day, host, plays) VALUES (?, ?, ?, ?)
		ON CONFLICT (project, day, host) DO UPDATE SET plays = day_sources.plays + excluded.plays`, project, t.day, host, plays)
}

// addLikes adds the change of a project's likes to its figures. The step has locked the project.
func (t figuring) addLikes(project, by int64) error {
	if by == 0 {
		return nil
	}
	return t.Run(
		do(`INSERT INTO day_figures (project, day, plays, likes) VALUES (?, ?, 0, ?)
		ON CONFLICT (project, day) DO UPDATE SET likes = day_figures.likes + excluded.likes`, project, t.day, by),
		do(`INSERT INTO version_figures (project, version, day, plays, likes) SELECT num, version, ?, 0, ? FROM projects WHERE num = ?
		ON CONFLICT (project, version) DO UPDATE SET likes = version_figures.likes + excluded.likes`, t.day, by, project),
	)
}

// orNoBytes is b, or null for none.
func orNoBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}
