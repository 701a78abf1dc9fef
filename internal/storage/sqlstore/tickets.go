package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/ticket"
	"sandlot/internal/storage/sqlstore/engine"
)

const selectTicket = "SELECT hash, coalesce(key, 0), project, owner, owner56, owner48, told, used, expires_at FROM tickets WHERE hash = ? AND expires_at > ?"

func scanTicket(r row) (k sandlot.Ticket, err error) {
	var project sql.NullString
	err = r.Scan(asDigest{&k.Hash}, &k.Key, &project, asDigest{&k.Owner}, asDigest{&k.Wider[0]}, asDigest{&k.Wider[1]}, &k.Told, &k.Used, asTime{&k.ExpiresAt})
	k.Project = sandlot.ProjectID(project.String)
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
	return in("add ticket", store.db.step(ctx, 0, func(t *tx) error {
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
			n, err := t.number("SELECT count(*) FROM tickets WHERE used = 0 AND expires_at > ? AND "+owner.query, micros(store.db.Now()), owner.of[:])
			if err != nil {
				return err
			}
			if n >= int64(most[i]) {
				return publish.ErrTooMany
			}
		}
		return t.do("INSERT INTO tickets (hash, key, project, owner, owner56, owner48, told, expires_at) VALUES (?, nullif(CAST(? AS BIGINT), 0), nullif(CAST(? AS TEXT), ''), ?, ?, ?, ?, ?)",
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
