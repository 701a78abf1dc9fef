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

type use int

const (
	asFile    use = iota // variants will be made of it
	asPart               // of an upload
	asVariant            // of a file's blob
)

// keep records a blob before the reference to it, with its bytes if they are inline, and returns its id. A recorded
// blob is used again.
func (t *tx) keep(b sandlot.Blob, as use, now time.Time) (int64, error) {
	if b.ID != 0 {
		return b.ID, nil // the foreign key says whether it is there
	}
	k := keeping{fresh: []sandlot.Blob{b}}
	if err := t.Run(newBlobs(k.fresh, as, now, &k.ids)); err != nil {
		return 0, err
	}
	contents, err := t.newContents(&k)
	if err != nil {
		return 0, err
	}
	return k.ids[0], t.Run(contents...)
}

// A contentKey distinguishes the contents of one change: by their names, or, where the record has the bytes, by these.
// Blobs with other names stay apart even if their bytes are the same: each name needs its record.
type contentKey struct {
	ref    sandlot.BlobRef
	sha256 sandlot.Digest
	size   int64
}

func contentOf(b sandlot.Blob) contentKey {
	if b.Ref != "" {
		return contentKey{ref: b.Ref}
	}
	return contentKey{sha256: b.SHA256, size: b.Size}
}

// A keeping holds the contents of files to record: the known blobs, and the new contents, each once.
type keeping struct {
	known []int64
	fresh []sandlot.Blob
	ids   []int64 // of the fresh ones, once they are recorded
	at    map[contentKey]int
}

func keepFiles(files []pastFile) *keeping {
	k := &keeping{at: map[contentKey]int{}}
	for _, f := range files {
		key := contentOf(f.Blob)
		if _, found := k.at[key]; f.Blob.ID != 0 {
			k.known = append(k.known, f.Blob.ID)
		} else if !found {
			k.at[key] = len(k.fresh)
			k.fresh = append(k.fresh, f.Blob)
		}
	}
	return k
}

func (k *keeping) id(b sandlot.Blob) int64 {
	if b.ID != 0 {
		return b.ID
	}
	return k.ids[k.at[contentOf(b)]]
}

func newBlobs(list []sandlot.Blob, as use, now time.Time, ids *[]int64) engine.Statement {
	s := engine.Statement{
		Query: "INSERT INTO blobs (ref, size, sha256, is_text, squeezed, created_at) VALUES (?, ?, ?, ?, ?, ?)", ID: "id", IDs: ids,
	}
	var squeezed *int64
	if as == asFile {
		squeezed = new(int64)
	}
	for _, b := range list {
		ref := sql.NullString{String: string(b.Ref), Valid: b.Ref != ""}
		s.Rows = append(s.Rows, []any{ref, b.Size, b.SHA256[:], b.Text, squeezed, micros(now)})
	}
	return s
}

// newContents returns the statements that record the inline bytes and checkpoints of new blobs, and request variants
// of the known ones. It holds about contentBytes at once, and records further bytes itself.
func (t *tx) newContents(k *keeping) (list []engine.Statement, err error) {
	if known := slices.Compact(slices.Sorted(slices.Values(k.known))); len(known) > 0 {
		n, err := t.number("SELECT count(*) FROM blobs WHERE "+t.amongNumbers("id"), engine.List(known))
		if err == nil && n < int64(len(known)) {
			err = sandlot.ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		list = append(list, do("UPDATE blobs SET squeezed = 0 WHERE squeezed IS NULL AND "+t.amongNumbers("id"), engine.List(known)))
	}
	points := engine.Statement{Query: "INSERT INTO checkpoints (blob, points) VALUES (?, ?)"}
	contents := engine.Statement{Query: "INSERT INTO contents (blob, bytes) VALUES (?, ?)"}
	held := 0
	for i, b := range k.fresh {
		if b.Checkpoints != "" {
			points.Rows = append(points.Rows, []any{k.ids[i], []byte(b.Checkpoints)})
		}
		if b.Ref != "" {
			continue
		}
		bytes, err := b.Bytes()
		if err != nil {
			return nil, err
		}
		contents.Rows = append(contents.Rows, []any{k.ids[i], orEmpty(bytes)})
		if held += len(bytes); held < contentBytes {
			continue
		}
		if err := t.Run(contents); err != nil {
			return nil, err
		}
		contents.Rows, held = nil, 0
	}
	return append(list, points, contents), nil
}

// loosen marks a blob that lost a reference, for Sweep to check.
func loosen(id int64) engine.Statement { return do("UPDATE blobs SET loose = 1 WHERE id = ?", id) }

func (store FileStore) Content(ctx context.Context, blobID int64) ([]byte, error) {
	bytes, err := one(ctx, store.db, scanValue[[]byte], "SELECT bytes FROM contents WHERE blob = ?", blobID)
	if err != nil {
		return nil, in("read content", err)
	}
	return orEmpty(bytes), nil
}

func (store FileStore) Checkpoints(ctx context.Context, blobID int64) (string, error) {
	points, err := one(ctx, store.db, scanValue[[]byte], "SELECT points FROM checkpoints WHERE blob = ?", blobID)
	if errors.Is(err, sandlot.ErrNotFound) {
		return "", nil
	}
	return string(points), in("read checkpoints", err)
}

func (store Upkeep) Unknown(ctx context.Context, refs []sandlot.BlobRef) ([]sandlot.BlobRef, error) {
	// Another database in its place, such as a recovered backup, may have them.
	if err := store.db.engine.CheckPlace(); err != nil {
		return nil, in("look up blobs", err)
	}
	if len(refs) == 0 {
		return nil, nil
	}
	return all(ctx, store.db, scanValue[sandlot.BlobRef],
		"SELECT n.value FROM "+store.db.dialect.Texts("?", "n")+
			" WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.ref = n.value)", engine.List(refs))
}
