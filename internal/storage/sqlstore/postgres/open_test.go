package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestADatabaseThatIsOpen(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e, err := Open(t.Context(), url, Options{})
		expect.OK(t, err)
		known, err := knownMigrations()
		expect.OK(t, err)
		expect.Same(t, "migrations", read[int](t, e, "SELECT count(*) FROM migrations"), []int{len(known)})
		expect.OK(t, e.Ping(t.Context()))
		expect.OK(t, e.CheckPlace())

		expect.OK(t, e.Close())
		expect.OK(t, e.Close())
		expect.Is(t, "a step after the end", e.Step(t.Context(), 0, nil), sandlot.ErrUnavailable)
		expect.Is(t, "a read after the end", e.Read(t.Context(), nil), sandlot.ErrUnavailable)
		expect.Is(t, "a snapshot after the end", e.Snapshot(t.Context(), nil), sandlot.ErrUnavailable)
		expect.Is(t, "ping after the end", e.Ping(t.Context()), sandlot.ErrUnavailable)
		expect.Is(t, "the place after the end", e.CheckPlace(), sandlot.ErrUnavailable)
	})
}

func TestAnotherDatabaseInTheSamePlaceIsNoticed(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		expect.OK(t, e.CheckPlace())
		exec(t, e, "UPDATE instance SET id = 'another'")
		expect.Is(t, "one with another id", e.CheckPlace(), sandlot.ErrUnavailable)
		exec(t, e, "DELETE FROM instance")
		expect.Is(t, "one without", e.CheckPlace(), sandlot.ErrUnavailable)
	})

	t.Run("also a copy of it, to which nothing is written", func(t *testing.T) {
		url := testenv.Postgres(t)
		database := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
		server := beside(t, strings.Replace(url, "/"+database, "/postgres", 1))
		copied := testenv.Postgres(t)
		copied = copied[strings.LastIndex(copied, "/")+1 : strings.Index(copied, "?")]
		e := mustOpen(t, url)
		for _, statement := range []string{
			"DROP DATABASE %[2]s",
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%[1]s'",
			"CREATE DATABASE %[2]s TEMPLATE %[1]s",
			"ALTER DATABASE %[1]s RENAME TO %[1]s_moved",
			"ALTER DATABASE %[2]s RENAME TO %[1]s",
		} {
			_, err := server.Exec(t.Context(), fmt.Sprintf(statement, database, copied))
			expect.OK(t, err, statement)
		}
		t.Cleanup(func() {
			_, err := server.Exec(context.Background(), "DROP DATABASE "+database+"_moved")
			expect.Is(t, "drop", err, nil)
		})
		expect.Is(t, "the place", e.CheckPlace(), sandlot.ErrUnavailable)
		err := e.Step(t.Context(), 0, insert("lost"))
		expect.Is(t, "a step", err, sandlot.ErrUnavailable)
		expect.Is(t, "a step", err, sandlot.ErrNoEffect)
		expect.Contains(t, "a step", fmt.Sprint(err), "another database is where the one was that was opened")
	})
}

func TestPingAfterAStepThatFoundNoRoom(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		expect.OK(t, e.Ping(t.Context()))
		expect.Same(t, "what was written", read[int64](t, e, "SELECT count(probe) FROM instance"), []int64{0})
		exec(t, e, "CREATE FUNCTION full_() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '53100'; END $$")
		exec(t, e, "CREATE TRIGGER full_ BEFORE UPDATE ON instance FOR EACH ROW WHEN (octet_length(new.probe) > 0) EXECUTE FUNCTION full_()")
		exec(t, e, "CREATE TRIGGER full_ BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION full_()")
		err := e.Step(t.Context(), 0, insert("too much"))
		expect.Is(t, "a step", err, sandlot.ErrFull)
		expect.Is(t, "a step", err, sandlot.ErrNoEffect)
		for range 2 {
			expect.Is(t, "ping", e.Ping(t.Context()), sandlot.ErrFull)
		}
		conn := beside(t, url)
		_, err = conn.Exec(t.Context(), "DROP FUNCTION full_ CASCADE")
		expect.OK(t, err)
		for range 2 {
			expect.OK(t, e.Ping(t.Context()))
		}
		expect.Same(t, "what was written", read[int64](t, e, "SELECT octet_length(probe) FROM instance"), []int64{probeBytes})
	})
}

// TestAColumnThatIsAddedDisturbsNobody: statements that are prepared, and descriptions that are
// kept, are from before it.
func TestAColumnThatIsAddedDisturbsNobody(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		exec(t, e, "INSERT INTO notes (name) VALUES ('a')")
		count := func(q engine.Querier) (err error) {
			rows, err := q.Query(t.Context(), "SELECT * FROM notes")
			if err != nil {
				return err
			}
			defer rows.Close()
			n := 0
			for rows.Next() {
				n++
			}
			expect.Equal(t, "notes", n, 1)
			return rows.Err()
		}
		for i, use := range []func() error{
			func() error { return e.Read(t.Context(), count) },
			func() error { return e.Snapshot(t.Context(), count) },
			func() error { return e.Step(t.Context(), 0, func(tx engine.Tx) error { return count(tx) }) },
		} {
			expect.OK(t, use())
			exec(t, e, fmt.Sprintf("ALTER TABLE notes ADD COLUMN more%d BIGINT", i))
			expect.OK(t, use())
		}
	})
}

func TestATextThatNoRecordCanHaveIsNotFound(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		for _, text := range []string{"\xff", "a\x00b"} {
			err := e.Read(t.Context(), func(q engine.Querier) error {
				_, err := values[string](q, "SELECT name FROM notes WHERE name = ?", text)
				return err
			})
			expect.Is(t, fmt.Sprintf("%q", text), err, sandlot.ErrNotFound)
		}
	})
}
