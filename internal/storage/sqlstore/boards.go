package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/boards"
)

// blockRows is the maximum number of rows of a block: 100,000 rows have some 200 blocks.
const blockRows = 1024

// ordered returns a number for a finite score. Numbers and scores have the same order.
func ordered(score float64) int64 {
	n := int64(math.Float64bits(score + 0)) // -0 and 0 have the same number
	if n < 0 {
		n ^= math.MaxInt64
	}
	return n
}

// unordered returns the score of a number.
func unordered(n int64) float64 {
	if n < 0 {
		n ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(n))
}

// A boardRow is a board of a project.
type boardRow struct {
	num, project int64
	boards.Board
}

const boardColumns = "b.num, b.project, b.name, b.ascending, b.least, b.most, b.seconds, b.created_at, b.moved_at"

const selectBoard = "SELECT " + boardColumns + ` FROM projects p JOIN boards b ON b.project = p.num
	WHERE p.id = ? AND p.deleted_at IS NULL AND b.name = ?`

func scanBoard(r row) (b boardRow, err error) {
	err = r.Scan(&b.num, &b.project, &b.Name, &b.Ascending, asBound{&b.Min}, asBound{&b.Max}, &b.MinSeconds,
		asTime{&b.CreatedAt}, asTime{&b.MovedAt})
	return b, err
}

// asBound scans the bound of a board; null is nil.
type asBound struct{ to **float64 }

func (a asBound) Scan(src any) error {
	var n sql.NullInt64
	err := n.Scan(src)
	*a.to = nil
	if n.Valid {
		v := unordered(n.Int64)
		*a.to = &v
	}
	return err
}

// orNoBound returns the stored form of a bound.
func orNoBound(bound *float64) any {
	if bound == nil {
		return nil
	}
	return ordered(*bound)
}

// sort returns the stored form of a score, in which lower is better; score is its inverse.
func (b boardRow) sort(score float64) int64 {
	if b.Ascending {
		return ordered(score)
	}
	return ^ordered(score)
}

func (b boardRow) score(sort int64) float64 {
	if b.Ascending {
		return unordered(sort)
	}
	return unordered(^sort)
}

func (store Boards) ladder(q querier, board, period int64) ladder {
	return ladder{q, board, period, store.size}
}

// spotsOf returns the rows of a player on a board, by period.
func spotsOf(ctx context.Context, q querier, board, player int64) (map[int64]spot, error) {
	type at struct {
		period int64
		spot
	}
	list, err := all(ctx, q, fields(func(a *at) []any { return append([]any{&a.period}, a.spot.fields()...) }),
		"SELECT period, sort, at, player FROM scores WHERE player = ? AND board = ?", player, board)
	out := map[int64]spot{}
	for _, a := range list {
		out[a.period] = a.spot
	}
	return out, err
}

func (store Boards) Top(ctx context.Context, r boards.Reading) (top boards.Top, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		b, err := one(ctx, q, scanBoard, selectBoard, string(r.Project), r.Board)
		if err != nil {
			return err
		}
		top = boards.Top{Board: b.Name, Ascending: b.Ascending}
		l := store.ladder(q, b.num, r.Period)
		if top.Of, err = l.count(ctx); err != nil {
			return err
		}
		you, err := store.you(ctx, l, b, r, &top)
		if err != nil {
			return err
		}
		return store.entries(ctx, l, b, r, you, &top)
	})
	return top, in("read board", err)
}

// you returns the place of the player of a reading.
func (store Boards) you(ctx context.Context, l ladder, b boardRow, r boards.Reading, top *boards.Top) (spot, error) {
	var none spot
	if r.Player == "" && r.Token == (sandlot.Digest{}) {
		return none, nil
	}
	y, err := playerOf(ctx, l, r)
	if errors.Is(err, sandlot.ErrNotFound) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	spots, err := spotsOf(ctx, l, b.num, y.num)
	at, has := spots[r.Period]
	if err != nil || !has {
		return none, err
	}
	rank, err := l.rank(ctx, at)
	top.You = &boards.Entry{
		Rank: rank, Name: y.Name, Score: b.score(at.sort), At: time.UnixMicro(at.at).UTC(), Player: y.ID, You: true,
	}
	return at, err
}

