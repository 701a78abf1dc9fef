package boards

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

// A Store keeps boards and scores, under the same promises as a publish.Store. A project or a board that is not there is
// sandlot.ErrNotFound.
//
// A row is the best score of a player in a period of a board; of equal scores, the earlier is the better one. A board
// has at most MaxRows rows in a period: beyond that the worst goes. Ranks are exact at the moment of the step or read,
// on every node.
type Store interface {
	// Place records a score, on a board that is born if there is none, and returns the player's place of all time. A
	// score that is no better than the row of the player changes nothing. A project with MaxBoards bears no more:
	// ErrTooManyBoards. A player whom the owner refused is ErrRefused; an error of p.Admit comes back, and then nothing
	// has changed. Where the board needs
	// another block, it is players.ErrProjectFull over players.MaxBytes, and sandlot.ErrTooManyBytes over p.Most. Other
	// errors are those of players.Holder.
	Place(ctx context.Context, p Placing) (Placed, error)
	// Top returns entries of one moment. Of a board without rows in the period there are none.
	Top(ctx context.Context, r Reading) (Top, error)
	// Boards returns the boards of a project, the one that moved last first.
	Boards(ctx context.Context, id sandlot.ProjectID) ([]Board, error)
	// Amend changes a board, and returns it. Rows outside of its bounds are gone when it returns; should it end early,
	// Sweep removes them.
	Amend(ctx context.Context, id sandlot.ProjectID, board string, c Change, at time.Time) (Board, error)
	// Delete removes a board. Sweep removes its rows.
	Delete(ctx context.Context, id sandlot.ProjectID, board string) error
	// Moved returns boards of projects that may be listed and that moved since a time, the last moved first, with their
	// best of all time: of the latest limit that moved, so that the cost is bounded. A project may come several times.
	Moved(ctx context.Context, since time.Time, limit int) ([]Moved, error)
	// Rows calls do with the rows of all time of a board, the best first, at most most of them: in pages, so that what is
	// placed meanwhile may come or not.
	Rows(ctx context.Context, id sandlot.ProjectID, board string, most int, do func(Row) error) error
	// Bring adds rows of all time as Place does, with the players that they name, on a board that is born as b if there
	// is none. What is there already stays unless a row is better. Rows come with their own times. most is as Placing.Most.
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
	Ascending bool // of a board that is born
	Score     float64
	Name      string            // the player's new name; "": as it is
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
	Around  bool           // those around You, if it has a place
}

// A Row is a score of all time, in an export.
type Row struct {
	Player string
	Name   string
	Score  float64
	At     time.Time
	Seen   time.Time // of a row that is brought: when the player was last seen
}
