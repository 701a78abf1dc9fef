package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

func (store OwnerStore) Rename(ctx context.Context, id sandlot.AccountID, handle string, at, since time.Time, limit int) (sandlot.Changed, error) {
	return sandlot.Changed{Account: id}, in("rename", store.db.changeAccount(ctx, &id, func(t *tx) error {
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if err := t.active(id); err != nil {
			return err
		}
		n, err := t.number("SELECT count(*) FROM handles WHERE account = ? AND renamed_at > 0 AND renamed_at > ? AND renamed_at <= ?", id, micros(since), notAfter(at))
		if err != nil {
			return err
		}
		if n >= int64(limit) {
			return account.ErrTooOften
		}
		if _, err := takeHandle(t, id, []string{handle}, at); err != nil {
			return err
		}
		return t.must(sandlot.ErrNotFound, "UPDATE accounts SET changed = changed + 1, handle = ? WHERE id = ? AND deleted_at IS NULL", handle, id)
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
	return in("set language", store.db.must(ctx, sandlot.ErrNotFound, "UPDATE accounts SET lang = ? WHERE id = ? AND deleted_at IS NULL", lang, id))
}
