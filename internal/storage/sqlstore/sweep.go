package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

// mailsKept is how long a sent mail counts for its mailbox. The cap is for a day; a week leaves room for another.
const mailsKept = 7 * 24 * time.Hour

// sweepStep is how many records one step of a sweep forgets: some 3 ms.
const sweepStep = 50

// It first finishes interrupted work, and runs in steps between which other steps get their turn. Each step is about
// one kind of records, so that a damaged record blocks no other kind.
func (store Upkeep) Sweep(ctx context.Context, now, before time.Time, limit int) (gone []sandlot.BlobRef, more bool, err error) {
	var errs []error
	all := limit
	endUploads := "UPDATE uploads SET key = NULL, token = NULL, expires_at = 0" + some("uploads", "num",
		"expires_at > 0 AND expires_at <= ?1")
	emptyReports := "UPDATE reports SET details = '', contact = ''" + some("reports", "id", worded+"closed_at <= ?1")
	dropNetworks := "UPDATE reports SET network = ?2" + some("reports", "id", networked+"closed_at <= ?1")
	for _, finish := range []func(context.Context) error{store.db.finishErasures, store.db.finishFollows, store.db.finishForgets} {
		errs = append(errs, finish(ctx))
	}
	for _, part := range append([]func(*sweep) error{
		func(s *sweep) error { return s.bringBack(now) },
		func(s *sweep) error { return s.times(endUploads, micros(now)) },
		(*sweep).dropParts,
		(*sweep).dropUploads,
		func(s *sweep) error { return s.emptyTrash(now) },
		func(s *sweep) error { return s.dropRemoved(before) },
		func(s *sweep) error { return s.dropPlayers(now) },
		func(s *sweep) error { return s.dropPictures(now) },
		func(s *sweep) error { return s.dropBlobs(before) },
		func(s *sweep) error { return s.dropMoves(now) },
		func(s *sweep) error { return s.dropTokens(now) },
		func(s *sweep) error { return s.dropDevices(now) },
		func(s *sweep) error { return s.sweepBoards(now) },
		func(s *sweep) error { return s.dropNetworkKeys(now) },
		func(s *sweep) error { return s.times(emptyReports, micros(now.Add(-operate.ReportKept))) },
		func(s *sweep) error { return s.times(dropNetworks, micros(now.Add(-operate.ReportKept)), []byte{}) },
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

// sweepSteps runs a part of a sweep in steps of at most size records. Later steps skip a record at which a step failed,
// so that it blocks none behind it; after as many failures as a step has records it gives up. It returns the rest of
// the limit.
func (db *DB) sweepSteps(ctx context.Context, part func(*sweep) error, size, limit int) (gone []sandlot.BlobRef, left int, err error) {
	var failed worker.Errors
	over := map[int64]bool{}
	for limit > 0 {
		most := min(limit, size)
		s := &sweep{}
		err := db.step(ctx, nil, func(t *tx) error {
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

// forAll calls do with each item of a list, also after a failure, unless that is about all.
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

// aboutAll reports whether an error is not about one record.
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

// next returns the first record of a query that is not skipped, and sets at to it. The last argument of the query is
// how many it finds.
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

func (s *sweep) times(query string, args ...any) error {
	n, err := s.Exec(query, append(args, s.left)...)
	s.left -= int(n)
	return err
}

// some limits a statement to the records of a table that a condition finds by the parameter ?1; the last parameter is
// how many. The condition stands there twice: the first is checked again if another step changes a record meanwhile.
func some(table, key, condition string) string {
	return " WHERE " + condition + " AND (" + key + ") IN (SELECT " + key + " FROM " + table + " WHERE " + condition + " LIMIT ?)"
}

// worded holds for a closed report with text that people wrote, and networked for one with the hash of their network.
const (
	worded    = "closed_at IS NOT NULL AND (details <> '' OR contact <> '') AND "
	networked = "closed_at IS NOT NULL AND length(network) > 0 AND "
)

func (s *sweep) dropParts() error {
	type part struct{ upload, n, blob int64 }
	parts, err := all(context.Background(), s, fields(func(p *part) []any { return []any{&p.upload, &p.n, &p.blob} }),
		"SELECT p.upload, p.n, p.blob FROM uploads u JOIN upload_parts p ON p.upload = u.num WHERE u.expires_at = 0 LIMIT ?", s.left)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := s.Run(loosen(p.blob), do("DELETE FROM upload_parts WHERE upload = ? AND n = ?", p.upload, p.n)); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

func (s *sweep) dropUploads() error {
	return s.times(`DELETE FROM uploads WHERE num IN (SELECT u.num FROM uploads u
		WHERE u.expires_at = 0 AND NOT EXISTS (SELECT 1 FROM upload_parts p WHERE p.upload = u.num) LIMIT ?)`)
}

// dropBlobs checks loose blobs: it drops those without a reference, and unmarks the others.
func (s *sweep) dropBlobs(before time.Time) error {
	// Locked before the references are counted: a step that is about to use one comes before or after.
	ids, err := all(context.Background(), s, scanValue[int64],
		`SELECT b.id FROM blobs b WHERE b.loose = 1 AND b.created_at < ?
			ORDER BY b.created_at LIMIT ?`+s.dialect.Locked("b"), micros(before), s.left)
	if err != nil || len(ids) == 0 {
		return err
	}
	loose, err := all(context.Background(), s, fields(func(b *looseBlob) []any { return []any{&b.id, &b.ref, &b.used} }), `
		SELECT b.id, coalesce(b.ref, ''), EXISTS (SELECT 1 FROM files f WHERE f.blob = b.id)
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
	ref  sandlot.BlobRef
	used bool
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
	if b.ref != "" {
		s.gone = append(s.gone, b.ref)
	}
	return nil
}

func dropOld(now time.Time) []func(*sweep) error {
	day := dayOf(now.Add(-figuresLate))
	parts := []func(*sweep) error{
		func(s *sweep) error { return s.forgetSeen("day_figures", "day", day) },
		func(s *sweep) error { return s.forgetSeen("version_figures", "version", day) },
	}
	for _, old := range []struct {
		table, key, condition string
		than                  int64
	}{
		{"day_figures", "project, day", "day < ?1", dayOf(figures.Kept(now))},
		{"day_sources", "project, day, host", "day < ?1", dayOf(figures.Kept(now))},
		{"counters", "process", "at < ?1", micros(now.Add(-countersKept))},
		{"loads", "load", "at < ?1", micros(now.Add(-gallery.PlayWindow))},
		{"loads", "load", "at > ?1", notAfter(now)},
		{"mails", "id", "at < ?1", micros(now.Add(-mailsKept))},
		{"mails", "id", "at > ?1", notAfter(now)}, // none of them counts
		// Used tickets go before the record of their use: without that a clock that is set back would make them valid
		// again. The others go an hour later: a slow call may just be using one.
		{"tickets", "hash", "expires_at <= ?1 AND used = 1", micros(now)},
		{"tickets", "hash", "expires_at <= ?1", micros(now.Add(-time.Hour))},
		{"idempotency", "key", "expires_at <= ?1", micros(now)},
		{"verifications", "token", "expires_at <= ?1", micros(now)},
		{"connects", "code", "expires_at <= ?1", micros(now)},
		{"keys", "id", "edits = 1 AND last_used_at <= ?1", micros(now.Add(-sandlot.EditTokenIdle))},
		{"sessions", "id", "expires_at <= ?1", micros(now)},
		{"logins", "id", "expires_at <= ?1", micros(now)},
		{"faults", "project, version, hash", "last_at < ?1", micros(now.Add(-faults.Kept))},
		{"feedback", "id", "at < ?1", micros(now.Add(-faults.MessagesKept))},
		{"invitations", "id", "expires_at <= ?1", micros(now.Add(-operate.InvitationsKept))},
		{"held_views", "project, version, network", "at < ?1", micros(now.Add(-publish.HeldKept))},
		{"stops", "id", "until > 0 AND until <= ?1", micros(now)},
		{"blocked", "id", "until > 0 AND until <= ?1", micros(now)},
		{"blocklists", "name", "until > 0 AND until <= ?1", micros(now)},
		{"publishers", "account, network", "at < ?1", micros(now.Add(-blocks.NetworksKept))},
		{"publishers", "account, network", "at > ?1", notAfter(now)},
	} {
		query := "DELETE FROM " + old.table + some(old.table, old.key, old.condition)
		parts = append(parts, func(s *sweep) error { return s.times(query, old.than) })
	}
	return parts
}

// bringBack sets back the times that were recorded while the clock was ahead: records that end later than their kind
// can, by the skew at least, end as if they were made now.
func (s *sweep) bringBack(now time.Time) error {
	for _, ahead := range []struct {
		table, key, column, condition string
		life                          time.Duration
	}{
		{"uploads", "num", "expires_at", "", publish.UploadLife},
		{"trash", "project", "at", "", 0},
		{"removals", "project", "at", "", 0},
		{"idempotency", "key", "expires_at", "", publish.IdempotencyLife},
		{"tickets", "hash", "expires_at", "", publish.IdempotencyLife},
		{"verifications", "token", "expires_at", "", account.VerificationLifeMax},
		{"connects", "code", "expires_at", "", publish.ConnectLife},
		{"keys", "id", "last_used_at", "edits = 1 AND ", 0},
		{"tokens", "hash", "expires_at", "", oauth.RefreshLife},
		{"devices", "code", "expires_at", "", oauth.DeviceLife},
		{"sessions", "id", "expires_at", "", sandlot.SessionLife},
		{"logins", "id", "expires_at", "", account.LoginLifeMax},
		{"email_moves", "id", "expires_at", "", account.MoveLifeMax},
		{"held_views", "project, version, network", "at", "", 0},
		{"stops", "id", "until", "until > 0 AND ", account.PauseMax},
		{"reports", "id", "closed_at", worded, 0},
		{"reports", "id", "closed_at", networked, 0},
		{"faults", "project, version, hash", "last_at", "", 0},
		{"feedback", "id", "at", "", 0},
		{"invitations", "id", "expires_at", "", operate.MaxInvitationDays * 24 * time.Hour},
	} {
		end := now.Add(ahead.life)
		query := "UPDATE " + ahead.table + " SET " + ahead.column + " = ?2" + some(ahead.table, ahead.key,
			ahead.condition+ahead.column+" > ?1")
		if err := s.times(query, notAfter(end), micros(end)); err != nil {
			return err
		}
	}
	// That nothing refers to a blob does not depend on when it was made.
	return s.times("UPDATE blobs SET created_at = 0"+some("blobs", "id", "loose = 1 AND created_at > ?1"), notAfter(now))
}
