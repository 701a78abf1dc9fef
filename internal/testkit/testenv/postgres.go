package testenv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The addresses of the servers that scripts/test has started.
const (
	postgresEnv  = "SANDLOT_TEST_POSTGRES"
	pgbouncerEnv = "SANDLOT_TEST_PGBOUNCER"
)

// databaseWait ends a statement about a whole database that hangs. It takes tens of milliseconds, on a machine that is busy a second.
const databaseWait = time.Minute

// databasePrefix begins the names of the tests' databases. After it comes the number of the process, and the number that it gave.
const databasePrefix = "sandlot_test_"

// Postgres returns the URL of an empty PostgreSQL database of the test's own, UTF8 in the locale C.UTF-8, which is dropped at the end of
// the test, although clients are still connected. The user in it may do all. It ends the test as Skip does where there is no server.
func Postgres(tb testing.TB) string {
	tb.Helper()
	server := ServerURL(tb, postgresEnv, "PostgreSQL")
	return withPath(tb, server, newDatabase(tb, server, "template0"))
}

// Pgbouncer returns what Postgres does, but the URL leads through PgBouncer, which pools transactions: what belongs to a session, such as
// a prepared statement or an advisory lock of it, is not kept from one transaction to the next.
func Pgbouncer(tb testing.TB) string {
	tb.Helper()
	pooler, server := ServerURL(tb, pgbouncerEnv, "PgBouncer"), ServerURL(tb, postgresEnv, "PostgreSQL")
	return withPath(tb, pooler, newDatabase(tb, server, "template0"))
}

// A PostgresTemplate is a database that takes long to make: it is made once for each test program, and copied for each test. Its methods
// may be called at once from many tests.
type PostgresTemplate struct {
	// Make fills the empty database at that URL. It must have closed its connections when it returns.
	Make func(url string) error

	once sync.Once
	name string
	err  error
}

// Postgres returns the URL of a copy, which is as that of Postgres otherwise.
func (m *PostgresTemplate) Postgres(tb testing.TB) string {
	tb.Helper()
	server := ServerURL(tb, postgresEnv, "PostgreSQL")
	return withPath(tb, server, m.copy(tb, server))
}

// Pgbouncer returns the URL of a copy, which is as that of Pgbouncer otherwise.
func (m *PostgresTemplate) Pgbouncer(tb testing.TB) string {
	tb.Helper()
	pooler, server := ServerURL(tb, pgbouncerEnv, "PgBouncer"), ServerURL(tb, postgresEnv, "PostgreSQL")
	return withPath(tb, pooler, m.copy(tb, server))
}

func (m *PostgresTemplate) copy(tb testing.TB, server string) (name string) {
	tb.Helper()
	m.once.Do(func() { m.make(tb, server) })
	if m.err != nil {
		tb.Fatalf("make a template: %v", m.err)
	}
	return newDatabase(tb, server, m.name)
}

// make leaves a database that stays until the process has ended; the next process drops it.
func (m *PostgresTemplate) make(tb testing.TB, server string) {
	owner, err := ownerOn(server)
	if err == nil {
		m.name, err = owner.create("template0")
	}
	if err != nil {
		m.err = err
		return
	}
	if err := m.Make(withPath(tb, server, m.name)); err != nil {
		m.err = errors.Join(err, owner.drop(m.name))
	}
}

// ServerURL returns the address of a server that the environment names, or ends the test as Skip does.
func ServerURL(tb testing.TB, env, what string) string {
	tb.Helper()
	address := unkeyed(env)
	if address == "" {
		Skip(tb, what)
	}
	return address
}

// withPath returns the address of a part of the server, such as a database.
func withPath(tb testing.TB, server, name string) string {
	tb.Helper()
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func newDatabase(tb testing.TB, server, template string) (name string) {
	tb.Helper()
	owner, err := ownerOn(server)
	if err == nil {
		name, err = owner.create(template)
	}
	if err != nil {
		tb.Fatalf("create a database: %v", err)
	}
	tb.Cleanup(func() {
		if err := owner.drop(name); err != nil {
			tb.Errorf("drop a database: %v", err)
		}
	})
	return name
}

// An owner has the databases of this process on one server. It holds an advisory lock on its number as long as the process lives, so that
// another can recognize the databases of a process that was killed.
type owner struct {
	mu     sync.Mutex
	conn   *pgconn.PgConn
	number int64
	given  int // databases
}

var owners = struct {
	mu sync.Mutex
	by map[string]*owner // by the server's address
}{by: map[string]*owner{}}

func ownerOn(server string) (*owner, error) {
	owners.mu.Lock()
	defer owners.mu.Unlock()
	o := owners.by[server]
	if o != nil {
		return o, nil
	}
	o, err := newOwner(server)
	if err == nil {
		owners.by[server] = o
	}
	return o, err
}

// newOwner connects and drops what the processes that ended have left.
func newOwner(server string) (*owner, error) {
	config, err := pgconn.ParseConfig(server)
	if err != nil {
		return nil, err
	}
	config.Database = "postgres" // advisory locks are each database's own
	ctx, cancel := context.WithTimeout(context.Background(), databaseWait)
	defer cancel()
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	o := &owner{conn: conn, number: rand.Int64()}
	locked, err := o.lock(o.number)
	if err == nil && !locked {
		err = fmt.Errorf("the number %d is another's", o.number)
	}
	if err == nil {
		err = o.dropAbandoned()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return o, nil
}

// create makes a database from a template to which nobody is connected.
func (o *owner) create(template string) (name string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.given++
	name = fmt.Sprintf("%s%d_%d", databasePrefix, o.number, o.given)
	statement := "CREATE DATABASE " + name + " TEMPLATE " + template
	if template == "template0" {
		statement += " ENCODING 'UTF8' LOCALE 'C.UTF-8'"
	}
	_, err = o.query(statement + copying(o.conn.ParameterStatus("server_version")))
	return name, err
}

// copying is how a server of that version is to copy the template: file by file. By itself, version 15 and later also write every page of
// it
// to the log, which takes twice the processor time. Earlier ones know but the one way.
func copying(version string) string {
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 15 {
		return ""
	}
	return " STRATEGY FILE_COPY"
}

func (o *owner) drop(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.query("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
	return err
}

// dropAbandoned drops the databases whose process has ended.
func (o *owner) dropAbandoned() error {
	names, err := o.query("SELECT datname FROM pg_database WHERE datname LIKE '" + strings.ReplaceAll(databasePrefix, "_", `\_`) + "%'")
	if err != nil {
		return err
	}
	for _, name := range names {
		number, _, _ := strings.Cut(strings.TrimPrefix(name, databasePrefix), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n == o.number {
			continue
		}
		ended, err := o.lock(n)
		if err == nil && ended {
			_, err = o.query("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
		}
		if err == nil && ended {
			_, err = o.query(fmt.Sprintf("SELECT pg_advisory_unlock(%d)", n))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lock reports whether nobody has the number, and has it then.
func (o *owner) lock(number int64) (bool, error) {
	got, err := o.query(fmt.Sprintf("SELECT pg_try_advisory_lock(%d)", number))
	return len(got) == 1 && got[0] == "t", err
}

// query returns the first column of what the statement answers.
func (o *owner) query(statement string) (values []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), databaseWait)
	defer cancel()
	results, err := o.conn.Exec(ctx, statement).ReadAll()
	for _, r := range results {
		for _, row := range r.Rows {
			values = append(values, string(row[0]))
		}
	}
	return values, err
}
