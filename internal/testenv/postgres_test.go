package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"testing"

	"sandlot/internal/expect"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestPostgres(t *testing.T) {
	Pgbouncer(t) // nothing of this is proved without both servers
	for name, database := range map[string]func(testing.TB) string{"direct": Postgres, "through the pooler": Pgbouncer} {
		t.Run(name, func(t *testing.T) {
			var address string
			var conn *pgconn.PgConn
			t.Run("is empty, UTF8, in C.UTF-8, and takes tables", func(t *testing.T) {
				address = database(t)
				conn = connect(t, address)
				got := ask(t, conn, "SELECT current_database() || ' ' || getdatabaseencoding() || ' ' || datcollate FROM pg_database WHERE datname = current_database()")
				expect.Contains(t, "database", got, " UTF8 C.UTF-8")
				expect.Contains(t, "database", got, databasePrefix)
				expect.Equal(t, "tables", ask(t, conn, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0")
				ask(t, conn, "CREATE TABLE t (n INTEGER)")
			})
			t.Run("no two tests have the same", func(t *testing.T) {
				if other := database(t); other == address {
					t.Errorf("again %s", other)
				}
			})
			t.Run("is gone after the test, though somebody is connected", func(t *testing.T) {
				if _, err := conn.Exec(t.Context(), "SELECT 1").ReadAll(); err == nil {
					t.Error("the connection still answers")
				}
				u, err := url.Parse(address)
				expect.OK(t, err)
				// The pooler would keep us waiting for two minutes.
				direct := withPath(t, os.Getenv(postgresEnv), u.Path[1:])
				if c, err := pgconn.Connect(t.Context(), direct); err == nil {
					c.Close(t.Context())
					t.Error("the database is still there")
				}
			})
		})
	}
}

func TestTheServerIsToldToCopyFilesWhereItKnowsAnotherWay(t *testing.T) {
	for version, want := range map[string]string{"14.22": "", "15.18 (Debian 15.18-0+deb12u1)": " STRATEGY FILE_COPY", "18.1": " STRATEGY FILE_COPY", "19devel": "", "": ""} {
		expect.Equal(t, "of version "+version, copying(version), want)
	}
}

func TestPgbouncerPoolsTransactions(t *testing.T) {
	address := Pgbouncer(t)
	a, b := connect(t, address), connect(t, address)
	const process = "SELECT pg_backend_pid()"
	expect.Equal(t, "the process that serves two connections in turn", ask(t, a, process), ask(t, b, process))
}

func TestPostgresTemplate(t *testing.T) {
	server := serverURL(t, postgresEnv, "PostgreSQL")
	made := 0
	template := PostgresTemplate{Make: func(address string) error {
		made++
		c, err := pgconn.Connect(t.Context(), address)
		if err != nil {
			return err
		}
		_, err = c.Exec(t.Context(), "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (7)").ReadAll()
		return errors.Join(err, c.Close(t.Context()))
	}}
	t.Run("is made once, and each copy is its test's own", func(t *testing.T) {
		for _, address := range []string{template.Postgres(t), template.Postgres(t), template.Pgbouncer(t), template.Pgbouncer(t)} {
			c := connect(t, address)
			expect.Equal(t, "rows", ask(t, c, "SELECT string_agg(n::text, ',') FROM t"), "7")
			ask(t, c, "INSERT INTO t VALUES (8)")
		}
		expect.Equal(t, "made", made, 1)
	})
	t.Run("one that cannot be made fails each test", func(t *testing.T) {
		var name string
		template := PostgresTemplate{Make: func(address string) error {
			name = ask(t, connect(t, address), "SELECT current_database()")
			return errors.New("no tables")
		}}
		for range 2 {
			got := outcome(t, t.Name(), func(tb testing.TB) { template.Postgres(tb) })
			expect.Equal(t, "outcome", got, "failed: make a template: no tables")
		}
		expect.Equal(t, "databases", ask(t, connect(t, server), "SELECT count(*) FROM pg_database WHERE datname = '"+name+"'"), "0")
	})
	owner, err := ownerOn(server)
	expect.OK(t, err)
	expect.OK(t, owner.drop(template.name))
}

// TestTheDatabasesOfAKilledProcessAreDropped has an owner lose its connection, as one that is killed does.
func TestTheDatabasesOfAKilledProcessAreDropped(t *testing.T) {
	address := Postgres(t)
	start := func() *owner {
		o, err := newOwner(os.Getenv(postgresEnv))
		expect.OK(t, err)
		t.Cleanup(func() { o.conn.Close(context.Background()) })
		return o
	}
	killed := start()
	name, err := killed.create("template0")
	expect.OK(t, err)
	there := func() string {
		return ask(t, connect(t, address), "SELECT count(*) FROM pg_database WHERE datname = '"+name+"'")
	}
	start()
	expect.Equal(t, "databases while their process lives", there(), "1")
	expect.OK(t, killed.conn.Close(t.Context()))
	Eventually(t, databaseWait, "the server sees that the connection is closed", func() bool {
		return ask(t, connect(t, address), fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d", killed.conn.PID())) == "0"
	})
	start()
	expect.Equal(t, "databases after their process", there(), "0")
}

func TestAMissingServerIsLeftOut(t *testing.T) {
	for name, use := range map[string]func(testing.TB){
		"PostgreSQL": func(tb testing.TB) { Postgres(tb) },
		"PgBouncer":  func(tb testing.TB) { Pgbouncer(tb) },
		"Redis":      func(tb testing.TB) { Redis(tb) },

		"an S3-compatible server": func(tb testing.TB) { S3(tb) },
	} {
		for _, env := range []string{postgresEnv, pgbouncerEnv, redisEnv, s3Env, requireEnv, leftOutEnv} {
			t.Setenv(env, "")
		}
		expect.Equal(t, name, outcome(t, t.Name(), use), "skipped: left out: "+name)
		t.Setenv(requireEnv, "all")
		expect.Contains(t, name, outcome(t, t.Name(), use), "failed: "+name+" is not to be had here")
	}
}

func TestAServerThatDoesNotAnswerFailsTheTest(t *testing.T) {
	address := Port(t)
	t.Setenv(postgresEnv, "postgres://sandlot@"+address+"/postgres")
	t.Setenv(redisEnv, "redis://"+address)
	t.Setenv(s3Env, "http://key:secret@"+address)
	for want, use := range map[string]func(testing.TB){
		"failed: create a database": func(tb testing.TB) { Postgres(tb) },
		"failed: connect to Redis":  func(tb testing.TB) { Redis(tb) },
		"failed: make a bucket":     func(tb testing.TB) { S3(tb) },
	} {
		expect.Contains(t, want, outcome(t, t.Name(), use), want)
	}
}

func connect(t *testing.T, address string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), address)
	expect.OK(t, err)
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// ask returns the first value of the answer's first row.
func ask(t *testing.T, c *pgconn.PgConn, statement string) string {
	t.Helper()
	results, err := c.Exec(t.Context(), statement).ReadAll()
	expect.OK(t, err, statement)
	if len(results) == 0 || len(results[0].Rows) == 0 {
		return ""
	}
	return string(results[0].Rows[0][0])
}
