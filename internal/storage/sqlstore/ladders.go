package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"math"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// A spot is the place of a row on a ladder. Lower ones are better.
type spot struct{ sort, at, player int64 }

// lowest comes before all rows, and highest after them.
var (
	lowest  = spot{math.MinInt64, math.MinInt64, math.MinInt64}
	highest = spot{math.MaxInt64, math.MaxInt64, math.MaxInt64}
)

func (s *spot) fields() []any { return []any{&s.sort, &s.at, &s.player} }

func (s spot) less(o spot) bool {
	return cmp.Or(cmp.Compare(s.sort, o.sort), cmp.Compare(s.at, o.at), cmp.Compare(s.player, o.player)) < 0
}

// A ladder holds the rows of a board in one period, in the order of their spots. Blocks count them, so that a rank is the
// sum of some counts and of the rows of one block. A step that changes it has locked the board.
type ladder struct {
	querier
	board, period int64
	size          int64 // the most rows of a block
}

// Conditions for the rows of a ladder, ?1 and ?2, that are before the spot ?3 ?4 ?5, or up to it.
const (
	ofLadder = "board = ?1 AND period = ?2"
	before3  = ofLadder + " AND (sort, at, player) < (?3, ?4, ?5)"
	upTo3    = ofLadder + " AND (sort, at, player) <= (?3, ?4, ?5)"
	from3    = ofLadder + " AND (sort, at, player) >= (?3, ?4, ?5)"
	after3   = ofLadder + " AND (sort, at, player) > (?3, ?4, ?5)"

	bySpot     = " ORDER BY sort, at, player"
	bySpotDown = " ORDER BY sort DESC, at DESC, player DESC"
)

func (l ladder) args(s spot, more ...any) []any {
	return append([]any{l.board, l.period, s.sort, s.at, s.player}, more...)
}

// A block is n rows, none of them before low.
type block struct {
	low spot
	n   int64
}

func scanBlock(r row) (b block, err error) {
	err = r.Scan(append(b.low.fields(), &b.n)...)
	return b, err
}

// blockOf returns the block in which a spot lies.
func (l ladder) blockOf(s spot) (block, error) {
	return one(context.Background(), l, scanBlock,
		"SELECT sort, at, player, n FROM blocks WHERE "+upTo3+bySpotDown+" LIMIT 1", l.args(s)...)
}

// after returns the block after another.
func (l ladder) after(b block) (block, error) {
	return one(context.Background(), l, scanBlock,
		"SELECT sort, at, player, n FROM blocks WHERE "+after3+bySpot+" LIMIT 1", l.args(b.low)...)
}

// count returns the number of rows of the ladder.
func (l ladder) count(ctx context.Context) (int64, error) {
	return one(ctx, l, scanValue[int64], "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM blocks WHERE "+ofLadder, l.board, l.period)
}

// rank returns the rank of a row, from 1 on.
func (l ladder) rank(ctx context.Context, s spot) (int64, error) {
	b, err := l.blockOf(s)
	if err != nil {
		return 0, err
	}
	return one(ctx, l, scanValue[int64], "SELECT CAST(1 + count(*) + coalesce((SELECT sum(n) FROM blocks WHERE "+before3+`), 0) AS BIGINT)
		FROM scores WHERE `+from3+" AND (sort, at, player) < (?6, ?7, ?8)", l.args(b.low, s.sort, s.at, s.player)...)
}

// A rung is a change of a ladder in a step.
type rung struct {
	*tx
	ladder
	step    scoring
	project int64
}

func (l rung) recount(b block) engine.Statement {
	return do("UPDATE blocks SET n = ?6 WHERE "+ofLadder+" AND sort = ?3 AND at = ?4 AND player = ?5", l.args(b.low, b.n)...)
}

// insert adds a row, and splits its block at the median if the block has too many.
func (l rung) insert(s spot) error {
	b, err := l.blockOf(s)
	if errors.Is(err, sandlot.ErrNotFound) {
		b.low = lowest
		err = l.add(block{low: lowest})
	}
	if err != nil {
		return err
	}
	b.n++
	if err := l.tx.Run(
		do("INSERT INTO scores (board, period, sort, at, player) VALUES (?, ?, ?, ?, ?)", l.args(s)...), l.recount(b),
	); err != nil || b.n <= l.size {
		return err
	}
	middle := block{n: b.n - b.n/2}
	middle.low, err = one(context.Background(), l, fields((*spot).fields),
		"SELECT sort, at, player FROM scores WHERE "+from3+bySpot+" LIMIT 1 OFFSET ?6", l.args(b.low, b.n/2)...)
	if err != nil {
		return err
	}
	b.n /= 2
	if err := l.tx.Run(l.recount(b)); err != nil {
		return err
	}
	return l.add(middle)
}

func (l rung) add(b block) error {
	if err := l.step.blocks(l.project, 1); err != nil {
		return err
	}
	return l.tx.do("INSERT INTO blocks (board, period, sort, at, player, n) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", l.args(b.low, b.n)...)
}

// remove removes a row, and joins its block with the next one if both have few rows left, so that the number of blocks
// depends on the rows alone.
func (l rung) remove(s spot) error {
	b, err := l.blockOf(s)
	if err != nil {
		return err
	}
	b.n--
	if err := l.tx.Run(
		do("DELETE FROM scores WHERE "+ofLadder+" AND player = ?3", l.board, l.period, s.player), l.recount(b),
	); err != nil || b.n > l.size/4 {
		return err
	}
	next, err := l.after(b)
	if errors.Is(err, sandlot.ErrNotFound) || err == nil && b.n+next.n > l.size*3/4 {
		return nil
	}
	if err != nil {
		return err
	}
	b.n += next.n
	if err := l.drop(next); err != nil {
		return err
	}
	return l.tx.Run(l.recount(b))
}

// clear removes the rows between two spots from the first block that has any, and reports whether there was one.
func (l rung) clear(from, to spot) (some bool, err error) {
	ctx, between := context.Background(), from3+" AND (sort, at, player) < (?6, ?7, ?8)"
	first, err := one(ctx, l, fields((*spot).fields), "SELECT sort, at, player FROM scores WHERE "+between+bySpot+" LIMIT 1",
		l.args(from, to.sort, to.at, to.player)...)
	if errors.Is(err, sandlot.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	b, err := l.blockOf(first)
	if err != nil {
		return false, err
	}
	next, err := l.after(b)
	if err == nil && next.low.less(to) {
		to = next.low
	}
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return false, err
	}
	n, err := l.tx.Exec("DELETE FROM scores WHERE "+between, l.args(first, to.sort, to.at, to.player)...)
	if b.n -= n; err != nil {
		return false, err
	}
	if b.n == 0 && b.low != lowest {
		return true, l.drop(b)
	}
	return true, l.tx.Run(l.recount(b))
}

func (l rung) drop(b block) error {
	if err := l.step.blocks(l.project, -1); err != nil {
		return err
	}
	return l.tx.do("DELETE FROM blocks WHERE "+ofLadder+" AND sort = ?3 AND at = ?4 AND player = ?5", l.args(b.low)...)
}
