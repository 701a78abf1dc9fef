package sqlstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

// A Move takes the records of one database into another, as operate.MoveRecords says. Of
// two processes that are at the same move the one that began last goes on; the other's
// next step fails.
//
// The source notes the key of each row that is changed, by triggers, so that it does not
// matter which process changes it. The target is filled table by table, in the order of
// keys, and before each piece brought up to what was noted: what it has of a table is then
// what the source has, at one moment. Triggers and references of the target are set aside
// meanwhile, for rows come as they are, and not in the order in which they were made.
type Move struct {
	// Empty is asked whether the target's blobs are, before anything is begun; nil: they are not asked for.
	Empty func(context.Context) error

	from, to         *DB
	fromName, toName string

	page       int // how many rows are read at once, if not as many as the table says; for tests
	id, runner []byte
	schema     string              // of the source
	progress   map[string]*reached // by table
}

var _ operate.MoveRecords = (*Move)(nil)

// NewMove prepares a move. The target was opened with Options.Filling. The names are what
// people call the two, without secrets.
func NewMove(from, to *DB, fromName, toName string) *Move {
	runner := make([]byte, 16)
	rand.Read(runner)
	return &Move{from: from, to: to, fromName: fromName, toName: toName, runner: runner}
}

// reached is how far a table is.
type reached struct {
	copiedTo, comparedTo string
	copied, compared     bool
	rows                 int64
}

// The states of a side.
const (
	sideFrom     = "from"
	sideTo       = "to"
	stateBegun   = "begun"
	stateWatched = "watched" // each change is noted
	stateLeft    = "left"    // nothing is changed any more
)

// mark is the row that says which move a database is part of.
type mark struct {
	move               []byte
	side, state, other string
	schema             string
	runner             []byte
	at                 time.Time
}

func readMark(ctx context.Context, q querier) (*mark, error) {
	m, err := one(ctx, q, func(r row) (m mark, err error) {
		err = r.Scan(&m.move, &m.side, &m.state, &m.other, &m.schema, &m.runner, asTime{&m.at})
		return m, err
	}, "SELECT move, side, state, other, schema, runner, at FROM moving WHERE one = 1")
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil, nil
	}
	return &m, err
}

// Left says that the records of a database have moved: since when, and where to.
type Left struct {
	To string
	At time.Time
}

// Left is nil unless the records of this database had moved when it was opened. Then it
// only serves reads, and all changes are sandlot.ErrElsewhere.
func (db *DB) Left() *Left { return db.left }

// lookForMove refuses a database that a move is filling, unless it is that move.
func (db *DB) lookForMove(ctx context.Context, filling bool) error {
	m, err := readMark(ctx, db)
	switch {
	case err != nil:
		return in("look for a move", err)
	case m == nil:
	case m.side == sideTo && !filling:
		return fmt.Errorf("the database is being filled from %s and is not complete: run \"sandlot move\" again until it says that it is done", m.other)
	case m.side == sideFrom && m.state == stateLeft:
		db.left = &Left{To: m.other, At: m.at}
	}
	return nil
}

// Begin implements operate.MoveRecords.
func (m *Move) Begin(ctx context.Context) (resumed, done bool, err error) {
	source, err := readMark(ctx, m.from)
	if err != nil {
		return false, false, in("look at the source", err)
	}
	target, err := readMark(ctx, m.to)
	if err != nil {
		return false, false, in("look at the target", err)
	}
	if err := m.fits(ctx, source, target); err != nil {
		return false, false, unfit{err}
	}
	if m.id = m.runner; source != nil {
		m.id = source.move
	}
	if source != nil && source.state == stateLeft {
		return true, true, nil
	}
	if err := m.beginSource(ctx); err != nil {
		return false, false, in("begin at the source", err)
	}
	if err := m.beginTarget(ctx); err != nil {
		return false, false, in("begin at the target", err)
	}
	return target != nil, false, in("watch the source", m.watch(ctx))
}

// ErrUnfit: nothing was begun, and to begin again with the same two places is no help.
var ErrUnfit = errors.New("these are not two places of one move")

// unfit is an error of which errors.Is says that it is ErrUnfit, and which says why instead.
type unfit struct{ error }

func (u unfit) Unwrap() error        { return u.error }
func (u unfit) Is(target error) bool { return target == ErrUnfit }

