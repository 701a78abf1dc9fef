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

		t.Run("runs a list up to what fails, and knows the ids of what it inserts", func(t *testing.T) {
			var ids []int64
			rows := make([][]any, 73)
			for i := range rows {
				rows[i] = []any{fmt.Sprint("listed", i)}
			}
			insert := engine.Statement{Query: "INSERT INTO notes (name) VALUES (?)", Rows: rows, ID: "id", IDs: &ids}
			expect.OK(t, e.Step(ctx, 0, func(tx engine.Tx) error {
				ids = nil
				expect.OK(t, tx.Run(insert))
				list, err := values[int64](tx, "SELECT id FROM notes WHERE name LIKE 'listed%' ORDER BY id")
				expect.Same(t, "ids", ids, list)
				expect.OK(t, failure(tx.Exec("DELETE FROM notes WHERE name LIKE 'listed%'")))
				expect.OK(t, tx.Run(insert, engine.Statement{Query: "UPDATE notes SET n = 8 WHERE name LIKE 'listed%'", Rows: [][]any{nil}}))
				return err
			}))
			expect.Same(t, "changed", read[int64](t, e, "SELECT count(*) FROM notes WHERE n = 8"), []int64{73})
			expect.Is(t, "a record that is there", e.Step(ctx, 0, func(tx engine.Tx) error {
				return tx.Run(insert, engine.Statement{Query: "UPDATE notes SET n = 1 / (n - n)", Rows: [][]any{nil}})
			}), sandlot.ErrExists)
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
	})
}
