package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/storage/sqlstore/engine"
)

func (store Desk) Undo(ctx context.Context, a desk.Act, decision int64) error {
	var accounts []int64
	err := store.db.step(ctx, nil, func(t *tx) (err error) {
		accounts, err = undo(t, a, decision)
		return err
	})
	if err == nil {
		followAll(ctx, store.db, accounts)
	}
	return in("undo decision", err)
}

// made is a decision of the batch that is undone.
type madeDecision struct {
	desk.Decision
	num    int64
	before string
}

func undo(t *tx, a desk.Act, decision int64) (accounts []int64, err error) {
	ctx := context.Background()
	batch, err := t.number("SELECT batch FROM decisions WHERE id = ?", decision)
	if err != nil {
		return nil, err
	}
	list, err := standings(t, a, "p.num IN (SELECT project FROM decisions WHERE batch = ?)", batch)
	if err != nil {
		return nil, err
	}
	if err := undoable(t, batch); err != nil {
		return nil, err
	}
	rows, err := all(ctx, t, func(r row) (m madeDecision, err error) {
		m.Decision, err = scanDecision(before{r, []any{&m.num, &m.before}})
		return m, err
	}, "SELECT d.project, d.before, "+selectDecisions[len("SELECT "):]+"d.batch = ?", batch)
	if err != nil {
		return nil, err
	}
	made := map[int64]madeDecision{}
	for _, m := range rows {
		made[m.num] = m
	}
	for _, s := range list {
		m := made[s.num]
		t.changed.Projects = append(t.changed.Projects, s.Project)
		suspended, err := restore(t, s, m)
		if err != nil {
			return nil, err
		}
		if suspended {
			accounts = append(accounts, int64(s.Account))
		}
		if err := t.Run(newEntry(entryOf(a, sandlot.ActionUndo, s, m.Action, fmt.Sprintf("%s of decision %d", m.Action, m.ID)))); err != nil {
			return nil, err
		}
	}
	return accounts, t.do("UPDATE decisions SET undone_at = ?, undone_by = ? WHERE batch = ?", micros(a.At), nameOf(a), batch)
}

// undoable returns a MovedError for a batch that was undone, or about whose projects or accounts somebody decided since.
func undoable(t *tx, batch int64) error {
	const since = `d.undone_at = 0 AND d.batch > ?1 AND (d.project IN (SELECT project FROM decisions WHERE batch = ?1)
		OR d.action = 'take-down-account' AND d.project IN (SELECT o.num FROM decisions u JOIN projects q ON q.num = u.project
			JOIN projects o ON o.account = q.account WHERE u.batch = ?1 AND u.action = 'take-down-account'))`
	for _, condition := range []string{"d.batch = ?1 AND d.undone_at > 0", since} {
		list, err := all(context.Background(), t, scanDecision, selectDecisions+condition, batch)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			last := slices.MaxFunc(list, func(a, b desk.Decision) int { return cmp.Compare(a.ID, b.ID) })
			return desk.MovedError{Project: last.Project, Last: last}
		}
	}
	return nil
}

// restore brings back the state before a decision. It reports whether the decision was the suspension of the account.
func restore(t *tx, s standing, m madeDecision) (account bool, err error) {
	var b deskBefore
	if err := json.Unmarshal([]byte(m.before), &b); err != nil {
		return false, fmt.Errorf("%w: decision %d: %w", sandlot.ErrCorrupt, m.ID, err)
	}
	if taken(b.Suspended != nil && *b.Suspended == 0, s.suspended, m) || taken(b.Account, s.suspendedWithAccount, m) {
		return false, desk.MovedError{Project: s.Project}
	}
	list := []engine.Statement{do("UPDATE projects SET changed = changed + 1 WHERE num = ?", s.num)}
	if b.Hold != nil {
		list = append(list, do("UPDATE projects SET changed = changed + 1, hold = ?, hold_at = ?, hold_end = ? WHERE num = ?",
			b.Hold.Rule, b.Hold.At, b.Hold.End, s.num))
	}
	if b.Suspended != nil {
		list = append(list, do("UPDATE projects SET changed = changed + 1, suspended_at = nullif(CAST(? AS BIGINT), 0) WHERE num = ?",
			*b.Suspended, s.num))
	}
	if b.Immune != nil {
		list = append(list, do("UPDATE projects SET immune_until = ? WHERE num = ?", *b.Immune, s.num))
	}
	if b.Judged {
		list = append(list, do("UPDATE verdicts SET reversed_at = 0 WHERE project = ? AND reversed_at = ?", s.num, micros(m.At)))
	}
	for _, value := range b.Blocks {
		list = append(list, do("DELETE FROM blocked WHERE kind = ? AND value = ? AND at = ?", blocks.Hash, value, micros(m.At)))
	}
	if len(b.Blocks) > 0 {
		list = append(list, do("UPDATE blocking SET generation = generation + 1 WHERE one = 1"))
	}
	if err := t.Run(list...); err != nil || !b.Account {
		return false, err
	}
	return true, reinstateAccount(t, s.Account)
}

// taken reports whether the operator's own suspension, since then, took the place of that by a decision.
func taken(suspends bool, since int64, m madeDecision) bool {
	return suspends && since != 0 && since != micros(m.At)
}

func reinstateAccount(t *tx, id sandlot.AccountID) error {
	ids, err := projectsOf(t, id)
	if err != nil {
		return err
	}
	t.changed.Projects = append(t.changed.Projects, ids...)
	if err := t.do("UPDATE accounts SET changed = changed + 1, suspended_at = NULL WHERE id = ?", id); err != nil {
		return err
	}
	return yieldMailbox(context.Background(), t, id)
}

func (store Desk) AddNote(ctx context.Context, a desk.Act, id sandlot.ProjectID, text string) error {
	return in("add note", store.db.step(ctx, nil, func(t *tx) error {
		list, err := standings(t, a, "p.id = ?", string(id))
		if err == nil && len(list) == 0 {
			err = sandlot.ErrNotFound
		}
		if err != nil {
			return err
		}
		return t.do("INSERT INTO notes (project, actor, text, at) VALUES (?, ?, ?, ?)", list[0].num, nameOf(a), text, micros(a.At))
	}))
}

// inForce are decisions without an objection that still have their effect, and none after them.
const inForce = `a.deleted_at IS NULL AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM trash t WHERE t.project = p.num))
	AND d.undone_at = 0 AND d.objected_at = 0
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
		d, err := one(context.Background(), t, scanDecision, selectDecisions+"d.code = ? AND "+inForce, code[:])
		if err != nil {
			return err
		}
		return t.do("UPDATE decisions SET objection = ?, objected_at = ? WHERE id = ?", text, micros(at), d.ID)
	}))
}