// fits refuses two databases that are not the two sides of one move, and cannot become them.
func (m *Move) fits(ctx context.Context, source, target *mark) error {
	switch {
	case source != nil && source.side == sideTo:
		return fmt.Errorf("%s is being filled from %s itself: let that move finish first", m.fromName, source.other)
	case target != nil && target.side == sideFrom && source != nil && bytes.Equal(source.move, target.move):
		return m.same()
	case target != nil && target.side == sideFrom:
		return fmt.Errorf("%s is being moved to %s itself", m.toName, target.other)
	case target != nil && (source == nil || !bytes.Equal(source.move, target.move)):
		return fmt.Errorf("%s is being filled from %s, by a move that %s is no part of: name an empty one", m.toName, target.other, m.fromName)
	case target != nil:
		return nil
	case source != nil && source.state == stateLeft:
		return fmt.Errorf("%s has moved to %s already, at %s", m.fromName, source.other, source.at.Format(time.RFC3339))
	case source != nil && source.state == stateWatched:
		return fmt.Errorf("a move from %s to %s is under way: go on with that one, or end it with --abandon", m.fromName, source.other)
	}
	if m.Empty != nil {
		if err := m.Empty(ctx); err != nil {
			return err
		}
	}
	return m.empty(ctx)
}

func (m *Move) same() error {
	return fmt.Errorf("%s and %s are the same database", m.fromName, m.toName)
}

// empty refuses a target that has records already.
func (m *Move) empty(ctx context.Context) error {
	for _, table := range movedTables {
		if table.Name == "listing" {
			continue // a setting, of which there is always one
		}
		n, err := one(ctx, m.to, scanValue[int64], "SELECT count(*) FROM (SELECT 1 FROM "+table.Name+" LIMIT 1) x")
		if err != nil {
			return in("look at the target", err)
		}
		if n > 0 {
			return fmt.Errorf("%s is not empty (it has %s); nothing was changed: name an empty one", m.toName, table.Name)
		}
	}
	return nil
}

const writeMark = `INSERT INTO moving (one, move, side, state, other, schema, runner, at) VALUES (1, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (one) DO UPDATE SET runner = excluded.runner, other = excluded.other`

func (m *Move) beginSource(ctx context.Context) error {
	return m.from.step(ctx, 0, func(t *tx) (err error) {
		if m.schema, err = m.from.mover.Schema(t); err != nil {
			return err
		}
		_, err = t.exec(writeMark, m.id, sideFrom, stateBegun, m.toName, m.schema, m.runner, micros(m.from.Now()))
		return err
	})
}

func (m *Move) beginTarget(ctx context.Context) error {
	found, err := readMark(ctx, m.to)
	if err != nil {
		return err
	}
	if found != nil && found.side == sideFrom {
		return errors.Join(m.same(), m.from.step(ctx, 0, func(t *tx) error {
			_, err := t.exec("DELETE FROM moving")
			return err
		}))
	}
	err = m.to.step(ctx, 0, func(t *tx) error {
		schema, err := m.to.mover.Schema(t)
		if err != nil {
			return err
		}
		if found != nil && found.schema != schema {
			return fmt.Errorf("this move was begun by another release of Sandlot: go on with that one, or end it with --abandon and begin with an empty target")
		}
		if _, err := t.exec(writeMark, m.id, sideTo, stateBegun, m.fromName, schema, m.runner, micros(m.to.Now())); err != nil {
			return err
		}
		return m.to.mover.SetAside(t, movedTables)
	})
	if err != nil {
		return err
	}
	return m.readProgress(ctx)
}

func (m *Move) readProgress(ctx context.Context) error {
	type named struct {
		name string
		reached
	}
	list, err := all(ctx, m.to, func(r row) (n named, err error) {
		err = r.Scan(&n.name, &n.copiedTo, &n.copied, &n.comparedTo, &n.compared, &n.rows)
		return n, err
	}, "SELECT name, copied_to, copied, compared_to, compared, row_count FROM moving_tables")
	m.progress = map[string]*reached{}
	for _, table := range movedTables {
		m.progress[table.Name] = &reached{}
	}
	for _, n := range list {
		m.progress[n.name] = &n.reached
	}
	return err
}

// watch has each change of the source noted, unless it is already.
func (m *Move) watch(ctx context.Context) error {
	return m.from.step(ctx, 0, func(t *tx) error {
		found, err := readMark(ctx, t)
		if err != nil || found == nil || found.state != stateBegun {
			return err
		}
		if err := m.from.mover.Alone(t, movedTables); err != nil {
			return err
		}
		for _, table := range movedTables {
			if err := m.from.mover.Watch(t, table); err != nil {
				return err
			}
		}
		_, err = t.exec("UPDATE moving SET state = ? WHERE one = 1", stateWatched)
		return err
	})
}

