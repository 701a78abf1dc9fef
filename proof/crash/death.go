package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"sandlot/internal/base/failpoint"
)

// how is a way to kill the program.
type how string

const (
	byMoment  how = "at a moment under load"
	byStart   how = "at a moment of a start"
	byFirst   how = "at a moment of the first start"
	byPoint   how = "at a failpoint under load"
	byMigrate how = "at a failpoint of the first start"
	bySweep   how = "at a failpoint of the collector"
	byBackup  how = "in a backup"
)

const (
	lastMoment = 200 * time.Millisecond // of work before a kill
	lastStart  = 80 * time.Millisecond  // from start to kill: about as long as a start takes
	patience   = 3 * time.Second        // for a failpoint; after it the kill is one at a moment
)

// A death is one planned kill.
type death struct {
	how   how
	after time.Duration
	point failpoint.Point
	count int
	fresh bool // with a new folder
	only  bool // the workers send only requests that pass the point
}

func (d death) environment() []string {
	if d.point == "" {
		return nil
	}
	return []string{fmt.Sprintf("SANDLOT_TEST_FAILPOINT=%s:%d", d.point, d.count)}
}

func (d death) String() string {
	if d.point == "" {
		return fmt.Sprintf("kill %s, %v", d.how, d.after)
	}
	return fmt.Sprintf("kill %s, %s:%d", d.how, d.point, d.count)
}

// often returns the highest count drawn for a point: small for a rare one.
func often(p failpoint.Point) int {
	switch p {
	case failpoint.MidFolders, failpoint.MidMigration:
		return 1 // a start, and each migration, passes it once
	case failpoint.MidMail, failpoint.AfterAssembly:
		return 2
	case failpoint.MidAssembly, failpoint.MidVariant, failpoint.MidSweep, failpoint.MidCollection:
		return 6
	}
	return 15
}

func drawMoment(r *rand.Rand) death {
	if r.IntN(5) == 0 {
		return death{how: byStart, after: 1 + time.Duration(r.Int64N(int64(lastStart)))}
	}
	return death{how: byMoment, after: time.Millisecond + time.Duration(r.Int64N(int64(lastMoment)))}
}

func drawPoint(r *rand.Rand, p failpoint.Point) death {
	d := death{how: byPoint, point: p, count: 1 + r.IntN(often(p)), after: patience}
	if p == failpoint.MidSweep || p == failpoint.MidCollection {
		d.how = bySweep
	}
	return d
}

// firstDeaths returns the deaths in a folder without acknowledged changes: in each migration, and around them, where
// the folders and the installation's secret are made.
func firstDeaths(r *rand.Rand, migrations int) []death {
	list := []death{{how: byMigrate, point: failpoint.MidMigration, count: 1, after: patience, fresh: true}}
	for range migrations - 1 {
		// The first one is the migration that the last death prevented.
		list = append(list, death{how: byMigrate, point: failpoint.MidMigration, count: 2, after: patience})
	}
	for range 3 {
		list = append(list, death{how: byFirst, after: time.Duration(r.Int64N(int64(lastStart))), fresh: true})
	}
	for _, p := range []failpoint.Point{failpoint.BeforeCommit, failpoint.AfterCommit} {
		list = append(list, death{how: byMigrate, point: p, count: 1 + r.IntN(migrations+2), after: patience, fresh: true})
	}
	return append(list, death{how: byMigrate, point: failpoint.MidFolders, count: 1, after: patience, fresh: true})
}

// firstDeaths returns the first deaths that this epoch can have.
func (e *epoch) firstDeaths() []death {
	return slices.DeleteFunc(firstDeaths(e.random, e.Migrations), func(d death) bool {
		return d.point != "" && !slices.Contains(e.points(), d.point)
	})
}

// laterDeaths draws n deaths, or more: each point of the server once, and the others about half at moments and half at
// points, in random order.
func laterDeaths(r *rand.Rand, points []failpoint.Point, n int) []death {
	points = slices.DeleteFunc(slices.Clone(points),
		func(p failpoint.Point) bool { return p == failpoint.MidMigration || p == failpoint.MidBackup })
	r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	var list []death
	for i := range max(n, len(points)) {
		switch {
		case i < len(points):
			list = append(list, drawPoint(r, points[i]))
		case r.IntN(2) == 0:
			d := drawPoint(r, points[r.IntN(len(points))])
			if d.how == bySweep && r.IntN(2) == 0 {
				d = drawMoment(r) // a sweep takes two starts and makes all data old
			}
			list = append(list, d)
		default:
			list = append(list, drawMoment(r))
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
