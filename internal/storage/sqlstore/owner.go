package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/format/names"
	"sandlot/internal/storage/sqlstore/engine"
)

func (store OwnerStore) Rename(
	ctx context.Context, id sandlot.AccountID, handle string, at, since time.Time, limit int,
) error {
	return in("rename", store.db.changeAccount(ctx, &id, func(t *tx) error {
		t.changed.Account = id
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if err := t.active(id); err != nil {
			return err
		}
		if err := t.below(int64(limit), account.ErrTooOften,
			"SELECT count(*) FROM handles WHERE account = ? AND renamed_at > 0 AND renamed_at > ? AND renamed_at <= ?",
			id, micros(since), notAfter(at)); err != nil {
			return err
		}
		if _, err := takeHandle(t, id, []string{handle}, at); err != nil {
			return err
		}
		return t.must(sandlot.ErrNotFound,
			"UPDATE accounts SET changed = changed + 1, handle = ? WHERE id = ? AND deleted_at IS NULL", handle, id)
	}))
}

func (store OwnerStore) HandleGiven(ctx context.Context, handle string) (bool, error) {
	_, err := one(ctx, store.db, scanValue[int64], "SELECT account FROM handles WHERE handle = ?", handle)
	if errors.Is(err, sandlot.ErrNotFound) {
		return false, nil
	}
	return err == nil, in("look for handle", err)
}

func (store OwnerStore) SetLang(ctx context.Context, id sandlot.AccountID, lang string) error {
	return in("set language", store.db.must(ctx, sandlot.ErrNotFound,
		"UPDATE accounts SET lang = ? WHERE id = ? AND deleted_at IS NULL", lang, id))
}

func (store People) Words(ctx context.Context, id sandlot.AccountID) (account.Words, error) {
	w, err := one(ctx, store.db, fields(func(w *account.Words) []any { return []any{&w.Line, &w.Link} }),
		"SELECT line, link FROM people WHERE account = ?", id)
	if errors.Is(err, sandlot.ErrNotFound) {
		return account.Words{}, nil
	}
	return w, in("read words", err)
}

func (store People) SetWords(ctx context.Context, id sandlot.AccountID, w account.Words) error {
	return in("record words", store.db.step(ctx, nil, func(t *tx) error {
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if w == (account.Words{}) {
			if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND deleted_at IS NULL", id); err != nil {
				return err
			}
			return t.do("DELETE FROM people WHERE account = ?", id)
		}
		return t.must(sandlot.ErrNotFound,
			`INSERT INTO people (account, line, link) SELECT id, CAST(? AS TEXT), CAST(? AS TEXT) FROM accounts
				WHERE id = ? AND deleted_at IS NULL
			ON CONFLICT (account) DO UPDATE SET line = excluded.line, link = excluded.link`, w.Line, w.Link, id)
	}))
}

func (store People) Totals(ctx context.Context, id sandlot.AccountID, most int) (account.Totals, error) {
	return one(ctx, store.db, fields(func(n *account.Totals) []any { return []any{&n.Projects, &n.Plays, &n.Likes} }),
		`SELECT count(*), CAST(coalesce(sum(plays), 0) AS BIGINT), CAST(coalesce(sum(likes), 0) AS BIGINT) FROM (SELECT p.plays, p.likes
		FROM `+whatListed+"p.account = ? LIMIT ?) listed", id, most)
}

func claimant(words engine.Dialect) string {
	return "mailbox = ? AND verified = 0 AND " + words.EqualFold("email", "?") + " AND deleted_at IS NULL AND suspended_at IS NULL"
}

func (store ClaimStore) Claimants(ctx context.Context, email string, limit int) ([]sandlot.Account, error) {
	return all(ctx, store.db, scanAccount,
		"SELECT "+accountColumns+" FROM accounts WHERE "+claimant(store.db.dialect)+" AND projects > 0 ORDER BY id DESC LIMIT ?",
		names.EmailKey(email), email, limit)
}

func (store ClaimStore) Disown(ctx context.Context, id sandlot.AccountID, email string) error {
	return in("disown account", store.db.onAccount(ctx, id, func(t *tx) error {
		if err := t.must(sandlot.ErrNotFound,
			"UPDATE accounts SET email = '', mailbox = '' WHERE id = ? AND "+claimant(t.dialect),
			id, names.EmailKey(email), email); err != nil {
			return err
		}
		return t.do("DELETE FROM verifications WHERE account = ?", id)
	}))
}

func (store ClaimStore) TakeOver(ctx context.Context, from, to sandlot.AccountID, email string) error {
	return in("take over projects", store.db.changeAccount(ctx, &to, func(t *tx) error {
		t.changed.Account = from
		for _, id := range []sandlot.AccountID{min(from, to), max(from, to)} {
			if err := t.lockAccount(id); err != nil {
				return err
			}
		}
		if err := mayTakeOver(t, from, to, email); err != nil {
			return err
		}
		// The account's own keys are for its one project from then on; where it has several they stay, and reach
		// none.
		if err := t.do(`UPDATE keys SET project = (SELECT num FROM projects WHERE account = ?1 AND deleted_at IS NULL)
			WHERE account = ?1 AND project IS NULL AND (SELECT projects FROM accounts WHERE id = ?1) = 1`, from); err != nil {
			return err
		}
		return handOver(t, from, to, store.db.Now())
	}))
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

// handOver moves an account's projects to one with a verified address, with their records, ends their holds of the rule
// fields, its edit tokens and the codes of its connect_url, and has
// the projects come into the lists under their new account. The change number of a project is added to its account's, and
// the sum never falls: so the projects take along the number of their former account.
func handOver(t *tx, from, to sandlot.AccountID, at time.Time) error {
	if err := endFieldHolds(t, from, at); err != nil {
		return err
	}
	return t.Run(
		do(`UPDATE projects SET changed = changed + 1 + (SELECT changed FROM accounts WHERE id = ?1), account = ?2
			WHERE account = ?1`, from, to),
		do("DELETE FROM connects WHERE account = ?", from),
		dropPublishers(from),
		do("DELETE FROM keys WHERE account = ? AND edits = 1", from),
		do("UPDATE keys SET account = ?2 WHERE account = ?1 AND project IS NOT NULL", from, to),
		do("UPDATE trash SET account = ?2 WHERE account = ?1", from, to),
		do(`UPDATE accounts SET projects = projects + (SELECT projects FROM accounts WHERE id = ?1),
			bytes = bytes + (SELECT bytes FROM accounts WHERE id = ?1) WHERE id = ?2`, from, to),
		do("UPDATE accounts SET projects = 0, bytes = 0 WHERE id = ?", from),
		do("INSERT INTO follows (account, after) VALUES (?, 0) ON CONFLICT (account) DO UPDATE SET after = 0", to),
	)
}
