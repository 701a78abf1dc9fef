package sqlstore

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

const selectAccountDetail = `
	SELECT a.id, a.handle, a.email, a.verified, a.lang, a.suspended_at IS NOT NULL, a.created_at,
		a.role, a.most_projects, coalesce(a.suspended_at, 0),
		CASE WHEN a.verified = 1 THEN coalesce(a.verified_at, 0) ELSE 0 END, a.trusted_at IS NOT NULL, coalesce(a.trusted_at, 0),
		(SELECT count(*) FROM projects p WHERE p.account = a.id AND p.deleted_at IS NULL),
		(SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM projects p WHERE p.account = a.id AND p.deleted_at IS NULL)
	FROM accounts a WHERE a.deleted_at IS NULL AND `

func scanAccountDetail(r row) (d operate.AccountDetail, err error) {
	a := &d.Account
	err = r.Scan(&a.ID, &a.Handle, &a.Email, &a.EmailVerified, &a.Lang, &a.Suspended, asTime{&a.CreatedAt}, &a.Role, &a.MostProjects,
		sometime{&d.SuspendedAt}, sometime{&d.VerifiedAt}, &a.Trusted, sometime{&d.TrustedAt}, &d.Projects, &d.Bytes)
	return d, err
}

func (store Operate) AccountByHandle(ctx context.Context, handle string) (operate.AccountDetail, error) {
	return one(ctx, store.db, scanAccountDetail,
		selectAccountDetail+"a.id = (SELECT account FROM handles WHERE handle = ?) AND a.handle = ?", handle, handle)
}

// It reads through all accounts.
func (store Operate) AccountsByEmail(ctx context.Context, address string, limit int) ([]operate.AccountDetail, error) {
	return all(ctx, store.db, scanAccountDetail, selectAccountDetail+"a.email = ? ORDER BY a.id LIMIT ?", address, limit)
}

func (store Operate) ListAccounts(
	ctx context.Context, after sandlot.AccountID, suspended bool, limit int,
) ([]operate.AccountDetail, error) {
	return all(ctx, store.db, scanAccountDetail, selectAccountDetail+`a.id > ? AND (a.suspended_at IS NOT NULL OR CAST(? AS BIGINT) = 0)
		ORDER BY a.id LIMIT ?`, after, suspended, limit)
}

const selectProjectDetail = "SELECT coalesce(t.at, 0), coalesce(p.suspended_at, 0), " + projectColumns + `
	FROM projects p JOIN accounts a ON a.id = p.account LEFT JOIN trash t ON t.project = p.num WHERE a.deleted_at IS NULL AND `

func scanProjectDetail(r row) (d operate.ProjectDetail, err error) {
	p, err := scanProject(before{r, []any{sometime{&d.DeletedAt}, sometime{&d.SuspendedAt}}})
	d.Project, d.Number = p.Project, p.num
	return d, err
}

func (store Operate) ProjectDetail(ctx context.Context, id sandlot.ProjectID) (operate.ProjectDetail, error) {
	return one(ctx, store.db, scanProjectDetail, selectProjectDetail+"p.id = ? AND (p.deleted_at IS NULL OR t.project IS NOT NULL)",
		string(id))
}

func (store Operate) ListProjects(ctx context.Context, q operate.ProjectQuery) ([]operate.ProjectDetail, error) {
	const rest = "p.deleted_at IS NULL AND p.num > ? AND (p.suspended_at IS NOT NULL OR CAST(? AS BIGINT) = 0) AND (" + isHeld +
		" OR CAST(? AS BIGINT) = 0) ORDER BY p.num LIMIT ?"
	query, args := selectProjectDetail+rest, []any{q.After, q.Suspended, q.Held, q.Limit}
	if q.Account != 0 {
		query, args = selectProjectDetail+"p.account = ? AND "+rest, append([]any{q.Account}, args...)
	}
	return all(ctx, store.db, scanProjectDetail, query, args...)
}

