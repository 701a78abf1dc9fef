// Package boards keeps the scores of players: boards that the first score creates, with the best row of each player in
// each period, and exact ranks. Scores are sent by the players' own programs: they are bounded, and not verified.
package boards

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/base/recent"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/players"
)

// Bounds of boards.
const (
	MaxBoards  = 100     // of a project
	MaxRows    = 100_000 // players of a board in each period; then the worst goes
	MaxName    = 40      // characters of a board's name: a-z 0-9 _ -
	MaxTop     = 100     // entries of one answer
	MinSeconds = 5       // default of the stay before a score counts
	defaultTop = 10      // entries of a list without a limit
	// BlockBytes counts to the room of a project for each block of up to 1,024 rows: a row has some 60 bytes with its
	// place in the index.
	BlockBytes = 64 << 10
	Default    = "main" // the board of a score that names none
)

// Service holds the rules for boards. Its methods may be called concurrently, and its errors are like those of
// players.Service.
type Service struct {
	Config
	lists *recent.Map[listKey, list]
	reads *turns.Locks[listKey] // let one of the calls that miss a list read it
	moved moved
}

// Config holds the parts of a Service. All must be set but Most.
type Config struct {
	Store    Store
	Projects Projects
	Vault    *sandlot.Vault
	Limits   *players.Limits
	Most     int64            // as in players.Config
	Now      func() time.Time // the time of the database
}

// Projects returns projects to everybody, and to their owners by any address; *publish.Reader is one.
type Projects interface {
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{Config: c, lists: recent.New[listKey, list](mostListed), reads: turns.NewLocks[listKey]()}
}
