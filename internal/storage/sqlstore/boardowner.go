package sqlstore

import (
	"context"
	"errors"
	"math"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/boards"
)

func (store Boards) Amend(ctx context.Context, id sandlot.ProjectID, board string, c boards.Change, at time.Time) (boards.Board, error) {
	var b boardRow
	err := store.db.step(ctx, nil, func(t *tx) (err error) {
		if b, err = boardOf(t, id, board); err != nil {
			return err
		}
		if c.Reset {
			if b.num, err = replaceBoard(t, b.num, at); err != nil {
				return err
			}
		}
		if err := setRules(t, b.num, &b.Board, c); err != nil {
			return err
		}
		for _, player := range c.RemovePlayers {
			if err := store.removeFrom(t, b, player); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && c.Bounds() {
		err = store.cut(ctx, b.num)
	}
	if err != nil {
		return boards.Board{}, in("amend board", err)
	}
	out, err := one(ctx, store.db, scanCounted,
		"SELECT "+countedBoard+", "+boardColumns+" FROM boards b WHERE b.project = ? AND b.name = ?", b.project, board)
	return out, in("amend board", err)
}

// boardOf locks a board, and the totals that change when a step removes its rows.
func boardOf(t *tx, id sandlot.ProjectID, name string) (b boardRow, err error) {
	project, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(id))
	if err == nil {
		err = lockRoom(t, project)
	}
	if err != nil {
		return b, err
	}
	return lockBoard(t, project, name)
}

// putAside removes the name of a board, and leaves its rows to a sweep.
const putAside = "UPDATE boards SET name = NULL, state = 2 WHERE num = ?"

// replaceBoard puts a board aside, and returns the number of an empty one with its rules.
func replaceBoard(t *tx, num int64, at time.Time) (int64, error) {
	name, err := one(context.Background(), t, scanValue[string], "SELECT name FROM boards WHERE num = ?", num)
	if err == nil {
		err = t.do(putAside, num)
	}
	if err != nil {
		return 0, err
	}
	return t.insert("num", `INSERT INTO boards (project, name, ascending, least, most, seconds, created_at, moved_at)
		SELECT project, ?, ascending, least, most, seconds, created_at, ? FROM boards WHERE num = ?`, name, micros(at), num)
}

// setRules records the rules of a change.
func setRules(t *tx, num int64, b *boards.Board, c boards.Change) error {
	c.Rule(b)
	return t.do("UPDATE boards SET least = ?, most = ?, seconds = ?, state = CASE WHEN ? THEN 1 ELSE state END WHERE num = ?",
		orNoBound(b.Min), orNoBound(b.Max), b.MinSeconds, c.Bounds(), num)
}

func (store Boards) removeFrom(t *tx, b boardRow, player string) error {
	num, err := t.number("SELECT y.num FROM boards b JOIN players y ON y.project = b.project WHERE b.num = ? AND y.id = ?", b.num, player)
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := spotsOf(context.Background(), t, b.num, num)
	for period, s := range kept {
		if err == nil {
			err = removing(t).rung(b.project, store.ladder(t, b.num, period)).remove(s)
		}
	}
	return err
}

// unplace removes a player from all boards. The step has locked the player, and the room of its project.
func unplace(t *tx, p playerRow) error {
	const of = "SELECT num FROM boards WHERE num IN (SELECT board FROM scores WHERE player = ?) ORDER BY num"
	list, err := all(context.Background(), t, scanValue[int64], of+t.dialect.Locked("boards"), p.num)
	for _, board := range list {
		var kept map[int64]spot
		if err == nil {
			kept, err = spotsOf(context.Background(), t, board, p.num)
		}
		for period, s := range kept {
			if err == nil {
				err = removing(t).rung(p.project, ladder{t, board, period, blockRows}).remove(s)
			}
		}
	}
	return err
}

func (store Boards) Delete(ctx context.Context, id sandlot.ProjectID, board string) error {
	return in("delete board", store.db.step(ctx, nil, func(t *tx) error {
		b, err := boardOf(t, id, board)
		if err != nil {
			return err
		}
		return t.do(putAside, b.num)
	}))
}

// cut removes the rows outside of a board's bounds, a block in each step, so that other steps get their turn.
func (store Boards) cut(ctx context.Context, board int64) error {
	for more := true; more; {
		err := store.db.step(ctx, nil, func(t *tx) (err error) {
			more, err = cutBoard(t, board)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cutBoard removes the rows of one block, and reports whether there may be more.
func cutBoard(t *tx, board int64) (more bool, err error) {
	ctx := context.Background()
	if err := lockRoomOf(t, board); err != nil {
		return false, err
	}
	b, err := one(ctx, t, scanBoard, "SELECT "+boardColumns+" FROM boards b WHERE b.num = ? AND b.name IS NOT NULL"+t.dialect.Locked("b"), board)
	if errors.Is(err, sandlot.ErrNotFound) {
		return false, nil // it was put aside meanwhile
	}
	if err != nil {
		return false, err
	}
	periods, err := all(ctx, t, scanValue[int64], "SELECT DISTINCT period FROM blocks WHERE board = ?", board)
	if err != nil {
		return false, err
	}
	best, worst := b.within()
	for _, period := range periods {
		l := removing(t).rung(b.project, ladder{t, board, period, blockRows})
		for _, out := range [][2]spot{{lowest, best}, {worst, highest}} {
			if some, err := l.clear(out[0], out[1]); some || err != nil {
				return true, err
			}
		}
	}
	return false, t.do("UPDATE boards SET state = 0 WHERE num = ?", board)
}

// within returns the first spot that a board admits, and the first behind them.
func (b boardRow) within() (best, worst spot) {
	best, worst = lowest, highest
	first, last := b.Min, b.Max
	if !b.Ascending {
		first, last = b.Max, b.Min
	}
	if first != nil {
		best.sort = b.sort(*first)
	}
	if last != nil {
		worst = spot{b.sort(*last) + 1, math.MinInt64, math.MinInt64}
	}
	return best, worst
}
