package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	selectUpload = `
		SELECT num, key, token, owner, owner56, owner48, coalesce(account, 0), meta, total, received, bytes, held, generation,
		expires_at, coalesce(done_project, ''), coalesce(done_version, 0), coalesce(done_part, 0), done_sha256, done_answer, done_made
		FROM uploads WHERE key = ? AND expires_at > ?`
	selectParts = `
		SELECT p.n, b.id, coalesce(b.ref, ''), b.size, b.sha256, b.is_text
		FROM upload_parts p JOIN blobs b ON b.id = p.blob WHERE p.upload = ? ORDER BY p.n`
	selectPart = `
		SELECT p.n, b.id, coalesce(b.ref, ''), b.size, b.sha256, b.is_text
		FROM upload_parts p JOIN blobs b ON b.id = p.blob WHERE p.upload = ? AND p.n = ?`
)

type uploadRow struct {
	publish.Upload
	num int64
}

func scanUpload(r row) (u uploadRow, err error) {
	var done publish.UploadDone
	err = r.Scan(&u.num, asDigest{&u.Key}, asDigest{&u.Token}, asDigest{&u.Owner}, asDigest{&u.Wider[0]}, asDigest{&u.Wider[1]},
		&u.Account, &u.Meta, &u.Total, (*[]byte)(&u.Received), &u.Bytes, &u.Held, &u.Generation, asTime{&u.ExpiresAt},
		&done.Project, &done.Version, &done.Part, asDigest{&done.SHA256}, &done.Answer, &done.Made)
	if done.Project != "" {
		u.Done = &done
	}
	return u, err
}

func scanPart(r row) (p publish.Part, err error) {
	err = r.Scan(&p.N, &p.Blob.ID, &p.Blob.Ref, &p.Blob.Size, asDigest{&p.Blob.SHA256}, &p.Blob.Text)
	return p, err
}

// A completed upload has no parts.
func (store UploadStore) Upload(ctx context.Context, key sandlot.Digest, part int, now time.Time) (publish.Upload, error) {
	var u uploadRow
	err := store.db.snapshot(ctx, func(q querier) (err error) {
		if u, err = one(ctx, q, scanUpload, selectUpload, key[:], micros(now)); err != nil {
			return err
		}
		u.Parts, err = all(ctx, q, scanPart, selectPart, u.num, part)
		return err
	})
	if err != nil {
		return publish.Upload{}, in("read upload", err)
	}
	return u.Upload, nil
}

func (store Credentials) UploadOfToken(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Digest, error) {
	return one(ctx, store.db, func(r row) (key sandlot.Digest, err error) {
		err = r.Scan(asDigest{&key})
		return key, err
	}, "SELECT key FROM uploads WHERE token = ? AND expires_at > ?", token[:], micros(now))
}

func (store UploadStore) UploadParts(ctx context.Context, key sandlot.Digest, generation int64) (parts []publish.Part, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		num, err := one(ctx, q, scanValue[int64],
			"SELECT num FROM uploads WHERE key = ? AND generation = ? AND done_project IS NULL", key[:], generation)
		if errors.Is(err, sandlot.ErrNotFound) {
			return sandlot.ErrUploadMoved
		}
		if err == nil {
			parts, err = all(ctx, q, scanPart, selectParts, num)
		}
		return err
	})
	return parts, in("read parts", err)
}

// An upload that has expired by the store's clock does not exist, and neither does a completed one for this method:
// both are sandlot.ErrUploadMoved unless u.Generation is 0, and then the expired one is replaced.
func (store UploadStore) SaveUpload(ctx context.Context, u publish.Upload, part *publish.Part, within publish.UploadQuota) (int64, error) {
	var blobs []sandlot.Blob
	if part != nil {
		blobs = append(blobs, part.Blob)
	}
	err := store.db.step(ctx, blobs, func(t *tx) error {
		if u.Account != 0 {
			if err := t.lockAccount(u.Account); err != nil {
				return err
			}
		}
		num, err := saveUpload(t, u, store.db.Now())
		if err != nil {
			return err
		}
		if err := uploadsWithin(t, u, part != nil, within, store.db.Now()); err != nil || part == nil {
			return err
		}
		return savePart(t, num, *part, store.db.Now())
	})
	if err != nil {
		return 0, in("save upload", err)
	}
	return u.Generation + 1, nil
}

