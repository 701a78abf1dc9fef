package engine

import (
	"sync/atomic"
	"time"

	"sandlot/internal/base/meter"
)

// Meters measure the writes of an Engine.
type Meters struct {
	CommitSeconds *meter.Histogram
	CommitBatch   *meter.Histogram // steps that shared a commit
	waited        atomic.Int64     // nanoseconds
}

// NewMeters returns Meters with the bounds of all engines.
func NewMeters() *Meters {
	return &Meters{
		CommitSeconds: meter.NewHistogram(.0005, .001, .002, .005, .01, .02, .05, .1, .5, 2, 10),
		CommitBatch:   meter.NewHistogram(1, 2, 4, 8, 16, 32, 64, 128, 256),
	}
}

// Waited adds the time that a step has waited for its turn.
func (m *Meters) Waited(d time.Duration) { m.waited.Add(int64(d)) }

// Waits returns the time that all steps have waited for their turns.
func (m *Meters) Waits() time.Duration { return time.Duration(m.waited.Load()) }

// A Pool describes the connections of an Engine now.
type Pool struct {
	Used, Idle, Most int
	Waited           time.Duration // for a connection, or for the turn to write, by all callers so far
}

// A Size is the room that a database takes, in bytes.
type Size struct {
	Data int64
	Log  int64 // of changes that are not in Data yet; -1 if the database does not report it
}
