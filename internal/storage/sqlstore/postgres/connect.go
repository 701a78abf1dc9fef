package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sandlot"
)

const (
	// acquireTime bounds the wait for a connection.
	acquireTime = 10 * time.Second
	// connectTime bounds making one, where the URL does not say.
	connectTime = 5 * time.Second
	// idleTime is the time after which an unused connection has to answer before it is used again: a firewall may
	// have forgotten it by then, and swallow its messages.
	idleTime = 30 * time.Second
	// pingTime is how soon a connection has to answer to be taken for alive.
	pingTime = 3 * time.Second
)

// limits are the database's own timeouts: for a statement, the wait for a lock, and a transaction whose node went
// silent. The longest statement of the store takes less than a second.
var limits = [][2]string{
	{"statement_timeout", "15s"},
	{"lock_timeout", "5s"},
	{"idle_in_transaction_session_timeout", "15s"},
}

// A state holds the facts about a database that are needed before it is used.
type state struct {
	pooled   bool // a pooler is between: sessions are not ours
	version  int  // of PostgreSQL, without its minor part
	encoding string
	standby  bool
	readOnly bool
	unsynced bool // a commit would be answered before it is on the disk
	schema   string
	ours     bool // its tables are Sandlot's
	others   int  // tables, where they are not
}

// versionMin is the oldest PostgreSQL that is used. Those before it have had no fixes since 2024, and lack
// gen_random_uuid and compact indexes.
const versionMin = 13

// check returns the reason why the database cannot be used, in a sentence.
func (s state) check(name string) error {
	switch {
	case s.version < versionMin:
		return fmt.Errorf("%s is PostgreSQL %d, which is too old; Sandlot needs %d or newer", name, s.version, versionMin)
	case s.encoding != "UTF8":
		return fmt.Errorf("%s has the encoding %s; create one with the encoding UTF8", name, s.encoding)
	case s.standby:
		return fmt.Errorf("%s is a standby, which is read-only; name the primary", name)
	case s.readOnly:
		return fmt.Errorf("%s is read-only (default_transaction_read_only is on)", name)
	case s.schema == "":
		return fmt.Errorf("%s has no schema in the user's search_path in which there may be tables", name)
	case !s.ours && s.others > 0:
		return fmt.Errorf("%s belongs to another application: there are tables of others in its schema %s; nothing was changed",
			name, s.schema)
	}
	return nil
}

