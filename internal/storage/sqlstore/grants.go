package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/storage/sqlstore/engine"
)

// ofToken continues selectKey: the key of the grant of an access token, or of a refresh token.
const ofToken = "k.client IS NOT NULL AND k.id = (SELECT key FROM tokens WHERE hash = ? AND refresh = ? AND expires_at > ?)"

func (store Credentials) KeyByToken(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Key, error) {
	return one(ctx, store.db, scanKey, selectKey+ofToken, token[:], false, micros(now))
}

func (store GrantStore) AddGrant(ctx context.Context, g oauth.Grant) (again bool, err error) {
	err = store.db.onAccount(ctx, g.Key.Account, func(t *tx) error {
		ended, err := t.endGrants(g.Key.CreatedAt, "hash = ?", g.Key.Hash[:])
		if again = ended > 0; err != nil || again {
			return err
		}
		id, err := t.addGrant(g.Key)
		if err != nil {
			return err
		}
		return t.Run(newPair(id, g.Pair))
	})
	return again, in("add grant", err)
}

// endGrants ends the grants that a condition finds, and returns how many there are, ended ones included.
func (t *tx) endGrants(at time.Time, condition string, args ...any) (int64, error) {
	return t.Exec("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE client IS NOT NULL AND "+condition,
		append([]any{micros(at)}, args...)...)
}

// addGrant records the key of a grant, whose account is locked.
func (t *tx) addGrant(k sandlot.Key) (int64, error) {
	if err := t.active(k.Account); err != nil {
		return 0, err
	}
	var project *int64
	if k.Project != "" {
		num, err := t.number("SELECT num FROM projects WHERE id = ? AND account = ? AND deleted_at IS NULL", string(k.Project), k.Account)
		if err != nil {
			return 0, err
		}
		project = &num
	}
	var ids []int64
	add := newKey(k, k.Account, project)
	add.ID, add.IDs = "id", &ids
	if err := t.Run(add); err != nil {
		return 0, err
	}
	return ids[0], nil
}

func newPair(key int64, p oauth.Pair) engine.Statement {
	return engine.Statement{Query: "INSERT INTO tokens (hash, key, refresh, expires_at) VALUES (?, ?, ?, ?)", Rows: [][]any{
		{p.Access.Hash[:], key, false, micros(p.Access.ExpiresAt)},
		{p.Fresh.Hash[:], key, true, micros(p.Fresh.ExpiresAt)},
	}}
}

func (store GrantStore) EndGrant(ctx context.Context, code sandlot.Digest, at time.Time) error {
	return in("end grant", store.db.step(ctx, nil, func(t *tx) error {
		_, err := t.endGrants(at, "hash = ?", code[:])
		return err
	}))
}

func (store GrantStore) EndGrantOf(ctx context.Context, token sandlot.Digest, client string, at time.Time) error {
	return in("end grant of token", store.db.step(ctx, nil, func(t *tx) error {
		_, err := t.endGrants(at, "id = (SELECT key FROM tokens WHERE hash = ?) AND client = ?", token[:], client)
		return err
	}))
}

func (store GrantStore) Renew(ctx context.Context, r oauth.Renewal) (k sandlot.Key, again bool, err error) {
	err = store.db.step(ctx, nil, func(t *tx) (err error) {
		if k, err = one(ctx, t, scanKey, selectKey+ofToken+" AND k.client = ?", r.Old[:], true, micros(r.At), r.Client); err != nil {
			return err
		}
		if err := t.do("UPDATE tokens SET replaced_at = ? WHERE hash = ? AND replaced_at = 0", micros(r.At), r.Old[:]); err != nil {
			return err
		}
		replaced, err := one(ctx, t, scanValue[int64], "SELECT replaced_at FROM tokens WHERE hash = ?", r.Old[:])
		if err != nil {
			return err
		}
		// A clock that was set back leaves no token that works for longer.
		if again = r.At.Sub(time.UnixMicro(replaced)).Abs() >= oauth.RefreshGrace; again {
			_, err := t.endGrants(r.At, "id = ?", k.ID)
			return err
		}
		return t.Run(newPair(k.ID, r.Pair))
	})
	return k, again, in("renew grant", err)
}