func (store Operate) Suspend(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error {
	return in("suspend", store.db.changeAccount(ctx, &s.Account, func(t *tx) error { return suspend(ctx, t, s, e) }))
}

// suspend is that step.
func suspend(ctx context.Context, t *tx, s sandlot.Subject, e sandlot.LogEntry) error {
	if err := setSuspended(t, s, e, sandlot.ErrExists, micros(e.At), "suspended_at IS NULL"); err != nil || s.Project != "" {
		return err
	}
	return reserveMailbox(ctx, t, s.Account, e.At)
}

func (store Operate) Reinstate(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error {
	return in("reinstate", store.db.changeAccount(ctx, &s.Account, func(t *tx) error {
		if err := setSuspended(t, s, e, sandlot.ErrMoved, nil, "suspended_at IS NOT NULL"); err != nil || s.Project != "" {
			return err
		}
		return yieldMailbox(ctx, t, s.Account)
	}))
}

// setSuspended sets the time of a subject's suspension if the subject is in the given state, and else returns wrong.
func setSuspended(t *tx, s sandlot.Subject, e sandlot.LogEntry, wrong error, at any, state string) error {
	t.changed = s.Changed()
	if err := t.lockSubject(s); err != nil {
		return err
	}
	table, id := named(s)
	if _, err := t.number("SELECT 1 FROM "+table, id); err != nil {
		return err
	}
	update := "UPDATE " + strings.Replace(table, " WHERE ", " SET changed = changed + 1, suspended_at = ? WHERE ", 1) + " AND " + state
	if err := t.must(wrong, update, at, id); err != nil {
		return err
	}
	return t.Run(newEntry(e))
}

func named(s sandlot.Subject) (table string, id any) {
	if s.Project != "" {
		return "projects WHERE id = ? AND " + isKept + ofAccount, string(s.Project)
	}
	return "accounts WHERE id = ? AND deleted_at IS NULL", s.Account
}

// The texts of a deleted account or project are emptied at once; their rows stay, and so do their names.
// Other records about an account are emptied in steps, which Sweep does if they are cut short.
func (store RemovalStore) Remove(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error {
	err := store.db.changeAccount(ctx, &s.Account, func(t *tx) error {
		t.changed = s.Changed()
		if err := t.lockSubject(s); err != nil {
			return err
		}
		var err error
		if s.Project != "" {
			err = removeProject(t, s.Project, e.At)
		} else {
			err = removeAccount(t, s.Account, e.At)
		}
		if err != nil {
			return err
		}
		return t.Run(newEntry(e))
	})
	if err == nil {
		_ = store.db.finishForgets(context.WithoutCancel(ctx)) // Sweep finishes the rest
		store.db.engine.Wipe()
	}
	return in("remove", err)
}

func removeProject(t *tx, id sandlot.ProjectID, at time.Time) error {
	switch num, err := t.number("SELECT num FROM projects WHERE id = ? AND "+inTrash+ofAccount, string(id)); {
	case err == nil:
		return t.purge(num)
	case !errors.Is(err, sandlot.ErrNotFound):
		return err
	}
	num, err := t.number(`UPDATE projects
		SET changed = changed + 1, deleted_at = ?, title = '', description = '', tags = '', primary_file = '', wrapper = ''
		WHERE id = ? AND deleted_at IS NULL`+ofAccount+" RETURNING num", micros(at), string(id))
	if err != nil {
		return err
	}
	return t.do("INSERT INTO removals (project, at) VALUES (?, ?)", num, micros(at))
}

func removeAccount(t *tx, id sandlot.AccountID, at time.Time) error {
	if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND deleted_at IS NULL", id); err != nil {
		return err
	}
	if err := forgetting(t, id); err != nil {
		return err
	}
	return t.Run(
		// Its projects follow, also if all that it has can only be taken back.
		do(`INSERT INTO follows (account, after) SELECT id, 0 FROM accounts WHERE id = ?1
			AND EXISTS (SELECT 1 FROM trash WHERE account = ?1) ON CONFLICT (account) DO UPDATE SET after = 0`, id),
		do("UPDATE pictures SET gone_at = 1 WHERE account = ? AND gone_at = 0", id),
		do(`UPDATE accounts SET changed = changed + 1, deleted_at = ?, email = '', mailbox = '', verified = 0, lang = '', portrait = '', role = '', trusted_at = NULL
			WHERE id = ?`, micros(at), id),
		do("DELETE FROM verifications WHERE account = ?", id),
		do("DELETE FROM email_links WHERE move IN (SELECT id FROM email_moves WHERE account = ?)", id),
		do("DELETE FROM email_moves WHERE account = ?", id),
		do("DELETE FROM sessions WHERE account = ?", id),
		do("DELETE FROM people WHERE account = ?", id),
		do("DELETE FROM identities WHERE account = ?", id),
		do("DELETE FROM connects WHERE account = ?", id),
		dropPublishers(id),
	)
}

func (store Operate) AddKey(
	ctx context.Context, id sandlot.AccountID, k sandlot.Key, revoke bool, e sandlot.LogEntry,
) (revoked int, err error) {
	err = store.db.onAccount(ctx, id, func(t *tx) error {
		if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND deleted_at IS NULL", id); err != nil {
			return err
		}
		if revoke {
			n, err := t.Exec("UPDATE keys SET revoked_at = ? WHERE account = ? AND project IS NULL AND revoked_at IS NULL",
				micros(e.At), id)
			if revoked = int(n); err != nil {
				return err
			}
		}
		return t.Run(newKey(k, id, nil), newEntry(e))
	})
	return revoked, in("add key", err)
}

func newEntry(e sandlot.LogEntry) engine.Statement {
	return do("INSERT INTO acts (at, actor, name, action, target, reason) VALUES (?, ?, ?, ?, ?, ?)",
		micros(e.At), e.Actor, e.Name, e.Action, e.Target, e.Reason)
}

func scanLogEntry(r row) (e sandlot.LogEntry, err error) {
	err = r.Scan(&e.ID, asTime{&e.At}, &e.Actor, &e.Name, &e.Action, &e.Target, &e.Reason)
	e.Action = actionOf(e.Action)
	return e, err
}

// actionOf returns the name of a recorded action.
func actionOf(recorded string) string {
	if recorded == "restore" { // its name until 2026-11-23, and the log never changes
		return sandlot.ActionReinstate
	}
	return recorded
}

func (store Operate) Log(ctx context.Context, q operate.LogQuery) ([]sandlot.LogEntry, error) {
	before := int64(math.MaxInt64)
	if q.Before != 0 {
		before = q.Before
	}
	query, args := selectLog+"id < ?1 ORDER BY id DESC LIMIT ?2", []any{before, q.Limit}
	if q.Target != "" {
		query, args = selectLog+"id < ?1 AND target = ?3 ORDER BY id DESC LIMIT ?2", append(args, q.Target)
	}
	return all(ctx, store.db, scanLogEntry, query, args...)
}

// The log names an account by its current handle, so a former handle finds it, too; a project that was deleted with
// its account has no entry of its own.
const (
	selectLog            = "SELECT id, at, actor, name, action, target, reason FROM acts WHERE "
	selectAccountDeleted = `SELECT a.deleted_at, '@' || a.handle FROM handles h JOIN accounts a ON a.id = h.account
		WHERE h.handle = ? AND a.deleted_at IS NOT NULL`
	selectProjectDeleted = `SELECT coalesce(p.deleted_at, a.deleted_at),
		CASE WHEN p.deleted_at IS NULL OR p.deleted_at = a.deleted_at THEN '@' || a.handle ELSE p.id END
		FROM projects p JOIN accounts a ON a.id = p.account WHERE p.id = ? AND (p.deleted_at IS NOT NULL OR a.deleted_at IS NOT NULL)`
)

func (store Operate) DeletedAccount(ctx context.Context, handle string) (operate.Deletion, error) {
	return store.deletion(ctx, selectAccountDeleted, handle)
}

func (store Operate) DeletedProject(ctx context.Context, id sandlot.ProjectID) (operate.Deletion, error) {
	return store.deletion(ctx, selectProjectDeleted, string(id))
}

func (store Operate) deletion(ctx context.Context, query, name string) (d operate.Deletion, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		d, err = one(ctx, q, fields(func(d *operate.Deletion) []any { return []any{asTime{&d.At}, &d.Target} }), query, name)
		if err != nil {
			return err
		}
		d.Entry, err = one(ctx, q, scanLogEntry, selectLog+"target = ? AND action = ? ORDER BY id DESC LIMIT 1",
			d.Target, sandlot.ActionDelete)
		if errors.Is(err, sandlot.ErrNotFound) {
			err = nil
		}
		return err
	})
	return d, in("look for what was deleted", err)
}
