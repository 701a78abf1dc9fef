package figures

import (
	"context"
	"time"

	"sandlot"
)

// A Store keeps figures, under the same promises as a publish.Store. They are added by gallery.CountStore.AddCounts, for the day on which it
// is called, and by the likes of gallery.Store. Sweep forgets days of which Kept tells that they are over, and leaves nothing but a number of
// the players of a day that has ended. With a project its figures are forgotten.
type Store interface {
	// FiguresByDay returns a project's figures of the days from that of from to that of to, in UTC, and the plays of the same days by the
	// hosts that led to them. A project that is not there, or deleted, is ErrNotFound.
	FiguresByDay(ctx context.Context, id sandlot.ProjectID, from, to time.Time) (ByDay, error)
	// FiguresByVersion returns the figures of the versions of a project that have any, newest first, at most limit. A project that is not
	// there, or deleted, is ErrNotFound.
	FiguresByVersion(ctx context.Context, id sandlot.ProjectID, limit int) (ByVersion, error)
}

// ByDay is what a Store has of the days of a project.
type ByDay struct {
	Batch   int64          // of a gallery.Counts, that was added last
	Days    map[int64]Cell // by the days since 1970; those without figures are absent
	Sources map[string]int64
}

// ByVersion is what a Store has of the versions of a project.
type ByVersion struct {
	Batch    int64
	Current  int // the version that the project is at
	Versions []VersionCell
}

// VersionCell is the figures of one version.
type VersionCell struct {
	Version int
	Cell
}

// DaysKept is how many days figures are kept by day: a year and what it takes to compare a month with the one a year before.
const DaysKept = 400

// Kept returns the beginning of the oldest day, in UTC, whose figures are still kept at a time.
func Kept(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -DaysKept)
}

// DayOf is the number of a time's day, in UTC, since 1970.
func DayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }
