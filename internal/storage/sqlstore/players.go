package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/players"
)

// A playerRow is a player of a project.
type playerRow struct {
	num, project int64
	players.Known
}

// playerColumns are the columns of scanPlayer, of players as y.
const playerColumns = "y.num, y.project, y.id, y.name, y.refused, y.day, y.held, y.saves"

const selectPlayer = "SELECT " + playerColumns + `
	FROM projects p JOIN player_tokens k ON k.project = p.num JOIN players y ON y.num = k.player
	WHERE p.id = ? AND p.deleted_at IS NULL AND k.hash = ?`

// playerBy selects the player of a project by another column.
const playerBy = "SELECT " + playerColumns + ` FROM players y JOIN projects p ON p.num = y.project
	WHERE p.id = ? AND p.deleted_at IS NULL AND y.`

func scanPlayer(r row) (p playerRow, err error) {
	err = r.Scan(&p.num, &p.project, &p.ID, &p.Name, &p.Refused, &p.Day, &p.Held, &p.Saves)
	return p, err
}

// findPlayer returns the player of a token; ErrNotFound if there is none.
func findPlayer(ctx context.Context, q querier, project sandlot.ProjectID, token sandlot.Digest) (playerRow, error) {
	return one(ctx, q, scanPlayer, selectPlayer, string(project), token[:])
}

// playing is a step that changes the data of a project's players. It locks players first, then player_totals, then the
// account.
type playing struct {
	*tx
	h    players.Holder
	most int64 // bytes of the account; 0: no limit
}

// player returns the player of the step, locks its row and records the day. It adds an unknown player with the ID h.Fresh;
// without that it returns players.ErrNewcomer. A missing project is sandlot.ErrNotFound.
func (t playing) player() (playerRow, error) {
	p, err := t.known()
	if errors.Is(err, sandlot.ErrNotFound) {
		return t.newcomer()
	}
	if today := dayOf(t.h.Now); err == nil && p.Day < today {
		p.Day = today
		err = t.do("UPDATE players SET day = ? WHERE num = ?", today, p.num)
	}
	return p, err
}

func (t playing) known() (playerRow, error) {
	return one(context.Background(), t, scanPlayer, selectPlayer+t.dialect.Locked("y"), string(t.h.Project), t.h.Token[:])
}

// newcomer adds a player, unless another step has just added it.
func (t playing) newcomer() (p playerRow, err error) {
	h := t.h
	if h.Fresh == "" {
		return p, players.ErrNewcomer
	}
	if err := t.alone(h.Token); err != nil {
		return p, err
	}
	if p, err = t.known(); !errors.Is(err, sandlot.ErrNotFound) {
		return p, err
	}
	p.Known = players.Known{ID: h.Fresh, Day: dayOf(h.Now)}
	p.project, err = t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(h.Project))
	if err != nil {
		return p, err
	}
	p.num, err = t.insert("num", "INSERT INTO players (project, id, day) VALUES (?, ?, ?)", p.project, p.ID, p.Day)
	if err != nil {
		return p, err
	}
	err = t.do("INSERT INTO player_tokens (project, hash, player, at) VALUES (?, ?, ?, ?)", p.project, h.Token[:], p.num, micros(h.Now))
	if err != nil {
		return p, err
	}
	return p, onePlayerMore(t.tx, p.project)
}

// onePlayerMore counts a new player of a project.
func onePlayerMore(t *tx, project int64) error {
	n, err := t.number(`INSERT INTO player_totals (project, players) VALUES (?, 1)
		ON CONFLICT (project) DO UPDATE SET players = player_totals.players + 1 RETURNING players`, project)
	if err == nil && n > players.MaxPlayers {
		err = players.ErrTooManyPlayers
	}
	return err
}

func (store Players) Player(ctx context.Context, project sandlot.ProjectID, token sandlot.Digest) (players.Known, error) {
	p, err := findPlayer(ctx, store.db, project, token)
	return p.Known, in("look for player", err)
}

func (store Players) Seen(ctx context.Context, h players.Holder) error {
	h.Fresh = ""
	return in("record day of player", store.db.step(ctx, nil, func(t *tx) error {
		_, err := playing{t, h, 0}.player()
		return unlessMissing(err)
	}))
}

// unlessMissing returns an error, or nil for a missing player or project.
func unlessMissing(err error) error {
	if errors.Is(err, players.ErrNewcomer) || errors.Is(err, sandlot.ErrNotFound) {
		return nil
	}
	return err
}

func (store Players) Rename(ctx context.Context, h players.Holder, name string) (known players.Known, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		p, err := playing{t, h, 0}.player()
		if err == nil {
			err = rename(t, &p, name)
		}
		known = p.Known
		return err
	})
	return known, in("rename player", err)
}

// rename gives a player of the step a name, unless the owner refused the player.
func rename(t *tx, p *playerRow, name string) error {
	if p.Refused || p.Name == name {
		return nil
	}
	p.Name = name
	return t.do("UPDATE players SET name = ? WHERE num = ?", name, p.num)
}

func (store Players) SetCode(ctx context.Context, h players.Holder, code sandlot.Digest) error {
	return in("record code", store.db.step(ctx, nil, func(t *tx) error {
		p, err := playing{t, h, 0}.player()
		if err != nil {
			return err
		}
		return t.do("UPDATE players SET code = ? WHERE num = ?", code[:], p.num)
	}))
}

func (store Players) Resume(ctx context.Context, h players.Holder, code sandlot.Digest) (known players.Known, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		p, err := one(ctx, t, scanPlayer, playerBy+"code = ?"+t.dialect.Locked("y"), string(h.Project), code[:])
		if err != nil {
			return err
		}
		known = p.Known
		return t.Run(
			do("UPDATE players SET day = ? WHERE num = ? AND day < ?", dayOf(h.Now), p.num, dayOf(h.Now)),
			do(`INSERT INTO player_tokens (project, hash, player, at) VALUES (?, ?, ?, ?)
				ON CONFLICT (project, hash) DO UPDATE SET player = excluded.player, at = excluded.at`,
				p.project, h.Token[:], p.num, micros(h.Now)),
			do(`DELETE FROM player_tokens WHERE player = ?1 AND project = ?2 AND hash IN
				(SELECT hash FROM player_tokens WHERE player = ?1 ORDER BY at DESC LIMIT 1000 OFFSET ?3)`,
				p.num, p.project, players.MaxTokens),
		)
	})
	return known, in("resume player", err)
}
