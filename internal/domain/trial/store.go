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

// mostTries bounds the trials of a version without an end.
const mostTries = 2

// Due is a version to open, leased to the caller of ClaimTrial.
type Due struct {
	Project sandlot.ProjectID
	Version int
	Suffix  string // of the version's address, if it was requested: it need not be the current one, and has no lease
	Lease   int64  // the number of the lease
	Try     int    // the first is 1
}

// Outcome is the end of the trial of a version.
type Outcome string

// The outcomes.
const (
	Done   Outcome = "done"
	Failed Outcome = "failed" // nothing is known about the version
	Passed Outcome = "passed" // it was not opened: there were too many
)

// A Record holds a project's trials: the last one that ended, and the running one.
type Record struct {
	Version int       // of the last trial that ended; 0: none has
	At      time.Time // when it ended
	Outcome Outcome
	Seen    []byte // as it was recorded
	Running int    // the version that is being opened; 0: none
}

// A Store keeps trials, under the same promises as a publish.Store.
type Store interface {
	// ClaimTrial leases a current version that was neither opened nor is leased, for length; LeaseMax at most. Accounts
	// take turns: the version is of the account with the fewest trials today, and of several the one that waits
	// longest. Held projects come last. It is sandlot.ErrNotFound if there is none. Deleted and suspended projects have
	// none. A version that was leased tries times without an end has Failed, and one whose account had daily trials today is Passed over; it
	// ends some of those at a time.
	ClaimTrial(ctx context.Context, tries, daily int, length time.Duration) (Due, error)
	// EndTrial records the outcome of a claimed trial, unless the lease is another's by now: sandlot.ErrNotFound. The
	// version is not due again.
	EndTrial(ctx context.Context, d Due, how Outcome, seen []byte) error
	// EndTrialHeld is EndTrial with Done, and holds the project by sandlot.HeldFields, in one step. It holds none whose account is
	// verified or whose version is no longer the current one.
	EndTrialHeld(ctx context.Context, d Due, seen []byte) error
	// GiveBackTrial only ends the lease: the version is due again. With forget this try does not count.
	GiveBackTrial(ctx context.Context, d Due, forget bool) error
	// Trials returns the Records of these projects' trials, by one query. A project without any has none.
	Trials(ctx context.Context, ids ...sandlot.ProjectID) (map[sandlot.ProjectID]Record, error)
	// CountTrial counts an opening of a version of a project, together with those of ClaimTrial, and returns true. It returns
	// false and counts nothing if the project's account had daily openings today.
	CountTrial(ctx context.Context, id sandlot.ProjectID, daily int) (bool, error)
	// TrialsAhead returns the number of versions that ClaimTrial would lease before that of a project, MostAhead at
	// most; 0 if it is not due.
	TrialsAhead(ctx context.Context, id sandlot.ProjectID) (int, error)
}
