// Package boards keeps the scores of players: boards that are born with their first score, with one best row a player
// for each period, and exact ranks. Scores are sent by the players' own programs: they are bounded, and not verified.
package boards

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// Bounds of boards.
const (
	MaxBoards  = 100     // of a project
	MaxRows    = 100_000 // players of a board in each period; then the worst goes
	MaxName    = 40      // characters of a board's name: a-z 0-9 _ -
	MaxTop     = 100     // entries of one answer
	MinSeconds = 5       // how long a player has to be there before a score counts, where the owner says nothing
	Default    = "main"  // the board of a score that names none
)

// Service holds the rules for boards. Its methods may be called concurrently, and its errors are as those of
// players.Service.
type Service struct {
	Config
}

// Config holds the parts of a Service. All must be set.
type Config struct {
	Store    Store
	Projects Projects
	Vault    *sandlot.Vault
	Limits   *players.Limits
	Now      func() time.Time // the time of the database
}

// Projects returns projects to everybody, and to their owners by any address; *publish.Reader is one.
type Projects interface {
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error)
}

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// The errors of a Store.
var (
	// ErrTooManyBoards: the project has MaxBoards.
	ErrTooManyBoards = errors.New("too many boards")
	// ErrRefused: the owner of the project refused the player.
	ErrRefused = errors.New("the player is refused")
)

// A Score is a score that a player sends.
type Score struct {
	Board     string // "": Default
	Score     float64
	Ascending bool   // of a board that is born: whether lower is better. A board that exists keeps its order
	Name      string // the player's new name; "": as it is
	Since     string // the stamp of the player's stay, from players.Service.Hello
}

// Placed is the effect of a score.
type Placed struct {
	Board     string
	Ascending bool
	Best      float64 // the player's best of all time
	Improved  bool    // whether this score is it
	Rank      int64   // of Best, from 1
	Of        int64   // players of the board
	Player    string  // the player's id
}

// Place records a score. A score of a player who has not been there for MinSeconds is CodeTooEarly, with RetryAfter; one
// outside of the owner's bounds is CodeScoreRefused.
func (s *Service) Place(ctx context.Context, by sandlot.Caller, v players.Visit, in Score) (Placed, error) {
	panic("seam")
}

// A Query chooses entries of a board.
type Query struct {
	Board  string // "": Default
	Period Period // "": AllTime
	Limit  int    // 0: 10; at most MaxTop
	Around bool   // those around the player of the visit, instead of the first
	Player string // the id of a player to take for that of the visit; "": the one of its token
}

// Top is a list of entries. A board that does not exist has none.
type Top struct {
	Board     string
	Period    Period
	Ascending bool
	Entries   []Entry
	Of        int64  // players of the board in the period
	You       *Entry // the player of the visit, where it has a place
}

// An Entry is the best score of a player in a period.
type Entry struct {
	Rank   int64
	Name   string // strangers' text
	Score  float64
	At     time.Time
	Player string // the player's id
	You    bool   // whether it is the player of the visit
}

// Top returns entries of a board, from a list at most a second old; ranks are those of the same moment. Without a
// token and a Player there is no You. Ids of players are public: the website knows the player of a frame by it alone.
func (s *Service) Top(ctx context.Context, by sandlot.Caller, v players.Visit, q Query) (Top, error) {
	panic("seam")
}

// A Board is a board as its owner sees it.
type Board struct {
	Name       string
	Ascending  bool
	Min, Max   *float64
	MinSeconds int
	Players    int64 // of all time
	CreatedAt  time.Time
	MovedAt    time.Time // of the last score that changed it
}

// List returns the boards of a project, the one that moved last first: to everybody, for they are public.
func (s *Service) List(ctx context.Context, by sandlot.Caller, ref string) ([]Board, error) {
	panic("seam")
}

// Board returns a board with entries, for its project's owner. A board that does not exist is CodeBoardNotFound, here
// and below.
func (s *Service) Board(ctx context.Context, by sandlot.Caller, ref string, q Query) (Board, Top, error) {
	panic("seam")
}

// A Change of a board. What is nil stays. Rows outside of new bounds are removed.
type Change struct {
	Min, Max      *float64
	NoMin, NoMax  bool // takes the bound away
	MinSeconds    *int
	Reset         bool // removes all rows
	RemovePlayers []string
}

// Bounds reports whether the change sets or removes a bound.
func (c Change) Bounds() bool { return c.Min != nil || c.Max != nil || c.NoMin || c.NoMax }

// Rule changes the rules of a board.
func (c Change) Rule(b *Board) {
	if c.Min != nil || c.NoMin {
		b.Min = c.Min
	}
	if c.Max != nil || c.NoMax {
		b.Max = c.Max
	}
	if c.MinSeconds != nil {
		b.MinSeconds = *c.MinSeconds
	}
}

// Amend changes a board, for its project's owner.
func (s *Service) Amend(ctx context.Context, by sandlot.Caller, ref, board string, c Change) (Board, error) {
	panic("seam")
}

// Delete removes a board with its settings, for its project's owner. The next score bears a new one.
func (s *Service) Delete(ctx context.Context, by sandlot.Caller, ref, board string) error {
	panic("seam")
}

// A Moved is a board that moved today, for the gallery.
type Moved struct {
	Project sandlot.ProjectID
	Board   string
	Best    Entry
	Players int64
	MovedAt time.Time
}

// MovedToday returns the first board of each of at most limit projects that may be listed and have a board that moved
// since the beginning of the day in UTC, last moved first; from a list at most a few seconds old.
func (s *Service) MovedToday(ctx context.Context, by sandlot.Caller, limit int) ([]Moved, error) {
	panic("seam")
}
