package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
)

type (
	aText  string
	number int32
	yes    bool
	raw    []byte
)

// stamp is read as the store's times are.
type stamp struct{ t time.Time }

func (s *stamp) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", src)
	}
	s.t = time.UnixMicro(n)
	return nil
}

func TestValues(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		t.Run("of all types are stored and read", func(t *testing.T) {
			name, n := aText("a"), number(7)
			for i, args := range [][]any{
				{name, n, raw{1, 2}, yes(true)},
				{&name, &n, []byte{1, 2}, true},
				{sql.NullString{String: "a", Valid: true}, sql.NullInt64{Int64: 7, Valid: true}, []byte{1, 2}, sql.NullBool{Bool: true, Valid: true}},
			} {
				exec(t, e, "DELETE FROM notes")
				exec(t, e, "INSERT INTO notes (name, n, bytes, yes) VALUES (?, ?, ?, ?)", args...)
				var gotName aText
				var gotN *number
				var gotBytes raw
				var gotYes yes
				var isSeven int
				scanOne(t, e, "SELECT name, n, bytes, yes, n = 7 FROM notes", &gotName, &gotN, &gotBytes, &gotYes, &isSeven)
				if gotName != name || *gotN != n || string(gotBytes) != "\x01\x02" || !bool(gotYes) || isSeven != 1 {
					t.Errorf("%d: got %v, %v, %v, %v, %v", i, gotName, *gotN, gotBytes, gotYes, isSeven)
				}
			}
		})

		t.Run("that are nothing are null", func(t *testing.T) {
			for _, none := range []any{nil, (*int64)(nil), (*aText)(nil), sql.NullInt64{}, (*sql.NullString)(nil), []byte(nil), raw(nil)} {
				exec(t, e, "DELETE FROM notes")
				column := "n"
				switch none.(type) {
				case []byte, raw:
					column = "bytes"
				case *aText, *sql.NullString:
					column = "name"
				}
				exec(t, e, "INSERT INTO notes ("+column+") VALUES (?)", none)
				expect.Same(t, fmt.Sprintf("%T", none), read[int64](t, e, "SELECT count(*) FROM notes WHERE "+column+" IS NULL"), []int64{1})
			}
			var n sql.NullInt64
			var s sql.NullString
			var p *int64
			var b []byte
			var a any
			scanOne(t, e, "SELECT NULL::bigint, NULL::text, NULL::bigint, NULL::bytea, NULL::text", &n, &s, &p, &b, &a)
			if n.Valid || s.Valid || p != nil || b != nil || a != nil {
				t.Errorf("got %v, %v, %v, %v, %v", n, s, p, b, a)
			}
			var plain string
			err := e.Read(t.Context(), func(q engine.Querier) error { return scanFirst(q, "SELECT NULL::text", &plain) })
			expect.Contains(t, "null where there has to be a text", fmt.Sprint(err), "null")
		})

		t.Run("that are yes or no are 1 or 0 where a number is kept, and the other way", func(t *testing.T) {
			exec(t, e, "DELETE FROM notes")
			exec(t, e, "INSERT INTO notes (n, yes) VALUES (?, ?)", true, false)
			expect.Same(t, "a condition", read[int64](t, e, "SELECT n FROM notes WHERE ? OR n = 2", yes(true)), []int64{1})
			var asBool, asNumber, isSet, flagged bool
			var condition, flag int64
			var anything any
			scanOne(t, e, "SELECT n, n = 1, yes, n IS NOT NULL, n = 0, yes, n = 1 FROM notes", &asBool, &isSet, &flagged, &asNumber, &condition, &flag, &anything)
			if !asBool || !isSet || flagged || !asNumber || condition != 0 || flag != 0 || anything != int64(1) {
				t.Errorf("got %v, %v, %v, %v, %v, %v, %v", asBool, isSet, flagged, asNumber, condition, flag, anything)
			}
		})

		t.Run("are what database/sql has of SQLite in an any, and in a Scanner", func(t *testing.T) {
			var list [6]any
			into := make([]any, len(list))
			for i := range list {
				into[i] = &list[i]
			}
			scanOne(t, e, "SELECT 1::bigint, 'a'::text, '\\x01'::bytea, NULL::bytea, sum(n), 7 FROM (VALUES (5000000000::bigint), (2)) v(n)", into...)
			expect.Same(t, "values", list[:], []any{int64(1), "a", []byte{1}, nil, int64(5000000002), int64(7)})
			var at stamp
			scanOne(t, e, "SELECT 1000000::bigint", &at)
			expect.Equal(t, "a time", at.t.Unix(), 1)
		})

		t.Run("of every size are kept", func(t *testing.T) {
			big := []byte(strings.Repeat("x", 1<<20))
			for _, n := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
				expect.Same(t, "a number", read[int64](t, e, "SELECT ?::bigint", n), []int64{n})
			}
			exec(t, e, "DELETE FROM notes")
			exec(t, e, "INSERT INTO notes (bytes) VALUES (?)", big)
			expect.Same(t, "content", read[int64](t, e, "SELECT octet_length(bytes) FROM notes"), []int64{1 << 20})
			var sum float64
			scanOne(t, e, "SELECT avg(n) FROM (VALUES (1), (2)) v(n)", &sum)
			expect.Equal(t, "an average", sum, 1.5)
			var small int8
			err := e.Read(t.Context(), func(q engine.Querier) error { return scanFirst(q, "SELECT 1000::bigint", &small) })
			expect.Contains(t, "a number that does not fit", fmt.Sprint(err), "int8")
		})

		t.Run("that cannot be stored are an error, and nothing is sent", func(t *testing.T) {
			err := e.Step(t.Context(), 0, func(tx engine.Tx) error {
				_, err := tx.Exec("INSERT INTO notes (n) VALUES (?)", struct{}{})
				return err
			})
			expect.Contains(t, "the step", fmt.Sprint(err), "struct {}")
			expect.Is(t, "the step", err, sandlot.ErrNoEffect)
			runs := 0
			err = e.Step(t.Context(), 0, func(tx engine.Tx) error {
				runs++
				_, err := tx.Exec("INSERT INTO notes (n) VALUES (?)", "a text")
				return err
			})
			expect.Contains(t, "a text for a number", fmt.Sprint(err), "a text")
			expect.Equal(t, "runs", runs, 1)
		})
	})
}

