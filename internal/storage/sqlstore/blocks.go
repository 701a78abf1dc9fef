package sqlstore

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/storage/sqlstore/engine"
)

// Blocks is the store of package blocks.
type Blocks struct {
	db *DB
	SecretStore
	ProjectStore
	FileStore
}

func (store FrontLine) Blocks() Blocks {
	return Blocks{store.db, SecretStore(store), ProjectStore(store), FileStore(store)}
}

// blocking is the number of the lock between steps that change the blocklist and steps that were checked against it.
const blocking int64 = 0x626c6f636b6c6973

// selectGeneration reads the number of the blocklist, which is 1 before its first change.
const selectGeneration = "SELECT coalesce((SELECT generation FROM blocking WHERE one = 1), 1)"

// putBlock adds an entry to the blocklist, or replaces the one with that value. Its step calls nextBlocks first.
const putBlock = `INSERT INTO blocked (kind, value, reason, actor, at, until) VALUES (?, ?, ?, ?, ?, ?)
	ON CONFLICT (kind, value) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, at = excluded.at, until = excluded.until`

// nextBlocks gives the blocklist its next number, and returns it. On PostgreSQL it waits for steps that were checked against
// the list, so a step locks its accounts before.
func nextBlocks(t *tx) (int64, error) {
	if query := t.dialect.Alone("?"); query != "" {
		if err := t.do(query, blocking); err != nil {
			return 0, err
		}
	}
	return t.number(`INSERT INTO blocking (one, generation) VALUES (1, 2)
		ON CONFLICT (one) DO UPDATE SET generation = blocking.generation + 1 RETURNING generation`)
}

// sameBlocks ends the records of a step that was checked against the blocklist of that number: it is
// sandlot.ErrBlocksMoved if there is another. 0 stands for no check. Steps with it do not wait for each other.
func sameBlocks(t *tx, generation int64) []engine.Statement {
	if generation == 0 {
		return nil
	}
	same := do("SELECT 1 WHERE ("+selectGeneration+") = ?", generation)
	same.None = sandlot.ErrBlocksMoved
	if query := t.dialect.Together("?"); query != "" {
		return []engine.Statement{do(query, blocking), same}
	}
	return []engine.Statement{same}
}

func (store Blocks) Generation(ctx context.Context) (int64, error) {
	n, err := one(ctx, store.db, scanValue[int64], selectGeneration)
	return n, in("read the number of the blocklist", err)
}

const (
	selectBlocked    = "SELECT id, kind, value, reason, actor, at, until FROM blocked WHERE "
	selectBlocklists = "SELECT name, kind, lines, reason, actor, at, until, generation FROM blocklists ORDER BY name"
)

func scanBlocked(r row) (e blocks.Entry, err error) {
	err = r.Scan(&e.ID, &e.Kind, &e.Value, &e.Reason, &e.By, asTime{&e.At}, sometime{&e.Until})
	return e, err
}

func scanBlocklist(r row) (l blocks.List, err error) {
	err = r.Scan(&l.Name, &l.Kind, &l.Lines, &l.Reason, &l.By, asTime{&l.At}, sometime{&l.Until}, &l.Generation)
	return l, err
}

func (store Blocks) Load(ctx context.Context, known map[int64]blocks.List) (found blocks.Loaded, err error) {
	err = store.db.snapshot(ctx, func(q querier) error {
		if found.Generation, err = one(ctx, q, scanValue[int64], selectGeneration); err != nil {
			return err
		}
		if found.Entries, err = all(ctx, q, scanBlocked, selectBlocked+"id > 0 ORDER BY id"); err != nil {
			return err
		}
		if found.Lists, err = all(ctx, q, scanBlocklist, selectBlocklists); err != nil {
			return err
		}
		for i, l := range found.Lists {
			if before, ok := known[l.Generation]; ok {
				found.Lists[i] = before
			} else if found.Lists[i].Body, err = one(ctx, q, scanValue[[]byte], "SELECT body FROM blocklists WHERE name = ?", l.Name); err != nil {
				return err
			}
		}
		return nil
	})
	return found, in("read the blocklist", err)
}

