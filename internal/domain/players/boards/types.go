package boards

import (
	"time"

	"sandlot"
)

// A Score is a score that a player sends.
type Score struct {
	Board     string // "": Default
	Score     float64
	Ascending bool   // whether lower is better on a new board; a board keeps its order
	Name      string // the player's new name; "": unchanged
	Since     string // the stamp of the player's stay, from players.Service.Hello
}

// Placed is the effect of a score.
type Placed struct {
	Board     string
	Ascending bool
	Best      float64 // the player's best of all time
	Improved  bool    // whether this score is Best
	Rank      int64   // of Best, from 1; 0: MaxRows players are better
	Of        int64   // players of the board
	Player    string  // the player's id
}

// A Query chooses entries of a board.
type Query struct {
	Board  string // "": Default
	Period Period // "": AllTime
	Limit  int    // 0: 10; at most MaxTop
	Around bool   // returns the entries around the player of the visit, instead of the first
	Player string // the id of the player of the visit; "": the player of its token
}

// Top is a list of entries. A missing board has none.
type Top struct {
	Board     string
	Period    Period
	Ascending bool
	Entries   []Entry
	Of        int64  // players of the board in the period
	You       *Entry // the player of the visit, where it has a place
}

// An Entry is the best score of a player in a period.
type Entry struct {
	Rank   int64
	Name   string // strangers' text
	Score  float64
	At     time.Time
	Player string // the player's id
	You    bool   // whether it is the player of the visit
}

// A Board is a board as its owner sees it.
type Board struct {
	Name       string
	Ascending  bool
	Min, Max   *float64
	MinSeconds int
	Players    int64 // of all time
	CreatedAt  time.Time
	MovedAt    time.Time // of the last score that changed it
}

// A Change changes a board. Nil fields change nothing. Rows outside of new bounds are removed.
type Change struct {
	Min, Max      *float64
	NoMin, NoMax  bool // removes the bound
	MinSeconds    *int
	Reset         bool // removes all rows
	RemovePlayers []string
}

// Bounds reports whether the change sets or removes a bound.
func (c Change) Bounds() bool { return c.Min != nil || c.Max != nil || c.NoMin || c.NoMax }

// Rule applies the change to the rules of a board.
func (c Change) Rule(b *Board) {
	if c.Min != nil || c.NoMin {
		b.Min = c.Min
	}
	if c.Max != nil || c.NoMax {
		b.Max = c.Max
	}
	if c.MinSeconds != nil {
		b.MinSeconds = *c.MinSeconds
	}
}

// A Moved is a board that moved today, for the gallery.
type Moved struct {
	Project sandlot.ProjectID
	Board   string
	Best    Entry
	Players int64
	MovedAt time.Time
}

// The names of a board's orders, in calls and exports.
const (
	Descending = "desc"
	Ascending  = "asc" // lower is better
)

// Order returns the name of an order.
func Order(ascending bool) string {
	if ascending {
		return Ascending
	}
	return Descending
}
