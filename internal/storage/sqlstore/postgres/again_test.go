package postgres

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// endSessions ends the sessions of a database, but for that which asks.
const endSessions = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

// beside returns a connection to the database by the side of an engine, and of a pooler.
func beside(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	database, err := pgx.ParseConfig(url)
	expect.OK(t, err)
	config, err := pgx.ParseConfig(os.Getenv("SANDLOT_TEST_POSTGRES"))
	expect.OK(t, err)
	config.Database = database.Database
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(t.Context(), config)
	expect.OK(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func TestAStepThatFailsWithoutItsFaultIsMadeAgain(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		for name, statement := range map[string]string{
			"for a serialization failure":       "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$",
			"for a lock that was not to be had": "DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$",
			"where there are too many sessions": "DO $$ BEGIN RAISE SQLSTATE '53300'; END $$",
			"on a database that stops":          "SELECT pg_terminate_backend(pg_backend_pid())",
			"on a server that became a standby": "DO $$ BEGIN RAISE SQLSTATE '25006'; END $$",
		} {
			for _, listed := range []bool{false, true} {
				runs := 0
				expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
					if runs++; runs == 1 {
						if listed {
							return tx.Run(engine.Statement{Query: statement, Rows: [][]any{nil}})
						}
						_, err := tx.Exec(statement)
						return err
					}
					_, err := tx.Exec("INSERT INTO notes (name) VALUES (?)", name+map[bool]string{true: ", in a list"}[listed])
					return err
				}), name)
				expect.Equal(t, name+": runs", runs, 2)
			}
		}
		expect.Same(t, "notes", read[int64](t, e, "SELECT count(*) FROM notes"), []int64{10})

		e.againTime = 500 * time.Millisecond
		runs := 0
		err := e.Step(t.Context(), 0, func(tx engine.Tx) error {
			runs++
			_, err := tx.Exec("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
			return err
		})
		expect.Is(t, "one that always fails", err, sandlot.ErrUnavailable)
		expect.Is(t, "one that always fails", err, sandlot.ErrNoEffect)
		if runs < 2 || runs > againMax {
			t.Errorf("it ran %d times", runs)
		}

		runs = 0
		expect.OK(t, e.Step(t.Context(), 0, insert("there")))
		err = e.Step(t.Context(), 0, func(tx engine.Tx) error {
			runs++
			_, err := tx.Exec("INSERT INTO notes (name) VALUES ('there')")
			return err
		})
		expect.Is(t, "one whose record is there", err, sandlot.ErrExists)
		expect.Equal(t, "runs of one whose record is there", runs, 1)
	})
}

func TestStepsThatHoldWhatTheOtherWantsBothHappen(t *testing.T) {
	e := mustOpen(t, testenv.Postgres(t)+"&deadlock_timeout=20ms")
	exec(t, e, "INSERT INTO notes (name, n) VALUES ('a', 0), ('b', 0)")
	var met, running sync.WaitGroup
	met.Add(2)
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		running.Go(func() {
			first := true
			err := e.Step(t.Context(), 0, func(tx engine.Tx) error {
				for i, name := range names {
					if _, err := tx.Exec("UPDATE notes SET n = n + 1 WHERE name = ?", name); err != nil {
						return err
					}
					if i == 0 && first {
						first = false
						met.Done()
						met.Wait()
					}
				}
				return nil
			})
			expect.Is(t, names[0]+" before "+names[1], err, nil)
		})
	}
	running.Wait()
	expect.Same(t, "notes", read[int64](t, e, "SELECT n FROM notes"), []int64{2, 2})
}

func TestConnectionsThatDiedWhileNobodyUsedThemAreNotNoticed(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		p, through := startProxy(t, url)
		e := mustOpen(t, through)
		expect.OK(t, e.Step(t.Context(), 0, insert("kept")))
		for name, use := range map[string]func() error{
			"a step": func() error {
				return e.Step(t.Context(), 0, func(tx engine.Tx) error { return failure(tx.Exec("UPDATE notes SET n = 1")) })
			},
			"a read": func() error {
				return e.Read(t.Context(), func(q engine.Querier) error {
					list, err := values[string](q, "SELECT name FROM notes")
					expect.Same(t, "notes", list, []string{"kept"})
					return err
				})
			},
			"a snapshot": func() error {
				return e.Snapshot(t.Context(), func(q engine.Querier) error {
					list, err := values[string](q, "SELECT name FROM notes")
					expect.Same(t, "notes", list, []string{"kept"})
					return err
				})
			},
			"the place": e.CheckPlace,
		} {
			// As many as the pool may have.
			var meet, running sync.WaitGroup
			meet.Add(4)
			for range 4 {
				running.Go(func() {
					expect.Is(t, "gather", e.Snapshot(t.Context(), func(q engine.Querier) error {
						_, err := values[int64](q, "SELECT 1")
						meet.Done()
						meet.Wait()
						return err
					}), nil)
				})
			}
			running.Wait()
			p.hangUp(false)
			expect.Is(t, name, use(), nil)
		}
	})
}

