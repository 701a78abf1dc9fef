package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"sandlot/internal/failpoint"
	"sandlot/internal/publish"
)

// mailsKept is how long a sent mail counts for its mailbox. The cap is for a day;
// a week leaves room for another.
const mailsKept = 7 * 24 * time.Hour

// sweepStep is how many records one step of a sweep forgets: some 5 ms.
const sweepStep = 100

// Sweep implements publish.SweepStore. It first finishes what was cut short, and is
// itself done in steps between which others get their turn.
func (db *DB) Sweep(ctx context.Context, now, before time.Time, limit int) (gone []publish.BlobRef, more bool, err error) {
	for _, finish := range []func(context.Context) error{db.finishErasures, db.finishDrafts, db.finishFollows} {
		if err := finish(ctx); err != nil {
			return nil, false, in("sweep", err)
		}
	}
	for ; limit > 0; limit -= sweepStep {
		s, err := db.sweepOnce(ctx, now, before, min(limit, sweepStep))
		if err != nil && len(gone) == 0 {
			return nil, false, in("sweep", err)
		}
		if err != nil {
			return gone, true, nil // these are forgotten; the next call tells what is wrong
		}
		gone = append(gone, s.gone...)
		if s.left > 0 {
			return gone, false, nil
		}
	}
	return gone, true, nil
}

// sweepOnce is one step of Sweep.
func (db *DB) sweepOnce(ctx context.Context, now, before time.Time, limit int) (s *sweep, err error) {
	err = db.step(ctx, 0, func(t *tx) error {
		s = &sweep{tx: t, left: limit}
		for _, part := range []func() error{
			func() error { return s.bringBack(now) },
			func() error { return s.endUploads(now) },
			s.dropParts,
			s.dropUploads,
			func() error { return s.dropRemoved(before) },
			func() error { return s.dropBlobs(before) },
			func() error { return s.dropMoves(now) },
			func() error { return s.dropOld(now) },
		} {
			if err := part(); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

// sweep is one call's work. Each part of it takes what it did off left.
type sweep struct {
	*tx
	left int
	gone []publish.BlobRef
}

// times runs a statement whose last argument is how many rows it may change.
func (s *sweep) times(query string, args ...any) error {
	n, err := s.exec(query, append(args, s.left)...)
	s.left -= int(n)
	return err
}

// endUploads takes the keys from uploads that have expired.
func (s *sweep) endUploads(now time.Time) error {
	_, err := s.exec(`UPDATE uploads SET key = NULL, token = NULL, expires_at = 0
		WHERE num IN (SELECT num FROM uploads WHERE expires_at > 0 AND expires_at <= ? LIMIT ?)`, micros(now), s.left)
	return err
}

// dropParts lets go of the parts of uploads that are over.
func (s *sweep) dropParts() error {
	type part struct{ upload, n, blob int64 }
	parts, err := all(context.Background(), s, func(r row) (p part, err error) {
		err = r.Scan(&p.upload, &p.n, &p.blob)
		return p, err
	}, "SELECT p.upload, p.n, p.blob FROM uploads u JOIN upload_parts p ON p.upload = u.num WHERE u.expires_at = 0 LIMIT ?", s.left)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := s.loosen(p.blob); err != nil {
			return err
		}
		if _, err := s.exec("DELETE FROM upload_parts WHERE upload = ? AND n = ?", p.upload, p.n); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

// dropUploads forgets uploads that are over and have no parts left.
func (s *sweep) dropUploads() error {
	return s.times(`DELETE FROM uploads WHERE num IN (SELECT u.num FROM uploads u
		WHERE u.expires_at = 0 AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.upload = u.num) LIMIT ?)`)
}

// dropBlobs looks at loose blobs: one that something refers to still is not loose
// any more, any other is forgotten.
func (s *sweep) dropBlobs(before time.Time) error {
	loose, err := all(context.Background(), s, scanLoose, `
		SELECT b.id, b.ref, EXISTS (SELECT 1 FROM files f WHERE f.blob = b.id)
			OR EXISTS (SELECT 1 FROM upload_parts p WHERE p.blob = b.id)
			OR EXISTS (SELECT 1 FROM variants v WHERE v.variant = b.id)
		FROM blobs b WHERE b.loose = 1 AND b.created_at < ? ORDER BY b.created_at LIMIT ?`, micros(before), s.left)
	if err != nil {
		return err
	}
	for _, b := range loose {
		if err := s.dropBlob(b); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

type looseBlob struct {
	id   int64
	ref  sql.NullString
	used bool
}

func scanLoose(r row) (b looseBlob, err error) {
	err = r.Scan(&b.id, &b.ref, &b.used)
	return b, err
}

func (s *sweep) dropBlob(b looseBlob) error {
	if b.used {
		_, err := s.exec("UPDATE blobs SET loose = 0 WHERE id = ?", b.id)
		return err
	}
	if err := s.dropVariants(b.id); err != nil {
		return err
	}
	if _, err := s.exec("DELETE FROM contents WHERE blob = ?", b.id); err != nil {
		return err
	}
	if _, err := s.exec("DELETE FROM blobs WHERE id = ?", b.id); err != nil {
		return err
	}
	failpoint.Hit(failpoint.MidSweep)
	if b.ref.Valid {
		s.gone = append(s.gone, publish.BlobRef(b.ref.String))
	}
	return nil
}

// dropOld forgets what is out of date: records of calls under an Idempotency-Key,
// verifications, sessions, logins, stops, and mails that count no more.
func (s *sweep) dropOld(now time.Time) error {
	if err := s.times("DELETE FROM once WHERE key IN (SELECT key FROM once WHERE expires_at <= ? LIMIT ?)", micros(now)); err != nil {
		return err
	}
	err := s.times("DELETE FROM verifications WHERE token IN (SELECT token FROM verifications WHERE expires_at <= ? LIMIT ?)", micros(now))
	if err != nil {
		return err
	}
	if err := s.times("DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ? LIMIT ?)", micros(now)); err != nil {
		return err
	}
	if err := s.times("DELETE FROM logins WHERE id IN (SELECT id FROM logins WHERE expires_at <= ? LIMIT ?)", micros(now)); err != nil {
		return err
	}
	if err := s.times("DELETE FROM stops WHERE id IN (SELECT id FROM stops WHERE until > 0 AND until <= ? LIMIT ?)", micros(now)); err != nil {
		return err
	}
	if err := s.dropDays(now); err != nil {
		return err
	}
	return s.times("DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE at < ? LIMIT ?)", micros(now.Add(-mailsKept)))
}
