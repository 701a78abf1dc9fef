package players

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
)

// Usage is the stored data of a project's players.
type Usage struct {
	Players int64
	Bytes   int64 // of saves, each player's rounded up to Step, of shared values, and of boards
	Most    int64 // the bound of Bytes
}

// Percent returns how much is used of the bytes or of the players that a project may have, whichever is more, rounded down.
func (u Usage) Percent() int64 { return max(u.Bytes*100/max(u.Most, 1), u.Players*100/MaxPlayers) }

// Full reports whether most of the room is used.
func (u Usage) Full() bool { return u.Percent() >= 80 }

// Usage returns the usage of a project's players to its owner.
func (s *Service) Usage(ctx context.Context, by sandlot.Caller, ref string) (Usage, error) {
	p, err := Owned(ctx, s.Projects, by, sandlot.ActReadFiles, ref)
	if err != nil {
		return Usage{}, err
	}
	totals, err := s.Store.Totals(ctx, p.Account)
	if err != nil {
		return Usage{}, fmt.Errorf("count data of players: %w", err)
	}
	return s.usage(totals, p.ID), nil
}

func (s *Service) usage(t Totals, id sandlot.ProjectID) Usage {
	kept := t.Projects[id]
	u := Usage{Players: kept.Players, Bytes: kept.Bytes, Most: MaxBytes}
	if s.Most > 0 {
		u.Most = min(u.Most, max(0, s.Most-t.Account+kept.Charged))
	}
	return u
}

// Owned returns the project of an address if the caller may perform act on it.
func Owned(ctx context.Context, of Projects, by sandlot.Caller, act sandlot.Action, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, act, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, err := of.Find(ctx, by, ref)
	if err == nil {
		err = sandlot.Authorize(by, act, &p)
	}
	return p, err
}

// Warn returns a warning for each given project of the caller's account whose players have used most of their room.
func (s *Service) Warn(ctx context.Context, by sandlot.Caller, ids ...sandlot.ProjectID) ([]sandlot.Warning, error) {
	if by.Account() == 0 || len(ids) == 0 {
		return nil, nil
	}
	totals, err := s.Store.Totals(ctx, by.Account())
	if err != nil {
		return nil, fmt.Errorf("count data of players: %w", err)
	}
	var list []sandlot.Warning
	for _, id := range ids {
		if u := s.usage(totals, id); u.Full() {
			list = append(list, sandlot.Warn("players_full",
				fmt.Sprintf("%d of at most %d players of %s keep %d of at most %d bytes; beyond that nothing more is saved.",
					u.Players, MaxPlayers, id, u.Bytes, u.Most),
				fmt.Sprintf("Have the game save less, or refuse new data: PATCH /v1/project/%s {\"runtime\": \"read\"}.", id)))
		}
	}
	return list, nil
}

// RemovePlayer deletes a player of a project with its saves and scores. With refuse it keeps the player,
// without data, and refuses it a name and a place on a board from then on.
func (s *Service) RemovePlayer(ctx context.Context, by sandlot.Caller, ref, player string, refuse bool) error {
	p, err := Owned(ctx, s.Projects, by, sandlot.ActSettle, ref)
	if err != nil {
		return err
	}
	err = s.Store.Remove(ctx, p.ID, player, refuse)
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Refuse(sandlot.CodeNotFound, "The project %s has no such player.", p.ID).In("player").
			With(sandlot.OpBoards, sandlot.Set("project_id", string(p.ID))).Note("The scores on the project's boards have the ids of players:")
	}
	if err != nil {
		return fmt.Errorf("remove player: %w", err)
	}
	return nil
}
