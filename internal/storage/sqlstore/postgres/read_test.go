package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestARead(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		expect.OK(t, e.Step(t.Context(), 0, insert("one")))

		t.Run("in a snapshot sees one state, which does not keep others from writing", func(t *testing.T) {
			expect.OK(t, e.Snapshot(t.Context(), func(q engine.Querier) error {
				for _, name := range []string{"two", "three"} {
					list, err := values[string](q, "SELECT name FROM notes")
					expect.Is(t, "read", err, nil)
					expect.Same(t, "seen", list, []string{"one"})
					expect.OK(t, e.Step(t.Context(), 0, insert(name)))
				}
				return nil
			}))
			expect.Same(t, "after it", read[int64](t, e, "SELECT count(*) FROM notes"), []int64{3})
		})

		t.Run("in a snapshot cannot write", func(t *testing.T) {
			err := e.Snapshot(t.Context(), func(q engine.Querier) error {
				_, err := values[int64](q, "INSERT INTO notes (n) VALUES (9) RETURNING n")
				return err
			})
			expect.Is(t, "the snapshot", err, sandlot.ErrNoEffect)
			expect.Same(t, "notes", read[int64](t, e, "SELECT n FROM notes WHERE n = 9"), nil)
		})

		t.Run("keeps its error, and changed nothing", func(t *testing.T) {
			for _, how := range []func(context.Context, func(engine.Querier) error) error{e.Read, e.Snapshot} {
				err := how(t.Context(), func(engine.Querier) error { return errOwn })
				expect.Is(t, "the read", err, errOwn)
				expect.Is(t, "the read", err, sandlot.ErrNoEffect)
			}
		})

		t.Run("ends when its caller leaves", func(t *testing.T) {
			for _, how := range []func(context.Context, func(engine.Querier) error) error{e.Read, e.Snapshot} {
				ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
				began := time.Now()
				err := how(ctx, func(q engine.Querier) error {
					_, err := values[string](q, "SELECT pg_sleep(20)::text")
					return err
				})
				leave()
				expect.Is(t, "the read", err, context.DeadlineExceeded)
				expect.Is(t, "the read", err, sandlot.ErrNoEffect)
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it took %v", took)
				}
			}
		})

		t.Run("whose caller left ends in the database, too, where there is no pooler", func(t *testing.T) {
			if e.pool.Config().ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
				return
			}
			testenv.Eventually(t, 10*time.Second, "the queries to end", func() bool {
				return read[int64](t, e, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(20)%' AND pid <> pg_backend_pid()")[0] == 0
			})
		})
	})
}

func TestWhatHangsIsEnded(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		for _, limit := range limits {
			expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
				list, err := values[string](tx, "SELECT current_setting('"+limit[0]+"')")
				expect.Same(t, limit[0]+" of a step", list, []string{limit[1]})
				return err
			}))
			expect.OK(t, e.Snapshot(t.Context(), func(q engine.Querier) error {
				list, err := values[string](q, "SELECT current_setting('"+limit[0]+"')")
				expect.Same(t, limit[0]+" of a snapshot", list, []string{limit[1]})
				return err
			}))
		}
		err := e.Step(t.Context(), 0, func(tx engine.Tx) error {
			expect.OK(t, failure(tx.Exec("SET LOCAL statement_timeout = '10ms'")))
			return failure(tx.Exec("SELECT pg_sleep(20)"))
		})
		expect.Is(t, "a statement that takes too long", err, sandlot.ErrUnavailable)
		expect.Is(t, "a statement that takes too long", err, sandlot.ErrNoEffect)
	})
}

// TestACommitIsOnTheDisk also where the database is set up to answer before.
func TestACommitIsOnTheDisk(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		conn := beside(t, url)
		_, err := conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET synchronous_commit = off'; END $$")
		expect.OK(t, err)
		_, err = conn.Exec(t.Context(), endSessions) // for the sessions that a pooler keeps
		expect.OK(t, err)
		conn.Close(t.Context())
		e := mustOpen(t, url)
		expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
			list, err := values[string](tx, "SELECT current_setting('synchronous_commit')")
			expect.Same(t, "synchronous_commit", list, []string{"on"})
			return err
		}))
	})
}

// TestBehindAPoolerNothingIsKeptInSessions, and what is kept in a session of one's own is the
// statements.
func TestBehindAPoolerNothingIsKeptInSessions(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"direct": testenv.Postgres, "through pgbouncer": testenv.Pgbouncer} {
		t.Run(name, func(t *testing.T) {
			e := mustOpen(t, database(t))
			expect.OK(t, e.Step(t.Context(), 0, insert("a")))
			kept := read[int64](t, e, "SELECT count(*) FROM pg_prepared_statements")[0]
			if direct := name == "direct"; kept > 0 != direct {
				t.Errorf("%d statements are kept", kept)
			}
			expect.Same(t, "locks of sessions", read[int64](t, e, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"), []int64{0})
		})
	}
}
