package publish

import (
	"context"
	"time"
)

// daysKept is how long plays are kept by day: twice what an overview shows, so that
// a month can be held against the one before.
const daysKept = 60

// A DayStore tells when projects were played, under the same promises as a Store.
type DayStore interface {
	// PlaysByDay returns the plays of projects on each day, in UTC, from that of from to that of to: the day of from is the first. Projects that were not played, or are deleted, are absent. AddCounts counts its plays for the day on which it is called; Sweep forgets days that began 61 days ago or earlier.
	PlaysByDay(ctx context.Context, ids []ProjectID, from, to time.Time) (map[ProjectID][]int64, error)
}

// DaysKept is the first moment of the days that are still kept at a time.
func DaysKept(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysKept)
}
