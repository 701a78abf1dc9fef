package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/storage/sqlstore/engine"
)

func (store Desk) Undo(ctx context.Context, a desk.Act, decision int64) error {
	return in("undo decision", store.rule(ctx, a, func(r *ruling) error { return r.undo(decision) }))
}

// A madeDecision is a decision that is undone. Its time is as it is stored.
type madeDecision struct {
	id, at int64
	action desk.Action
	before string
}

func (r *ruling) undo(decision int64) error {
	batch, err := r.number("SELECT batch FROM decisions WHERE id = ?", decision)
	if err != nil {
		return err
	}
	list, err := r.standings("p.num IN (SELECT project FROM decisions WHERE batch = ?)", batch)
	if err != nil {
		return err
	}
	if err := r.undoable(batch); err != nil {
		return err
	}
	for _, s := range list {
		m, err := one(context.Background(), r.tx, fields(func(m *madeDecision) []any { return []any{&m.id, &m.at, &m.action, &m.before} }),
			"SELECT id, at, action, before FROM decisions WHERE batch = ? AND project = ?", batch, s.num)
		if err != nil {
			return err
		}
		if err := r.restore(s, m); err != nil {
			return err
		}
		if err := r.Run(r.entry(sandlot.ActionUndo, s, m.action, fmt.Sprintf("%s of decision %d", m.action, m.id))); err != nil {
			return err
		}
	}
	if err := r.do("UPDATE decisions SET undone_at = ?, undone_by = ? WHERE batch = ?", micros(r.At), r.who(), batch); err != nil {
		return err
	}
	return r.mailOwners("d.batch = ? AND "+backAgain, batch)
}

// backAgain holds for a decision d that was undone once its owner had a message, and whose project p everybody sees again.
const backAgain = `d.undone_at > 0 AND d.code IS NOT NULL AND d.action <> 'dismiss' AND p.suspended_at IS NULL AND a.suspended_at IS NULL
	AND (p.hold = '' OR p.hold_end > 0)`

// undoable returns a MovedError for a batch that was undone, or about whose projects or accounts somebody decided since.
func (r *ruling) undoable(batch int64) error {
	list, err := all(context.Background(), r.tx, scanDecision, selectDecisions+`(d.batch = ?1 AND d.undone_at > 0
		OR d.undone_at = 0 AND d.batch > ?1 AND (d.project IN (SELECT project FROM decisions WHERE batch = ?1)
			OR d.action = 'take-down-account' AND d.project IN (SELECT o.num FROM decisions u JOIN projects q ON q.num = u.project
				JOIN projects o ON o.account = q.account WHERE u.batch = ?1 AND u.action = 'take-down-account')))`, batch)
	if err != nil || len(list) == 0 {
		return err
	}
	last := slices.MaxFunc(list, func(a, b desk.Decision) int { return cmp.Compare(a.ID, b.ID) })
	return desk.MovedError{Project: last.Project, Last: last}
}

// restore brings back the state before a decision.
func (r *ruling) restore(s standing, m madeDecision) error {
	var b deskBefore
	if err := json.Unmarshal([]byte(m.before), &b); err != nil {
		return fmt.Errorf("%w: decision %d: %w", sandlot.ErrCorrupt, m.id, err)
	}
	if taken(b.Suspended != nil && *b.Suspended == 0, s.suspended, m) || taken(b.Account, s.accountSuspended, m) {
		return desk.MovedError{Project: s.Project}
	}
	r.changed.Projects = append(r.changed.Projects, s.Project)
	set, args := "changed = changed + 1", []any(nil)
	if b.Hold != nil {
		set, args = set+", hold = ?, hold_at = ?, hold_end = ?", append(args, b.Hold.Rule, b.Hold.At, b.Hold.End)
	}
	if b.Suspended != nil {
		set, args = set+", suspended_at = nullif(CAST(? AS BIGINT), 0)", append(args, *b.Suspended)
	}
	if m.action != desk.Dismiss { // a person has reinstated it
		set, args = set+", immune_until = ?", append(args, micros(r.At.Add(operate.Immunity)))
	} else if b.Immune != nil {
		set, args = set+", immune_until = ?", append(args, *b.Immune)
	}
	list := []engine.Statement{do("UPDATE projects SET "+set+" WHERE num = ?", append(args, s.num)...)}
	if b.Judged {
		list = append(list, do("UPDATE verdicts SET reversed_at = 0 WHERE project = ? AND reversed_at = ?", s.num, m.at))
	}
	for _, value := range b.Blocks {
		list = append(list, do("DELETE FROM blocked WHERE kind = ? AND value = ? AND at = ?", blocks.Hash, value, m.at))
	}
	if len(b.Blocks) > 0 {
		list = append(list, do("UPDATE blocking SET generation = generation + 1 WHERE one = 1"))
	}
	if err := r.Run(list...); err != nil || !b.Account {
		return err
	}
	if err := r.suspendAccount(s.Account, nil); err != nil {
		return err
	}
	return yieldMailbox(context.Background(), r.tx, s.Account)
}

// taken reports whether the operator's own suspension, since then, took the place of that by a decision.
func taken(suspends bool, since int64, m madeDecision) bool {
	return suspends && since != 0 && since != m.at
}

func (store Desk) AddNote(ctx context.Context, a desk.Act, id sandlot.ProjectID, text string) error {
	return in("add note", store.rule(ctx, a, func(r *ruling) error {
		list, err := r.standings("p.id = ?", string(id))
		if err == nil && len(list) == 0 {
			err = sandlot.ErrNotFound
		}
		if err != nil {
			return err
		}
		num, before := list[0].num, micros(a.At.Add(-desk.NoteTwice))
		twice, err := r.number("SELECT count(*) FROM notes WHERE project = ? AND actor = ? AND text = ? AND at > ?", num, r.who(), text, before)
		if err != nil || twice > 0 {
			return err
		}
		return r.do("INSERT INTO notes (project, actor, text, at) VALUES (?, ?, ?, ?)", num, r.who(), text, micros(a.At))
	}))
}

// inForce are decisions without an objection that still have their effect, and none after them.
const inForce = shown + ` AND d.undone_at = 0 AND d.objected_at = 0
	AND (d.action = 'hold' AND p.hold <> '' AND p.hold_end = 0 OR d.action = 'take-down' AND p.suspended_at IS NOT NULL
		OR d.action = 'take-down-account' AND a.suspended_at IS NOT NULL)
	AND NOT EXISTS (SELECT 1 FROM decisions l WHERE l.project = d.project AND l.id > d.id AND l.undone_at = 0)`

func (store Desk) Contested(ctx context.Context, code sandlot.Digest) (desk.Decision, error) {
	d, err := one(ctx, store.db, scanDecision, selectDecisions+"d.code = ? AND "+inForce, code[:])
	return d, in("read contested decision", err)
}

func (store Desk) Object(ctx context.Context, code sandlot.Digest, text string, at time.Time) error {
	return in("object", store.db.step(ctx, nil, func(t *tx) error {
		if err := t.lock(`SELECT id FROM accounts WHERE id = (SELECT p.account FROM decisions d JOIN projects p ON p.num = d.project
			WHERE d.code = ?)`, code[:]); err != nil {
			return err
		}
		return t.must(sandlot.ErrNotFound, `UPDATE decisions SET objection = ?, objected_at = ? WHERE id = (SELECT d.id FROM decisions d
			JOIN projects p ON p.num = d.project JOIN accounts a ON a.id = p.account WHERE d.code = ? AND `+inForce+")",
			text, micros(at), code[:])
	}))
}
