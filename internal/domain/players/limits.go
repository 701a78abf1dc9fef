package players

import (
	"time"
)

// Limits bounds what a player, a network and a project may do: 600 writes an hour and 20 scores a minute a player,
// new players of a network, writes of a project. They are in memory, within fixed bounds, and each node's own.
type Limits struct {
	public bool
	now    func() time.Time
}

// NewLimits returns Limits.
func NewLimits(public bool, now func() time.Time) *Limits { return &Limits{public: public, now: now} }

// Write counts a write of a visit. It is CodeRateLimited, with RetryAfter, where there were too many.
func (l *Limits) Write(v Visit) error { panic("seam") }

// Score counts a score of a visit, as Write does.
func (l *Limits) Score(v Visit) error { panic("seam") }

// newcomer counts a new player of a network and project.
func (l *Limits) newcomer(v Visit) error { panic("seam") }
