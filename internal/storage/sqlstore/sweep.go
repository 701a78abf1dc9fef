package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/base/worker"
	"sandlot/internal/storage/sqlstore/engine"
)

// mailsKept is how long a sent mail counts for its mailbox. The cap is for a day;
// a week leaves room for another.
const mailsKept = 7 * 24 * time.Hour

// sweepStep is how many records one step of a sweep forgets: some 3 ms.
const sweepStep = 50

// It first finishes what was cut short, and is
// itself done in steps between which others get their turn. Each is of one kind of
// records, so that a damaged one keeps none of another kind.
func (store Upkeep) Sweep(ctx context.Context, now, before time.Time, limit int) (gone []sandlot.BlobRef, more bool, err error) {
	var errs []error
	all := limit
	for _, finish := range []func(context.Context) error{store.db.finishErasures, store.db.finishFollows, store.db.finishForgets} {
		errs = append(errs, finish(ctx))
	}
	for _, part := range append([]func(*sweep) error{
		func(s *sweep) error { return s.bringBack(now) },
		func(s *sweep) error { return s.endUploads(now) },
		(*sweep).dropParts,
		(*sweep).dropUploads,
		func(s *sweep) error { return s.emptyTrash(now) },
		func(s *sweep) error { return s.dropRemoved(before) },
		func(s *sweep) error { return s.dropPictures(now) },
		func(s *sweep) error { return s.dropBlobs(before) },
		func(s *sweep) error { return s.dropMoves(now) },
		func(s *sweep) error { return s.emptyReports(now) },
	}, dropOld(now)...) {
		if errors.Is(errors.Join(errs...), sandlot.ErrUnavailable) {
			break // it is not about one record
		}
		var found []sandlot.BlobRef
		found, limit, err = store.db.sweepSteps(ctx, part, sweepStep, limit)
		gone, errs = append(gone, found...), append(errs, err)
	}
	if limit < all {
		store.db.swept.Store(true)
	}
	// Once at the end: to empty the log costs the reads of that moment some time.
	if limit > 0 && store.db.swept.Swap(false) {
		store.db.engine.Wipe()
	}
	return gone, limit <= 0, in("sweep", errors.Join(errs...))
}

// sweepSteps does a part of a sweep in steps of at most size records. A record at which a step fails is passed over by those
// that follow, so that it keeps none behind it; more of them than a step has are not about records any more. It returns what is
// left of the limit.
func (db *DB) sweepSteps(ctx context.Context, part func(*sweep) error, size, limit int) (gone []sandlot.BlobRef, left int, err error) {
	var failed worker.Errors
	over := map[int64]bool{}
	for limit > 0 {
		most := min(limit, size)
		s := &sweep{}
		err := db.step(ctx, 0, func(t *tx) error {
			s = &sweep{tx: t, left: most, over: over}
			err := part(s)
			if err == nil {
				s.at = 0 // a commit that fails is about no record
			}
			return err
		})
		if err != nil {
			failed.Add(err)
			if s.at == 0 || len(over) == size || aboutAll(ctx, err) {
				break
			}
			over[s.at] = true
			continue
		}
		gone = append(gone, s.gone...)
		limit -= most - s.left
		if s.left > 0 {
			break
		}
	}
	return gone, limit, failed.Err()
}

// forAll does something for each of a list. What fails keeps it from no other.
func forAll[T any](ctx context.Context, list []T, do func(T) error) error {
	var failed worker.Errors
	for _, item := range list {
		err := do(item)
		failed.Add(err)
		if aboutAll(ctx, err) {
			break
		}
	}
	return failed.Err()
}

// aboutAll tells whether an error is not about one record.
func aboutAll(ctx context.Context, err error) bool {
	return errors.Is(err, sandlot.ErrUnavailable) || ctx.Err() != nil
}

// sweep is one part's work, which it takes off left.
type sweep struct {
	*tx
	left int
	gone []sandlot.BlobRef
	at   int64          // the record that it is at; 0: none, or many
	over map[int64]bool // records that are passed over
}

// next returns the first record that a query finds and that is not passed over, which the sweep is at from then on. The last argument
// of the query is how many it finds.
func (s *sweep) next(query string, args ...any) (int64, error) {
	s.at = 0
	list, err := all(context.Background(), s, scanValue[int64], query, append(args, len(s.over)+1)...)
	for _, n := range list {
		if !s.over[n] {
			s.at = n
			return n, nil
		}
	}
	if err == nil {
		err = sandlot.ErrNotFound
	}
	return 0, err
}

