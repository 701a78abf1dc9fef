package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/players"
)

const fromShared = " FROM projects p JOIN shared s ON s.project = p.num WHERE p.id = ? AND p.deleted_at IS NULL AND "

func (store Players) SharedKeys(ctx context.Context, project sandlot.ProjectID, prefix string) ([]players.Value, error) {
	list, err := all(ctx, store.db, fields(func(s *players.Value) []any { return []any{&s.Name, &s.Size, asTime{&s.At}} }),
		"SELECT s.key, length(s.value), s.at"+fromShared+"substr(s.key, 1, length(?)) = ? ORDER BY s.key", string(project), prefix, prefix)
	return list, in("list shared values", err)
}

func (store Players) LoadShared(ctx context.Context, project sandlot.ProjectID, key string) (players.Value, error) {
	s, err := one(ctx, store.db, fields(func(s *players.Value) []any { return []any{&s.Name, &s.Size, asTime{&s.At}, &s.JSON} }),
		"SELECT s.key, length(s.value), s.at, s.value"+fromShared+"s.key = ?", string(project), key)
	return s, in("load shared value", err)
}

func (store Players) Share(ctx context.Context, h players.Holder, key string, value []byte, most int64) error {
	return in("share", stepOf(ctx, store.db, len(value), nil, func(t *tx) error {
		step := playing{t, h, most}
		p, err := step.player()
		if err != nil {
			return err
		}
		return step.share(p.project, key, value)
	}))
}

func (t playing) share(project int64, key string, value []byte) error {
	before, err := t.lockShared(project, key)
	keys, more := 0, len(value)-int(before)
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		keys, more = 1, len(value)+len(key)
	case err != nil:
		return err
	}
	if err := t.do(`INSERT INTO shared (project, key, value, at) VALUES (?, ?, ?, ?)
		ON CONFLICT (project, key) DO UPDATE SET value = excluded.value, at = excluded.at`, project, key, value, micros(t.h.Now)); err != nil {
		return err
	}
	if more == 0 && keys == 0 {
		return nil
	}
	type totals struct{ shared, keys int64 }
	now, err := one(context.Background(), t, fields(func(v *totals) []any { return []any{&v.shared, &v.keys} }),
		"UPDATE player_totals SET keys = keys + ? WHERE project = ? RETURNING shared, keys", keys, project)
	if err == nil && more > 0 && (now.shared+int64(more) > players.MaxSharing || now.keys > players.MaxKeys) {
		err = players.ErrSharedFull
	}
	if err != nil {
		return err
	}
	return t.count(project, "shared = player_totals.shared + ?", int64(more), more > 0)
}

// lockShared locks the shared values of a project until the step ends, and returns the size of one.
func (t playing) lockShared(project int64, key string) (int64, error) {
	if _, err := t.number("SELECT project FROM player_totals WHERE project = ?"+t.dialect.Locked("player_totals"), project); err != nil {
		return 0, err
	}
	return t.number("SELECT length(value) FROM shared WHERE project = ? AND key = ?", project, key)
}

func (store Players) DeleteShared(ctx context.Context, h players.Holder, key string) error {
	return in("delete shared value", store.db.step(ctx, nil, func(t *tx) error {
		project, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(h.Project))
		if err != nil {
			return unlessMissing(err)
		}
		k := playing{t, h, 0}
		before, err := k.lockShared(project, key)
		if err != nil {
			return unlessMissing(err)
		}
		if err := t.Run(
			do("DELETE FROM shared WHERE project = ? AND key = ?", project, key),
			do("UPDATE player_totals SET keys = keys - 1 WHERE project = ?", project),
		); err != nil {
			return err
		}
		return k.count(project, "shared = player_totals.shared + ?", -before-int64(len(key)), false)
	}))
}
