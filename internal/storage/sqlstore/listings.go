package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/listed"
)

// Sightings is a listed.Store.
type Sightings struct{ db *DB }

var _ listed.Store = Sightings{}

func (store FrontLine) Sightings() Sightings { return Sightings(store) }

// The lock under which nodes claim looks.
var claimsOfLooks = sandlot.DigestOf([]byte("looks"))

func (store Sightings) ClaimLook(ctx context.Context, service string, every, again time.Duration) (due bool, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		if err := t.alone(claimsOfLooks); err != nil {
			return err
		}
		now := store.db.Now()
		err := t.must(sandlot.ErrLeased, `INSERT INTO looks (service, tried_at) VALUES (?1, ?2) ON CONFLICT (service) DO UPDATE
			SET tried_at = excluded.tried_at WHERE looks.done_at <= ?3 AND looks.tried_at <= ?4 OR looks.tried_at > ?5`,
			service, micros(now), micros(now.Add(-every)), micros(now.Add(-again)), notAfter(now))
		if due = err == nil; errors.Is(err, sandlot.ErrLeased) {
			err = nil
		}
		return err
	})
	return due, in("claim a look", err)
}

func (store Sightings) RecordLook(ctx context.Context, service string, found map[string]bool, done bool) error {
	return in("record a look", store.db.step(ctx, nil, func(t *tx) error {
		now := micros(store.db.Now())
		for host, listed := range found {
			at := int64(0)
			if listed {
				at = now
			}
			if err := t.do(`INSERT INTO sightings (host, service, found_at, checked_at) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT (host, service) DO UPDATE SET checked_at = excluded.checked_at,
				found_at = CASE WHEN excluded.found_at > 0 AND sightings.found_at > 0 THEN sightings.found_at ELSE excluded.found_at END`,
				host, service, at, now); err != nil {
				return err
			}
		}
		if !done {
			return nil
		}
		return t.Run(do("UPDATE looks SET done_at = tried_at WHERE service = ?", service),
			do("DELETE FROM sightings WHERE service = ? AND checked_at < ?", service, now))
	}))
}

func (store Sightings) Sightings(ctx context.Context) ([]listed.Sighting, error) {
	list, err := all(ctx, store.db, fields(func(s *listed.Sighting) []any {
		return []any{&s.Host, &s.Service, asTime{&s.FoundAt}, asTime{&s.CheckedAt}}
	}), "SELECT host, service, found_at, checked_at FROM sightings WHERE found_at > 0 ORDER BY found_at, host, service")
	return list, in("read the sightings", err)
}

func (store Sightings) Reported(ctx context.Context, limit int) ([]sandlot.ProjectID, error) {
	list, err := all(ctx, store.db, scanValue[sandlot.ProjectID],
		"SELECT project FROM reports WHERE closed_at IS NULL GROUP BY project ORDER BY max(id) DESC LIMIT ?", limit)
	return list, in("read reported projects", err)
}
