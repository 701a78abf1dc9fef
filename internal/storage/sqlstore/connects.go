package sqlstore

import (
	"context"
	"time"

	"sandlot"
)

// connectable finds the account of a code, while the code works.
const connectable = ` FROM accounts WHERE id = (SELECT account FROM connects WHERE code = ? AND expires_at > ?)
	AND verified = 0 AND deleted_at IS NULL AND suspended_at IS NULL`

func (store ConnectStore) Connectable(ctx context.Context, code sandlot.Digest, now time.Time) (sandlot.Account, error) {
	return one(ctx, store.db, scanAccount, "SELECT "+accountColumns+connectable, code[:], micros(now))
}

func (store ConnectStore) Connect(ctx context.Context, code sandlot.Digest, to sandlot.AccountID, e sandlot.LogEntry) error {
	return in("connect account", store.db.changeAccount(ctx, &to, func(t *tx) error {
		id, err := t.number("SELECT id"+connectable, code[:], micros(e.At))
		if err != nil {
			return err
		}
		from := sandlot.AccountID(id)
		for _, id := range []sandlot.AccountID{min(from, to), max(from, to)} {
			if err := t.lockAccount(id); err != nil {
				return err
			}
		}
		t.changed.Account = from
		if err := t.active(to); err != nil {
			return err
		}
		if _, err := t.number("SELECT id FROM accounts WHERE id = ? AND verified = 1", to); err != nil {
			return err
		}
		// Again, now that nobody else can change it: of two calls at once the second finds the code used.
		a, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+connectable, code[:], micros(e.At))
		if err != nil {
			return err
		}
		e.Reason = "@" + a.Handle
		if err := t.Run(newEntry(e), do("UPDATE keys SET revoked_at = ? WHERE account = ? AND project IS NULL AND revoked_at IS NULL",
			micros(e.At), from)); err != nil {
			return err
		}
		return handOver(t, from, to, e.At)
	}))
}
