// Package faults keeps the errors that pages threw in players' browsers, grouped and freed of secrets, and the messages
// of players to the maker. Strangers write both, and people and models read them: bounded, and marked as untrusted.
package faults

import (
	"context"
	"log/slog"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// Bounds of faults and messages.
const (
	MaxReports   = 10  // errors of one call, and of one page
	MaxGroups    = 100 // of a version
	MaxFeedback  = 280 // characters of a message
	MaxMessages  = 1000
	Kept         = 30 * 24 * time.Hour // of a group, after its last error
	MessagesKept = players.Kept
)

// Service holds the rules for faults and messages. Its methods may be called concurrently, and its errors are like those of
// players.Service. A project whose Runtime is not RuntimeOn takes neither faults nor messages; its owner can still read and
// delete the stored ones.
type Service struct {
	Config
	Pending *Pending
}

// Config holds the parts of a Service. All must be set but Log.
type Config struct {
	Store    Store
	Projects Projects
	Limits   *players.Limits
	Now      func() time.Time // the time of the database
	Log      *slog.Logger     // nil: nothing is logged
}

// Projects returns projects to their owners by any address; *publish.Reader is one.
type Projects interface {
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// New returns a Service.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{c, newPending(c.Store, c.Log)}
}
