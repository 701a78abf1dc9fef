package judge

import (
	"context"
	"time"

	"sandlot"
)

// LeaseMax is the longest lease of a version that is being judged.
const LeaseMax = 10 * time.Minute

// Due is a version to judge, leased to the caller of ClaimVerdict.
type Due struct {
	Project sandlot.Project // as it was when it was leased
	Shot    bool            // whether the play-tester has a screenshot of the version
	Lease   int64           // the number of the lease
	Try     int             // the first is 1
}

// Query selects the verdicts to list.
type Query struct {
	Answer Answer // of this answer; empty: of all
	Skip   int
	Limit  int
}

// A Store keeps verdicts, under the same promises as a publish.Store.
type Store interface {
	// StartJudging records that a judge is at work. If none was for longer than gap, the versions of that time are judged
	// no more; nor are those from before the first judge.
	StartJudging(ctx context.Context, gap time.Duration) error
	// ClaimVerdict leases the current version of a project that was neither judged nor is leased for length, LeaseMax at
	// most: the one that waits longest, of an account without a verified address. Deleted and suspended projects have none.
	// For shots of the play-tester it waits until it has opened the version, or for wait; 0: not at all. It is
	// sandlot.ErrNotFound if there is none. Versions of verified accounts, and of projects that the judge or a moderator
	// holds, are passed over; it passes over some at a time.
	ClaimVerdict(ctx context.Context, wait, length time.Duration) (Due, error)
	// EndVerdict records the verdict on a claimed version, unless the lease is another's by now: sandlot.ErrNotFound. The
	// version is not due again. In the same step the project is held by sandlot.HeldJudge if the verdict Holds it.
	EndVerdict(ctx context.Context, d Due, v Verdict) error
	// GiveBackVerdict ends the lease: the version is due again after pause. With forget this try does not count.
	GiveBackVerdict(ctx context.Context, d Due, pause time.Duration, forget bool) error
	// Verdicts returns the last verdict about each project, newest first.
	Verdicts(ctx context.Context, q Query) ([]Record, error)
}
