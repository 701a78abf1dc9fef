package sqlstore

import (
	"context"
	"slices"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/sqlstore/engine"
)

// forgetStep is how many records of a deleted account one step empties: some 3 ms.
const forgetStep = 100

// forgetBatch bounds the keys that are held at once.
const forgetBatch = 5000

// forgetting notes all addresses of an account that is being deleted, whose records are then emptied in steps.
func forgetting(t *tx, id sandlot.AccountID) error {
	return t.Run(
		do("INSERT INTO forgets (account, email, proved) VALUES (?1, '', 0)", id),
		do("INSERT INTO forgets (account, email, proved) SELECT id, email, verified FROM accounts WHERE id = ?1 ON CONFLICT DO NOTHING",
			id),
		do(`INSERT INTO forgets (account, email, proved) SELECT account, email, undo FROM email_moves WHERE account = ?1
			ON CONFLICT DO NOTHING`, id),
		do(`INSERT INTO forgets (account, email, proved) SELECT account, email, 0 FROM verifications WHERE account = ?1
			ON CONFLICT DO NOTHING`, id),
	)
}

// A remnant is a kind of records about a deleted account: find selects the records, and empty clears one of them, ?1,
// with the values of with from ?2 on. Emptied records are not found again.
type remnant struct {
	find, empty string
	with        []any
}

// used holds for an address that an existing account has, or may get.
func used(d engine.Dialect) string {
	return "(EXISTS (SELECT 1 FROM accounts a WHERE " + d.EqualFold("a.email", "g.email") + " AND a.deleted_at IS NULL)" +
		" OR EXISTS (SELECT 1 FROM email_moves m WHERE " + d.EqualFold("m.email", "g.email") + "))"
}

// remnants returns the remnants of the account ?1. Records by which a repeated call is known stay, without their
// content.
func remnants(d engine.Dialect) []remnant {
	nothing, noWords := []byte{}, []byte("{}")
	return []remnant{
		{find: "SELECT id FROM jobs WHERE account = ?1 LIMIT ?2", empty: "DELETE FROM jobs WHERE id = ?1"},
		{
			find:  "SELECT id FROM keys WHERE account = ?1 AND (name <> '' OR last_four <> '' OR client <> '') LIMIT ?2",
			empty: "UPDATE keys SET name = '', last_four = '', client = CASE WHEN client IS NULL THEN NULL ELSE '' END WHERE id = ?1",
		},
		{
			find:  "SELECT num FROM uploads WHERE account = ?1 AND done_project IS NULL AND expires_at > 0 LIMIT ?2",
			empty: "UPDATE uploads SET key = NULL, token = NULL, expires_at = 0, meta = ?2 WHERE num = ?1", with: []any{noWords},
		},
		{
			find: `SELECT u.num FROM uploads u JOIN projects p ON p.id = u.done_project
			WHERE p.account = ?1 AND (length(u.meta) > 2 OR length(u.done_answer) > 0 OR length(u.done_made) > 0) LIMIT ?2`,
			empty: "UPDATE uploads SET meta = ?2, done_answer = ?3, done_made = ?3 WHERE num = ?1", with: []any{noWords, nothing},
		},
		{
			find:  "SELECT key FROM idempotency WHERE account = ?1 AND (length(answer) > 0 OR length(made) > 0) LIMIT ?2",
			empty: "UPDATE idempotency SET answer = ?2, made = ?2 WHERE key = ?1", with: []any{nothing},
		},
		{
			find: `SELECT v.project * 4294967296 + v.n FROM projects p JOIN versions v ON v.project = p.num
				WHERE p.account = ?1 AND (v.title <> '' OR v.primary_file <> '') LIMIT ?2`,
			empty: "UPDATE versions SET title = '', primary_file = '' WHERE project = ?1 / 4294967296 AND n = ?1 % 4294967296",
		},
		{
			find: `SELECT d.id FROM projects p JOIN decisions d ON d.project = p.num
				WHERE p.account = ?1 AND (d.note <> '' OR d.objection <> '' OR d.code IS NOT NULL) LIMIT ?2`,
			empty: "UPDATE decisions SET note = '', objection = '', code = NULL WHERE id = ?1",
		},
		{
			find:  "SELECT n.id FROM projects p JOIN notes n ON n.project = p.num WHERE p.account = ?1 LIMIT ?2",
			empty: "DELETE FROM notes WHERE id = ?1",
		},
		{
			find: `SELECT r.id FROM forgets g JOIN reports r ON ` + d.EqualFold("r.contact", "g.email") + `
			WHERE g.account = ?1 AND g.email <> '' AND g.proved = 1 AND NOT ` + used(d) + ` LIMIT ?2`,
			empty: "UPDATE reports SET details = '', contact = '' WHERE id = ?1",
		},
	}
}

// finishForgets empties the remnants of deleted accounts. It searches outside of steps, and empties in steps between
// which other steps get their turn. A failure stops neither the other accounts nor the other kinds of records.
func (db *DB) finishForgets(ctx context.Context) error {
	accounts, err := all(ctx, db, scanValue[int64], "SELECT account FROM forgets WHERE email = ''")
	if err != nil || len(accounts) == 0 {
		return err
	}
	defer db.engine.Wipe()
	return forAll(ctx, accounts, func(a int64) error { return forget(ctx, db, a) })
}

func forget(ctx context.Context, db *DB, account int64) error {
	err := forAll(ctx, remnants(db.dialect), func(kind remnant) error { return forgetKind(ctx, db, kind, account) })
	if err != nil {
		return err
	}
	return db.run(ctx, do("DELETE FROM forgets WHERE account = ? AND email = ''", account))
}

func forgetKind(ctx context.Context, db *DB, kind remnant, account int64) error {
	for {
		found, err := all(ctx, db, scanValue[any], kind.find, account, forgetBatch)
		if err != nil || len(found) == 0 {
			return err
		}
		for some := range slices.Chunk(found, forgetStep) {
			if err := empties(ctx, db, kind, some); err != nil {
				return err
			}
		}
	}
}

func empties(ctx context.Context, db *DB, kind remnant, keys []any) error {
	return db.step(ctx, nil, func(t *tx) error {
		for _, key := range keys {
			if err := t.do(kind.empty, append([]any{key}, kind.with...)...); err != nil {
				return err
			}
		}
		return nil
	})
}

func (store Upkeep) Forgotten(ctx context.Context, after operate.ForgottenEmail, limit int) ([]operate.ForgottenEmail, error) {
	return all(ctx, store.db, fields(func(f *operate.ForgottenEmail) []any { return []any{&f.Account, &f.Email, &f.Used} }),
		"SELECT g.account, g.email, "+used(store.db.dialect)+` FROM forgets g WHERE g.email <> '' AND (g.account, g.email) > (?, ?)
		ORDER BY g.account, g.email LIMIT ?`, after.Account, after.Email, limit)
}

func (store Upkeep) ForgetEmail(ctx context.Context, f operate.ForgottenEmail) error {
	err := store.db.run(ctx, do("DELETE FROM forgets WHERE account = ? AND email = ?", f.Account, f.Email))
	store.db.engine.Wipe()
	return in("forget address", err)
}
