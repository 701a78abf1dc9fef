package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAStepWhoseConnectionBreaksAtTheCommit: exactly the notes that a step answered for are there,
// each once.
func TestAStepWhoseConnectionBreaksAtTheCommit(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		p, through := startProxy(t, url)
		e := mustOpen(t, through)
		conn := beside(t, url)
		asked := func() {
			waits := int64(0)
			testenv.Poll(time.Minute, func() bool {
				err := conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waits)
				return waits > 0 || err != nil
			})
			expect.Equal(t, "who waits for the step's number", waits, 1)
		}
		for name, f := range map[string]fault{
			"before the database gets it is made again":           lostBefore,
			"after the database did it is done":                   lostAfter,
			"before the database gets it late is asked for after": lateAfterBroken,
		} {
			t.Run(name, func(t *testing.T) {
				exec(t, e, "DELETE FROM notes")
				p.have(f, map[fault]func(){lateAfterBroken: asked}[f])
				runs := 0
				expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
					runs++
					_, err := tx.Exec("INSERT INTO notes (n) VALUES (?)", 1) // nothing keeps it from being there twice
					return err
				}))
				expect.Equal(t, "faults", p.happened(), 1)
				expect.Same(t, "notes", read[int64](t, e, "SELECT n FROM notes"), []int64{1})
				want := 1
				if f == lostBefore {
					want = 2
				}
				expect.Equal(t, "runs", runs, want)
			})
		}

		t.Run("as one that only reads needs no answer to it", func(t *testing.T) {
			p.have(lostAfter, nil)
			expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
				_, err := values[int64](tx, "SELECT 1")
				return err
			}))
			expect.Equal(t, "commits", p.happened(), 0)
			p.have(none, nil)
		})

		t.Run("and is not to be found out about may have had its effect", func(t *testing.T) {
			e.outcomeTime = 200 * time.Millisecond
			p.have(lostAfter, func() { p.hangUp(true) })
			err := e.Step(t.Context(), 0, func(tx engine.Tx) error {
				_, err := tx.Exec("INSERT INTO notes (n) VALUES (2)")
				return err
			})
			p.hangUp(false)
			expect.Is(t, "the step", err, sandlot.ErrUnavailable)
			if errors.Is(err, sandlot.ErrNoEffect) {
				t.Errorf("the step says that nothing was changed: %v", err)
			}
			expect.Same(t, "notes", read[int64](t, e, "SELECT n FROM notes WHERE n = 2"), []int64{2})
		})
	})
}

// TestAStepThatTheStandbyHasNotIsMadeAgain: a standby that takes over may lack what the primary
// did last, and then lacks the step's number, too.
func TestAStepThatTheStandbyHasNotIsMadeAgain(t *testing.T) {
	url := testenv.Postgres(t)
	p, through := startProxy(t, url)
	e := mustOpen(t, through)
	conn := beside(t, url)
	runs := 0
	p.have(lostAfter, func() {
		// As if the last transaction had not come across.
		_, err := conn.Exec(context.Background(), "WITH gone AS (DELETE FROM notes) UPDATE steps SET step = step - 1")
		expect.Is(t, "lose the transaction", err, nil)
	})
	expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
		runs++
		_, err := tx.Exec("INSERT INTO notes (n) VALUES (1)")
		return err
	}))
	expect.Equal(t, "runs", runs, 2)
	expect.Same(t, "notes", read[int64](t, e, "SELECT n FROM notes"), []int64{1})
}

// TestStepsLeaveAsManyNumbersAsRanAtOnce, however many steps there were.
func TestStepsLeaveAsManyNumbersAsRanAtOnce(t *testing.T) {
	e := mustOpen(t, testenv.Postgres(t))
	for range 50 {
		expect.OK(t, e.Step(t.Context(), 0, insert("again")))
		exec(t, e, "DELETE FROM notes")
	}
	expect.Same(t, "rows", read[int64](t, e, "SELECT count(*) FROM steps"), []int64{1})
	expect.Same(t, "numbers", read[int64](t, e, "SELECT step FROM steps"), []int64{100})
}
