package boards

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/format/names"
)

// Lines writes the boards of a project to an export, and reads them from an import: a line of JSON for each board, followed
// by a line for each row of all time, the best first.
type Lines struct {
	Store Store
	Most  int64 // as in players.Config
	Now   func() time.Time
}

const (
	// mostLines bounds the rows of a project in an export to 13 MB; several boards have equal shares.
	mostLines = 100_000
	// longestLine bounds a line of an import. Lines of an export have some 200 bytes.
	longestLine = 4 << 10
	// broughtRows is the number of rows added in one step.
	broughtRows = 100
)

// A line describes a board, or a row of the board in the lines before.
type line struct {
	Board      string     `json:"board,omitempty"`
	Order      string     `json:"order,omitempty"` // "asc" or "desc"
	Min        *float64   `json:"min,omitempty"`
	Max        *float64   `json:"max,omitempty"`
	MinSeconds *int       `json:"min_seconds,omitempty"`
	CreatedAt  *time.Time `json:"created_at,omitempty"`

	Player string     `json:"player,omitempty"`
	Name   string     `json:"name,omitempty"`
	Score  *float64   `json:"score,omitempty"`
	At     *time.Time `json:"at,omitempty"`
}

// Name returns the end of the entry's path.
func (Lines) Name() string { return "boards.ndjson" }

// Write writes the boards of a project by name; for a deleted project, or one without boards, it writes nothing. Scores of
// the time of the call may be in it or not.
func (l Lines) Write(ctx context.Context, w io.Writer, id sandlot.ProjectID) error {
	list, err := l.Store.Boards(ctx, id)
	slices.SortFunc(list, func(a, b Board) int { return cmp.Compare(a.Name, b.Name) })
	e := json.NewEncoder(w)
	for _, b := range list {
		if err == nil {
			err = l.write(ctx, e, id, b, mostLines/len(list))
		}
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}

func (l Lines) write(ctx context.Context, e *json.Encoder, id sandlot.ProjectID, b Board, most int) error {
	err := e.Encode(line{Board: b.Name, Order: Order(b.Ascending), Min: b.Min, Max: b.Max, MinSeconds: &b.MinSeconds, CreatedAt: &b.CreatedAt})
	if err != nil {
		return err
	}
	return l.Store.Rows(ctx, id, b.Name, most, func(r Row) error {
		return e.Encode(line{Player: r.Player, Name: r.Name, Score: &r.Score, At: &r.At})
	})
}

// Read adds boards to a project, and replaces a row of the project only by a better one. It stops at an invalid line, and
// when the project has no room left. Then left is the reason, as a sentence for people, and the lines before stay.
func (l Lines) Read(ctx context.Context, id sandlot.ProjectID, r io.Reader) (left string, err error) {
	text := bufio.NewScanner(r)
	text.Buffer(nil, longestLine)
	in := bringing{Lines: l, id: id}
	for n := 1; left == "" && err == nil && text.Scan(); n++ {
		if left, err = in.take(ctx, text.Bytes()); left != "" {
			left = fmt.Sprintf("Line %d of its boards %s.", n, left)
		}
	}
	if err == nil {
		err = cmp.Or(in.flush(ctx), text.Err())
	}
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return "A line of its boards is too long.", nil
	case errors.Is(err, sandlot.ErrNotFound):
		return "The project was deleted meanwhile.", nil
	case errors.Is(err, ErrTooManyBoards):
		return fmt.Sprintf("The project has %d boards, which is the limit.", MaxBoards), nil
	case errors.Is(err, players.ErrTooManyPlayers):
		return fmt.Sprintf("%d players of the project keep something, which is the limit.", players.MaxPlayers), nil
	case errors.Is(err, players.ErrProjectFull), errors.Is(err, sandlot.ErrTooManyBytes):
		return "There is no room left for more of its scores.", nil
	}
	return left, err
}

// bringing holds the state of Read.
type bringing struct {
	Lines
	id    sandlot.ProjectID
	board *Board
	rows  []Row
	all   int // rows of all boards
}

// take adds a line, or returns its fault, as the end of a sentence.
func (in *bringing) take(ctx context.Context, text []byte) (wrong string, err error) {
	var x line
	if json.Unmarshal(text, &x) != nil {
		return "is no JSON that an export has", nil
	}
	if x.Board == "" {
		return in.row(ctx, x)
	}
	if err := in.flush(ctx); err != nil {
		return "", err
	}
	b := Board{Name: x.Board, Ascending: x.Order == Ascending, Min: x.Min, Max: x.Max, MinSeconds: MinSeconds, CreatedAt: in.past(x.CreatedAt)}
	if x.MinSeconds != nil {
		b.MinSeconds = *x.MinSeconds
	}
	if _, err := boardName(b.Name); err != nil || (Change{}).check(b) != nil {
		return "describes no board that can be", nil
	}
	in.board = &b
	return "", in.flush(ctx) // the board comes, too, if it has no rows
}

func (in *bringing) row(ctx context.Context, x line) (wrong string, err error) {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	if in.all++; in.all > mostLines {
		return "is beyond the limit of rows", nil
	}
	if in.board == nil || x.Score == nil || len(x.Player) != idLength || strings.Trim(x.Player, alphabet) != "" {
		return "is no score of a player", nil
	}
	in.rows = append(in.rows, Row{Player: x.Player, Name: names.Player(x.Name), Score: *x.Score, At: in.past(x.At), Seen: in.Now()})
	if len(in.rows) < broughtRows {
		return "", nil
	}
	return "", in.flush(ctx)
}

// past returns a time of an export, or now for an invalid one.
func (in *bringing) past(at *time.Time) time.Time {
	now := in.Now()
	if at == nil || at.After(now) || at.Year() < 1970 {
		return now
	}
	return *at
}

func (in *bringing) flush(ctx context.Context) error {
	if in.board == nil {
		return nil
	}
	rows := in.rows
	in.rows = nil
	return in.Store.Bring(ctx, in.id, *in.board, rows, in.Most)
}