// look connects once and returns the state of the database.
func look(ctx context.Context, config *pgx.ConnConfig, name string) (s state, err error) {
	conn, err := connectOnce(ctx, config)
	if err != nil {
		return s, unreachable(name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	if s.version, err = leading(major); err != nil || s.version < versionMin {
		return s, errors.Join(err, s.check(name))
	}
	var pid int64
	err = conn.QueryRow(ctx, `
		SELECT pg_backend_pid(), current_setting('server_encoding'), pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
			current_setting('synchronous_commit') = 'off', coalesce(current_schema(), ''),
			to_regclass('migrations') IS NOT NULL AND to_regclass('instance') IS NOT NULL AND to_regclass('steps') IS NOT NULL,
			(SELECT count(*) FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = (SELECT n.oid FROM pg_namespace n
			WHERE n.nspname = current_schema())
				AND NOT EXISTS (SELECT 1 FROM pg_depend d
				WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))`).
		Scan(&pid, &s.encoding, &s.standby, &s.readOnly, &s.unsynced, &s.schema, &s.ours, &s.others)
	if err != nil {
		return s, unreachable(name, err)
	}
	s.pooled = pid != int64(conn.PgConn().PID())
	return s, s.check(name)
}

// connectOnce makes a connection that suits poolers, too.
func connectOnce(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	config = config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pgx.ConnectConfig(ctx, config)
}

// leaveTime is how long connections of processes that have just ended are waited for.
const leaveTime = 2 * time.Second

// alone refuses a database that another connection of the same user is open to.
func alone(ctx context.Context, config *pgx.ConnConfig, name string) error {
	conn, err := connectOnce(ctx, config)
	if err != nil {
		return unreachable(name, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for until := time.Now().Add(leaveTime); ; {
		var n int
		err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND usename = session_user AND pid <> pg_backend_pid()`).Scan(&n)
		switch {
		case err != nil:
			return unreachable(name, err)
		case n == 0:
			return nil
		case time.Now().After(until):
			return fmt.Errorf("%s is in use: its user has other connections to it (%d); stop every node, and a pooler", name, n)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// leading returns the number at the beginning of a text.
func leading(text string) (int, error) {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return strconv.Atoi(text[:n])
}

// settings returns the settings with which every session or, behind a pooler, every transaction begins.
func (s state) settings() [][2]string {
	list := limits
	if s.unsynced {
		list = append(list[:len(list):len(list)], [2]string{"synchronous_commit", "on"})
	}
	return list
}

// configure sets up the pool. With a connection of its own a node has prepared statements, and its settings in the
// session. Behind a pooler, which gives each transaction any free session, it has neither.
func (e *Engine) configure(config *pgxpool.Config, s state) {
	cc := config.ConnConfig
	if _, chosen := cc.RuntimeParams["application_name"]; !chosen {
		cc.RuntimeParams["application_name"] = "sandlot"
	}
	if cc.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		s.pooled = true // default_query_exec_mode in the URL says so
	}
	if !s.pooled {
		for _, p := range s.settings() {
			if _, chosen := cc.RuntimeParams[p[0]]; !chosen || p[0] == "synchronous_commit" {
				cc.RuntimeParams[p[0]] = p[1]
			}
		}
	} else {
		// Descriptions are kept by us, and hold for every session; no statement is.
		cc.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		local := localSettings(s.settings())
		e.begin, e.beginSnapshot = append(e.begin, local), append(e.beginSnapshot, local)
	}
	config.AfterConnect = e.checkPlaceOf
	config.ShouldPing = func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		return ctx.Value(sure{}) != nil || p.IdleDuration > idleTime
	}
	config.PingTimeout = pingTime
}

// localSettings makes settings for the transaction that the statement before begins.
func localSettings(list [][2]string) string {
	calls := make([]string, len(list))
	for i, p := range list {
		calls[i] = "set_config('" + p[0] + "', '" + p[1] + "', true)"
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// bound sets how long connecting may take, where the URL does not say.
func bound(config *pgx.ConnConfig) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
		config.DialFunc = (&net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second}).DialContext
	}
}

// sure in a context requests a connection that has answered just now.
type sure struct{}

// acquire takes a connection of the pool. Its error is of package sandlot, unless the caller left.
func (e *Engine) acquire(ctx context.Context, answers bool) (*pgxpool.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, acquireTime)
	defer cancel()
	if answers {
		bounded = context.WithValue(bounded, sure{}, true)
	}
	c, err := e.pool.Acquire(bounded)
	if err == nil {
		return c, nil
	}
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	return nil, in("connect to the database", classify(err, true))
}

// A place is the one database that was opened: a copy of it has its id, but another number on the server.
type place struct {
	id     string
	number int64
}

var errPlace = fmt.Errorf("%w: another database is where the one was that was opened; start the server again", sandlot.ErrUnavailable)

func placeOf(ctx context.Context, conn *pgx.Conn) (p place, err error) {
	err = conn.QueryRow(ctx, "SELECT i.id, d.oid::bigint FROM instance i, pg_database d WHERE d.datname = current_database()").Scan(&p.id,
		&p.number)
	return p, err
}

// checkPlaceOf refuses a connection to another database than the one that was opened.
func (e *Engine) checkPlaceOf(ctx context.Context, conn *pgx.Conn) error {
	opened := e.place.Load()
	if opened == nil {
		return nil // it is being opened
	}
	p, err := placeOf(ctx, conn)
	if e := said(err); e != nil && e.Code == "42P01" || errors.Is(err, pgx.ErrNoRows) || err == nil && p != *opened {
		return errPlace
	}
	return err
}
