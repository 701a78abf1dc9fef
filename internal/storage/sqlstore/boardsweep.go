package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/players/boards"
)

// sweepBoards removes the boards that were put aside, the rows of days and weeks before the last ones, and the rows that a
// change of bounds has left.
func (s *sweep) sweepBoards(now time.Time) error {
	for _, part := range []func() error{
		s.dropAside,
		func() error { return s.dropPeriods("period > 0 AND period < ?", boards.Day.Number(now)-1) },
		func() error { return s.dropPeriods("period < 0 AND period > ?", boards.Week.Number(now)+1) },
		s.cutBoards,
	} {
		if err := part(); err != nil || s.left <= 0 {
			return err
		}
	}
	return nil
}

func (s *sweep) dropAside() error {
	return s.dropBoards(func() (int64, error) { return s.next("SELECT num FROM boards WHERE state > 0 AND state = 2 LIMIT ?") })
}

// dropBoardsOf removes the boards of a project.
func (s *sweep) dropBoardsOf(project int64) error {
	return s.dropBoards(func() (int64, error) { return s.number("SELECT num FROM boards WHERE project = ? LIMIT 1", project) })
}

// dropBoards removes boards until next returns sandlot.ErrNotFound or the step has nothing left.
func (s *sweep) dropBoards(next func() (int64, error)) error {
	for s.left > 0 {
		num, err := next()
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = s.dropBoard(num)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropBoard removes as many rows of a board as the step has left, and the board itself after the last one.
func (s *sweep) dropBoard(num int64) error {
	if err := s.dropRows(num, "board = ?1", num); err != nil || s.left <= 0 {
		return err
	}
	s.left--
	return s.do("DELETE FROM boards WHERE num = ?", num)
}

// dropRows removes rows of a board, then the blocks that count them, and subtracts those from the totals of the project.
func (s *sweep) dropRows(board int64, condition string, args ...any) error {
	if err := lockRoomOf(s.tx, board); err != nil {
		return err
	}
	err := s.times("DELETE FROM scores"+some("scores", "player, board, period", condition), args...)
	if err != nil || s.left <= 0 {
		return err
	}
	before := s.left
	if err := s.times("DELETE FROM blocks"+some("blocks", "board, period, sort, at, player", condition), args...); err != nil {
		return err
	}
	project, err := s.number("SELECT project FROM boards WHERE num = ?", board)
	if err != nil || s.left == before {
		return err
	}
	return removing(s.tx).blocks(project, int64(s.left-before))
}

// dropPeriods removes the rows of periods that are over. The last ones stay: a step that began in them
// may still add rows.
func (s *sweep) dropPeriods(over string, than int64) error {
	type ladder struct{ board, period int64 }
	for s.left > 0 {
		l, err := one(context.Background(), s, fields(func(l *ladder) []any { return []any{&l.board, &l.period} }),
			"SELECT board, period FROM blocks WHERE "+over+" LIMIT 1", than)
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = s.dropRows(l.board, "board = ?1 AND period = ?2", l.board, l.period)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sweep) cutBoards() error {
	for s.left > 0 {
		num, err := s.next("SELECT num FROM boards WHERE state > 0 AND state = 1 LIMIT ?")
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err == nil {
			_, err = cutBoard(s.tx, num)
		}
		if err != nil {
			return err
		}
		s.left--
	}
	return nil
}
