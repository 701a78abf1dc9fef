package sqlstore

import (
	"context"
	"math"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

// Reporters is the store of an operate.Reporters and an operate.Mailed.
type Reporters struct{ db *DB }

func (store FrontLine) Reporters() Reporters { return Reporters(store) }

const reporterColumns = "id, name, made_at, used_at, ended_at"

func scanReporter(r row) (p operate.Reporter, err error) {
	err = r.Scan(&p.ID, &p.Name, asTime{&p.MadeAt}, sometime{&p.UsedAt}, sometime{&p.EndedAt})
	return p, err
}

func (store Reporters) AddReporter(ctx context.Context, token sandlot.Digest, r operate.Reporter, e sandlot.LogEntry) error {
	return in("add reporter", store.db.step(ctx, nil, func(t *tx) error {
		if err := t.alone(sandlot.DigestOf([]byte("reporter " + r.Name))); err != nil {
			return err
		}
		if err := t.below(1, sandlot.ErrExists, "SELECT count(*) FROM reporters WHERE name = ? AND ended_at = 0", r.Name); err != nil {
			return err
		}
		add := do("INSERT INTO reporters (hash, name, made_at) VALUES (?, ?, ?)", token[:], r.Name, micros(r.MadeAt))
		return t.Run(add, newEntry(e))
	}))
}

func (store Reporters) Reporters(ctx context.Context, before int64, limit int) ([]operate.Reporter, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return all(ctx, store.db, scanReporter, "SELECT "+reporterColumns+" FROM reporters WHERE id < ? ORDER BY id DESC LIMIT ?", before, limit)
}

func (store Reporters) EndReporter(ctx context.Context, name string, e sandlot.LogEntry) error {
	return in("end reporter", store.db.step(ctx, nil, func(t *tx) error {
		err := t.must(sandlot.ErrNotFound, "UPDATE reporters SET ended_at = ? WHERE name = ? AND ended_at = 0", micros(e.At), name)
		if err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

func (store Reporters) UseReporter(ctx context.Context, token sandlot.Digest, at time.Time) (r operate.Reporter, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		r, err = one(ctx, t, scanReporter, "UPDATE reporters SET used_at = ? WHERE hash = ? AND ended_at = 0 RETURNING "+reporterColumns,
			micros(at), token[:])
		return err
	})
	return r, in("use reporter", err)
}

func (store Reporters) AnswerReports(ctx context.Context, numbers []string, j sandlot.Job, wait time.Duration) error {
	return in("answer reports", store.db.step(ctx, nil, func(t *tx) error {
		share := []sandlot.Share{sandlot.ShareOf(j.Address, 1, "answers")}
		if err := takeShares(t, nil, share, j.Due, j.Due.Add(-wait)); err != nil {
			return err
		}
		if len(numbers) > 0 {
			of := " WHERE " + t.dialect.Among("number", t.dialect.Texts("?1", "numbers"))
			var err error
			if j.About, err = t.number("SELECT max(id) FROM reports"+of, engine.List(numbers)); err != nil {
				return err
			}
			if err := t.do("UPDATE reports SET answer = ?2"+of, engine.List(numbers), j.About); err != nil {
				return err
			}
		}
		return t.addJob(j, 0)
	}))
}
