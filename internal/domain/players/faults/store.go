package faults

import (
	"context"
	"time"

	"sandlot"
)

// A Store keeps faults and messages, under the same promises as a publish.Store. A project that is deleted has neither;
// in the trash it keeps both.
type Store interface {
	// AddFaults adds counts to groups. Counts of projects that are gone are dropped. Of a version's groups beyond MaxGroups
	// the rarest go, of equally rare ones those that were seen the longest ago.
	AddFaults(ctx context.Context, list []Counted) error
	// Faults returns the groups of a version, most frequent first, of equally frequent ones the last seen first.
	Faults(ctx context.Context, id sandlot.ProjectID, version int) ([]Group, error)
	// FaultsOf returns the number and the time of the errors of a version.
	FaultsOf(ctx context.Context, id sandlot.ProjectID, version int) (Sum, error)
	// AddMessage keeps a message. Of a project's messages beyond MaxMessages the oldest go. A player with daily messages in the
	// last 24 hours is ErrTooMany; a project that is gone is sandlot.ErrNotFound.
	AddMessage(ctx context.Context, id sandlot.ProjectID, m NewMessage, daily int) error
	// Messages returns at most limit messages of a project, newest first, with the names that their players have now: those
	// with an ID below before, if it is not 0.
	Messages(ctx context.Context, id sandlot.ProjectID, before int64, limit int) ([]Message, error)
	// DeleteMessage removes a message of a project. One that is not there is no error.
	DeleteMessage(ctx context.Context, id sandlot.ProjectID, message int64) error
}

// A Counted is a group of a project with the errors that are to be added to it.
type Counted struct {
	Project sandlot.ProjectID
	Hash    sandlot.Digest // of what makes errors equal within a version
	Group
}

// A Sum holds the errors of a version.
type Sum struct {
	Groups int
	Count  int64
	LastAt time.Time
}

// A NewMessage is a message to be kept.
type NewMessage struct {
	Version int
	Text    string
	Token   sandlot.Digest // of the player, who need not have kept anything
	At      time.Time
}
