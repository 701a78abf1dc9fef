package figures

import (
	"context"
	"time"

	"sandlot"
)

// A Store holds figures, with the same guarantees as a publish.Store. gallery.CountStore.AddCounts adds to them, for
// the day of the call, and so do the likes of gallery.Store. Sweep removes days before Kept, and leaves nothing but a
// number of the players of a past day. The figures of a project are removed with it.
type Store interface {
	// FiguresByDay returns a project's figures of the days from the day of from to the day of to, in UTC, and the plays
	// of the same days by source host. A project that does not exist or is deleted is ErrNotFound.
	FiguresByDay(ctx context.Context, id sandlot.ProjectID, from, to time.Time) (ByDay, error)
	// FiguresByVersion returns the figures of the versions of a project that have any, newest first, at most limit. A
	// project that does not exist or is deleted is ErrNotFound.
	FiguresByVersion(ctx context.Context, id sandlot.ProjectID, limit int) (ByVersion, error)
}

// ByDay is the stored figures of a project by day.
type ByDay struct {
	Batch   int64          // of the gallery.Counts added last
	Days    map[int64]Cell // by the days since 1970; days without figures are absent
	Sources map[string]int64
}

// ByVersion is the stored figures of a project by version.
type ByVersion struct {
	Batch    int64
	Current  int // the project's current version
	Versions []VersionCell
}

// VersionCell holds the figures of one version.
type VersionCell struct {
	Version int
	Cell
}

// DaysKept is how many days daily figures are kept: a year, and enough to compare a month with the same month a year
// before.
const DaysKept = 400

// Kept returns the beginning of the oldest day, in UTC, whose figures are kept at the given time.
func Kept(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -DaysKept)
}

// DayOf returns the number of a time's day, in UTC, since 1970.
func DayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }
