package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
)

// linesPage is the number of saves that are read at a time: 4 MiB at most.
const linesPage = 16

func (store Players) Lines(ctx context.Context, id sandlot.ProjectID, do func(players.Line) error) error {
	scan := fields(func(x *players.Line) []any {
		return []any{&x.Player, &x.Name, &x.Slot, (*[]byte)(&x.Value), asTime{&x.At}}
	})
	for last := (players.Line{}); ; {
		page, err := all(ctx, store.db, scan, `SELECT y.id, y.name, s.slot, s.value, s.at
			FROM projects p JOIN players y ON y.project = p.num JOIN saves s ON s.player = y.num
			WHERE p.id = ?1 AND p.deleted_at IS NULL AND y.id >= ?2 AND (y.id > ?2 OR s.slot > ?3)
			ORDER BY y.id, s.slot LIMIT ?4`, string(id), last.Player, last.Slot, linesPage)
		if err != nil {
			return in("read saves", err)
		}
		if len(page) == 0 {
			return store.sharedLines(ctx, id, do)
		}
		for _, last = range page {
			if err := do(last); err != nil {
				return err
			}
		}
	}
}

func (store Players) sharedLines(ctx context.Context, id sandlot.ProjectID, do func(players.Line) error) error {
	list, err := all(ctx, store.db, fields(func(x *players.Line) []any { return []any{&x.Key, (*[]byte)(&x.Value), asTime{&x.At}} }),
		"SELECT s.key, s.value, s.at"+fromShared+"s.key > ? ORDER BY s.key", string(id), "")
	for _, x := range list {
		if err == nil {
			err = do(x)
		}
	}
	return in("read shared values", err)
}

func (store Players) Bring(ctx context.Context, id sandlot.ProjectID, list []players.Line, most int64) error {
	size := 0
	for _, x := range list {
		size += len(x.Value)
	}
	return in("bring saves", stepOf(ctx, store.db, size, nil, func(t *tx) error {
		project, err := withTotals(t, id)
		now := store.db.Now()
		for _, x := range list {
			if err == nil {
				err = playing{t, players.Holder{Project: id, Now: now}, most}.bring(project, x)
			}
		}
		return err
	}))
}

// withTotals returns the number of a project, and adds its row of player_totals if it has none.
func withTotals(t *tx, id sandlot.ProjectID) (int64, error) {
	project, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(id))
	if err == nil {
		err = t.do("INSERT INTO player_totals (project) VALUES (?) ON CONFLICT DO NOTHING", project)
	}
	return project, err
}

// bring adds a save with its player, or a shared value, unless the slot or the key has a value.
func (t playing) bring(project int64, x players.Line) error {
	at := t.h
	t.h.Now = x.At
	if x.Player == "" {
		if _, err := t.lockShared(project, x.Key); !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		return t.share(project, x.Key, x.Value)
	}
	num, err := brought(t.tx, project, boards.Row{Player: x.Player, Name: x.Name, Seen: at.Now})
	if err != nil {
		return err
	}
	p, err := one(context.Background(), t, scanPlayer, "SELECT "+playerColumns+" FROM players y WHERE y.num = ?"+t.dialect.Locked("y"), num)
	if err != nil {
		return err
	}
	if _, err := sizeOfSave(t.tx, num, x.Slot); !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return t.save(p, x.Slot, x.Value)
}
