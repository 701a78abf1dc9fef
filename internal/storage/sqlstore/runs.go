package sqlstore

import (
	"context"
	"time"

	"sandlot/internal/domain/operate"
)

// Runs is an operate.RunStore.
type Runs struct{ db *DB }

var _ operate.RunStore = Runs{}

func (store Operate) Runs() Runs { return Runs{store.db} }

func (store Runs) Record(ctx context.Context, kind operate.RunKind, at time.Time, damaged int64) error {
	good := int64(0)
	if damaged == 0 {
		good = micros(at)
	}
	return in("record a run", store.db.run(ctx, do(`INSERT INTO runs (kind, at, good_at, damaged) VALUES (?, ?, ?, ?)
		ON CONFLICT (kind) DO UPDATE SET at = excluded.at, damaged = excluded.damaged,
			good_at = CASE excluded.damaged WHEN 0 THEN excluded.good_at ELSE runs.good_at END
		WHERE runs.at <= excluded.at`, string(kind), micros(at), good, damaged)))
}

func (store Runs) All(ctx context.Context) ([]operate.Run, error) {
	list, err := all(ctx, store.db, fields(func(r *operate.Run) []any {
		return []any{&r.Kind, asTime{&r.At}, sometime{&r.GoodAt}, &r.Damaged}
	}), "SELECT kind, at, good_at, damaged FROM runs")
	return list, in("read the runs", err)
}
