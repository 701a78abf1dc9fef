package postgres

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// refused opens a database that cannot be used, and looks at what is said.
func refused(t *testing.T, url string, opts Options, want string) {
	t.Helper()
	e, err := Open(t.Context(), url, opts)
	if err == nil {
		e.Close()
		t.Errorf("it was opened; it should have been refused: %s", want)
		return
	}
	expect.Contains(t, "the error", err.Error(), want)
	for _, secret := range []string{"s3cret", "@", "\n"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q is in the error: %v", secret, err)
		}
	}
}

func TestWhatIsWrongWithADatabaseIsSaid(t *testing.T) {
	t.Run("of its URL", func(t *testing.T) {
		for url, want := range map[string]string{
			"":                                                       "begin with postgres://",
			"mysql://u:s3cret@localhost/x":                           "begin with postgres://",
			"user=u password=s3cret":                                 "begin with postgres://",
			"postgres://u:s3cret%@localhost/x":                       "percent-encoded",
			"postgres://u:s3cret/1@localhost/x":                      "percent-encoded",
			"postgres://u:s3cret@localhost:x/x":                      "percent-encoded",
			"postgres://u:pa@ss/s3cret@localhost/x":                  "percent-encoded",
			"postgres://u:12/s3cret@localhost/x":                     "percent-encoded",
			"postgres://u:12?s3cret@localhost/x":                     "percent-encoded",
			"postgres://u:12#s3cret@localhost/x":                     "percent-encoded",
			"postgres://u:s3cret@localhost/x?sslmode=s3cret":         "cannot be used: ",
			"postgres://u:s3cret@localhost/x?connect_timeout=s3cret": "cannot be used: a parameter of it is wrong",
			"postgres://u:s3cret@localhost/x?sslmode=sometimes":      "sslmode",
			"postgres://u:s3cret@localhost/x?pool_max_conns=no":      "cannot be used: cannot parse pool_max_conns",
		} {
			refused(t, url, Options{}, want)
		}
	})

	t.Run("that nobody answers", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		expect.OK(t, err)
		address := listener.Addr().String()
		listener.Close()
		refused(t, "postgres://u:s3cret@"+address+"/sandlot?sslmode=disable", Options{}, "the database sandlot at "+address+" cannot be reached: dial tcp "+address+": connect: connection refused")
		refused(t, "postgres://u:s3cret@nowhere.invalid/sandlot", Options{}, "the database sandlot at nowhere.invalid:5432 cannot be reached: ")
		refused(t, "postgres://u:s3cret@"+address+"?sslmode=disable", Options{}, "the database u at "+address+" cannot be reached: ")
	})

	t.Run("that who answers is no PostgreSQL", func(t *testing.T) {
		address := fakeServer(t)
		refused(t, "postgres://u:s3cret@"+address+"/sandlot?sslmode=disable&connect_timeout=1", Options{}, "the database sandlot at "+address+" does not answer in time, or is no PostgreSQL")
	})

	t.Run("that the password is wrong", func(t *testing.T) {
		address := fakeServer(t, &pgproto3.AuthenticationCleartextPassword{}, nil, &pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "28P01", Message: `password authentication failed for user "u"`})
		refused(t, "postgres://u:s3cret@"+address+"/sandlot?sslmode=disable", Options{}, "the database sandlot at "+address+" refuses the password")
	})

	t.Run("that it is too old", func(t *testing.T) {
		address := fakeServer(t, &pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "server_version", Value: "12.22 (Debian)"}, &pgproto3.BackendKeyData{SecretKey: []byte{1, 2, 3, 4}}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
		refused(t, "postgres://u:s3cret@"+address+"/sandlot?sslmode=disable", Options{}, "is PostgreSQL 12, which is too old; Sandlot needs 13 or newer")
	})

	t.Run("that it is a standby", func(t *testing.T) {
		// One takes a second server; what is asked of it is read on a primary in every other test.
		err := state{version: 15, encoding: "UTF8", standby: true, schema: "public"}.check("the database x")
		expect.Contains(t, "the error", fmt.Sprint(err), "is a standby, which is read-only")
	})

	for name, wrong := range map[string]struct{ prepare, want string }{
		"that it is not there":                     {"", "does not exist; create it first"},
		"that it is read-only":                     {"ALTER DATABASE %s SET default_transaction_read_only = on", "is read-only (default_transaction_read_only is on)"},
		"that it has another encoding":             {"DROP DATABASE %[1]s; CREATE DATABASE %[1]s ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", "has the encoding LATIN1; create one with the encoding UTF8"},
		"that it has no schema for tables":         {"ALTER DATABASE %s SET search_path = nowhere", "has no schema in the user's search_path"},
		"that it does not let more connections in": {"ALTER DATABASE %s ALLOW_CONNECTIONS false", "cannot be used now: database"},
	} {
		t.Run(name, func(t *testing.T) {
			url := testenv.Postgres(t)
			database := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
			server := strings.Replace(url, "/"+database, "/postgres", 1)
			conn := beside(t, server)
			if wrong.prepare == "" {
				url = strings.Replace(url, database, "not_there", 1)
			}
			for _, statement := range strings.Split(wrong.prepare, "; ") {
				if statement != "" {
					_, err := conn.Exec(t.Context(), fmt.Sprintf(statement, database))
					expect.OK(t, err)
				}
			}
			refused(t, url, Options{}, wrong.want)
		})
	}

	for name, wrong := range map[string]struct {
		prepare, want string
		opts          Options
	}{
		"that it is another application's":                      {prepare: "CREATE TABLE users (id int)", want: "belongs to another application: there are tables of others in its schema public; nothing was changed"},
		"that it is another application's, which migrates, too": {prepare: "CREATE TABLE migrations (id int, name text)", want: "belongs to another application"},
		"that it is empty, to one who makes nothing":            {opts: Options{Existing: true}, want: "is empty; nothing was changed"},
		"that its user may not make tables":                     {prepare: "REVOKE ALL ON SCHEMA public FROM PUBLIC; CREATE ROLE NOBODY LOGIN PASSWORD 'PASSWORD'; GRANT USAGE ON SCHEMA public TO NOBODY", want: "its user may not make tables"},
	} {
		t.Run(name, func(t *testing.T) {
			url := testenv.Postgres(t)
			conn := beside(t, url)
			// Roles are the whole server's, so this one has the name of the database; and the password of the URL, in which only its user is replaced.
			as := conn.Config()
			nobody := as.Database + "_nobody"
			prepare := strings.NewReplacer("NOBODY", nobody, "'PASSWORD'", "'"+as.Password+"'").Replace(wrong.prepare)
			for _, statement := range strings.Split(prepare, "; ") {
				if statement != "" {
					_, err := conn.Exec(t.Context(), statement)
					expect.OK(t, err)
				}
			}
			if strings.Contains(wrong.prepare, "NOBODY") {
				t.Cleanup(func() {
					_, err := conn.Exec(context.Background(), "DROP OWNED BY "+nobody)
					expect.Is(t, "clean", err, nil)
					_, err = conn.Exec(context.Background(), "DROP ROLE "+nobody)
					expect.Is(t, "clean", err, nil)
				})
				url += "&user=" + nobody
			}
			var before, after int
			const tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
			expect.OK(t, conn.QueryRow(t.Context(), tables).Scan(&before))
			refused(t, url, wrong.opts, wrong.want)
			expect.OK(t, conn.QueryRow(t.Context(), tables).Scan(&after))
			expect.Equal(t, "tables", after, before)
		})
	}
}

// fakeServer is a server that sends these messages to each client; nil waits for a message of the client.
func fakeServer(t *testing.T, says ...pgproto3.BackendMessage) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serveFake(conn, says)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

func serveFake(conn net.Conn, says []pgproto3.BackendMessage) {
	backend := pgproto3.NewBackend(conn, conn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	for _, m := range says {
		if m == nil {
			if backend.Flush() != nil {
				return
			}
			_ = backend.SetAuthType(pgproto3.AuthTypeCleartextPassword)
			if _, err := backend.Receive(); err != nil {
				return
			}
			continue
		}
		backend.Send(m)
	}
	if backend.Flush() == nil {
		_, _ = backend.Receive() // until it leaves
	}
}
