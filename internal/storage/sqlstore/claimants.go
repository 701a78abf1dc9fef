package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

// claimant is true of an account that an address was given for and that has not verified it.
func claimant(words engine.Dialect) string {
	return "mailbox = ? AND verified = 0 AND " + words.EqualFold("email", "?") + " AND deleted_at IS NULL AND suspended_at IS NULL"
}

func (store ClaimStore) Claimants(ctx context.Context, email string, limit int) ([]sandlot.Account, error) {
	return all(ctx, store.db, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE "+claimant(store.db.dialect)+" AND projects > 0 ORDER BY id DESC LIMIT ?",
		names.EmailKey(email), email, limit)
}

func (store ClaimStore) Disown(ctx context.Context, id sandlot.AccountID, email string) error {
	return in("disown account", store.db.step(ctx, 0, func(t *tx) error {
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if err := t.must(sandlot.ErrNotFound, "UPDATE accounts SET email = '', mailbox = '' WHERE id = ? AND "+claimant(t.dialect), id, names.EmailKey(email), email); err != nil {
			return err
		}
		return t.do("DELETE FROM verifications WHERE account = ?", id)
	}))
}

// The change number of a project is added to its account's, and the
// sum never falls: so the projects take along the number of their former account.
func (store ClaimStore) TakeOver(ctx context.Context, from, to sandlot.AccountID, email string) (changed sandlot.Changed, err error) {
	changed.Account = from
	err = store.db.changeAccount(ctx, &to, func(t *tx) error {
		for _, id := range []sandlot.AccountID{min(from, to), max(from, to)} {
			if err := t.lockAccount(id); err != nil {
				return err
			}
		}
		if err := mayTakeOver(t, from, to, email); err != nil {
			return err
		}
		// The account's own keys are for its one project from then on; where it has several they stay, and reach none.
		if err := t.do("UPDATE keys SET project = (SELECT num FROM projects WHERE account = ?1 AND deleted_at IS NULL) WHERE account = ?1 AND project IS NULL AND (SELECT projects FROM accounts WHERE id = ?1) = 1", from); err != nil {
			return err
		}
		ids, err := all(ctx, t, scanValue[string], "UPDATE projects SET changed = changed + 1 + (SELECT changed FROM accounts WHERE id = ?1), account = ?2 WHERE account = ?1 RETURNING id", from, to)
		if err != nil {
			return err
		}
		for _, id := range ids {
			changed.Projects = append(changed.Projects, sandlot.ProjectID(id))
		}
		return handOver(t, from, to)
	})
	return changed, in("take over projects", err)
}

// mayTakeOver fails unless an account was given the address that another has verified.
func mayTakeOver(t *tx, from, to sandlot.AccountID, email string) error {
	if err := t.active(to); err != nil {
		return err
	}
	if _, err := t.number("SELECT id FROM accounts WHERE id = ? AND email = ? AND verified = 1", to, email); err != nil {
		return err
	}
	if _, err := t.number("SELECT id FROM accounts WHERE id = ? AND "+claimant(t.dialect), from, names.EmailKey(email), email); err != nil {
		return err
	}
	return mayVerify(t, email)
}

// handOver moves the records of an account's projects, and has the projects come into the lists under their
// new account.
func handOver(t *tx, from, to sandlot.AccountID) error {
	for _, query := range []string{
		"UPDATE keys SET account = ?2 WHERE account = ?1 AND project IS NOT NULL",
		"UPDATE trash SET account = ?2 WHERE account = ?1",
		"UPDATE accounts SET projects = projects + (SELECT projects FROM accounts WHERE id = ?1), bytes = bytes + (SELECT bytes FROM accounts WHERE id = ?1) WHERE id = ?2",
	} {
		if err := t.do(query, from, to); err != nil {
			return err
		}
	}
	return t.Run(
		do("UPDATE accounts SET projects = 0, bytes = 0 WHERE id = ?", from),
		do("INSERT INTO follows (account, after) VALUES (?, 0) ON CONFLICT (account) DO UPDATE SET after = 0", to),
	)
}
