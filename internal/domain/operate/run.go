package operate

import (
	"context"
	"time"
)

// RunKind names a command of the operator whose last run a server reports.
type RunKind string

// The kinds of runs.
const (
	RunBackup   RunKind = "backup"
	RunVerify   RunKind = "verify"
	RunRehearse RunKind = "rehearse"
)

// RunKinds returns all kinds.
func RunKinds() []RunKind { return []RunKind{RunBackup, RunVerify, RunRehearse} }

// A Run is the last run of a kind that came to its end.
type Run struct {
	Kind    RunKind
	At      time.Time
	GoodAt  time.Time // of the last run that found no damage; zero if none did
	Damaged int64     // the number of damaged things that the run at At found
}

// A RunStore keeps the last run of each kind, under the same promises as a publish.Store.
type RunStore interface {
	// Record records that a run ended at a time and found so many damaged things. A run that ended before the recorded
	// one changes nothing.
	Record(ctx context.Context, kind RunKind, at time.Time, damaged int64) error
	// All returns the recorded runs, at most one of a kind, in no order.
	All(ctx context.Context) ([]Run, error)
}
