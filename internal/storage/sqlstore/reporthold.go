package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

// holder is a project that a rule may hold, with the verified address of its account.
type holder struct {
	num         int64
	account     sandlot.AccountID
	email, lang string
}

// holdByReports holds the project of a report, whose account is locked, if the rule says so.
func holdByReports(ctx context.Context, t *tx, r operate.Report, rule operate.HoldRule) (held bool, err error) {
	networks, err := t.number(`SELECT count(DISTINCT network) FROM reports
		WHERE project = ?1 AND closed_at IS NULL AND at > ?2 AND length(network) > 0
			AND `+t.dialect.Among("reason", t.dialect.Texts("?3", "reasons")),
		string(r.Project), micros(rule.Since), engine.List(rule.Reasons))
	if err != nil || networks < int64(rule.Networks) {
		return false, err
	}
	h, err := one(ctx, t, fields(func(h *holder) []any { return []any{&h.num, &h.account, &h.email, &h.lang} }), `SELECT p.num, a.id, CASE WHEN a.verified = 1 THEN a.email ELSE '' END, a.lang
		FROM projects p JOIN accounts a ON a.id = p.account
		WHERE p.id = ? AND p.deleted_at IS NULL AND p.suspended_at IS NULL AND a.suspended_at IS NULL
			AND (p.hold = '' OR p.hold_end > 0) AND p.immune_until <= ? AND a.trusted_at IS NULL
			AND (a.verified = 0 OR coalesce(a.verified_at, 0) > ?)`, string(r.Project), micros(r.At), micros(rule.Verified))
	if err == nil {
		err = belowPerHour(t, r, rule)
	}
	if errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.ErrTooOften) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t.changed = sandlot.Changed{Projects: []sandlot.ProjectID{r.Project}}
	if err := hold(t, h.num, sandlot.HeldReports, r.At); err != nil {
		return false, err
	}
	return true, errors.Join(t.Run(newEntry(rule.Entry)), mailHold(t, h, rule))
}

// belowPerHour returns sandlot.ErrTooOften once reports have held as many projects as they may.
func belowPerHour(t *tx, r operate.Report, rule operate.HoldRule) error {
	if err := t.alone(sandlot.DigestOf([]byte("held by reports"))); err != nil {
		return err
	}
	return t.below(int64(rule.PerHour), sandlot.ErrTooOften,
		"SELECT count(*) FROM projects WHERE hold = 'reports' AND hold_at > ? AND hold_at <= ?", micros(r.At.Add(-time.Hour)), notAfter(r.At))
}

// mailHold enqueues the messages about a hold.
func mailHold(t *tx, h holder, rule operate.HoldRule) error {
	if owner := rule.Owner; owner != nil && h.email != "" {
		owner.Address, owner.Lang, owner.About = h.email, h.lang, h.num
		if err := t.addJob(*owner, h.account); err != nil {
			return err
		}
	}
	for _, j := range []*sandlot.Job{rule.Operator, rule.Waiting} {
		if j == nil {
			continue
		}
		j.About = h.num
		if err := t.addJob(*j, 0); err != nil {
			return err
		}
	}
	return nil
}

// openReports counts the open reports of a project, and the networks that they came from.
func openReports(ctx context.Context, q querier, id sandlot.ProjectID) (reports, networks int, err error) {
	n, err := one(ctx, q, fields(func(n *[2]int) []any { return []any{&n[0], &n[1]} }),
		"SELECT count(*), count(DISTINCT network) FROM reports WHERE project = ? AND closed_at IS NULL", string(id))
	return n[0], n[1], err
}

func (store Mail) HeldByReports(ctx context.Context, project int64) (n account.HeldNotice, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		n, err = one(ctx, q, fields(func(n *account.HeldNotice) []any { return []any{&n.Project, &n.Handle, asTime{&n.At}} }),
			`SELECT p.id, a.handle, p.hold_at FROM projects p JOIN accounts a ON a.id = p.account
			WHERE p.num = ? AND p.deleted_at IS NULL AND p.suspended_at IS NULL AND a.suspended_at IS NULL
				AND p.hold = 'reports' AND p.hold_end = 0`, project)
		if err == nil {
			n.Reports, n.Networks, err = openReports(ctx, q, n.Project)
		}
		return err
	})
	return n, in("read held project", err)
}

func (store Mail) AnsweredReports(ctx context.Context, about int64) ([]string, error) {
	list, err := all(ctx, store.db, scanValue[string],
		"SELECT number FROM reports WHERE answer = ? AND answer > 0 ORDER BY id LIMIT ?", about, operate.MostOfMail)
	return list, in("read reports", err)
}
