package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/account"
)

func (store People) Words(ctx context.Context, id sandlot.AccountID) (account.Words, error) {
	w, err := one(ctx, store.db, func(r row) (w account.Words, err error) {
		err = r.Scan(&w.Line, &w.Link)
		return w, err
	}, "SELECT line, link FROM people WHERE account = ?", id)
	if errors.Is(err, sandlot.ErrNotFound) {
		return account.Words{}, nil
	}
	return w, in("read words", err)
}

func (store People) SetWords(ctx context.Context, id sandlot.AccountID, w account.Words) error {
	return in("record words", store.db.step(ctx, len(w.Line)+len(w.Link), func(t *tx) error {
		if err := t.lockAccount(id); err != nil {
			return err
		}
		if w == (account.Words{}) {
			if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND deleted_at IS NULL", id); err != nil {
				return err
			}
			return t.do("DELETE FROM people WHERE account = ?", id)
		}
		return t.must(sandlot.ErrNotFound, `INSERT INTO people (account, line, link) SELECT id, CAST(? AS TEXT), CAST(? AS TEXT) FROM accounts WHERE id = ? AND deleted_at IS NULL
			ON CONFLICT (account) DO UPDATE SET line = excluded.line, link = excluded.link`, w.Line, w.Link, id)
	}))
}

func (store People) Totals(ctx context.Context, id sandlot.AccountID, most int) (account.Totals, error) {
	return one(ctx, store.db, func(r row) (n account.Totals, err error) {
		err = r.Scan(&n.Projects, &n.Plays, &n.Likes)
		return n, err
	}, "SELECT count(*), CAST(coalesce(sum(plays), 0) AS BIGINT), CAST(coalesce(sum(likes), 0) AS BIGINT) FROM (SELECT p.plays, p.likes FROM "+whatListed+"p.account = ? LIMIT ?) listed", id, most)
}
