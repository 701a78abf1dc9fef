package sqlstore

import (
	"context"
	"math"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// squeezeTurns are the files without variants, each with its turn: what the account's files up to it cost, small ones
// first, without those of a list, and without those that are leased at the first time, of leases that end until the
// second. A file costs one, and one more for each 16 MiB.
func squeezeTurns(d engine.Dialect) string {
	return `SELECT id, CAST(sum(1 + size / 16777216) OVER (PARTITION BY account ORDER BY size > 16777216, id) AS BIGINT) AS turn
	FROM (SELECT b.id, b.size, (SELECT p.account FROM files f JOIN projects p ON p.num = f.project WHERE f.blob = b.id LIMIT 1) AS account
		FROM blobs b WHERE b.squeezed = 0 AND NOT (` + d.Among("b.id", d.Numbers("?", "j")) + `)
		AND (b.leased_until <= ? OR b.leased_until > ?)) waiting WHERE account IS NOT NULL`
}

// The files come without variants. A blob that is a file under several names comes once, under one of them.
func (store Variants) Unsqueezed(ctx context.Context, except []int64, limit int) ([]sandlot.File, error) {
	l := store.db.lease(sandlot.SqueezeLeaseMax)
	return all(ctx, store.db, scanFile, "WITH w AS ("+squeezeTurns(store.db.dialect)+`), oldest AS (SELECT min(id) AS id FROM w)
		SELECT `+fileColumns+` FROM (SELECT id, turn FROM w ORDER BY id = (SELECT id FROM oldest) DESC, turn, id LIMIT ?) t
		JOIN blobs b ON b.id = t.id JOIN files f ON f.blob = b.id
		WHERE NOT EXISTS (SELECT 1 FROM files o WHERE o.blob = b.id AND (o.project, o.since, o.folded) < (f.project, f.since, f.folded))
		ORDER BY b.id = (SELECT id FROM oldest) DESC, t.turn, b.id`, engine.List(except), micros(l.now), l.never(), limit)
}

func (store Variants) ClaimSqueezing(ctx context.Context, blobs []int64, length time.Duration) (mine []int64, claim int64, err error) {
	err = store.db.step(ctx, 0, func(t *tx) (err error) {
		l := store.db.lease(sandlot.SqueezeLeaseMax)
		claim = lease{l.now, length}.until()
		mine, err = all(ctx, t, scanValue[int64],
			"UPDATE blobs SET leased_until = ? WHERE "+t.amongNumbers("id")+` AND squeezed = 0
				AND (leased_until <= ? OR leased_until > ?) RETURNING id`,
			claim, engine.List(blobs), micros(l.now), l.never())
		return err
	})
	return mine, claim, in("claim files for variants", err)
}

func (store Variants) EndSqueezing(ctx context.Context, blobs []int64, claim int64) error {
	return in("give back files for variants", store.db.run(ctx,
		do("UPDATE blobs SET leased_until = 0 WHERE "+store.db.amongNumbers("id")+" AND leased_until = ?", engine.List(blobs), claim)))
}

func (store Variants) LeavePlain(ctx context.Context, most int) (int, error) {
	left := 0
	over, err := all(ctx, store.db, scanValue[int64],
		"SELECT id FROM ("+squeezeTurns(store.db.dialect)+") turns WHERE turn > ? LIMIT 1000",
		engine.List[int64](nil), math.MaxInt64, 0, most)
	if err != nil || len(over) == 0 {
		return 0, in("find files that wait beyond the limit", err)
	}
	err = store.db.step(ctx, 0, func(t *tx) error {
		for _, id := range over {
			n, err := t.Exec("UPDATE blobs SET squeezed = 1 WHERE id = ? AND squeezed = 0", id)
			if err != nil {
				return err
			}
			left += int(n)
		}
		return nil
	})
	return left, in("leave files plain", err)
}

// Variants that were recorded before are replaced.
func (store Variants) PutVariants(ctx context.Context, blobID int64, variants []sandlot.Variant) error {
	bytes := 0
	for _, v := range variants {
		bytes += v.Blob.InlineSize()
	}
	return in("put variants", store.db.step(ctx, bytes, func(t *tx) error {
		if err := t.must(sandlot.ErrNotFound, "UPDATE blobs SET squeezed = 1, leased_until = 0 WHERE id = ?", blobID); err != nil {
			return err
		}
		if err := t.dropVariants(blobID); err != nil {
			return err
		}
		for _, v := range variants {
			id, err := t.keep(v.Blob, asVariant, store.db.Now())
			if err != nil {
				return err
			}
			if err := t.do("INSERT INTO variants (blob, encoding, variant, crc32) VALUES (?, ?, ?, ?)",
				blobID, v.Encoding, id, v.CRC32); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (t *tx) dropVariants(blob int64) error {
	ids, err := all(context.Background(), t, scanValue[int64], "SELECT variant FROM variants WHERE blob = ?", blob)
	if err != nil || len(ids) == 0 {
		return err
	}
	list := []engine.Statement{do("DELETE FROM variants WHERE blob = ?", blob)}
	for _, id := range ids {
		list = append(list, loosen(id))
	}
	return t.Run(list...)
}
