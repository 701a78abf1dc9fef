package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/publish"
)

// fromSaves finds the saves of the player of a token.
const fromSaves = ` FROM projects p JOIN player_tokens k ON k.project = p.num JOIN players y ON y.num = k.player
	JOIN saves s ON s.player = y.num WHERE p.id = ? AND p.deleted_at IS NULL AND k.hash = ?`

func (store Players) Saves(ctx context.Context, project sandlot.ProjectID, token sandlot.Digest) ([]players.Value, error) {
	list, err := all(ctx, store.db, fields(func(s *players.Value) []any { return []any{&s.Name, &s.Size, asTime{&s.At}} }),
		"SELECT s.slot, length(s.value), s.at"+fromSaves+" ORDER BY s.slot", string(project), token[:])
	return list, in("list saves", err)
}

func (store Players) Load(
	ctx context.Context, project sandlot.ProjectID, token sandlot.Digest, slot string,
) (s players.Value, day int64, err error) {
	s, err = one(ctx, store.db, func(r row) (s players.Value, err error) {
		err = r.Scan(&s.Name, &s.Size, asTime{&s.At}, &s.JSON, &day)
		return s, err
	}, "SELECT s.slot, length(s.value), s.at, s.value, y.day"+fromSaves+" AND s.slot = ?", string(project), token[:], slot)
	return s, day, in("load save", err)
}

func (store Players) Save(ctx context.Context, h players.Holder, slot string, value []byte, most int64) error {
	return in("save", stepOf(ctx, store.db, len(value), nil, func(t *tx) error {
		step := playing{t, h, most}
		p, err := step.player()
		if err != nil {
			return err
		}
		return step.save(p, slot, value)
	}))
}

// save fills a slot of a player whose row is locked.
func (t playing) save(p playerRow, slot string, value []byte) error {
	held, saves := p.Held+int64(len(value)), p.Saves
	switch before, err := sizeOfSave(t.tx, p.num, slot); {
	case errors.Is(err, sandlot.ErrNotFound):
		saves++
	case err != nil:
		return err
	default:
		held -= before
	}
	if saves > players.MaxSaves || held > players.MaxHeld {
		return players.ErrPlayerFull
	}
	if err := t.do(`INSERT INTO saves (player, slot, value, at) VALUES (?, ?, ?, ?)
		ON CONFLICT (player, slot) DO UPDATE SET value = excluded.value, at = excluded.at`,
		p.num, slot, value, micros(t.h.Now)); err != nil {
		return err
	}
	return t.holds(p, held, saves)
}

func sizeOfSave(t *tx, player int64, slot string) (int64, error) {
	return t.number("SELECT length(value) FROM saves WHERE player = ? AND slot = ?", player, slot)
}

func (store Players) DeleteSave(ctx context.Context, h players.Holder, slot string) error {
	h.Fresh = ""
	return in("delete save", store.db.step(ctx, nil, func(t *tx) error {
		step := playing{t, h, 0}
		p, err := step.player()
		if err != nil {
			return unlessMissing(err)
		}
		before, err := sizeOfSave(t, p.num, slot)
		if err != nil {
			return unlessMissing(err)
		}
		if err := t.do("DELETE FROM saves WHERE player = ? AND slot = ?", p.num, slot); err != nil {
			return err
		}
		return step.holds(p, p.Held-before, p.Saves-1)
	}))
}

// holds records the new size of a player's saves, and adds the difference to the totals of its project.
func (t playing) holds(p playerRow, held, saves int64) error {
	if held != p.Held || saves != p.Saves {
		if err := t.do("UPDATE players SET held = ?, saves = ? WHERE num = ?", held, saves, p.num); err != nil {
			return err
		}
	}
	more := upTo(held, players.Step) - upTo(p.Held, players.Step)
	if more == 0 {
		return nil
	}
	return t.count(p.project, "held = player_totals.held + ?", more, more > 0)
}

// upTo rounds n up to a multiple of step.
func upTo(n, step int64) int64 { return (n + step - 1) / step * step }

// count changes the totals of a project, and charges its account. If grows is true it fails over the limits.
func (t playing) count(project int64, set string, by int64, grows bool) error {
	type totals struct{ kept, charged int64 }
	now, err := one(context.Background(), t, fields(func(v *totals) []any { return []any{&v.kept, &v.charged} }),
		"UPDATE player_totals SET "+set+" WHERE project = ? RETURNING held + shared + scores, charged", by, project)
	if err != nil {
		return err
	}
	if grows && now.kept > players.MaxBytes {
		return players.ErrProjectFull
	}
	to := upTo(now.kept, players.Charge)
	if to == now.charged {
		return nil
	}
	account, err := charge(t.tx, project, to-now.charged)
	if err != nil || !grows || t.most == 0 {
		return err
	}
	return t.within(sandlot.AccountID(account), publish.Quota{Bytes: t.most}, t.h.Now)
}

// charge adds to the bytes of a project's players that count to its account.
func charge(t *tx, project, more int64) (account int64, err error) {
	if err := t.do("UPDATE player_totals SET charged = charged + ? WHERE project = ?", more, project); err != nil {
		return 0, err
	}
	// The project may be on its way to another account.
	if err := t.lockOwnerOf(project); err != nil {
		return 0, err
	}
	return t.number("UPDATE accounts SET bytes = bytes + ? WHERE id = (SELECT account FROM projects WHERE num = ?) RETURNING id",
		more, project)
}
