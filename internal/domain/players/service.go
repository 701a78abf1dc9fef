// Package players keeps the data of players: their saves, the values that all players of a project share, and their
// names. A player has no account, but a random token in the storage of the project's own origin; only its hash is stored.
// Package boards keeps scores; package faults keeps the errors that pages threw and the messages of players to the maker.
package players

import (
	"context"
	"log/slog"
	"time"

	"sandlot"
)

// Bounds of a player and of a project.
const (
	MaxSave    = 256 << 10 // bytes of a save
	MaxSaves   = 32        // slots of a player
	MaxHeld    = 3 << 20   // bytes of all saves of a player
	MaxShared  = 20 << 10  // bytes of a shared value
	MaxSharing = 1 << 20   // bytes of all shared values of a project
	MaxName    = 20        // characters of a player's name
	MaxSlot    = 64        // characters of a slot's name: A-Z a-z 0-9 . _ -
	MaxKey     = 200       // characters of a shared value's key
	MaxPlayers = 250_000   // players of a project with stored data: more than a board has, and some 50 MB of records
	MaxBytes   = 256 << 20 // bytes of all players of a project
	MaxKeys    = 1000      // shared values of a project
	MaxTokens  = 32        // tokens of a player, one for each device
	Step       = 4 << 10   // the bytes of a player count to its project in steps of this
	Charge     = 64 << 10  // those of a project count to its account in steps of this
	// Kept is the time after the last call of a player until its data is deleted.
	Kept = 400 * 24 * time.Hour
)

// Projects returns projects that are open to everybody, by any address; *publish.Reader is one.
type Projects interface {
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// Config holds the parts of a Service. All must be set but Most and Log.
type Config struct {
	Store    Store
	Projects Projects
	Vault    *sandlot.Vault
	Limits   *Limits          // boards and faults share them
	Most     int64            // bytes of an account, as in publish.Quota; 0: no limit
	Now      func() time.Time // the time of the database
	Log      *slog.Logger     // nil: nothing is logged
}

// Service holds the rules for saves, shared values and names. Its methods may be called concurrently. Errors are
// *sandlot.Error for a refusal; any other error is a fault of the service. A change is durable when its call returns
// nil.
//
// A project whose Runtime is RuntimeOff refuses every call with CodeRuntimeOff; a project whose Runtime is
// RuntimeRead refuses each call that changes something.
type Service struct {
	Config
}

// New returns a Service.
func New(c Config) *Service { return &Service{c} }
