package boards

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
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
	mostLines   = 100_000 // rows of a project in an export: 13 MB; several boards have equal shares
	longestLine = 4 << 10 // bytes of a line of an import; lines of an export have some 200
	broughtRows = 100     // rows that are added in one step
)

// A line describes a board, or a row of the board in the lines before.
type line struct {
	Board      string    `json:"board,omitempty"`
	Order      string    `json:"order,omitempty"` // "asc" or "desc"
	Min        *float64  `json:"min,omitempty"`
	Max        *float64  `json:"max,omitempty"`
	MinSeconds *int      `json:"min_seconds,omitempty"`
	CreatedAt  time.Time `json:"created_at,omitzero"`

	Player string    `json:"player,omitempty"`
	Name   string    `json:"name,omitempty"`
	Score  *float64  `json:"score,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

// Name returns the end of the entry's path.
func (Lines) Name() string { return "boards.ndjson" }

// Kind returns the name of the data in messages.
func (Lines) Kind() string { return "scores" }

// Write writes the boards of a project by name; for a deleted project, or one without boards, it writes nothing. It may
// miss scores that are placed during the call.
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
	err := e.Encode(line{Board: b.Name, Order: Order(b.Ascending), Min: b.Min, Max: b.Max, MinSeconds: &b.MinSeconds, CreatedAt: b.CreatedAt})
	if err != nil {
		return err
	}
	return l.Store.Rows(ctx, id, b.Name, most, func(r Row) error {
		return e.Encode(line{Player: r.Player, Name: r.Name, Score: &r.Score, At: r.At})
	})
}

// Read adds boards to a project as players.ReadLines does, and replaces a row of the project only by a better one.
func (l Lines) Read(ctx context.Context, id sandlot.ProjectID, r io.Reader) (left string, err error) {
	in := bringing{Lines: l, id: id}
	return players.ReadLines(r, l.Kind(), longestLine, func() error { return in.flush(ctx) },
		func(text []byte) (ok bool, err error) { return in.add(ctx, text) })
}

// bringing holds the state of Read.
type bringing struct {
	Lines
	id    sandlot.ProjectID
	board *Board
	rows  []Row
	all   int // rows of all boards
}

// add adds a line; ok is false for an invalid one.
func (in *bringing) add(ctx context.Context, text []byte) (ok bool, err error) {
	var x line
	if json.Unmarshal(text, &x) != nil {
		return false, nil
	}
	if x.Board == "" {
		return in.row(ctx, x)
	}
	if err := in.flush(ctx); err != nil {
		return true, err
	}
	b := Board{
		Name: x.Board, Ascending: x.Order == Ascending, Min: x.Min, Max: x.Max, MinSeconds: MinSeconds,
		CreatedAt: players.Past(x.CreatedAt, in.Now()),
	}
	if x.MinSeconds != nil {
		b.MinSeconds = *x.MinSeconds
	}
	if _, err := boardName(b.Name); err != nil || (Change{}).check(b) != nil {
		return false, nil
	}
	in.board = &b
	return true, in.flush(ctx) // a board without rows is added as well
}

func (in *bringing) row(ctx context.Context, x line) (ok bool, err error) {
	in.all++
	if in.board == nil || in.all > mostLines || x.Score == nil || !players.IsID(x.Player) {
		return false, nil
	}
	now := in.Now()
	in.rows = append(in.rows, Row{Player: x.Player, Name: names.Player(x.Name), Score: *x.Score, At: players.Past(x.At, now), Seen: now})
	if len(in.rows) == broughtRows {
		err = in.flush(ctx)
	}
	return true, err
}

func (in *bringing) flush(ctx context.Context) error {
	if in.board == nil {
		return nil
	}
	rows := in.rows
	in.rows = nil
	return players.Refusal(in.id, refusal(in.Store.Bring(ctx, in.id, *in.board, rows, in.Most)))
}