// times runs a statement whose last argument is how many rows it may change.
func (s *sweep) times(query string, args ...any) error {
	n, err := s.Exec(query, append(args, s.left)...)
	s.left -= int(n)
	return err
}

// endUploads takes the keys from uploads that have expired.
func (s *sweep) endUploads(now time.Time) error {
	return s.times(`UPDATE uploads SET key = NULL, token = NULL, expires_at = 0
		WHERE expires_at > 0 AND expires_at <= ?1 AND num IN (SELECT num FROM uploads WHERE expires_at > 0 AND expires_at <= ?1 LIMIT ?2)`, micros(now))
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
		if err := s.do("DELETE FROM upload_parts WHERE upload = ? AND n = ?", p.upload, p.n); err != nil {
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
	// Locked before anybody asks whether they are used: who is about to use one comes before or after.
	ids, err := all(context.Background(), s, scanValue[int64],
		"SELECT b.id FROM blobs b WHERE b.loose = 1 AND b.created_at < ? ORDER BY b.created_at LIMIT ?"+s.dialect.Locked("b"), micros(before), s.left)
	if err != nil || len(ids) == 0 {
		return err
	}
	loose, err := all(context.Background(), s, scanLoose, `
		SELECT b.id, b.ref, EXISTS (SELECT 1 FROM files f WHERE f.blob = b.id)
			OR EXISTS (SELECT 1 FROM upload_parts p WHERE p.blob = b.id)
			OR EXISTS (SELECT 1 FROM variants v WHERE v.variant = b.id)
			OR EXISTS (SELECT 1 FROM picture_sizes i WHERE i.blob = b.id)
		FROM blobs b WHERE `+s.amongNumbers("b.id"), engine.List(ids))
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
		return s.do("UPDATE blobs SET loose = 0 WHERE id = ?", b.id)
	}
	if err := s.dropVariants(b.id); err != nil {
		return err
	}
	if err := s.Run(
		do("DELETE FROM contents WHERE blob = ?", b.id),
		do("DELETE FROM blobs WHERE id = ?", b.id),
	); err != nil {
		return err
	}
	failpoint.Hit(failpoint.MidSweep)
	if b.ref.Valid {
		s.gone = append(s.gone, sandlot.BlobRef(b.ref.String))
	}
	return nil
}

// dropOld are parts that forget what is out of date: records of calls under an
// Idempotency-Key, tickets, verifications, sessions, logins, stops, days, loads, and mails that count
// no more. Each statement says twice what is out of date, for it asks only the second time
// of a record that another step changes meanwhile.
func dropOld(now time.Time) []func(*sweep) error {
	parts := []func(*sweep) error{
		func(s *sweep) error { return s.dropDays(now) },
		func(s *sweep) error { return s.dropCounters(now) },
		func(s *sweep) error { return s.dropLoads(now) },
		func(s *sweep) error {
			return s.times("DELETE FROM mails WHERE at < ?1 AND id IN (SELECT id FROM mails WHERE at < ?1 LIMIT ?2)", micros(now.Add(-mailsKept)))
		},
	}
	for _, query := range []string{
		// Those that were used go before the record that says so: without it one would be good again by a clock that is set back. The
		// others go an hour later: a call that took its time may just be using one up.
		"DELETE FROM tickets WHERE expires_at <= ?1 AND used = 1 AND hash IN (SELECT hash FROM tickets WHERE expires_at <= ?1 AND used = 1 LIMIT ?2)",
		"DELETE FROM tickets WHERE expires_at <= ?1 - 3600000000 AND hash IN (SELECT hash FROM tickets WHERE expires_at <= ?1 - 3600000000 LIMIT ?2)",
		"DELETE FROM once WHERE expires_at <= ?1 AND key IN (SELECT key FROM once WHERE expires_at <= ?1 LIMIT ?2)",
		"DELETE FROM verifications WHERE expires_at <= ?1 AND token IN (SELECT token FROM verifications WHERE expires_at <= ?1 LIMIT ?2)",
		"DELETE FROM sessions WHERE expires_at <= ?1 AND id IN (SELECT id FROM sessions WHERE expires_at <= ?1 LIMIT ?2)",
		"DELETE FROM logins WHERE expires_at <= ?1 AND id IN (SELECT id FROM logins WHERE expires_at <= ?1 LIMIT ?2)",
		"DELETE FROM stops WHERE id IN (SELECT id FROM stops WHERE until > 0 AND until <= ? LIMIT ?)",
	} {
		parts = append(parts, func(s *sweep) error { return s.times(query, micros(now)) })
	}
	return append(parts, dropFigures(now)...)
}