func saveUpload(t *tx, u publish.Upload, now time.Time) (num int64, err error) {
	if u.Generation != 0 {
		num, err = t.number(`UPDATE uploads
			SET token = ?, owner = ?, account = ?, meta = ?, total = ?, received = ?, bytes = ?, held = ?, generation = generation + 1,
			expires_at = ?
			WHERE key = ? AND generation = ? AND expires_at > ? AND done_project IS NULL RETURNING num`,
			orNull(u.Token), u.Owner[:], orNone(u.Account), orEmpty(u.Meta), u.Total, orEmpty(u.Received), u.Bytes, u.Held,
			micros(u.ExpiresAt), u.Key[:], u.Generation, micros(now))
	} else {
		if err := endExpired(t, u.Key, now); err != nil {
			return 0, err
		}
		num, err = t.number(`INSERT INTO uploads (key, token, owner, owner56, owner48, account, meta, total, received, bytes, held,
			generation, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
			ON CONFLICT (key) DO NOTHING RETURNING num`,
			u.Key[:], orNull(u.Token), u.Owner[:], orNull(u.Wider[0]), orNull(u.Wider[1]), orNone(u.Account), orEmpty(u.Meta), u.Total,
			orEmpty(u.Received), u.Bytes, u.Held, micros(u.ExpiresAt))
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		err = sandlot.ErrUploadMoved
	}
	return num, err
}

// endExpired frees the key of an expired upload. Sweep drops its parts: there may be ten thousand.
func endExpired(t *tx, key sandlot.Digest, now time.Time) error {
	return t.do("UPDATE uploads SET key = NULL, token = NULL, expires_at = 0 WHERE key = ? AND expires_at <= ?", key[:], micros(now))
}

func savePart(t *tx, upload int64, p publish.Part, now time.Time) error {
	if err := t.do("UPDATE blobs SET loose = 1 WHERE id = (SELECT blob FROM upload_parts WHERE upload = ? AND n = ?)",
		upload, p.N); err != nil {
		return err
	}
	blob, err := t.keep(p.Blob, asPart, now)
	if err != nil {
		return err
	}
	return t.do("INSERT INTO upload_parts (upload, n, blob) VALUES (?, ?, ?) ON CONFLICT (upload, n) DO UPDATE SET blob = excluded.blob",
		upload, p.N, blob)
}

// complete finds the upload that a step consumes, nil for none, and returns the statements that close it, and the bytes
// that it held of an account. A new row has its key and the fields of part 1; the row with the parts loses its key, and
// Sweep drops it.
func (t *tx) complete(c *publish.Completion, of sandlot.AccountID) (list []engine.Statement, held int64, err error) {
	if c == nil {
		return nil, 0, nil
	}
	u, err := one(context.Background(), t, func(r row) (u publish.Upload, err error) {
		err = r.Scan(asDigest{&u.Token}, asDigest{&u.Owner}, &u.Meta, &u.Account, &held)
		return u, err
	}, `SELECT token, owner, meta, coalesce(account, 0), held FROM uploads
		WHERE key = ? AND generation = ? AND done_project IS NULL`+t.dialect.Locked("uploads"), c.Key[:], c.Generation)
	if errors.Is(err, sandlot.ErrNotFound) {
		err = sandlot.ErrUploadMoved
	}
	if u.Account != of {
		held = 0
	}
	return []engine.Statement{
		do("UPDATE uploads SET key = NULL, token = NULL, expires_at = 0 WHERE key = ?", c.Key[:]),
		do(`INSERT INTO uploads (key, token, owner, meta, total, generation, expires_at,
				done_project, done_version, done_part, done_sha256, done_answer, done_made)
			VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.Key[:], orNull(u.Token), u.Owner[:], orEmpty(u.Meta), c.Generation+1, micros(c.ExpiresAt),
			string(c.Done.Project), c.Done.Version, c.Done.Part, c.Done.SHA256[:], c.Done.Answer, c.Done.Made),
	}, held, err
}
