package sqlstore

import (
	"context"
	"math"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// Invitations is the store of an operate.Invitations.
type Invitations struct {
	db *DB
	SecretStore
}

func (store Operate) Invitations() Invitations { return Invitations{store.db, SecretStore{store.db}} }

func (store Invitations) AddInvitation(
	ctx context.Context, token sandlot.Digest, i operate.Invitation, e sandlot.LogEntry,
) (id int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		if err := t.alone(token); err != nil {
			return err
		}
		known, err := one(ctx, t, scanValue[int], "SELECT count(*) FROM invitations WHERE token = ?", token[:])
		if err == nil && known > 0 {
			err = sandlot.ErrExists
		}
		if err != nil {
			return err
		}
		id, err = t.insert("id", "INSERT INTO invitations (token, projects, made_by, made_at, expires_at) VALUES (?, ?, ?, ?, ?)",
			token[:], i.Projects, i.By, micros(i.MadeAt), micros(i.ExpiresAt))
		if err != nil {
			return err
		}
		e.Target = operate.InvitationName(id)
		return t.Run(newEntry(e))
	})
	return id, in("add invitation", err)
}

const selectInvitation = `SELECT i.id, i.projects, i.made_by, i.made_at, i.expires_at, i.used_at, i.ended_at, coalesce(a.handle, '')
	FROM invitations i LEFT JOIN accounts a ON a.id = i.account AND a.deleted_at IS NULL WHERE `

func scanInvitation(r row) (i operate.Invitation, err error) {
	err = r.Scan(&i.ID, &i.Projects, &i.By, asTime{&i.MadeAt}, asTime{&i.ExpiresAt}, sometime{&i.UsedAt}, sometime{&i.EndedAt}, &i.Handle)
	return i, err
}

func (store Invitations) Invitation(ctx context.Context, token sandlot.Digest) (operate.Invitation, error) {
	return one(ctx, store.db, scanInvitation, selectInvitation+"i.token = ?", token[:])
}

func (store Invitations) Invitations(ctx context.Context, before int64, limit int) ([]operate.Invitation, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return all(ctx, store.db, scanInvitation, selectInvitation+"i.id < ? ORDER BY i.id DESC LIMIT ?", before, limit)
}

func (store Invitations) EndInvitation(ctx context.Context, id int64, e sandlot.LogEntry) error {
	return in("end invitation", store.db.step(ctx, nil, func(t *tx) error {
		if err := t.must(sandlot.ErrNotFound,
			"UPDATE invitations SET ended_at = ? WHERE id = ? AND used_at = 0 AND ended_at = 0 AND expires_at > ?",
			micros(e.At), id, micros(e.At)); err != nil {
			return err
		}
		return t.Run(newEntry(e))
	}))
}

// join uses an invitation up for an account that the step has just made. Of two steps at once the second finds it used.
func (t *tx) join(a *sandlot.Account, with *publish.Joining, now time.Time) error {
	if with == nil {
		return nil
	}
	id, err := t.number(`UPDATE invitations SET used_at = ?, account = ?
		WHERE token = ? AND used_at = 0 AND ended_at = 0 AND expires_at > ? RETURNING id`,
		micros(now), a.ID, with.Invitation[:], micros(now))
	if err != nil {
		return err
	}
	most, err := t.number("SELECT projects FROM invitations WHERE id = ?", id)
	if err != nil {
		return err
	}
	a.MostProjects = int(most)
	e := with.Entry
	e.Target, e.Reason = "@"+a.Handle, operate.InvitationName(id)
	return t.Run(do("UPDATE accounts SET most_projects = ? WHERE id = ?", most, a.ID), newEntry(e))
}
