package sqlstore

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestBothEnginesNameTheSameMailbox(t *testing.T) {
	t.Parallel()
	addresses := []string{
		"", "@", "+", "a", "a+b", "+a", "a+", "A@B.c", "a@", "@b", "a@b@c", "a+b@c", "a@b+c", "+@b", "a.b@Gmail.com", "A.B+c.d@googlemail.COM", "a.b.@gmail.com", ".@gmail.com",
		"@gmail.com", "gmail.com", "+@gmail.com", "a@b@gmail.com", "a@gmail.com@b", "a@gmail.com.", "a@gmail.com ", "ÄÖ@EXAMPLE.com", "İI@x", "名前.x@gmail.com", "名前+x@例え.jp", "ß+ß@ẞ", "a'b@c",
	}
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	emptyDatabase.Lay(t, path)
	lite, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	defer lite.Close()
	pg := postgresSchema(t)
	_, err = pg.Exec(context.Background(), "INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (1, '', '', 0, '', 0)")
	expect.OK(t, err)
	for _, insert := range []struct{ lite, pg string }{
		{"logins (browser, email, back, tries, proved, asked_at, expires_at) VALUES (CAST(?1 AS BLOB), ?1, '', 0, 0, 0, 0)", "logins (browser, email, back, tries, proved, asked_at, expires_at) VALUES (convert_to($1, 'UTF8'), $1, '', 0, 0, 0, 0)"},
		{"email_moves (account, email, undo, expires_at) VALUES (1, ?, 0, 0)", "email_moves (account, email, undo, expires_at) VALUES (1, $1, 0, 0)"},
	} {
		for _, address := range addresses {
			var want, got string
			expect.OK(t, lite.QueryRow("INSERT INTO "+insert.lite+" RETURNING mailbox", address).Scan(&want))
			expect.OK(t, pg.QueryRow(context.Background(), "INSERT INTO "+insert.pg+" RETURNING mailbox", address).Scan(&got))
			if got != want {
				t.Errorf("the mailbox of %q is %q on PostgreSQL and %q on SQLite", address, got, want)
			}
		}
	}
}

func TestPostgresRefusesToChangeTheAuditLog(t *testing.T) {
	t.Parallel()
	conn := postgresSchema(t)
	const entry = "INSERT INTO acts (id, at, actor, action, target, reason) VALUES (1, 0, 'a', 'a', 'a', 'a')"
	_, err := conn.Exec(context.Background(), entry)
	expect.OK(t, err)
	for query, says := range map[string]string{
		"UPDATE acts SET reason = 'b'": "the audit log is never changed",
		"DELETE FROM acts":             "the audit log is never changed",
		"TRUNCATE acts":                "the audit log is never changed",
		"TRUNCATE acts, stops":         "the audit log is never changed",
		entry + " ON CONFLICT (id) DO UPDATE SET reason = 'b'": "the audit log is never changed",
		entry: "acts_pkey",
		"MERGE INTO acts USING acts o ON true WHEN MATCHED THEN DELETE": "the audit log is never changed",
	} {
		if _, err := conn.Exec(context.Background(), query); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v", query, err)
		}
	}
	var reason string
	expect.OK(t, conn.QueryRow(context.Background(), "SELECT reason FROM acts").Scan(&reason))
	expect.Equal(t, "the entry", reason, "a")
}

// postgresSchema is a connection to a database with the tables.
func postgresSchema(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), emptyServer.Postgres(t))
	expect.OK(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
