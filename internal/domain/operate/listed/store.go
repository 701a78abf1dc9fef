package listed

import (
	"context"
	"time"

	"sandlot"
)

// A Sighting is the state of a host at a service.
type Sighting struct {
	Host, Service string
	FoundAt       time.Time // since when the host is known to be listed
	CheckedAt     time.Time
}

// A Store keeps sightings, under the same promises as a publish.Store.
type Store interface {
	// ClaimLook claims a look at a service, and reports whether it is due: the last without a failure began more than every
	// ago, and the last one of all more than again ago, by the store's clock. Of several callers at once one gets it.
	ClaimLook(ctx context.Context, service string, every, again time.Duration) (bool, error)
	// RecordLook records which hosts are listed by a service. A host that was listed before keeps its FoundAt. done records
	// that the look had no failure; hosts that it did not look up are forgotten then.
	RecordLook(ctx context.Context, service string, found map[string]bool, done bool) error
	// Sightings returns the hosts that are listed, longest first.
	Sightings(ctx context.Context) ([]Sighting, error)
	// Reported returns projects with open reports, at most limit, those with the newest ones.
	Reported(ctx context.Context, limit int) ([]sandlot.ProjectID, error)
}
