package postgres

import (
	"context"
	"fmt"
	"testing"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
)

func TestAStep(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		ctx := t.Context()
		t.Run("has its effect when it returns nil", func(t *testing.T) {
			expect.OK(t, e.Step(ctx, 0, insert("kept")))
			expect.Same(t, "notes", read[string](t, e, "SELECT name FROM notes WHERE name = ?", "kept"), []string{"kept"})
		})

		t.Run("that fails has no effect, and its own error", func(t *testing.T) {
			err := e.Step(ctx, 0, func(tx engine.Tx) error {
				if err := insert("undone")(tx); err != nil {
					return err
				}
				return errOwn
			})
			expect.Is(t, "the step", err, errOwn)
			expect.Is(t, "the step", err, sandlot.ErrNoEffect)
			err = e.Step(ctx, 0, func(tx engine.Tx) error {
				_, err := tx.Exec("INSERT INTO notes (name) VALUES ('undone')")
				expect.OK(t, err)
				panic("oh")
			})
			expect.Is(t, "one that panics", err, sandlot.ErrNoEffect)
			expect.Contains(t, "one that panics", err.Error(), "panic in a step: oh")
			expect.Same(t, "notes", read[string](t, e, "SELECT name FROM notes WHERE name = 'undone'"), nil)
		})

		t.Run("sees what it did, and tells how many rows it changed", func(t *testing.T) {
			expect.OK(t, e.Step(ctx, 0, func(tx engine.Tx) error {
				for i := range 3 {
					expect.OK(t, insert(fmt.Sprint("many", i))(tx))
				}
				n, err := tx.Exec("UPDATE notes SET n = 7 WHERE name LIKE 'many%'")
				expect.Equal(t, "changed", n, int64(3))
				list, err2 := values[int64](tx, "SELECT count(*) FROM notes WHERE n = 7")
				expect.Same(t, "seen", list, []int64{3})
				expect.Is(t, "read", err2, nil)
				return err
			}))
		})

		t.Run("knows the ids of what it inserts, reserved or not", func(t *testing.T) {
			expect.OK(t, e.Step(ctx, 0, func(tx engine.Tx) error {
				tx.Reserve("notes", "lines", "lines")
				note, err := tx.Insert("notes", "INSERT INTO notes (id, name) VALUES (?, ?)", "numbered")
				expect.Is(t, "insert", err, nil)
				for i := range 3 { // one more than reserved
					_, err := tx.Insert("lines", "INSERT INTO lines (num, note, text) VALUES (?, ?, ?)", note, fmt.Sprint(i))
					expect.Is(t, "insert", err, nil)
				}
				list, err := values[string](tx, "SELECT l.text FROM lines l JOIN notes n ON n.id = l.note WHERE n.name = 'numbered' ORDER BY l.num")
				expect.Same(t, "lines", list, []string{"0", "1", "2"})
				return err
			}))
			err := e.Step(ctx, 0, func(tx engine.Tx) error {
				_, err := tx.Insert("nowhere", "INSERT INTO nowhere (id) VALUES (?)")
				return err
			})
			expect.Contains(t, "a table that is not there", fmt.Sprint(err), "nowhere")
		})

		t.Run("has the error of a statement that was put off, whatever it makes of it", func(t *testing.T) {
			missing := e.Step(ctx, 0, func(tx engine.Tx) error {
				expect.Is(t, "put off", tx.Later(sandlot.ErrMoved, "UPDATE notes SET n = 1 WHERE name = 'not there'"), nil)
				_, _ = values[int64](tx, "SELECT 1")
				return errOwn
			})
			expect.Is(t, "no row", missing, sandlot.ErrMoved)
			expect.Is(t, "no row", missing, sandlot.ErrNoEffect)
			atEnd := e.Step(ctx, 0, func(tx engine.Tx) error {
				return tx.Later(sandlot.ErrMoved, "UPDATE notes SET n = 1 WHERE name = 'not there'")
			})
			expect.Is(t, "no row, at the end", atEnd, sandlot.ErrMoved)
			twice := e.Step(ctx, 0, func(tx engine.Tx) error {
				return tx.Later(nil, "INSERT INTO notes (name) VALUES ('kept')")
			})
			expect.Is(t, "a record that is there", twice, sandlot.ErrExists)
			first := e.Step(ctx, 0, func(tx engine.Tx) error {
				_ = tx.Later(sandlot.ErrMoved, "UPDATE notes SET n = 1 WHERE name = 'not there'")
				_ = tx.Later(nil, "INSERT INTO notes (name) VALUES ('kept')")
				return tx.Flush()
			})
			expect.Is(t, "two errors: the first", first, sandlot.ErrMoved)
			expect.OK(t, e.Step(ctx, 0, func(tx engine.Tx) error {
				return tx.Later(sandlot.ErrMoved, "UPDATE notes SET n = 5 WHERE name = 'kept'")
			}))
		})

		t.Run("reads what it asked for before the next answer, and in Flush", func(t *testing.T) {
			var said []string
			ask := func(tx engine.Tx, what string, err error) {
				tx.Ask(func(r engine.Rows) error {
					for r.Next() {
						var s string
						expect.OK(t, r.Scan(&s))
						said = append(said, s)
					}
					return err
				}, "SELECT ?::text", what)
			}
			expect.OK(t, e.Step(ctx, 0, func(tx engine.Tx) error {
				ask(tx, "one", nil)
				ask(tx, "two", nil)
				_, err := values[int64](tx, "SELECT 1")
				expect.Same(t, "said", said, []string{"one", "two"})
				ask(tx, "three", nil)
				expect.Is(t, "flush", tx.Flush(), nil)
				expect.Same(t, "said", said, []string{"one", "two", "three"})
				return err
			}))
			said = nil
			err := e.Step(ctx, 0, func(tx engine.Tx) error {
				ask(tx, "one", errOwn)
				ask(tx, "two", nil)
				expect.Is(t, "flush", tx.Flush(), errOwn)
				return nil
			})
			expect.Is(t, "the step", err, errOwn)
			expect.Same(t, "said", said, []string{"one"})
		})

		t.Run("makes the errors of the database those that publish knows", func(t *testing.T) {
			for query, want := range map[string]error{
				"INSERT INTO notes (name) VALUES ('kept')":                   sandlot.ErrExists,
				"INSERT INTO lines (note, text) VALUES (-1, 'x')":            sandlot.ErrNotFound,
				"DO $$ BEGIN RAISE SQLSTATE '53100'; END $$":                 sandlot.ErrFull,
				"DO $$ BEGIN RAISE SQLSTATE 'XX001'; END $$":                 sandlot.ErrCorrupt,
				"DO $$ BEGIN RAISE SQLSTATE '57014'; END $$":                 sandlot.ErrUnavailable,
				"SELECT CAST(json_array_elements_text('[1]') AS bigint) / 0": nil,
			} {
				err := e.Step(ctx, 0, func(tx engine.Tx) error {
					_, err := tx.Exec(query)
					return err
				})
				expect.Is(t, query, err, sandlot.ErrNoEffect)
				if want != nil {
					expect.Is(t, query, err, want)
				}
			}
		})

		t.Run("whose caller left before it began is dropped", func(t *testing.T) {
			left, leave := context.WithCancel(ctx)
			leave()
			err := e.Step(left, 0, insert("left"))
			expect.Is(t, "the step", err, context.Canceled)
			expect.Is(t, "the step", err, sandlot.ErrNoEffect)
		})

		t.Run("is not interrupted once it has begun", func(t *testing.T) {
			left, leave := context.WithCancel(ctx)
			expect.OK(t, e.Step(left, 0, func(tx engine.Tx) error {
				leave()
				return insert("begun")(tx)
			}))
		})

		t.Run("takes a message for what can be sent together, and one for the commit", func(t *testing.T) {
			step := func() {
				expect.OK(t, e.Step(ctx, 0, func(tx engine.Tx) error {
					tx.Reserve("notes", "lines")
					tx.Ask(func(engine.Rows) error { return nil }, "SELECT 1")
					_ = tx.Later(nil, "UPDATE notes SET n = 3 WHERE name = 'kept'")
					id, err := tx.Insert("notes", "INSERT INTO notes (id) VALUES (?)")
					if err == nil {
						_, err = tx.Insert("lines", "INSERT INTO lines (num, note, text) VALUES (?, ?, '')", id)
					}
					return err
				}))
			}
			for range 20 { // until every connection knows the statements
				step()
			}
			before := e.RoundTrips()
			step()
			// The ids and what was put off; the inserts; the commit.
			expect.Equal(t, "round trips", e.RoundTrips()-before, 3)
		})
	})
}
