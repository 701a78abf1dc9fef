package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// contentBytes bounds the bytes of new blobs that a step holds.
const contentBytes = 1 << 20

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
		return b.ID, t.keepAgain([]int64{b.ID}, as)
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
	var rows, points [][]any
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
	}
	if err := t.LaterAll("INSERT INTO checkpoints (blob, points) VALUES (?, ?)", points); err != nil {
		return nil, err
	}
	return ids, t.addContents(ids, list)
}

// addContents records the bytes of new blobs that no name stands for. It holds some
// contentBytes of them at once.
func (t *tx) addContents(ids []int64, list []sandlot.Blob) error {
	const query = "INSERT INTO contents (blob, bytes) VALUES (?, ?)"
	var rows [][]any
	held := 0
	for i, b := range list {
		if b.Ref != "" {
			continue
		}
		bytes, err := b.Bytes()
		if err != nil {
			return err
		}
		rows = append(rows, []any{ids[i], orEmpty(bytes)})
		if held += len(bytes); held < contentBytes {
			continue
		}
		if err := errors.Join(t.LaterAll(query, rows), t.Flush()); err != nil {
			return err
		}
		rows, held = nil, 0
	}
	return t.LaterAll(query, rows)
}

// keepAgain has the variants made of blobs that become files. The next Flush fails if one is
// not there.
func (t *tx) keepAgain(ids []int64, as use) error {
	if as != asFile || len(ids) == 0 {
		return nil // the foreign key says whether it is there
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	ask(t, scanValue[int64], func(n int64, err error) error {
		if err == nil && n < int64(len(ids)) {
			err = sandlot.ErrNotFound
		}
		return err
	}, "SELECT count(*) FROM blobs WHERE "+t.amongNumbers("id"), engine.List(ids))
	return t.later("UPDATE blobs SET squeezed = 0 WHERE squeezed IS NULL AND "+t.amongNumbers("id"), engine.List(ids))
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
