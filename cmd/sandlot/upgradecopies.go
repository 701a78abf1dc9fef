package main

import (
	"context"
	"path/filepath"
	"time"

	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore"
)

// copiesKept is the time for which a copy of the database from before an upgrade is kept.
const copiesKept = 7 * 24 * time.Hour

// dropCopies returns the worker that deletes copies of the database from before upgrades when they are old.
func (a *app) dropCopies(ages *operate.AgeGuard) func(context.Context) {
	failures, path := a.failuresOf("copies"), filepath.Join(a.settings.Data, databaseName)
	return func(ctx context.Context) {
		worker.Every(ctx, time.Hour, func() {
			now := a.store.Now()
			if may, _ := ages.MayDelete(ctx); !may {
				return
			}
			if err := sqlstore.DropCopies(path, now.Add(-copiesKept)); err != nil {
				failures.Add(1)
				a.log.Warn("a copy of the database from before an upgrade was not deleted; it is tried again", "error", err)
			}
		})
	}
}
