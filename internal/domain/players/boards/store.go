package boards

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// A Store keeps boards and scores, under the same promises as a publish.Store. A missing project or board is
// sandlot.ErrNotFound.
//
// A row is the best score of a player in a period of a board; of equal scores the earlier is better. A board has at most
// MaxRows rows in a period: beyond them the worst is removed. Ranks are exact at the moment of the step or read, on every
// node.
type Store interface {
	// Place records a score, creates its board if there is none, and returns the player's place of all time. A score that
	// is no better than the player's row changes nothing. A further board of a project with MaxBoards is
	// ErrTooManyBoards, and a refused player is ErrRefused. Place returns an error of p.Admit, and then changes nothing. A
	// further block of a board is players.ErrProjectFull over players.MaxBytes, and sandlot.ErrTooManyBytes over p.Most.
	// Other errors are those of players.Holder.
	Place(ctx context.Context, p Placing) (Placed, error)
	// Top returns entries of one moment; none for a board without rows in the period.
	Top(ctx context.Context, r Reading) (Top, error)
	// Boards returns the boards of a project, the last moved first.
	Boards(ctx context.Context, id sandlot.ProjectID) ([]Board, error)
	// Amend changes a board, and returns it. Before it returns, it removes the rows outside of its bounds; after a crash
	// Sweep removes them.
	Amend(ctx context.Context, id sandlot.ProjectID, board string, c Change, at time.Time) (Board, error)
	// Delete removes a board. Sweep removes its rows.
	Delete(ctx context.Context, id sandlot.ProjectID, board string) error
	// Moved returns the boards of listed projects that moved since a time, the last moved first, with their best entry of
	// all time. It considers only the limit boards that moved last, so that its cost is bounded, and may return several
	// boards of a project.
	Moved(ctx context.Context, since time.Time, limit int) ([]Moved, error)
	// Rows calls do with at most most rows of all time of a board, the best first. It reads in pages: it may miss scores
	// that are placed during the call.
	Rows(ctx context.Context, id sandlot.ProjectID, board string, most int, do func(Row) error) error
	// Bring adds rows of all time with their own times, as Place does, and the players that they name. It creates the board
	// as b if there is none, and replaces a row only by a better one. most is as Placing.Most.
	Bring(ctx context.Context, id sandlot.ProjectID, b Board, rows []Row, most int64) error
}

// The errors of a Store.
var (
	// ErrTooManyBoards: the project has MaxBoards.
	ErrTooManyBoards = errors.New("too many boards")
	// ErrRefused: the owner of the project refused the player.
	ErrRefused = errors.New("the player is refused")
)

// A Placing is a score for a Store.
type Placing struct {
	players.Holder
	Board     string
	Ascending bool // the order of a new board
	Score     float64
	Name      string            // the player's new name; "": unchanged
	Most      int64             // bytes of the account; 0: no limit
	Admit     func(Board) error // refuses the score under the rules of the board, within the step
}

// A Reading chooses entries for a Store.
type Reading struct {
	Project sandlot.ProjectID
	Board   string
	Period  int64          // as Period.Number returns it
	Limit   int            // 0: only You
	Token   sandlot.Digest // of You; zero: see Player
	Player  string         // the id of You, if it is not empty
	Around  bool           // returns the entries around You, if it has a place
}

// A Row is a score of all time, in an export.
type Row struct {
	Player string
	Name   string
	Score  float64
	At     time.Time
	Seen   time.Time // for Bring: the last visit of the player
}
