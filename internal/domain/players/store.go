package players

import (
	"context"
	"errors"
	"time"

	"sandlot"
)

// A Store keeps players, saves and shared values, under the same promises as a publish.Store. A deleted project
// has none of them, and a step that would add data to it is sandlot.ErrNotFound. most is the limit of an account in bytes;
// 0 is no limit.
type Store interface {
	// Player returns the player of a token; ErrNotFound if it has no stored data.
	Player(ctx context.Context, project sandlot.ProjectID, token sandlot.Digest) (Known, error)
	// Seen records the day of a visit. It does not add an unknown player.
	Seen(ctx context.Context, h Holder) error
	// Rename gives a player a name, unless it is refused.
	Rename(ctx context.Context, h Holder, name string) (Known, error)
	// SetCode replaces the code of a player. A code that another player has is sandlot.ErrExists.
	SetCode(ctx context.Context, h Holder, code sandlot.Digest) error
	// Resume makes h.Token a token of the player with a code; ErrNotFound if no player has the code. It removes the oldest
	// of more than MaxTokens tokens.
	Resume(ctx context.Context, h Holder, code sandlot.Digest) (Known, error)

	// Saves returns the slots of a player by name, without JSON; an unknown player has none.
	Saves(ctx context.Context, project sandlot.ProjectID, token sandlot.Digest) ([]Value, error)
	// Load returns a save and the day on which its player was last seen; ErrNotFound if the slot is empty.
	Load(ctx context.Context, project sandlot.ProjectID, token sandlot.Digest, slot string) (Value, int64, error)
	// Save fills a slot. It is ErrPlayerFull over MaxSaves or MaxHeld, ErrProjectFull over MaxBytes, and
	// sandlot.ErrTooManyBytes over most. Two saves of different players wait for each other only if one of them
	// adds its player, or changes the player's bytes rounded up to Step.
	Save(ctx context.Context, h Holder, slot string, value []byte, most int64) error
	// DeleteSave empties a slot. An empty slot or an unknown player is no error.
	DeleteSave(ctx context.Context, h Holder, slot string) error

	// SharedKeys returns the shared values whose keys begin with prefix, in the order of their bytes, without JSON.
	SharedKeys(ctx context.Context, project sandlot.ProjectID, prefix string) ([]Value, error)
	// LoadShared returns a shared value, or ErrNotFound.
	LoadShared(ctx context.Context, project sandlot.ProjectID, key string) (Value, error)
	// Share keeps a shared value. It is ErrSharedFull over MaxSharing or MaxKeys, and else as Save.
	Share(ctx context.Context, h Holder, key string, value []byte, most int64) error
	// DeleteShared removes a shared value. A missing one is no error.
	DeleteShared(ctx context.Context, h Holder, key string) error

	// Lines calls do with each save of a project's players, in the order of players and slots, and then with each shared
	// value. It reads in pages: it may miss saves that are stored during the call.
	Lines(ctx context.Context, id sandlot.ProjectID, do func(Line) error) error
	// Bring adds saves and shared values with their own times, and the players that they name. It leaves filled slots and
	// keys as they are. Its errors are those of Save and Share.
	Bring(ctx context.Context, id sandlot.ProjectID, list []Line, most int64) error
	// Totals returns the sums of an account's projects, without projects whose players have no stored data.
	Totals(ctx context.Context, account sandlot.AccountID) (Totals, error)
	// Remove deletes a player with its data. With refuse the player stays as Refused, without name, code, saves and scores.
	// A missing player is ErrNotFound.
	Remove(ctx context.Context, project sandlot.ProjectID, player string, refuse bool) error
}

// A Known player has stored data.
type Known struct {
	ID, Name string
	Refused  bool  // by the owner: it has no name, and no place on a board
	Day      int64 // on which it was last seen, as figures.DayOf counts
	Held     int64 // bytes of its saves
	Saves    int64
}

// Totals holds the sums of an account's projects.
type Totals struct {
	Account  int64 // all bytes that count to the account
	Projects map[sandlot.ProjectID]Sum
}

// A Sum holds the size of the data of a project's players.
type Sum struct {
	Players int64
	Bytes   int64 // of saves, each player's rounded up to Step, of shared values, and of boards
	Charged int64 // the bytes that count to the account: Bytes rounded up to Charge
}

// A Holder names the player of a step that stores data.
type Holder struct {
	Project sandlot.ProjectID
	Token   sandlot.Digest
	Fresh   string // the ID of the player, should it be new; empty: a new player is ErrNewcomer
	Now     time.Time
}

// The errors of a store.
var (
	// ErrNewcomer: the player is not known, and the step has no ID for a new one.
	ErrNewcomer = errors.New("the player is new")
	// ErrTooManyPlayers: the project has MaxPlayers players.
	ErrTooManyPlayers = errors.New("too many players")
	// ErrPlayerFull, ErrProjectFull, ErrSharedFull: a player, the players of a project, or its shared values would exceed
	// their limits.
	ErrPlayerFull  = errors.New("the player has too much data")
	ErrProjectFull = errors.New("the players of the project have too much data")
	ErrSharedFull  = errors.New("the shared values are too large")
)
