package faults

import (
	"context"
	"time"

	"sandlot"
)

// A Store keeps faults and messages, under the same promises as a publish.Store. A deleted project has neither;
// a project in the trash keeps both.
type Store interface {
	// AddFaults adds counts to groups, and drops counts of deleted projects. Beyond MaxGroups it removes the rarest groups of
	// a version, and of equally rare ones the oldest.
	AddFaults(ctx context.Context, list []Counted) error
	// Faults returns the groups of a version, most frequent first, of equally frequent ones the last seen first.
	Faults(ctx context.Context, id sandlot.ProjectID, version int) ([]Group, error)
	// FaultsOf returns the number and the time of the errors of a version.
	FaultsOf(ctx context.Context, id sandlot.ProjectID, version int) (Sum, error)
	// AddMessage stores a message, and removes the oldest messages of the project beyond MaxMessages. A player with daily
	// messages in the last 24 hours is ErrTooMany; a deleted project is sandlot.ErrNotFound.
	AddMessage(ctx context.Context, id sandlot.ProjectID, m NewMessage, daily int) error
	// Messages returns at most limit messages of a project, newest first, with the current names of their players. If before
	// is not 0, it returns only messages with a smaller ID.
	Messages(ctx context.Context, id sandlot.ProjectID, before int64, limit int) ([]Message, error)
	// DeleteMessage removes a message of a project. A missing one is no error.
	DeleteMessage(ctx context.Context, id sandlot.ProjectID, message int64) error
}

// A Counted is a group of a project with the errors to add to it.
type Counted struct {
	Project sandlot.ProjectID
	Hash    sandlot.Digest // equal errors of a version have the same
	Group
}

// A Sum holds the errors of a version.
type Sum struct {
	Groups int
	Count  int64
	LastAt time.Time
}

// A NewMessage is a message to store.
type NewMessage struct {
	Version int
	Text    string
	Token   sandlot.Digest // of the player, who may have no stored data
	At      time.Time
}
