package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
)

// rowsPage is the number of rows of a board that are read at a time.
const rowsPage = 500

func (store Boards) Rows(ctx context.Context, id sandlot.ProjectID, board string, most int, do func(boards.Row) error) error {
	from := lowest
	for most > 0 {
		var page []boards.Row
		err := store.db.snapshot(ctx, func(q querier) error {
			b, err := one(ctx, q, scanBoard, selectBoard, string(id), board)
			if err == nil {
				page, from, err = store.ladder(q, b.num, 0).page(ctx, b, from, min(most, rowsPage))
			}
			return err
		})
		if err != nil || len(page) == 0 {
			return in("read scores", err)
		}
		for _, x := range page {
			if err := do(x); err != nil {
				return err
			}
		}
		most -= len(page)
	}
	return nil
}

func (store Boards) Bring(ctx context.Context, id sandlot.ProjectID, b boards.Board, rows []boards.Row, most int64) error {
	return in("bring scores", store.db.step(ctx, nil, func(t *tx) error {
		project, err := withTotals(t, id)
		if err != nil {
			return err
		}
		nums := make([]int64, len(rows))
		for i, x := range rows {
			if nums[i], err = brought(t, project, x); err != nil {
				return err
			}
		}
		if err := lockRoom(t, project); err != nil {
			return err
		}
		in := scoring{playing{t, players.Holder{Now: store.db.Now()}, most}, true}
		to, err := boardFor(t, project, b)
		for i, x := range rows {
			if err == nil {
				err = store.bring(in, to, nums[i], x)
			}
		}
		return err
	}))
}

// brought returns the player of a row, and adds the player if there is none.
func brought(t *tx, project int64, x boards.Row) (int64, error) {
	num, err := t.number("SELECT num FROM players WHERE project = ? AND id = ?", project, x.Player)
	if !errors.Is(err, sandlot.ErrNotFound) {
		return num, err
	}
	num, err = t.insert("num", "INSERT INTO players (project, id, name, day) VALUES (?, ?, ?, ?)", project, x.Player, x.Name, dayOf(x.Seen))
	if err == nil {
		err = onePlayerMore(t, project)
	}
	return num, err
}

func (store Boards) bring(t scoring, b boardRow, player int64, x boards.Row) error {
	kept, err := spotsOf(context.Background(), t, b.num, player)
	if err != nil {
		return err
	}
	if is, improves := b.better(kept, player, x.Score, x.At)[0]; improves {
		return store.improve(t, b, kept, map[int64]spot{0: is})
	}
	return nil
}
