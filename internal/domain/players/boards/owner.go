package boards

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"sandlot"
	"sandlot/internal/domain/players"
)

const (
	mostSeconds = 3600 // of MinSeconds
	mostRemoved = 100  // players of one change
)

// List returns the boards of a project, the last moved first, to every caller: boards are public.
func (s *Service) List(ctx context.Context, by sandlot.Caller, ref string) ([]Board, error) {
	p, err := s.Projects.Find(ctx, by, ref)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.Boards(ctx, p.ID)
	if err != nil {
		return nil, fmt.Errorf("list boards: %w", err)
	}
	return list, nil
}

// Board returns a board with its current entries, for its project's owner. A missing board is CodeBoardNotFound, as in Amend
// and Delete.
func (s *Service) Board(ctx context.Context, by sandlot.Caller, ref string, q Query) (Board, Top, error) {
	p, err := players.Owned(ctx, s.Projects, by, sandlot.ActReadFiles, ref)
	if err != nil {
		return Board{}, Top{}, err
	}
	q.Around = false
	r, err := s.reading(p.ID, &q)
	if err != nil {
		return Board{}, Top{}, err
	}
	b, err := s.board(ctx, p, r.Board)
	if err != nil {
		return Board{}, Top{}, err
	}
	top, err := s.Store.Top(ctx, r)
	top.Period = q.Period
	return b, top, missing(p, r.Board, err)
}

// board returns a board of a project.
func (s *Service) board(ctx context.Context, p sandlot.Project, name string) (Board, error) {
	list, err := s.Store.Boards(ctx, p.ID)
	if err != nil {
		return Board{}, fmt.Errorf("list boards: %w", err)
	}
	i := slices.IndexFunc(list, func(b Board) bool { return b.Name == name })
	if i < 0 {
		return Board{}, missing(p, name, sandlot.ErrNotFound)
	}
	return list[i], nil
}

// missing returns the refusal for a missing board, or the error.
func missing(p sandlot.Project, board string, err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Refuse(sandlot.CodeBoardNotFound, "The project %s has no board %s.", p.ID, board).In("board").
			With(sandlot.OpBoards, sandlot.Set("project_id", string(p.ID))).
			Note("The first score makes a board. This call lists the boards of the project:")
	}
	if err != nil {
		return fmt.Errorf("board %s: %w", board, err)
	}
	return nil
}

// Amend changes a board, for its project's owner.
func (s *Service) Amend(ctx context.Context, by sandlot.Caller, ref, board string, c Change) (Board, error) {
	p, err := players.Owned(ctx, s.Projects, by, sandlot.ActSettle, ref)
	if err != nil {
		return Board{}, err
	}
	b, err := s.board(ctx, p, board)
	if err == nil {
		err = c.check(b)
	}
	if err != nil {
		return Board{}, err
	}
	b, err = s.Store.Amend(ctx, p.ID, board, c, s.Now())
	return b, missing(p, board, err)
}

// check refuses a change with invalid values, or with rules that contradict those of the board.
func (c Change) check(b Board) error {
	for _, bound := range []*float64{c.Min, c.Max} {
		if bound != nil && (math.IsNaN(*bound) || math.IsInf(*bound, 0)) {
			return wrongField("min", "A bound is not a finite number.", "Send numbers, or null to remove a bound.")
		}
	}
	if c.Rule(&b); b.Min != nil && b.Max != nil && *b.Min > *b.Max {
		return wrongField("min", "The lowest score would be above the highest, so that no score counts.",
			"Send min and max together, or null to remove one.")
	}
	if b.MinSeconds < 0 || b.MinSeconds > mostSeconds {
		return wrongField("min_seconds", "min_seconds is out of range.", fmt.Sprintf("Send a number from 0 to %d.", mostSeconds))
	}
	if len(c.RemovePlayers) > mostRemoved {
		return wrongField("remove", "The call names too many players.", fmt.Sprintf("Send at most %d at once.", mostRemoved))
	}
	return nil
}

// Delete removes a board with its rules, for its project's owner. The next score creates a new board.
func (s *Service) Delete(ctx context.Context, by sandlot.Caller, ref, board string) error {
	p, err := players.Owned(ctx, s.Projects, by, sandlot.ActSettle, ref)
	if err != nil {
		return err
	}
	return missing(p, board, s.Store.Delete(ctx, p.ID, board))
}
