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

const selectPlayer = `SELECT y.num, y.project, y.id, y.name, y.refused, y.day, y.held, y.saves
	FROM projects p JOIN player_tokens k ON k.project = p.num JOIN players y ON y.num = k.player
	WHERE p.id = ? AND p.deleted_at IS NULL AND k.hash = ?`

func scanPlayer(r row) (p playerRow, err error) {
	err = r.Scan(&p.num, &p.project, &p.ID, &p.Name, &p.Refused, &p.Day, &p.Held, &p.Saves)
	return p, err
}

// findPlayer returns the player of a token; ErrNotFound if there is none.
func findPlayer(ctx context.Context, q querier, project sandlot.ProjectID, token sandlot.Digest) (playerRow, error) {
	return one(ctx, q, scanPlayer, selectPlayer, string(project), token[:])
}

// player returns the player of a step, locks its row and notes the day. A player that is not known is made with
// h.Fresh, without which it is players.ErrNewcomer. A project that is not there is sandlot.ErrNotFound.
//
// A step locks players first, then player_totals, then the account.
func (t *tx) player(h players.Holder) (playerRow, error) {
	p, err := t.lockPlayer(h)
	if errors.Is(err, sandlot.ErrNotFound) {
		return t.newPlayer(h)
	}
	if today := dayOf(h.Now); err == nil && p.Day < today {
		p.Day = today
		err = t.do("UPDATE players SET day = ? WHERE num = ?", today, p.num)
	}
	return p, err
}

func (t *tx) lockPlayer(h players.Holder) (playerRow, error) {
	return one(context.Background(), t, scanPlayer, selectPlayer+t.dialect.Locked("y"), string(h.Project), h.Token[:])
}

// newPlayer makes a player, unless another step has just made it.
func (t *tx) newPlayer(h players.Holder) (p playerRow, err error) {
	if h.Fresh == "" {
		return p, players.ErrNewcomer
	}
	if err := t.alone(h.Token); err != nil {
		return p, err
	}
	if p, err = t.lockPlayer(h); !errors.Is(err, sandlot.ErrNotFound) {
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
	err = t.do("INSERT INTO player_tokens (project, hash, player) VALUES (?, ?, ?)", p.project, h.Token[:], p.num)
	if err != nil {
		return p, err
	}
	return p, t.onePlayerMore(p.project)
}

func (t *tx) onePlayerMore(project int64) error {
	n, err := t.number(`INSERT INTO player_totals (project, players) VALUES (?, 1)
		ON CONFLICT (project) DO UPDATE SET players = player_totals.players + 1 RETURNING players`, project)
	if err == nil && n > players.MaxPlayers {
		err = players.ErrTooManyPlayers
	}
	return err
}