func (store GrantStore) AddDevice(ctx context.Context, w oauth.Waiting) error {
	return in("add device", store.db.run(ctx, do(`INSERT INTO devices (code, user_code, client, name, project, scope, asked_at, expires_at, pause)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, w.Code[:], w.UserCode[:], w.Client.ID, w.Client.Name, string(w.Project), w.Scope,
		micros(w.CreatedAt), micros(w.ExpiresAt), oauth.DeviceInterval.Microseconds())))
}

// undecided finds a device by its user_code, while it waits.
const undecided = " WHERE user_code = ? AND decided = 0 AND expires_at > ?"

func (store GrantStore) Device(ctx context.Context, userCode sandlot.Digest, now time.Time) (oauth.Waiting, error) {
	return one(ctx, store.db, fields(func(w *oauth.Waiting) []any {
		return []any{
			asDigest{&w.Code},
			asDigest{&w.UserCode},
			&w.Client.ID, &w.Client.Name, &w.Project, &w.Scope,
			asTime{&w.CreatedAt},
			asTime{&w.ExpiresAt},
		}
	}), "SELECT code, user_code, client, name, project, scope, asked_at, expires_at FROM devices"+undecided, userCode[:], micros(now))
}

// What an owner has decided about a device.
const (
	deviceAllowed = 1
	deviceDenied  = 2
)

func (store GrantStore) Decide(ctx context.Context, userCode sandlot.Digest, k *sandlot.Key, at time.Time) error {
	decided, account := deviceDenied, sandlot.AccountID(0)
	if k != nil {
		decided, account = deviceAllowed, k.Account
	}
	return in("decide about device", store.db.onAccount(ctx, account, func(t *tx) error {
		err := t.must(sandlot.ErrNotFound, "UPDATE devices SET decided = ?"+undecided, decided, userCode[:], micros(at))
		if err != nil || k == nil {
			return err
		}
		_, err = t.addGrant(*k)
		return err
	}))
}

// A polled is the record of a device that asks.
type polled struct {
	decided                int
	expires, before, pause int64
}

// state returns the state of the device at a time, without a look at its grant.
func (p polled) state(at int64) oauth.State {
	switch {
	case at >= p.expires:
		return oauth.Expired
	case p.before > 0 && at < p.before+p.pause:
		return oauth.Slow
	case p.decided == deviceDenied:
		return oauth.Denied
	case p.decided == deviceAllowed:
		return oauth.Granted
	}
	return oauth.Pending
}

func (store GrantStore) Poll(ctx context.Context, p oauth.Poll) (state oauth.State, k sandlot.Key, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		d, err := one(ctx, t, fields(func(d *polled) []any { return []any{&d.decided, &d.expires, &d.before, &d.pause} }),
			"SELECT decided, expires_at, polled_at, pause FROM devices WHERE code = ? AND client = ?"+t.dialect.Locked("devices"),
			p.Code[:], p.Client)
		if err != nil {
			return err
		}
		at := micros(p.At)
		if state = d.state(at); state == oauth.Granted {
			k, err = one(ctx, t, scanKey, selectKey+"k.client IS NOT NULL AND k.hash = ?", p.Code[:])
			if err == nil {
				return t.Run(newPair(k.ID, p.Pair), do("DELETE FROM devices WHERE code = ?", p.Code[:]))
			}
			if !errors.Is(err, sandlot.ErrNotFound) {
				return err
			}
			state = oauth.Denied
		}
		longer := int64(0)
		if state == oauth.Slow {
			longer = oauth.DeviceInterval.Microseconds()
		}
		return t.do("UPDATE devices SET polled_at = ?, pause = pause + ? WHERE code = ?", at, longer, p.Code[:])
	})
	return state, k, in("poll device", err)
}

// dropTokens drops tokens that have ended, and each grant with the last of its tokens.
func (s *sweep) dropTokens(now time.Time) error {
	keys, err := all(context.Background(), s, scanValue[int64],
		"SELECT key FROM tokens WHERE expires_at <= ? LIMIT ?", micros(now), s.left)
	if err != nil {
		return err
	}
	for _, key := range keys {
		n, err := s.Exec("DELETE FROM tokens WHERE key = ? AND expires_at <= ?", key, micros(now))
		if err != nil {
			return err
		}
		if err := s.do("DELETE FROM keys WHERE id = ?1 AND client IS NOT NULL AND NOT EXISTS (SELECT 1 FROM tokens WHERE key = ?1)",
			key); err != nil {
			return err
		}
		s.left -= int(n)
	}
	return nil
}

// dropDevices drops devices that have ended, and the grants that none of them has fetched.
func (s *sweep) dropDevices(now time.Time) error {
	codes, err := all(context.Background(), s, scanValue[[]byte],
		"SELECT code FROM devices WHERE expires_at <= ? LIMIT ?", micros(now), s.left)
	if err != nil {
		return err
	}
	for _, code := range codes {
		if err := s.Run(
			do("DELETE FROM devices WHERE code = ?", code),
			do(`DELETE FROM keys WHERE hash = ? AND client IS NOT NULL
				AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.key = keys.id)`, code),
		); err != nil {
			return err
		}
		s.left--
	}
	return nil
}
