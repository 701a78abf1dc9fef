package sqlstore

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// squeezeAhead is how many of the oldest and of the newest files without variants take turns: enough to find the files
// of an account behind many of another, at a cost that does not grow with the waiting files.
const squeezeAhead = 256

// The files come without variants; a blob with several names comes once, under one of them. A turn is the cost of an
// account's files up to that one, small ones first: one each, and one more for each 16 MiB.
func (store Variants) Unsqueezed(ctx context.Context, except []int64, limit int) ([]sandlot.File, error) {
	d, l := store.db.dialect, store.db.lease(sandlot.SqueezeLeaseMax)
	waiting := func(order string) string {
		return `SELECT id, size FROM (SELECT id, size FROM blobs WHERE squeezed = 0 AND NOT (` + d.Among("id", d.Numbers("?1", "j")) + `)
			AND (leased_until <= ?2 OR leased_until > ?3) ORDER BY ` + order + ` LIMIT ?4) w`
	}
	files, err := all(ctx, store.db, scanFile, `WITH
		w AS (`+waiting("id")+` UNION `+waiting("id DESC")+`),
		owned AS (SELECT id, size,
			(SELECT p.account FROM files f JOIN projects p ON p.num = f.project WHERE f.blob = w.id LIMIT 1) AS account FROM w),
		t AS (SELECT id, id = min(id) OVER () AS oldest,
			sum(1 + size / 16777216) OVER (PARTITION BY account ORDER BY size > 16777216, id) AS turn
			FROM owned WHERE account IS NOT NULL ORDER BY oldest DESC, turn, id LIMIT ?5)
		SELECT `+fileColumns+` FROM t JOIN blobs b ON b.id = t.id JOIN files f ON f.blob = b.id
		WHERE NOT EXISTS (SELECT 1 FROM files o WHERE o.blob = b.id AND (o.project, o.since, o.folded) < (f.project, f.since, f.folded))
		ORDER BY t.oldest DESC, t.turn, b.id`, engine.List(except), micros(l.now), l.never(), squeezeAhead, limit)
	return files, in("list files without variants", err)
}

func (store Variants) ClaimSqueezing(ctx context.Context, blobs []int64, length time.Duration) (mine []int64, claim int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) (err error) {
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

// Variants that were recorded before are replaced.
func (store Variants) PutVariants(ctx context.Context, blobID int64, variants []sandlot.Variant) error {
	blobs := make([]sandlot.Blob, len(variants))
	for i, v := range variants {
		blobs[i] = v.Blob
	}
	return in("put variants", store.db.step(ctx, blobs, func(t *tx) error {
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
