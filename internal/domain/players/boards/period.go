package boards

import (
	"time"

	"sandlot/internal/domain/gallery/figures"
)

// A Period is the time over which a board compares scores.
type Period string

// The periods. Days and weeks are in UTC; a week begins on Monday.
const (
	AllTime Period = "all"
	Week    Period = "week"
	Day     Period = "today"
)

// Periods are all periods.
var Periods = [3]Period{AllTime, Week, Day}

// mondays is the number of days from a Monday to the first of January 1970.
const mondays = 3

// Number returns the number of the period of a time: 0 for all time, the day since 1970 for a day, and the week
// since then, from 1 on, as a negative number for a week.
func (p Period) Number(at time.Time) int64 {
	switch day := figures.DayOf(at); p {
	case Day:
		return day
	case Week:
		return -1 - (day+mondays)/7
	}
	return 0
}