func playerOf(ctx context.Context, q querier, r boards.Reading) (playerRow, error) {
	if r.Player == "" {
		return findPlayer(ctx, q, r.Project, r.Token)
	}
	return one(ctx, q, scanPlayer, playerBy+"id = ?", string(r.Project), r.Player)
}

// entries returns the entries of a reading.
func (store Boards) entries(ctx context.Context, l ladder, b boardRow, r boards.Reading, you spot, top *boards.Top) (err error) {
	if r.Limit <= 0 {
		return nil
	}
	first := int64(1)
	if r.Around && top.You != nil {
		above := min(int64(r.Limit/2), top.You.Rank-1)
		if first = top.You.Rank - above; above > 0 {
			you, err = one(ctx, l, fields((*spot).fields),
				"SELECT sort, at, player FROM scores WHERE "+before3+bySpotDown+" LIMIT 1 OFFSET ?6", l.args(you, above-1)...)
		}
	} else {
		you = lowest
	}
	if err != nil {
		return err
	}
	list, _, err := l.page(ctx, b, you, r.Limit)
	for i, x := range list {
		e := boards.Entry{Rank: first + int64(i), Name: x.Name, Score: x.Score, At: x.At, Player: x.Player}
		e.You = top.You != nil && top.You.Player == e.Player
		top.Entries = append(top.Entries, e)
	}
	return err
}

// page returns rows from a spot on, and the first spot behind them.
func (l ladder) page(ctx context.Context, b boardRow, from spot, limit int) (list []boards.Row, next spot, err error) {
	list, err = all(ctx, l, func(r row) (x boards.Row, err error) {
		err = r.Scan(append([]any{&x.Player, &x.Name}, next.fields()...)...)
		x.Score, x.At = b.score(next.sort), time.UnixMicro(next.at).UTC()
		return x, err
	}, "SELECT y.id, y.name, sort, at, player FROM scores JOIN players y ON y.num = player WHERE "+from3+bySpot+" LIMIT ?6",
		l.args(from, limit)...)
	next.player++
	return list, next, err
}

func (store Boards) Boards(ctx context.Context, id sandlot.ProjectID) (list []boards.Board, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		num, err := one(ctx, q, scanValue[int64], "SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(id))
		if err != nil {
			return err
		}
		list, err = all(ctx, q, scanCounted, "SELECT "+countedBoard+", "+boardColumns+" FROM boards b WHERE b.project = ? AND b.name IS NOT NULL", num)
		return err
	})
	slices.SortFunc(list, func(a, b boards.Board) int { return cmp.Or(b.MovedAt.Compare(a.MovedAt), cmp.Compare(a.Name, b.Name)) })
	return list, in("list boards", err)
}

// countedBoard selects the number of players of a board.
const countedBoard = "(SELECT CAST(coalesce(sum(k.n), 0) AS BIGINT) FROM blocks k WHERE k.board = b.num AND k.period = 0)"

func scanCounted(r row) (boards.Board, error) {
	var n int64
	b, err := scanBoard(before{r, []any{&n}})
	b.Players = n
	return b.Board, err
}

func (store Boards) Moved(ctx context.Context, since time.Time, limit int) ([]boards.Moved, error) {
	list, err := all(ctx, store.db, func(r row) (m boards.Moved, err error) {
		var sort, n int64
		b, err := scanBoard(before{r, []any{&n, &m.Project, &m.Best.Player, &m.Best.Name, &sort, asTime{&m.Best.At}}})
		m.Board, m.Players = b.Name, n
		m.MovedAt, m.Best.Rank, m.Best.Score = b.MovedAt, 1, b.score(sort)
		return m, err
	}, "SELECT "+countedBoard+", p.id, y.id, y.name, s.sort, s.at, "+boardColumns+` FROM (SELECT * FROM boards
		WHERE moved_at >= ? AND name IS NOT NULL ORDER BY moved_at DESC LIMIT ?) b
		JOIN (SELECT p.num, p.id FROM `+whatListed+`p.runtime <> 'off') p ON p.num = b.project
		JOIN scores s ON s.board = b.num AND s.period = 0 AND s.player = (SELECT o.player FROM scores o
			WHERE o.board = b.num AND o.period = 0 ORDER BY o.sort, o.at, o.player LIMIT 1)
		JOIN players y ON y.num = s.player`, micros(since), limit)
	slices.SortStableFunc(list, func(a, b boards.Moved) int { return b.MovedAt.Compare(a.MovedAt) })
	return list, in("read boards that moved", err)
}