func scanFirst(q engine.Querier, query string, dest ...any) error {
	rows, err := q.Query(context.Background(), query)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return sandlot.ErrNotFound
	}
	return rows.Scan(dest...)
}

// scanOne reads the first row.
func scanOne(t *testing.T, e *Engine, query string, dest ...any) {
	t.Helper()
	expect.OK(t, e.Read(t.Context(), func(q engine.Querier) error { return scanFirst(q, query, dest...) }), query)
}

func TestTheDialect(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e := mustOpen(t, url)
		d := e.Dialect()
		exec(t, e, "INSERT INTO notes (id, name, n) VALUES (1, 'Kim@Example.ORG', 10), (2, 'É', 20), (5000000000, 'it''s \"quoted\"', 30)")

		expect.Same(t, "among numbers", read[int64](t, e, "SELECT n FROM notes WHERE "+d.Among("id", d.Numbers("?1", "j"))+" ORDER BY n", engine.List([]sandlot.AccountID{5000000000, 1, 7})), []int64{10, 30})
		expect.Same(t, "among none", read[int64](t, e, "SELECT n FROM notes WHERE "+d.Among("id", d.Numbers("?", "j")), engine.List([]int64{})), nil)
		expect.Same(t, "among texts", read[int64](t, e, "SELECT n FROM notes WHERE "+d.Among("name", d.Texts("?", "j")), engine.List([]string{`it's "quoted"`})), []int64{30})
		expect.Same(t, "unknown texts", read[string](t, e, "SELECT j.value FROM "+d.Texts("?", "j")+" WHERE NOT EXISTS (SELECT 1 FROM notes WHERE name = j.value)", engine.List([]string{"É", "new"})), []string{"new"})
		expect.Same(t, "the largest", read[int64](t, e, "SELECT "+d.Greatest("n", "?", "7")+" FROM notes WHERE id = 1", 12), []int64{12})
		expect.Same(t, "the same but for case", read[int64](t, e, "SELECT n FROM notes WHERE "+d.EqualFold("name", "?"), "kIM@eXAMPLE.org"), []int64{10})
		expect.Same(t, "letters beyond ASCII", read[int64](t, e, "SELECT n FROM notes WHERE "+d.EqualFold("name", "?"), "é"), nil)
		expect.Same(t, "the domain", read[string](t, e, "SELECT "+d.DomainOf("name")+" FROM notes WHERE id = 1"), []string{"example.org"})
		expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) error {
			list, err := values[int64](tx, "SELECT a.n FROM notes a LEFT JOIN lines l ON l.note = a.id WHERE a.id = 1"+d.Locked("a"))
			expect.Same(t, "locked", list, []int64{10})
			return err
		}))
		var plan []string
		expect.OK(t, e.Step(t.Context(), 0, func(tx engine.Tx) (err error) {
			expect.OK(t, failure(tx.Exec("SET LOCAL enable_seqscan = off")))
			plan, err = values[string](tx, "EXPLAIN SELECT n FROM notes WHERE "+d.EqualFold("name", "'kim@example.org'"))
			return err
		}))
		expect.Contains(t, "the plan", strings.Join(plan, "\n"), "notes_folded")
	})
}
