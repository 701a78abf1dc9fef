package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// use says what refers to a blob.
type use int

const (
	asFile    use = iota // its variants are to be made
	asPart               // of an upload
	asVariant            // of a file's blob
)

// keep records a blob that something is about to refer to, its bytes with it if
// they are inline, and returns its id. One that is recorded already is used again.
func (t *tx) keep(b sandlot.Blob, as use, now time.Time) (int64, error) {
	if b.ID != 0 {
		return b.ID, t.keepAgain(b.ID, as)
	}
	ids, err := t.keepNew([]sandlot.Blob{b}, as, now)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// keepNew records blobs that have no record yet.
func (t *tx) keepNew(list []sandlot.Blob, as use, now time.Time) ([]int64, error) {
	var squeezed *int64
	if as == asFile {
		squeezed = new(int64)
	}
	var rows, contents, points [][]any
	for _, b := range list {
		ref := sql.NullString{String: string(b.Ref), Valid: b.Ref != ""}
		rows = append(rows, []any{ref, b.Size, b.SHA256[:], b.Text, squeezed, micros(now)})
	}
	ids, err := t.InsertAll("blobs", "INSERT INTO blobs (id, ref, size, sha256, is_text, squeezed, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
	if err != nil {
		return nil, err
	}
	for i, b := range list {
		if b.Checkpoints != "" {
			points = append(points, []any{ids[i], []byte(b.Checkpoints)})
		}
		if b.Ref != "" {
			continue
		}
		bytes, err := b.Bytes()
		if err != nil {
			return nil, err
		}
		contents = append(contents, []any{ids[i], orEmpty(bytes)})
	}
	if err := t.LaterAll("INSERT INTO checkpoints (blob, points) VALUES (?, ?)", points); err != nil {
		return nil, err
	}
	return ids, t.LaterAll("INSERT INTO contents (blob, bytes) VALUES (?, ?)", contents)
}

func (t *tx) keepAgain(id int64, as use) error {
	if as != asFile {
		return nil // the foreign key tells whether it is there
	}
	return t.Later(sandlot.ErrNotFound, "UPDATE blobs SET squeezed = coalesce(squeezed, 0) WHERE id = ?", id)
}

// loosen marks a blob to which a reference went away, for Sweep to look at.
func (t *tx) loosen(id int64) error {
	return t.later("UPDATE blobs SET loose = 1 WHERE id = ?", id)
}

// Content implements publish.Store.
func (store Publish) Content(ctx context.Context, blobID int64) ([]byte, error) {
	bytes, err := one(ctx, store.db, scanValue[[]byte], "SELECT bytes FROM contents WHERE blob = ?", blobID)
	if err != nil {
		return nil, in("read content", err)
	}
	return orEmpty(bytes), nil
}

// Checkpoints implements publish.Store.
func (store Publish) Checkpoints(ctx context.Context, blobID int64) (string, error) {
	points, err := one(ctx, store.db, scanValue[[]byte], "SELECT points FROM checkpoints WHERE blob = ?", blobID)
	if errors.Is(err, sandlot.ErrNotFound) {
		return "", nil
	}
	return string(points), in("read checkpoints", err)
}

// Unknown implements operate.SweepStore.
func (store Upkeep) Unknown(ctx context.Context, refs []sandlot.BlobRef) ([]sandlot.BlobRef, error) {
	// Another database in its place may have them, as one that was recovered from a backup.
	if err := store.db.engine.CheckPlace(); err != nil {
		return nil, in("look up blobs", err)
	}
	if len(refs) == 0 {
		return nil, nil
	}
	unknown, err := all(ctx, store.db, scanValue[sandlot.BlobRef],
		"SELECT n.value FROM "+store.db.dialect.Texts("?", "n")+" WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.ref = n.value)", engine.List(refs))
	return unknown, in("look up blobs", err)
}
