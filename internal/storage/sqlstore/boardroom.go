package sqlstore

import (
	"errors"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
)

// errBlocks ends a step that would change the number of blocks of a project whose room it has not locked. Nearly all
// scores change none, and so wait for no other board.
var errBlocks = errors.New("the number of blocks changes")

// A scoring is a step that changes rows of boards.
type scoring struct {
	playing
	room bool // whether the step has locked the room of the project: it may then change the number of blocks
}

// removing is a step that removes rows.
func removing(t *tx) scoring { return scoring{playing{t, players.Holder{}, 0}, true} }

func (t scoring) rung(project int64, l ladder) rung { return rung{t.tx, l, t, project} }

// blocks adds n blocks to the totals of a project.
func (t scoring) blocks(project, n int64) error {
	if !t.room {
		return errBlocks
	}
	return t.count(project, "scores = player_totals.scores + ?", n*boards.BlockBytes, n > 0)
}

// lockRoom locks the totals of a project and its account, as a step has to before boards.
func lockRoom(t *tx, project int64) error {
	_, err := t.number("SELECT project FROM player_totals WHERE project = ?"+t.dialect.Locked("player_totals"), project)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return t.lockOwnerOf(project)
}

// lockRoomOf is lockRoom for the project of a board.
func lockRoomOf(t *tx, board int64) error {
	project, err := t.number("SELECT project FROM boards WHERE num = ?", board)
	if err != nil {
		return unlessMissing(err)
	}
	return lockRoom(t, project)
}