func TestADatabaseThatIsAwayIsWaitedFor(t *testing.T) {
	p, through := startProxy(t, testenv.Postgres(t))
	e := mustOpen(t, through)
	p.hangUp(true)
	back := time.AfterFunc(200*time.Millisecond, func() { p.hangUp(false) })
	defer back.Stop()
	expect.OK(t, e.Step(t.Context(), 0, insert("patient")))

	p.hangUp(true)
	err := e.Read(t.Context(), func(q engine.Querier) error {
		_, err := values[int64](q, "SELECT 1")
		return err
	})
	expect.Is(t, "a read", err, sandlot.ErrUnavailable)
	expect.Is(t, "a read", err, sandlot.ErrNoEffect)
	e.againTime = 100 * time.Millisecond
	err = e.Step(t.Context(), 0, insert("impatient"))
	expect.Is(t, "a step", err, sandlot.ErrUnavailable)
	expect.Is(t, "a step", err, sandlot.ErrNoEffect)
	expect.Is(t, "ping", e.Ping(t.Context()), sandlot.ErrUnavailable)
	e.againTime = time.Hour
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	err = e.Step(ctx, 0, insert("impatient"))
	expect.Is(t, "a step whose caller left", err, context.DeadlineExceeded)
	expect.Is(t, "a step whose caller left", err, sandlot.ErrNoEffect)
	p.hangUp(false)
	expect.Same(t, "notes", read[string](t, e, "SELECT name FROM notes"), []string{"patient"})
}

func TestStepsLeaveConnectionsToReads(t *testing.T) {
	e, err := open(t.Context(), testenv.Postgres(t), Options{Connections: 4}, notes)
	expect.OK(t, err)
	var ran atomic.Int64
	var running sync.WaitGroup
	release := make(chan bool)
	for range 8 {
		running.Go(func() {
			expect.Is(t, "a step", e.Step(t.Context(), 0, func(engine.Tx) error {
				ran.Add(1)
				<-release
				return nil
			}), nil)
		})
	}
	testenv.Eventually(t, time.Minute, "steps to wait", func() bool { return ran.Load() >= 3 && e.waiting.Load() == 8 })
	expect.Same(t, "a read beside them", read[int64](t, e, "SELECT 1"), []int64{1})
	expect.Equal(t, "steps that run", ran.Load(), 3)
	close(release)
	running.Wait()
	expect.OK(t, e.Close())
}

func TestTheQueueOfSteps(t *testing.T) {
	e, err := open(t.Context(), testenv.Postgres(t), Options{Connections: 2}, notes)
	expect.OK(t, err)
	begun, release := make(chan bool), make(chan bool)
	var running sync.WaitGroup
	running.Go(func() {
		expect.Is(t, "the step that runs", e.Step(t.Context(), 0, func(tx engine.Tx) error {
			close(begun)
			<-release
			return insert("ran")(tx)
		}), nil)
	})
	<-begun
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		left <- e.Step(ctx, 0, func(engine.Tx) error {
			t.Error("a step that was dropped ran")
			return nil
		})
	}()
	testenv.Eventually(t, time.Minute, "the step to wait", func() bool { return e.waiting.Load() == 2 })
	leave()
	err = <-left
	expect.Is(t, "one whose caller left while it waited", err, context.Canceled)
	expect.Is(t, "one whose caller left while it waited", err, sandlot.ErrNoEffect)

	for range waitingMax - 1 {
		running.Go(func() {
			expect.Is(t, "one that waits", e.Step(t.Context(), 0, func(engine.Tx) error { return nil }), nil)
		})
	}
	testenv.Eventually(t, time.Minute, "the queue to be full", func() bool { return e.waiting.Load() == waitingMax })
	err = e.Step(t.Context(), 0, func(engine.Tx) error { return errOwn })
	expect.Is(t, "one too many", err, engine.ErrTooMany)
	expect.Is(t, "one too many", err, sandlot.ErrNoEffect)

	closed := make(chan error)
	go func() { closed <- e.Close() }()
	testenv.Eventually(t, time.Minute, "the end to begin", func() bool { return e.enter() != nil || leaving(e) })
	close(release)
	expect.Is(t, "close", <-closed, nil)
	running.Wait()
}

// leaving takes back an enter that was too early.
func leaving(e *Engine) bool {
	e.leave()
	return false
}