func (store Blocks) Blocked(ctx context.Context, after int64, limit int) ([]blocks.Entry, error) {
	return all(ctx, store.db, scanBlocked, selectBlocked+"id > ? ORDER BY id LIMIT ?", after, limit)
}

func (store Blocks) Lists(ctx context.Context) ([]blocks.List, error) {
	return all(ctx, store.db, scanBlocklist, selectBlocklists)
}

func (store Blocks) AddBlocks(ctx context.Context, list []blocks.Entry, e sandlot.LogEntry) (added []blocks.Entry, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		added, err = addBlocks(t, list, e)
		return err
	})
	return added, in("add to the blocklist", err)
}

// addBlocks adds entries with an entry of the audit log each, and returns them with their numbers.
func addBlocks(t *tx, list []blocks.Entry, e sandlot.LogEntry) (added []blocks.Entry, err error) {
	if _, err := nextBlocks(t); err != nil {
		return nil, err
	}
	for _, b := range list {
		b.ID, err = t.number(putBlock+" RETURNING id", b.Kind, b.Value, b.Reason, b.By, micros(b.At), microsOr0(b.Until))
		if err != nil {
			return nil, err
		}
		e.Target, e.Reason = b.Name(), b.Told()
		if err := t.Run(newEntry(e)); err != nil {
			return nil, err
		}
		added = append(added, b)
	}
	return added, nil
}

func (store Blocks) SuspendAndBlock(ctx context.Context, s sandlot.Subject, list []blocks.Entry, e sandlot.LogEntry) error {
	return in("suspend", store.db.changeAccount(ctx, &s.Account, func(t *tx) error {
		if err := suspend(ctx, t, s, e); err != nil {
			return err
		}
		e.Action = sandlot.ActionBlock
		_, err := addBlocks(t, list, e)
		return err
	}))
}

func (store Blocks) PutList(ctx context.Context, l blocks.List, e sandlot.LogEntry) error {
	return in("replace a list", stepOf(ctx, store.db, len(l.Body), nil, func(t *tx) error {
		generation, err := nextBlocks(t)
		if err != nil {
			return err
		}
		return t.Run(
			do("DELETE FROM blocklists WHERE name = ?", l.Name),
			do(`INSERT INTO blocklists (name, kind, body, lines, reason, actor, at, until, generation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				l.Name, l.Kind, orEmpty(l.Body), l.Lines, l.Reason, l.By, micros(l.At), microsOr0(l.Until), generation),
			newEntry(e),
		)
	}))
}

func (store Blocks) Unblock(ctx context.Context, id int64, name string, e sandlot.LogEntry) error {
	return in("remove from the blocklist", store.db.step(ctx, nil, func(t *tx) error {
		if _, err := nextBlocks(t); err != nil {
			return err
		}
		from, key := "blocked WHERE id = ?", any(id)
		if name != "" {
			from, key = "blocklists WHERE name = ?", name
		}
		return changeLogged(t, e, sandlot.ErrNotFound, "DELETE FROM "+from, key)
	}))
}

func (store Blocks) Vouched(ctx context.Context, id sandlot.AccountID) (bool, error) {
	return one(ctx, store.db, scanValue[bool],
		"SELECT verified = 1 OR trusted_at IS NOT NULL FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
}

func (store Blocks) Shared(ctx context.Context, hashes []sandlot.Digest, owner sandlot.AccountID) (shared []sandlot.Digest, err error) {
	for _, d := range hashes {
		n, err := one(ctx, store.db, scanValue[int64], `SELECT count(*) FROM (SELECT 1 FROM blobs b JOIN files f ON f.blob = b.id
			JOIN projects p ON p.num = f.project JOIN accounts a ON a.id = p.account WHERE b.sha256 = ? AND a.id <> ?
			AND (a.verified = 1 OR a.trusted_at IS NOT NULL) AND p.deleted_at IS NULL AND a.deleted_at IS NULL LIMIT 1) x`, d[:], owner)
		if err != nil {
			return nil, in("look for other projects with a file", err)
		}
		if n > 0 {
			shared = append(shared, d)
		}
	}
	return shared, nil
}
