package sqlstore

import (
	"context"

	"sandlot/internal/publish"
)

// Unsqueezed implements publish.VariantStore. The files come without variants. A
// blob that is a file under several names comes once, under one of them.
func (db *DB) Unsqueezed(ctx context.Context, limit int) ([]publish.File, error) {
	files, err := all(ctx, db, scanFile, "SELECT "+fileColumns+` FROM blobs b JOIN files f ON f.blob = b.id
		WHERE b.squeezed = 0 AND NOT EXISTS (SELECT 1 FROM files o WHERE o.blob = b.id AND (o.project, o.since, o.folded) < (f.project, f.since, f.folded))
		ORDER BY b.id LIMIT ?`, limit)
	return files, in("list files without variants", err)
}

// PutVariants implements publish.VariantStore. Variants that were recorded before
// are replaced.
func (db *DB) PutVariants(ctx context.Context, blobID int64, variants []publish.Variant) error {
	bytes := 0
	for _, v := range variants {
		bytes += len(v.Blob.Inline)
	}
	return in("put variants", db.step(ctx, bytes, func(t *tx) error {
		if err := t.must(publish.ErrNotFound, "UPDATE blobs SET squeezed = 1 WHERE id = ?", blobID); err != nil {
			return err
		}
		if err := t.dropVariants(blobID); err != nil {
			return err
		}
		for _, v := range variants {
			id, err := t.keep(v.Blob, asVariant, db.now())
			if err != nil {
				return err
			}
			if _, err := t.exec("INSERT INTO variants (blob, encoding, variant, crc32) VALUES (?, ?, ?, ?)", blobID, v.Encoding, id, v.CRC32); err != nil {
				return err
			}
		}
		return nil
	}))
}

// dropVariants lets go of the variants of a blob.
func (t *tx) dropVariants(blob int64) error {
	ids, err := all(context.Background(), t, scanValue[int64], "SELECT variant FROM variants WHERE blob = ?", blob)
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, id := range ids {
		if err := t.loosen(id); err != nil {
			return err
		}
	}
	_, err = t.exec("DELETE FROM variants WHERE blob = ?", blob)
	return err
}
