package sqlstore

import (
	"context"
	"errors"
	"math"

	"sandlot"
)

// followStep is how many projects follow their account in one step.
const followStep = 25

// ofAccount holds for a project whose account is not deleted. Projects of a deleted account are gone at once, though
// their own rows follow in steps.
const ofAccount = " AND (SELECT deleted_at FROM accounts WHERE id = account) IS NULL"

// changeAccount runs a step that may change an account, and then updates the account's projects, in steps between which
// other steps get their turn. Sweep finishes this after a crash or on a full disk. The step may set the account; 0 is
// none.
func (db *DB) changeAccount(ctx context.Context, account *sandlot.AccountID, run func(*tx) error) error {
	if err := db.step(ctx, nil, run); err != nil || *account == 0 {
		return err
	}
	// The change was made, even if the client hangs up. Sweep finishes the rest, and other accounts: after a change of
	// the rule these may be all.
	_ = db.followSteps(context.WithoutCancel(ctx), func(s *sweep) error { return s.followAccount(int64(*account)) })
	return nil
}

func (db *DB) finishFollows(ctx context.Context) error {
	return db.followSteps(ctx, (*sweep).follow)
}

// followSteps updates projects until a step has some of its limit left.
func (db *DB) followSteps(ctx context.Context, follow func(*sweep) error) error {
	_, _, err := db.sweepSteps(ctx, follow, followStep, math.MaxInt)
	return err
}

// follow updates as many projects as the call has left, those of the newest accounts first.
func (s *sweep) follow() error {
	for s.left > 0 {
		id, err := s.next("SELECT account FROM follows WHERE account > 0 ORDER BY account DESC LIMIT ?")
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.followAccount(id); err != nil {
			return err
		}
	}
	return nil
}

// followAccount updates as many projects of one account as the call has left: it deletes those of a deleted account,
// and lists or unlists others, under the account's handle.
func (s *sweep) followAccount(id int64) error {
	type account struct {
		after   int64
		deleted bool
	}
	if err := s.lockAccount(sandlot.AccountID(id)); err != nil {
		return err
	}
	for s.left > 0 {
		a, err := one(context.Background(), s, fields(func(a *account) []any { return []any{&a.after, &a.deleted} }),
			"SELECT f.after, a.deleted_at IS NOT NULL FROM follows f JOIN accounts a ON a.id = f.account WHERE f.account = ?", id)
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil // all are done, or another node was faster
		}
		if err != nil {
			return err
		}
		last, err := s.followed(id, a.after)
		switch {
		case err != nil:
			return err
		case last == 0:
			err = s.do("DELETE FROM follows WHERE account = ?", id)
			s.left--
		case a.deleted:
			err = s.removeProjects(id, a.after, last)
		default:
			err = s.relist(id, a.after, last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// followed moves the mark of an account on over as many projects as the call has left. It returns the last of them,
// or 0 for none. A project changed meanwhile comes later in the order, and is checked once more.
func (s *sweep) followed(account, after int64) (last int64, err error) {
	seqs, err := all(context.Background(), s, scanValue[int64],
		"SELECT seq FROM projects WHERE account = ? AND seq > ? ORDER BY seq LIMIT ?", account, after, s.left)
	if err != nil || len(seqs) == 0 {
		return 0, err
	}
	s.left -= len(seqs)
	last = seqs[len(seqs)-1]
	err = s.do("UPDATE follows SET after = ? WHERE account = ?", last, account)
	return last, err
}

// removeProjects deletes the projects of a deleted account in a part of their order.
func (s *sweep) removeProjects(account, after, last int64) error {
	if err := s.purgeProjects(account, after, last); err != nil {
		return err
	}
	const part = " WHERE account = ?1 AND seq > ?2 AND seq <= ?3 AND deleted_at IS NULL"
	return s.Run(
		do("INSERT INTO removals (project, at) SELECT num, (SELECT deleted_at FROM accounts WHERE id = ?1) FROM projects"+part, account,
			after, last),
		do(`UPDATE projects SET changed = changed + 1, title = '', description = '', tags = '', primary_file = '', wrapper = '',
			deleted_at = (SELECT deleted_at FROM accounts WHERE id = ?1)`+part, account, after, last),
	)
}

// relist brings the projects of an account in a part of their order into the lists, if they may be there, under its
// handle.
func (s *sweep) relist(account, after, last int64) error {
	const (
		part = " WHERE account = ?1 AND seq > ?2 AND seq <= ?3 AND deleted_at IS NULL"
		may  = `(CASE WHEN unlisted = 0 AND suspended_at IS NULL AND (hold = '' OR hold_end > 0) AND (SELECT ` + listable +
			` AND suspended_at IS NULL FROM accounts WHERE id = ?1) THEN 1 ELSE 0 END)`
	)
	return s.do("UPDATE projects SET changed = changed + (CASE listed WHEN "+may+" THEN 0 ELSE 1 END), listed = "+may+`,
		stamp = (SELECT coalesce(max(stamp), 0) + 1 FROM projects WHERE stamp > 0)`+part+
		" AND (listed = 1 OR "+may+" = 1)", account, after, last)
}
