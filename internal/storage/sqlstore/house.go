package sqlstore

import (
	"context"

	"sandlot"
)

func (store Operate) SetRole(ctx context.Context, id sandlot.AccountID, role sandlot.Role, e sandlot.LogEntry) error {
	return in("set role", store.db.onAccount(ctx, id, func(t *tx) error {
		if _, err := t.number("SELECT 1 FROM accounts WHERE id = ? AND deleted_at IS NULL", id); err != nil {
			return err
		}
		if err := t.must(sandlot.ErrExists, "UPDATE accounts SET role = ? WHERE id = ? AND role <> ?", role, id, role); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

func (store Operate) Feature(ctx context.Context, id sandlot.ProjectID, e sandlot.LogEntry) error {
	return in("feature", store.db.step(ctx, nil, func(t *tx) error {
		if id == "" {
			if err := t.must(sandlot.ErrExists, "DELETE FROM featured"); err != nil {
				return err
			}
			return t.Run(newEntry(e))
		}
		num, err := t.number("SELECT num FROM projects WHERE id = ? AND deleted_at IS NULL", string(id))
		if err != nil {
			return err
		}
		if err := t.must(sandlot.ErrExists, `INSERT INTO featured (one, project) VALUES (1, ?)
			ON CONFLICT (one) DO UPDATE SET project = excluded.project WHERE featured.project <> excluded.project`, num); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

func (store Gallery) Featured(ctx context.Context) (sandlot.ProjectID, error) {
	return one(ctx, store.db, scanValue[sandlot.ProjectID],
		"SELECT p.id FROM featured f JOIN projects p ON p.num = f.project WHERE p.listed = 1")
}
