package operate

import (
	"context"
	"time"
)

// Totals are the numbers of an installation. All of its nodes read the same.
type Totals struct {
	Accounts AccountTotals
	Projects ProjectTotals
	Stored   StoredTotals
	Acts     map[string]int64   // acts of operators, by action
	Mail     map[string]Backlog // messages that wait, by kind
	Covers   Backlog            // projects whose cover is to be made
	Variants Backlog            // files to compress
	Trials   Backlog            // versions that a play-tester has not opened
	Deleted  Backlog            // things that the collector may delete by now
	Forgets  Backlog            // addresses of deleted accounts; without Oldest
	Reports  Backlog            // open reports
}

// AccountTotals counts the accounts that are not deleted, each once.
type AccountTotals struct{ Verified, Unverified, Suspended int64 }

// ProjectTotals counts the projects, each once: those that are not deleted, and those that their owners can take back.
type ProjectTotals struct{ Live, Suspended, Trash int64 }

// StoredTotals are the bytes of all blobs, variants and pictures included: in the database, and outside of it.
type StoredTotals struct{ Inline, Files int64 }

// A TotalStore returns the numbers of an installation, under the same promises as a publish.Store.
type TotalStore interface {
	// Totals counts everything, at a cost that does not grow with the installation: sums are kept, and no backlog is
	// counted beyond MostBacklog.
	Totals(ctx context.Context, now time.Time) (Totals, error)
	// Sum includes recent rows in the sums, if there are any: Totals counts the others one by one. One call in a few
	// minutes is enough, by any process.
	Sum(ctx context.Context) error
}

// MostBacklog is the largest size of a backlog that is counted.
const MostBacklog = 10_000

// A Backlog is work that waits.
type Backlog struct {
	Size   int64
	Oldest time.Time // since when the oldest of it waits; zero for no work, and where that is unknown
}

// Add joins another backlog to this one.
func (b *Backlog) Add(o Backlog) {
	b.Size += o.Size
	if b.Oldest.IsZero() || !o.Oldest.IsZero() && o.Oldest.Before(b.Oldest) {
		b.Oldest = o.Oldest
	}
}
