package sqlstore

import (
	"context"
	"time"

	"sandlot/internal/publish"
)

const selectOnce = "SELECT key, request, expires_at, account, project, version, mail, answer, made FROM once WHERE key = ? AND expires_at > ?"

func scanOnce(r row) (o publish.Once, err error) {
	err = r.Scan(asDigest{&o.Key}, asDigest{&o.Request}, asTime{&o.ExpiresAt}, &o.Account, &o.Project, &o.Version, &o.Mail, &o.Answer, &o.Made)
	return o, err
}

// Once implements publish.Store.
func (db *DB) Once(ctx context.Context, key publish.Digest, now time.Time) (publish.Once, error) {
	o, err := one(ctx, db, scanOnce, selectOnce, key[:], micros(now))
	return o, in("read what was made", err)
}

// mustBeFirst fails if a step was made under a key of o before; nil is none. It comes
// first in a step: a step that is made again finds its project moved on by itself.
func (t *tx) mustBeFirst(o *publish.Once, now time.Time) error {
	if o == nil {
		return nil
	}
	for _, key := range onceKeys(o) {
		n, err := t.number("SELECT count(*) FROM once WHERE key = ? AND expires_at > ?", key[:], micros(now))
		if err == nil && n > 0 {
			err = publish.ErrRepeated
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onceKeys are the keys that the record of a step is found by.
func onceKeys(o *publish.Once) []publish.Digest {
	if o.Elsewhere == (publish.Digest{}) {
		return []publish.Digest{o.Key}
	}
	return []publish.Digest{o.Key, o.Elsewhere}
}

// leaveOnce records o for the account of its step; nil is nothing to record. One
// that has expired makes room.
func (t *tx) leaveOnce(o *publish.Once, account publish.AccountID) error {
	if o == nil {
		return nil
	}
	for _, key := range onceKeys(o) {
		_, err := t.exec("INSERT OR REPLACE INTO once (key, request, expires_at, account, project, version, mail, answer, made) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			key[:], o.Request[:], micros(o.ExpiresAt), account, string(o.Project), o.Version, o.Mail, orEmpty(o.Answer), orEmpty(o.Made))
		if err != nil {
			return err
		}
	}
	return nil
}
