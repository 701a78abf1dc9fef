package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// Changes implements heads.ChangeStore. A change number is the sum of two that only grow: the project's
// own, and its account's, which one statement increments for all of its projects. Each statement that changes
// the readable state of a project increments its number; a guard in the tests rejects one that does not.
func (store Publish) Changes(ctx context.Context, ids []sandlot.ProjectID) (map[sandlot.ProjectID]int64, error) {
	type change struct {
		id sandlot.ProjectID
		n  int64
	}
	list, err := all(ctx, store.db, func(r row) (c change, err error) {
		err = r.Scan(&c.id, &c.n)
		return c, err
	}, `SELECT p.id, p.changed + a.changed FROM `+store.db.dialect.Texts("?", "j")+` CROSS JOIN projects p JOIN accounts a ON a.id = p.account
		WHERE p.id = j.value AND p.deleted_at IS NULL AND a.deleted_at IS NULL`, engine.List(ids))
	if err != nil {
		return nil, in("read change numbers", err)
	}
	changes := make(map[sandlot.ProjectID]int64, len(list))
	for _, c := range list {
		changes[c.id] = c.n
	}
	return changes, nil
}

// changed returns the change of one project.
func changed(id sandlot.ProjectID) sandlot.Changed { return sandlot.Subject{Project: id}.Changed() }
