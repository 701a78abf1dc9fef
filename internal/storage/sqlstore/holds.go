package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

// isHeld is the condition that a project p is held.
const isHeld = "p.hold <> '' AND p.hold_end = 0"

// hold holds a project back from others by a rule, from that time on. A hold of another rule is replaced, but for one of a
// moderator. The caller's step has locked the owner and has the project in its changes.
func hold(t *tx, num int64, rule sandlot.Rule, at time.Time) error {
	return t.do(`UPDATE projects SET changed = changed + 1, hold = ?, hold_at = ?, hold_end = 0
		WHERE num = ? AND NOT (hold_end = 0 AND hold = ?)`, string(rule), micros(at), num, string(sandlot.HeldModerator))
}

// endHold ends the hold of a project, if it has one of that rule; the empty rule stands for every rule.
func endHold(t *tx, num int64, rule sandlot.Rule, at time.Time) error {
	return t.do(`UPDATE projects SET changed = changed + 1, hold_end = ? WHERE num = ? AND hold <> '' AND hold_end = 0 AND (hold = ? OR ? = '')`,
		micros(at), num, string(rule), string(rule))
}

// endFieldHolds ends the holds of the rule fields of all projects of an account. The caller's step has locked the account
// and has it in its changes.
func endFieldHolds(t *tx, account sandlot.AccountID, at time.Time) error {
	return t.do("UPDATE projects SET changed = changed + 1, hold_end = ? WHERE account = ? AND hold = ? AND hold_end = 0",
		micros(at), account, string(sandlot.HeldFields))
}

// heldFrom returns the hold with which a new project begins.
func heldFrom(np publish.NewProject, owner sandlot.Account, now time.Time) sandlot.Hold {
	if np.Hold == sandlot.NotHeld || owner.Vouched() {
		return sandlot.Hold{}
	}
	return sandlot.Hold{Rule: np.Hold, At: stored(now)}
}

// screened begins a hold of the rule fields with a version that has such fields, or ends it with a version without. A
// hold of another rule stays as it is.
func (p *projectRow) screened(rule sandlot.Rule, at time.Time) []engine.Statement {
	switch {
	case rule == sandlot.HeldFields && !p.Verified && p.Held.Rule == sandlot.NotHeld:
		p.Held = sandlot.Hold{Rule: rule, At: stored(at)}
		return []engine.Statement{do("UPDATE projects SET hold = ?, hold_at = ?, hold_end = 0 WHERE num = ?", string(rule), micros(at), p.num)}
	case rule == sandlot.NotHeld && p.Held.Rule == sandlot.HeldFields:
		p.Held = sandlot.Hold{}
		return []engine.Statement{do("UPDATE projects SET hold_end = ? WHERE num = ?", micros(at), p.num)}
	}
	return nil
}

func (store ProjectStore) LastHold(ctx context.Context, id sandlot.ProjectID) (publish.EndedHold, error) {
	return one(ctx, store.db, fields(func(h *publish.EndedHold) []any { return []any{&h.Rule, asTime{&h.At}, asTime{&h.Ended}} }),
		"SELECT hold, hold_at, hold_end FROM projects WHERE id = ? AND hold_end > 0 AND deleted_at IS NULL"+ofAccount, string(id))
}

// Most views are of a network that is known, and only read.
func (store ProjectStore) ViewHeld(ctx context.Context, v publish.HeldView) error {
	const about = "view a held version"
	_, err := one(ctx, store.db, scanValue[int64], `SELECT h.at FROM held_views h JOIN projects p ON p.num = h.project
		WHERE p.id = ? AND h.version = ? AND h.network = ?`, string(v.Project), v.Version, v.Network[:])
	if !errors.Is(err, sandlot.ErrNotFound) {
		return in(about, err)
	}
	return in(about, store.db.onProject(ctx, v.Project, func(t *tx) error {
		num, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL"+ofAccount, string(v.Project))
		if err != nil {
			return err
		}
		if err := t.below(int64(v.Most), sandlot.ErrTooOften,
			"SELECT count(*) FROM held_views WHERE project = ? AND version = ? AND network <> ?", num, v.Version, v.Network[:]); err != nil {
			return err
		}
		return t.do("INSERT INTO held_views (project, version, network, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
			num, v.Version, v.Network[:], micros(v.At))
	}))
}

func (store FrontLine) Trust(ctx context.Context, id sandlot.AccountID, end bool, e sandlot.LogEntry) error {
	return in("trust", store.db.changeAccount(ctx, &id, func(t *tx) error {
		t.changed.Account = id
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND deleted_at IS NULL", id); err != nil {
			return err
		}
		if end {
			return changeLogged(t, e, sandlot.ErrMoved,
				"UPDATE accounts SET changed = changed + 1, trusted_at = NULL WHERE id = ? AND trusted_at IS NOT NULL", id)
		}
		if err := changeLogged(t, e, sandlot.ErrExists,
			"UPDATE accounts SET changed = changed + 1, trusted_at = ? WHERE id = ? AND trusted_at IS NULL", micros(e.At), id); err != nil {
			return err
		}
		if err := t.Run(dropPublishers(id)); err != nil {
			return err
		}
		return endFieldHolds(t, id, e.At)
	}))
}

func (store FrontLine) Release(ctx context.Context, id sandlot.ProjectID, immune time.Time, e sandlot.LogEntry) error {
	return in("release", store.db.onProject(ctx, id, func(t *tx) error {
		t.changed = changed(id)
		num, err := t.number("SELECT num FROM projects WHERE id = ? AND "+isKept+ofAccount, string(id))
		if err != nil {
			return err
		}
		if err := reverseVerdict(t, num, e.At); err != nil {
			return err
		}
		return changeLogged(t, e, sandlot.ErrMoved, `UPDATE projects SET changed = changed + 1, hold_end = ?, immune_until = ?
			WHERE id = ? AND hold <> '' AND hold_end = 0`, micros(e.At), micros(immune), string(id))
	}))
}

// changeLogged runs an update of one row with its entry in the audit log; without a row to update it returns wrong.
func changeLogged(t *tx, e sandlot.LogEntry, wrong error, update string, args ...any) error {
	if err := t.must(wrong, update, args...); err != nil {
		return err
	}
	return t.Run(newEntry(e))
}
