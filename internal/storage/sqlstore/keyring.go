package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func (store KeyStore) Keys(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Key, error) {
	if before == 0 {
		before = 1<<63 - 1
	}
	return all(ctx, store.db, scanKey, selectKey+`k.account = ? AND k.id < ? ORDER BY k.id DESC LIMIT ?`, id, before, limit)
}

// minting runs a step that makes a key of an account once.
func (store KeyStore) minting(ctx context.Context, id sandlot.AccountID, o *publish.IdempotencyRecord, run func(*tx) error) error {
	return store.db.step(ctx, nil, func(t *tx) error {
		if err := t.addRecord(o, id, "", store.db.Now()); err != nil {
			return err
		}
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if err := t.active(id); err != nil {
			return err
		}
		return run(t)
	})
}

func (store KeyStore) MintKey(ctx context.Context, id sandlot.AccountID, k sandlot.Key, limit int, record publish.IdempotencyRecord) error {
	return in("mint key", store.minting(ctx, id, &record, func(t *tx) error {
		project, err := t.number("SELECT num FROM projects WHERE id = ? AND account = ? AND deleted_at IS NULL"+ofAccount,
			string(k.Project), id)
		if err != nil {
			return err
		}
		if err := t.below(int64(limit), publish.ErrTooMany,
			"SELECT count(*) FROM keys WHERE account = ? AND project = ? AND client IS NULL AND revoked_at IS NULL", id, project); err != nil {
			return err
		}
		return t.Run(newKey(k, id, &project))
	}))
}

func (store KeyStore) RotateKey(ctx context.Context, id sandlot.AccountID, k sandlot.Key, record publish.IdempotencyRecord) error {
	return in("rotate key", store.minting(ctx, id, &record, func(t *tx) error {
		return t.Run(do("UPDATE keys SET revoked_at = ? WHERE account = ? AND project IS NULL AND client IS NULL AND revoked_at IS NULL",
			micros(k.CreatedAt), id), newKey(k, id, nil))
	}))
}

// oldKeys are the keys in force that were made before their account's address was verified. Without a recorded time of
// the verification there are none. A grant is none: it was given in a login.
const oldKeys = ` account = ?1 AND client IS NULL AND revoked_at IS NULL AND created_at < (SELECT verified_at FROM accounts
	WHERE id = ?1 AND deleted_at IS NULL)`

func (store KeyStore) OldKeys(ctx context.Context, id sandlot.AccountID) (n int, verified time.Time, err error) {
	_, err = one(ctx, store.db, func(r row) (none struct{}, err error) { return none, r.Scan(&n, sometime{&verified}) },
		`SELECT (SELECT count(*) FROM keys k LEFT JOIN projects p ON p.num = k.project
		WHERE p.deleted_at IS NULL AND k.account = ?1 AND k.client IS NULL AND k.revoked_at IS NULL
		AND k.created_at < a.verified_at), coalesce(a.verified_at, 0) FROM accounts a WHERE a.id = ?1 AND a.deleted_at IS NULL`, id)
	return n, verified, in("count old keys", err)
}

func (store KeyStore) ReplaceOldKeys(ctx context.Context, id sandlot.AccountID, k sandlot.Key, record publish.IdempotencyRecord) error {
	return in("replace old keys", store.minting(ctx, id, &record, func(t *tx) error {
		return t.Run(do("UPDATE keys SET revoked_at = ?2 WHERE"+oldKeys, id, micros(k.CreatedAt)), newKey(k, id, nil))
	}))
}

func (store KeyStore) RevokeKey(ctx context.Context, account sandlot.AccountID, id int64, at time.Time) error {
	return in("revoke key", store.db.onAccount(ctx, account, func(t *tx) error {
		return t.must(sandlot.ErrNotFound,
			"UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND account = ?", micros(at), id, account)
	}))
}
