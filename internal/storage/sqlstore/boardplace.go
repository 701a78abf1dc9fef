package sqlstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/boards"
)

// A score that changes nothing takes no step: most scores improve nothing, and their steps would wait for each other.
func (store Boards) Place(ctx context.Context, p boards.Placing) (out boards.Placed, err error) {
	moved := true
	err = store.db.snapshot(ctx, func(q querier) (err error) {
		out, moved, err = store.placed(ctx, q, p)
		return err
	})
	if err != nil || !moved {
		return out, in("place score", err)
	}
	step := func(room bool) error {
		return store.db.step(ctx, nil, func(t *tx) (err error) {
			out, err = store.place(t, p, room)
			return err
		})
	}
	if err = step(false); errors.Is(err, errBlocks) {
		err = step(true)
	}
	return out, in("place score", err)
}

// placed returns the result of a score that needs no step; step reports whether it needs one.
func (store Boards) placed(ctx context.Context, q querier, p boards.Placing) (out boards.Placed, step bool, err error) {
	y, err := findPlayer(ctx, q, p.Project, p.Token)
	if errors.Is(err, sandlot.ErrNotFound) {
		return out, true, nil
	}
	if err != nil || y.Refused || p.Name != "" && p.Name != y.Name {
		return out, err == nil, err
	}
	b, err := one(ctx, q, scanBoard, selectBoard, string(p.Project), p.Board)
	if errors.Is(err, sandlot.ErrNotFound) {
		return out, true, nil
	}
	if err == nil {
		err = p.Admit(b.Board)
	}
	if err != nil {
		return out, false, err
	}
	kept, err := spotsOf(ctx, q, b.num, y.num)
	if err != nil || len(b.better(kept, y.num, p.Score, p.Now)) > 0 {
		return out, err == nil, err
	}
	out, err = store.placeOf(ctx, q, b, y, kept[0])
	return out, false, err
}

// next returns the moment of a score that is placed now. It is behind that of every earlier one, also if the clock was set
// back: equal scores go to the earlier.
func (b boardRow) next(now time.Time) int64 {
	if now.Before(b.MovedAt) {
		return micros(b.MovedAt) + 1
	}
	return micros(now)
}

// better returns the rows, by period, that a score improves.
func (b boardRow) better(kept map[int64]spot, player int64, score float64, at time.Time) map[int64]spot {
	out := map[int64]spot{}
	for _, period := range boards.Periods {
		n := period.Number(at)
		if is := (spot{b.sort(score), b.next(at), player}); kept[n] == (spot{}) || is.sort < kept[n].sort {
			out[n] = is
		}
	}
	return out
}

// placeOf returns the place of a player on a board; best is the row of the player.
func (store Boards) placeOf(ctx context.Context, q querier, b boardRow, y playerRow, best spot) (out boards.Placed, err error) {
	l := store.ladder(q, b.num, boards.AllTime.Number(time.Time{}))
	out = boards.Placed{Board: b.Name, Ascending: b.Ascending, Best: b.score(best.sort), Player: y.ID}
	if out.Of, err = l.count(ctx); err == nil {
		out.Rank, err = l.rank(ctx, best)
	}
	return out, err
}

func (store Boards) place(t *tx, p boards.Placing, room bool) (out boards.Placed, err error) {
	y, err := playing{t, p.Holder, p.Most}.player()
	if err != nil {
		return out, err
	}
	if y.Refused {
		return out, boards.ErrRefused
	}
	if room {
		if err := lockRoom(t, y.project); err != nil {
			return out, err
		}
	}
	b, err := boardFor(t, y.project, boards.Board{Name: p.Board, Ascending: p.Ascending, MinSeconds: boards.MinSeconds, CreatedAt: p.Now})
	if err == nil {
		err = p.Admit(b.Board)
	}
	if err == nil && p.Name != "" {
		err = rename(t, &y, p.Name)
	}
	if err != nil {
		return out, err
	}
	kept, err := spotsOf(context.Background(), t, b.num, y.num)
	if err != nil {
		return out, err
	}
	better := b.better(kept, y.num, p.Score, p.Now)
	if err := store.improve(scoring{playing{t, p.Holder, p.Most}, room}, b, kept, better); err != nil {
		return out, err
	}
	best, improved := better[0]
	if !improved {
		best = kept[0]
	}
	if len(better) > 0 {
		if err := t.do("UPDATE boards SET moved_at = ? WHERE num = ?", b.next(p.Now), b.num); err != nil {
			return out, err
		}
	}
	out, err = store.placeOf(context.Background(), t, b, y, best)
	if out.Improved = improved; out.Rank > out.Of { // the row was the worst of too many
		out.Rank = 0
	}
	return out, err
}

// improve replaces rows of a player by better ones, and removes the worst row of a full ladder.
func (store Boards) improve(t scoring, b boardRow, kept, better map[int64]spot) error {
	for _, period := range slices.Sorted(maps.Keys(better)) {
		l := t.rung(b.project, store.ladder(t, b.num, period))
		if old, has := kept[period]; has {
			if err := l.remove(old); err != nil {
				return err
			}
		}
		if err := l.insert(better[period]); err != nil {
			return err
		}
		if err := l.trim(store.most); err != nil {
			return err
		}
	}
	return nil
}

// trim removes the worst row of a ladder with more than most.
func (l rung) trim(most int64) error {
	n, err := l.count(context.Background())
	if err != nil || n <= most {
		return err
	}
	worst, err := one(context.Background(), l, fields((*spot).fields),
		"SELECT sort, at, player FROM scores WHERE "+ofLadder+bySpotDown+" LIMIT 1", l.board, l.period)
	if err != nil {
		return err
	}
	return l.remove(worst)
}

// boardFor locks a board of a project, and creates it as b if there is none.
func boardFor(t *tx, project int64, b boards.Board) (boardRow, error) {
	found, err := lockBoard(t, project, b.Name)
	if !errors.Is(err, sandlot.ErrNotFound) {
		return found, err
	}
	if err := t.lockOwnerOf(project); err != nil { // no row has the number of a project's boards
		return found, err
	}
	err = t.below(boards.MaxBoards, boards.ErrTooManyBoards,
		"SELECT count(*) FROM boards WHERE project = ? AND name IS NOT NULL AND name <> ?", project, b.Name)
	if err != nil {
		return found, err
	}
	err = t.do(`INSERT INTO boards (project, name, ascending, least, most, seconds, created_at, moved_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT DO NOTHING`,
		project, b.Name, b.Ascending, orNoBound(b.Min), orNoBound(b.Max), b.MinSeconds, micros(b.CreatedAt))
	if err != nil {
		return found, err
	}
	return lockBoard(t, project, b.Name)
}

// lockBoard locks a board, as each change of its rows must. A step locks it after players, totals and accounts.
func lockBoard(t *tx, project int64, name string) (boardRow, error) {
	return one(context.Background(), t, scanBoard,
		"SELECT "+boardColumns+" FROM boards b WHERE b.project = ? AND b.name = ?"+t.dialect.Locked("b"), project, name)
}
