package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
)

func (store Players) Totals(ctx context.Context, account sandlot.AccountID) (out players.Totals, err error) {
	type total struct {
		id sandlot.ProjectID
		players.Sum
	}
	out.Projects = map[sandlot.ProjectID]players.Sum{}
	err = store.db.snapshot(ctx, func(q querier) error {
		out.Account, err = one(ctx, q, scanValue[int64], "SELECT bytes FROM accounts WHERE id = ?", account)
		if err != nil {
			return err
		}
		list, err := all(ctx, q, fields(func(t *total) []any { return []any{&t.id, &t.Players, &t.Bytes, &t.Charged} }),
			`SELECT p.id, t.players, t.held + t.shared + t.scores, t.charged FROM projects p JOIN player_totals t ON t.project = p.num
			WHERE p.account = ? AND p.deleted_at IS NULL`, account)
		for _, t := range list {
			out.Projects[t.id] = t.Sum
		}
		return err
	})
	return out, in("count data of players", err)
}

func (store Players) Remove(ctx context.Context, project sandlot.ProjectID, player string, refuse bool) error {
	err := store.db.step(ctx, nil, func(t *tx) error {
		p, err := one(ctx, t, scanPlayer, playerBy+"id = ?"+t.dialect.Locked("y"), string(project), player)
		switch {
		case err != nil:
			return err
		case refuse:
			return refusePlayer(t, p)
		}
		return dropPlayer(t, p)
	})
	if err == nil {
		store.db.engine.Wipe()
	}
	return in("remove player", err)
}

// refusePlayer removes the data of a player but its tokens, and refuses the player a name and a place on a board from then
// on.
func refusePlayer(t *tx, p playerRow) error {
	if err := emptyPlayer(t, p); err != nil {
		return err
	}
	return t.do("UPDATE players SET refused = 1, name = '', code = NULL WHERE num = ?", p.num)
}

// dropPlayer removes a player with its data.
func dropPlayer(t *tx, p playerRow) error {
	if err := emptyPlayer(t, p); err != nil {
		return err
	}
	return t.Run(
		do("DELETE FROM player_tokens WHERE player = ?", p.num),
		do("DELETE FROM players WHERE num = ?", p.num),
		do("UPDATE player_totals SET players = players - 1 WHERE project = ?", p.project),
	)
}

// emptyPlayer removes the saves and scores of a player.
func emptyPlayer(t *tx, p playerRow) error {
	if err := lockRoom(t, p.project); err != nil {
		return err
	}
	if err := t.do("DELETE FROM saves WHERE player = ?", p.num); err != nil {
		return err
	}
	if err := (playing{t, players.Holder{}, 0}).holds(p, 0, 0); err != nil {
		return err
	}
	return unplace(t, p)
}

// dropPlayers removes players that were not seen for players.Kept.
func (s *sweep) dropPlayers(now time.Time) error {
	for s.left > 0 {
		num, err := s.next("SELECT num FROM players WHERE day < ? ORDER BY day LIMIT ?", dayOf(now.Add(-players.Kept)))
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		p, err := one(context.Background(), s, scanPlayer, "SELECT "+playerColumns+" FROM players y WHERE y.num = ? AND y.day < ?"+s.dialect.Locked("y"), num, dayOf(now.Add(-players.Kept)))
		if err == nil {
			err = dropPlayer(s.tx, p)
		}
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) { // it may have come back meanwhile
			return err
		}
		s.left--
	}
	return nil
}

// dropPlayersOf removes as many records of a deleted project's players as the step has left. The account of the project is
// locked.
func (s *sweep) dropPlayersOf(project int64) error {
	list, err := all(context.Background(), s, scanValue[int64], "SELECT num FROM players WHERE project = ? LIMIT ?", project, s.left)
	if err != nil {
		return err
	}
	for _, player := range list {
		if err := s.dropRest(player); err != nil || s.left <= 0 {
			return err
		}
	}
	return s.dropSharedOf(project)
}

// dropRest removes as many records of a player without scores as the step has left, and the player after the last one.
func (s *sweep) dropRest(player int64) error {
	for _, of := range [][2]string{{"saves", "player, slot"}, {"player_tokens", "project, hash"}} {
		err := s.times("DELETE FROM "+of[0]+some(of[0], of[1], "player = ?1"), player)
		if err != nil || s.left <= 0 {
			return err
		}
	}
	s.left--
	return s.do("DELETE FROM players WHERE num = ?", player)
}

// dropSharedOf removes the shared values of a project, and then its totals.
func (s *sweep) dropSharedOf(project int64) error {
	if err := s.times("DELETE FROM shared"+some("shared", "project, key", "project = ?1"), project); err != nil || s.left <= 0 {
		return err
	}
	charged, err := s.number("SELECT charged FROM player_totals WHERE project = ?", project)
	if err != nil {
		return unlessMissing(err)
	}
	if _, err := charge(s.tx, project, -charged); err != nil {
		return err
	}
	return s.do("DELETE FROM player_totals WHERE project = ?", project)
}
