package trial

import (
	"context"
	"time"

	"sandlot"
)

// LeaseMax is the longest lease of a version that is being opened.
const LeaseMax = 10 * time.Minute

// MostAhead bounds the place in the queue that is counted.
const MostAhead = 1000

// mostTries is how often a version is begun that no trial of ends.
const mostTries = 2

// Due is a version that is to be opened, and is leased to who asked for it.
type Due struct {
	Project sandlot.ProjectID
	Version int
	Lease   int64 // names the lease
	Try     int   // the first is 1
}

// Outcome is how the trial of a version ended.
type Outcome string

// The outcomes.
const (
	Done   Outcome = "done"
	Failed Outcome = "failed" // nothing can be said of the version
	Passed Outcome = "passed" // it was not opened: there were too many
)

// A Record is what is kept of a project's trials: the last one that ended, and who is at one.
type Record struct {
	Version int       // of the last that ended; 0: none has
	At      time.Time // when it did
	Outcome Outcome
	Seen    []byte // as it was recorded
	Running int    // the version that is being opened; 0: none
}

// A Store keeps trials, under the same promises as a publish.Store.
type Store interface {
	// ClaimTrial leases a current version that was neither opened nor is leased, for as long as it
	// says; LeaseMax at most. Accounts take turns: the version is of the account with the fewest trials
	// today, and of several the one that waits longest. It is sandlot.ErrNotFound if there is none. Projects that are deleted or suspended have none. A version that was leased tries times
	// without an end has Failed, and one whose account had daily trials today is Passed over; of
	// those it ends some at a time.
	ClaimTrial(ctx context.Context, tries, daily int, length time.Duration) (Due, error)
	// EndTrial records how a trial ended that was claimed, unless the lease is another's by now:
	// sandlot.ErrNotFound. The version is not due again.
	EndTrial(ctx context.Context, d Due, how Outcome, seen []byte) error
	// GiveBackTrial ends the lease alone: the version is due again. forget says that this try does not count.
	GiveBackTrial(ctx context.Context, d Due, forget bool) error
	// Trial returns what is kept of a project's trials; nothing is a Record of nothing.
	Trial(ctx context.Context, id sandlot.ProjectID) (Record, error)
	// TrialsAhead returns how many versions ClaimTrial would lease before that of a project, MostAhead at most; 0 if it is not due.
	TrialsAhead(ctx context.Context, id sandlot.ProjectID) (int, error)
}