// Abandon ends a move that was not finished: the source is as it was before, and what the
// target has is of no use. A source that has been left already it has serve again only if
// force is set: what its target has taken since is not in it.
func (db *DB) Abandon(ctx context.Context, force bool) error {
	return in("abandon the move", db.step(ctx, 0, func(t *tx) error {
		found, err := readMark(ctx, t)
		switch {
		case err != nil:
			return err
		case found == nil:
			return fmt.Errorf("%w: no move from here is under way", sandlot.ErrNotFound)
		case found.side == sideTo:
			return fmt.Errorf("this is the target of a move from %s: abandon it there, and delete this one", found.other)
		case found.state == stateLeft && !force:
			return fmt.Errorf("the records have moved to %s: what was changed there since is not here. If that one is lost, or was never used, add --force", found.other)
		}
		if err := db.mover.Alone(t, movedTables); err != nil {
			return err
		}
		for _, table := range movedTables {
			if err := errors.Join(db.mover.Unwatch(t, table), db.mover.Allow(t, table)); err != nil {
				return err
			}
		}
		return forgetMove(t)
	}))
}

// forgetMove deletes what a move has kept.
func forgetMove(t *tx) error {
	for _, name := range []string{"moving_tables", "moving_changes", "moving_damage", "moving"} {
		if _, err := t.exec("DELETE FROM " + name); err != nil {
			return err
		}
	}
	return nil
}

// errTakenOver: see Move.
var errTakenOver = errors.New("another \"sandlot move\" has taken this move over, or ended it")

// mine fails unless this process is still the one that is at the move. It is part of a step
// of either side.
func (m *Move) mine(t *tx) error {
	return t.must(errTakenOver, "UPDATE moving SET runner = ? WHERE one = 1 AND runner = ? AND move = ?", m.runner, m.runner, m.id)
}

// Waiting implements operate.MoveRecords.
func (m *Move) Waiting(ctx context.Context) (changes, sending int, err error) {
	changes, err = one(ctx, m.from, scanValue[int], "SELECT count(*) FROM (SELECT 1 FROM moving_changes LIMIT 1000) x")
	if err != nil {
		return 0, 0, in("count what was noted", err)
	}
	sending, err = one(ctx, m.from, scanValue[int], "SELECT count(*) FROM jobs WHERE leased_until > ?", micros(m.from.Now()))
	return changes, sending, in("count messages", err)
}

// BlobUses implements operate.MoveRecords.
func (m *Move) BlobUses(ctx context.Context, id int64, limit int) ([]operate.BlobUse, error) {
	return m.from.Upkeep().BlobUses(ctx, id, limit)
}

// switchMost bounds the changes that a switch makes, each some tenths of a millisecond.
const switchMost = 5000

// Switch implements operate.MoveRecords. It is one step of the source, which keeps all
// others out.
func (m *Move) Switch(ctx context.Context, take operate.TakeBlob) error {
	return in("switch", m.from.step(ctx, 0, func(t *tx) error {
		if err := m.from.mover.Alone(t, movedTables); err != nil {
			return err
		}
		if err := m.mine(t); err != nil {
			return err
		}
		if schema, err := m.from.mover.Schema(t); err != nil || schema != m.schema {
			return errors.Join(err, errors.New("the source was brought up to date by a newer release meanwhile"))
		}
		for made := 0; ; {
			c, err := m.noted(ctx, t.Tx)
			if err != nil {
				return err
			}
			if made += len(c.ids); made > switchMost {
				return fmt.Errorf("%w: too much is changed just now: try again", sandlot.ErrUnavailable)
			}
			if len(c.ids) == 0 {
				break
			}
			if err := m.follow(ctx, c, take); err != nil {
				return err
			}
			if _, err := t.exec("DELETE FROM moving_changes WHERE "+t.amongNumbers("id"), engine.List(c.ids)); err != nil {
				return err
			}
		}
		if err := m.goOn(ctx, t); err != nil {
			return err
		}
		for _, table := range movedTables {
			if err := errors.Join(m.from.mover.Unwatch(t, table), m.from.mover.Refuse(t, table)); err != nil {
				return err
			}
		}
		_, err := t.exec("UPDATE moving SET state = ?, at = ? WHERE one = 1", stateLeft, micros(m.from.Now()))
		return err
	}))
}

// goOn has the target number rows above all that the source ever numbered.
func (m *Move) goOn(ctx context.Context, t *tx) error {
	given, err := m.from.givenIn(t)
	if err != nil {
		return err
	}
	return m.to.step(ctx, 0, func(t *tx) error {
		if err := m.to.give(t, given); err != nil {
			return err
		}
		return m.mine(t)
	})
}

// Finish implements operate.MoveRecords.
func (m *Move) Finish(ctx context.Context) error {
	return in("finish", m.to.step(ctx, 0, func(t *tx) error {
		if err := m.to.mover.PutBack(t, movedTables); err != nil {
			return err
		}
		return forgetMove(t)
	}))
}
