package blocks

import (
	"context"
	"fmt"
	"time"

	"sandlot"
)

// An Entry is one value of the blocklist.
type Entry struct {
	ID     int64
	Kind   string
	Value  string // in the form of its kind
	Reason string
	By     string // the name of the person who added it
	At     time.Time
	Until  time.Time // zero: no end
}

// Name returns the name of the entry in the audit log.
func (e Entry) Name() string { return fmt.Sprintf("block:%d", e.ID) }

// Told returns the reason in the audit log, which keeps it for good: so it has neither networks nor mailboxes.
func (e Entry) Told() string {
	switch e.Kind {
	case Network, Publisher, Mailbox:
		return e.Kind + ": " + e.Reason
	}
	return e.Kind + " " + e.Value + ": " + e.Reason
}

// Shown returns the value for people: of a mailbox, the beginning of its hash.
func (e Entry) Shown() string {
	if e.Kind == Mailbox || e.Kind == Publisher {
		return e.Value[:min(len(e.Value), 12)]
	}
	return e.Value
}

// A List holds many values of one kind, imported together.
type List struct {
	Name, Kind string
	Lines      int
	Reason, By string
	At         time.Time
	Until      time.Time // zero: no end
	Generation int64     // the number of the blocklist with which it came
	Body       []byte    // the keys of its values in order
}

// Loaded is the blocklist of one moment.
type Loaded struct {
	Generation int64
	Entries    []Entry
	Lists      []List
}

// Published is a network from which an account published.
type Published struct {
	Network, Wide sandlot.Digest
	At            time.Time
}

// A Neighbour is an account that published from the same wider network as another one.
type Neighbour struct {
	Account sandlot.AccountID
	Same    bool // also from the same address of IPv4, or /64 of IPv6
}

// A Store keeps the blocklist, under the same promises as a publish.Store. Every change gives the list its next number,
// and steps that were checked against another one are then sandlot.ErrBlocksMoved.
type Store interface {
	// Generation returns the number of the blocklist.
	Generation(ctx context.Context) (int64, error)
	// Load returns the blocklist of one moment. Lists whose Generation is known are returned as they are there.
	Load(ctx context.Context, known map[int64]List) (Loaded, error)
	// AddBlocks adds entries, in place of those with the same value, and records e for each, with its name and Told. It
	// returns them with their IDs.
	AddBlocks(ctx context.Context, list []Entry, e sandlot.LogEntry) ([]Entry, error)
	// SuspendAndBlock is Suspend of operate.AdminStore and AddBlocks in one step.
	SuspendAndBlock(ctx context.Context, s sandlot.Subject, list []Entry, e sandlot.LogEntry) error
	// PutList adds a list, in place of the one of that name, and records e.
	PutList(ctx context.Context, l List, e sandlot.LogEntry) error
	// Unblock removes the entry with that ID, or the list if there is a name, and records e. One that is not there is
	// sandlot.ErrNotFound.
	Unblock(ctx context.Context, id int64, name string, e sandlot.LogEntry) error
	// Blocked returns entries with an ID above after, oldest first, at most limit; Lists returns all lists without bodies.
	Blocked(ctx context.Context, after int64, limit int) ([]Entry, error)
	Lists(ctx context.Context) ([]List, error)

	// Vouched reports whether an account has a verified address, or the trust of the operator.
	Vouched(ctx context.Context, id sandlot.AccountID) (bool, error)
	// Shared returns those of the hashes that a file of another account than owner has, too, if that account is
	// vouched for.
	Shared(ctx context.Context, hashes []sandlot.Digest, owner sandlot.AccountID) ([]sandlot.Digest, error)
	// Publishers returns the networks from which an account published within NetworksKept, newest first.
	Publishers(ctx context.Context, id sandlot.AccountID) ([]Published, error)
	// Neighbours returns accounts that share a wider network with an account, at most limit: first those that also share
	// the narrow one, of each the newest first.
	Neighbours(ctx context.Context, id sandlot.AccountID, limit int) ([]Neighbour, error)
	// Files is that of publish.Store.
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
	KeyStore
}

// A KeyStore keeps the keys of networks.
type KeyStore interface {
	sandlot.SecretStore
	// KnownSecret returns a secret that was made before, and sandlot.ErrNotFound if none was.
	KnownSecret(ctx context.Context, name string) ([]byte, error)
}
