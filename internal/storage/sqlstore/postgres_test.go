package sqlstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/storage/sqlstore/postgres"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestPublishContractOnPostgres(t *testing.T) { storetest.TestPublish(t, onServer(t)) }
func TestAccountContractOnPostgres(t *testing.T) { storetest.TestAccount(t, onServer(t)) }
func TestGalleryContractOnPostgres(t *testing.T) { storetest.TestGallery(t, onServer(t)) }
func TestTrialContractOnPostgres(t *testing.T)   { storetest.TestTrial(t, onServer(t)) }
func TestBoardsContractOnPostgres(t *testing.T)  { storetest.TestBoards(t, onServer(t)) }
func TestOperateContractOnPostgres(t *testing.T) { storetest.TestOperate(t, onServer(t)) }
func TestDeskContractOnPostgres(t *testing.T)    { storetest.TestDesk(t, onServer(t)) }
func TestPlayersContractOnPostgres(t *testing.T) { storetest.TestPlayers(t, onServer(t)) }

// TestThePromisesHoldBehindPgbouncer: of a pooler each transaction has another connection.
// TestSoakContractBehindPgbouncer has the other sentences.
func TestThePromisesHoldBehindPgbouncer(t *testing.T) {
	storetest.TestPromises(t, openPgbouncerForSuite)
}

func TestSoakContractBehindPgbouncer(t *testing.T) {
	storetest.TestPublish(t, openPgbouncerForSuite)
	storetest.TestAccount(t, openPgbouncerForSuite)
	storetest.TestGallery(t, openPgbouncerForSuite)
	storetest.TestTrial(t, openPgbouncerForSuite)
	storetest.TestBoards(t, openPgbouncerForSuite)
	storetest.TestOperate(t, openPgbouncerForSuite)
	storetest.TestPlayers(t, openPgbouncerForSuite)
	storetest.TestDesk(t, openPgbouncerForSuite)
}

func openPgbouncerForSuite(t *testing.T) storetest.Records {
	t.Parallel()
	return postgresRecords(t, guardedServer.Pgbouncer(t), &atomic.Int64{})
}

// onServer opens stores for the subtests of a suite. They use some databases in turns, for to make and to drop one
// takes longer than most of them: each is emptied for the next.
func onServer(suite *testing.T) func(*testing.T) storetest.Records {
	var mu sync.Mutex
	free := []reused{newReused(suite)} // one at least now: without a server the suite is skipped, which a subtest cannot do
	return func(t *testing.T) storetest.Records {
		t.Parallel()
		mu.Lock()
		var r reused
		if last := len(free) - 1; last >= 0 {
			r, free = free[last], free[:last]
		}
		mu.Unlock()
		if r.conn == nil {
			r = newReused(suite)
		}
		t.Cleanup(func() {
			_, err := r.conn.Exec(context.Background(), "SELECT kept.empty()")
			expect.OK(t, err)
			mu.Lock()
			defer mu.Unlock()
			free = append(free, r)
		})
		return postgresRecords(t, r.url, &atomic.Int64{})
	}
}

// A reused is a database that one test uses after the other.
type reused struct {
	url  string
	conn *pgx.Conn // to empty it with
}

func newReused(suite *testing.T) reused {
	url := reusedServer.Postgres(suite)
	conn, err := pgx.Connect(context.Background(), url)
	expect.OK(suite, err)
	suite.Cleanup(func() { expect.OK(suite, conn.Close(context.Background())) })
	_, err = conn.Exec(context.Background(), "SET session_replication_role = replica") // so that no trigger of the tables notices
	expect.OK(suite, err)
	return reused{url, conn}
}

// keepRows keeps the rows that a database has at first, and makes a function that leaves it with these alone. Numbers
// begin anew.
const keepRows = `CREATE SCHEMA kept;
DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 LOOP
		EXECUTE format('CREATE TABLE kept.%1$I AS TABLE public.%1$I', name);
	END LOOP;
END $$;
CREATE FUNCTION kept.empty() RETURNS void LANGUAGE plpgsql AS $$ DECLARE name text; BEGIN
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 LOOP
		EXECUTE format('DELETE FROM public.%I', name);
	END LOOP;
	FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'kept'::regnamespace AND relkind = 'r' LOOP
		EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE TABLE kept.%1$I', name);
	END LOOP;
	PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences WHERE last_value IS NOT NULL;
END $$`

// postgresRecords are a node's on the database of that URL. What a crash leaves is what
// another node finds: what was acknowledged the server has.
func postgresRecords(t *testing.T, url string, ahead *atomic.Int64) storetest.Records {
	t.Helper()
	db, err := OpenPostgres(t.Context(), url, postgres.Options{Now: clockAhead(ahead), Connections: 8})
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	r := storesOf(db, "", ahead)
	r.TendsRoom = true
	r.Copy = func(t *testing.T) storetest.Records { return postgresRecords(t, url, ahead) }
	return r
}

// serverTemplate is a database on the server that fill has filled.
func serverTemplate(fill func(*DB) error) *testenv.PostgresTemplate {
	return &testenv.PostgresTemplate{Make: func(url string) error {
		db, err := OpenPostgres(context.Background(), url, postgres.Options{})
		if err != nil {
			return err
		}
		return errors.Join(fill(db), db.Close())
	}}
}

var (
	// emptyServer is a database with its tables.
	emptyServer = serverTemplate(func(*DB) error { return nil })
	// guardedServer is one that is guarded besides.
	guardedServer = serverTemplate(guardChanges)
	// reusedServer is one whose first rows are kept besides.
	reusedServer = &testenv.PostgresTemplate{Make: func(url string) error {
		if err := guardedServer.Make(url); err != nil {
			return err
		}
		conn, err := pgx.Connect(context.Background(), url)
		if err != nil {
			return err
		}
		_, err = conn.Exec(context.Background(), keepRows)
		return errors.Join(err, conn.Close(context.Background()))
	}}
)
