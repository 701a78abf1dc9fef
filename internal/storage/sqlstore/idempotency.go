package sqlstore

import (
	"context"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	selectRecords = "SELECT key, request, expires_at, account, project, version, mail, answer, made FROM idempotency WHERE "
	selectRecord  = selectRecords + "key = ? AND expires_at > ?"
)

func scanRecord(r row) (o publish.IdempotencyRecord, err error) {
	err = r.Scan(asDigest{&o.Key}, asDigest{&o.Request}, asTime{&o.ExpiresAt}, &o.Account, &o.Project, &o.Version, &o.Email, &o.Answer,
		&o.Made)
	return o, err
}

func (store ProjectStore) IdempotencyRecord(
	ctx context.Context, key sandlot.Digest, now time.Time, or ...sandlot.Digest,
) (publish.IdempotencyRecord, error) {
	query, args := selectRecord, []any{key[:], micros(now)}
	if len(or) > 0 {
		query = selectRecords + "expires_at > ? AND key IN (?" + strings.Repeat(", ?", len(or)) + ")"
		args = []any{micros(now), key[:]}
		for _, k := range or {
			args = append(args, k[:])
		}
	}
	return one(ctx, store.db, scanRecord, query, args...)
}

// insertRecord replaces an expired record, and changes nothing if one is in force. The account is ?4, or else that of
// the project ?10, or else 0.
const insertRecord = `INSERT INTO idempotency (key, request, expires_at, account, project, version, mail, answer, made)
	VALUES (?1, ?2, ?3, coalesce(nullif(CAST(?4 AS BIGINT), 0), (SELECT account FROM projects WHERE id = ?10), 0), ?5, ?6, ?7, ?8, ?9)
	ON CONFLICT (key) DO UPDATE SET request = excluded.request, expires_at = excluded.expires_at, account = excluded.account,
	project = excluded.project,
		version = excluded.version, mail = excluded.mail, answer = excluded.answer, made = excluded.made
	WHERE idempotency.expires_at <= ?11`

// addRecord records o for the account of its step, or if that is 0 for the owner of the project; nil records nothing.
// It returns sandlot.ErrAlreadyDone if a step was made under one of the keys before. It comes first in a step, so that
// of two at once the second waits for the first, and a repeated step returns no other error.
func (t *tx) addRecord(o *publish.IdempotencyRecord, account sandlot.AccountID, project sandlot.ProjectID, now time.Time) error {
	if o == nil {
		return nil
	}
	for _, key := range recordKeys(o) {
		err := t.must(sandlot.ErrAlreadyDone, insertRecord,
			key[:], o.Request[:], micros(o.ExpiresAt), account, string(o.Project), o.Version, o.Email,
			orEmpty(o.Answer), orEmpty(o.Made), string(project), micros(now))
		if err != nil {
			return err
		}
	}
	return nil
}

// ownRecord sets the account of a record to the one that its step made.
func ownRecord(o *publish.IdempotencyRecord, account sandlot.AccountID) (list []engine.Statement) {
	if o == nil {
		return nil
	}
	for _, key := range recordKeys(o) {
		list = append(list, do("UPDATE idempotency SET account = ? WHERE key = ?", account, key[:]))
	}
	return list
}

func recordKeys(o *publish.IdempotencyRecord) []sandlot.Digest {
	if o.Elsewhere == (sandlot.Digest{}) {
		return []sandlot.Digest{o.Key}
	}
	return []sandlot.Digest{o.Key, o.Elsewhere}
}

const selectTicket = `SELECT hash, coalesce(key, 0), coalesce(project, ''), owner, owner56, owner48, told, used, expires_at FROM tickets
	WHERE hash = ? AND expires_at > ?`

func scanTicket(r row) (k sandlot.Ticket, err error) {
	err = r.Scan(asDigest{&k.Hash}, &k.Key, &k.Project, asDigest{&k.Owner}, asDigest{&k.Wider[0]}, asDigest{&k.Wider[1]}, &k.Told, &k.Used,
		asTime{&k.ExpiresAt})
	return k, err
}

func (store Credentials) Ticket(ctx context.Context, hash sandlot.Digest, now time.Time) (k sandlot.Ticket, key sandlot.Key, err error) {
	err = store.db.snapshot(ctx, func(q querier) (err error) {
		if k, err = one(ctx, q, scanTicket, selectTicket, hash[:], micros(now)); err == nil && k.Key != 0 {
			key, err = one(ctx, q, scanKey, selectKey+"k.id = ?", k.Key)
		}
		return err
	})
	return k, key, in("look up ticket", err)
}

func (store Tickets) AddTicket(ctx context.Context, k sandlot.Ticket, most ticket.Most) error {
	return in("add ticket", store.db.step(ctx, nil, func(t *tx) error {
		for i, owner := range []struct {
			of    sandlot.Digest
			query string
		}{
			{k.Owner, "owner = ?"},
			{k.Wider[0], "owner56 IS NOT NULL AND owner56 = ?"},
			{k.Wider[1], "owner48 IS NOT NULL AND owner48 = ?"},
		} {
			if owner.of == (sandlot.Digest{}) {
				continue
			}
			// Of two at once the second counts the tickets of the first.
			if err := t.alone(owner.of); err != nil {
				return err
			}
			if err := t.below(int64(most[i]), publish.ErrTooMany,
				"SELECT count(*) FROM tickets WHERE used = 0 AND expires_at > ? AND "+owner.query, micros(store.db.Now()),
				owner.of[:]); err != nil {
				return err
			}
		}
		return t.do(`INSERT INTO tickets (hash, key, project, owner, owner56, owner48, told, expires_at)
			VALUES (?, nullif(CAST(? AS BIGINT), 0), nullif(CAST(? AS TEXT), ''), ?, ?, ?, ?, ?)`,
			k.Hash[:], k.Key, string(k.Project), k.Owner[:], orNull(k.Wider[0]), orNull(k.Wider[1]), orEmpty(k.Told), micros(k.ExpiresAt))
	}))
}

// useTicket uses up the ticket of a step, which is kept as long as the step's record.
func useTicket(o *publish.IdempotencyRecord) []engine.Statement {
	if o == nil || o.Ticket == (sandlot.Digest{}) {
		return nil
	}
	return []engine.Statement{do("UPDATE tickets SET used = 1, expires_at = ? WHERE hash = ?", micros(o.ExpiresAt), o.Ticket[:])}
}
