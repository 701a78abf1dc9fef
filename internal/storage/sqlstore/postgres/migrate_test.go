package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

// second and third expand the schema of the tests, and fourth takes something away.
var (
	second = "ALTER TABLE notes ADD COLUMN more BIGINT NOT NULL DEFAULT 0"
	third  = "CREATE TABLE others (n BIGINT)"
	fourth = "ALTER TABLE notes DROP COLUMN n"
)

// upTo are the migrations of a release that knows so many.
func upTo(n int) []engine.Migration {
	list := migrations(append([]string{notes[0].SQL}, second, third, fourth)[:n]...)
	for i := range list {
		list[i].Oldest = []int{1, 1, 1, 3}[i]
	}
	return list
}

// at opens a database with a release that knows so many migrations.
func at(t *testing.T, url string, n int, existing bool) (*Engine, error) {
	e, err := open(t.Context(), url, Options{Existing: existing}, upTo(n))
	if err == nil {
		t.Cleanup(func() { e.Close() })
	}
	return e, err
}

func TestMigrations(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e1, err := at(t, url, 1, false)
		expect.OK(t, err)
		expect.OK(t, e1.Step(t.Context(), 0, insert("first")))

		t.Run("that only expand leave the release before at work, and let it start", func(t *testing.T) {
			if _, err := at(t, url, 2, true); err == nil {
				t.Error("a database that needs a migration was used as it is")
			} else {
				expect.Contains(t, "the error", err.Error(), "was written by an older Sandlot; nothing changed")
			}
			e2, err := at(t, url, 3, false)
			expect.OK(t, err)
			expect.OK(t, e2.Step(t.Context(), 0, func(tx engine.Tx) error {
				return failure(tx.Exec("INSERT INTO notes (name, more) VALUES (?, 2)", "second"))
			}))
			expect.OK(t, e1.Step(t.Context(), 0, insert("third")))
			for _, existing := range []bool{false, true} {
				again, err := at(t, url, 1, existing)
				expect.OK(t, err)
				expect.Same(t, "notes", read[string](t, again, "SELECT name FROM notes ORDER BY id"), []string{"first", "second", "third"})
			}
			expect.Same(t, "migrations", read[int64](t, e1, "SELECT n FROM migrations ORDER BY n"), []int64{1, 2, 3})
		})

		t.Run("that do more keep the release before from starting", func(t *testing.T) {
			_, err := at(t, url, 4, false)
			expect.OK(t, err)
			for _, existing := range []bool{false, true} {
				_, err = at(t, url, 3, existing)
				expect.OK(t, err)
				if _, err = at(t, url, 2, existing); err == nil {
					t.Error("a sandlot that knows 2 migrations was let in")
					continue
				}
				expect.Contains(t, "the error", err.Error(), "was written by a newer sandlot (its schema is 4, for programs that know 3; this one knows 2); "+
					"nothing was changed, start the newer one")
			}
		})

		t.Run("that are others than ours are refused", func(t *testing.T) {
			other := upTo(4)
			other[1].Sum[5]++
			_, err := open(t.Context(), url, Options{}, other)
			if err == nil {
				t.Fatal("it was opened")
			}
			expect.Contains(t, "the error", err.Error(), "was made by another 0001_test.sql than the one in this sandlot; nothing was changed")
		})
	})

	t.Run("that fail in the middle leave nothing", func(t *testing.T) {
		url := testenv.Postgres(t)
		broken := migrations(notes[0].SQL, "CREATE TABLE half (n BIGINT); INSERT INTO nowhere VALUES (1)")
		_, err := open(t.Context(), url, Options{}, broken)
		if err == nil {
			t.Fatal("it was opened")
		}
		expect.Contains(t, "the error", err.Error(), "migrate to 0001_test.sql")
		e := mustOpen(t, url)
		expect.Same(t, "tables", read[string](t, e, "SELECT relname::text FROM pg_class WHERE relname IN ('notes', 'half')"), []string{"notes"})
		expect.Same(t, "migrations", read[int64](t, e, "SELECT n FROM migrations"), []int64{1})
	})
}

func TestUpgrades(t *testing.T) {
	known, err := knownMigrations()
	expect.OK(t, err)
	for _, u := range storetest.Upgrades {
		t.Run(u.Name, func(t *testing.T) {
			n := slices.IndexFunc(known, func(m engine.Migration) bool { return strings.HasSuffix(m.Name, u.Migration) })
			url := testenv.Postgres(t)
			before, err := open(t.Context(), url, Options{}, known[:n])
			expect.OK(t, err)
			for _, query := range u.Before {
				exec(t, before, regexp.MustCompile(`x'(\w+)'`).ReplaceAllString(query, `'\x$1'`))
			}
			expect.OK(t, before.Close())
			after, err := open(t.Context(), url, Options{}, known)
			expect.OK(t, err)
			defer after.Close()
			for query, want := range u.After {
				expect.Equal(t, query, strings.Join(read[string](t, after, query), " "), want)
			}
		})
	}
}

// TestEverySchemaIsUpgraded starts from each schema that ever was, with records.
func TestEverySchemaIsUpgraded(t *testing.T) {
	known, err := knownMigrations()
	expect.OK(t, err)
	for n := 1; n <= len(known); n++ {
		url := testenv.Postgres(t)
		before, err := open(t.Context(), url, Options{}, known[:n])
		expect.OK(t, err)
		for _, query := range storetest.Landed {
			exec(t, before, strings.ReplaceAll(query, "x'00'", `'\x00'`))
		}
		expect.OK(t, before.Close())
		after, err := open(t.Context(), url, Options{}, known)
		expect.OK(t, err)
		expect.Equal(t, fmt.Sprint("the file of schema ", n), strings.Join(read[string](t, after, storetest.ReadLanded), " "), storetest.LandedRead)
		expect.OK(t, after.Close())
	}
}

// TestNodesThatStartTogetherMakeOneSchema: eight at a time on an empty database, three times each way.
func TestNodesThatStartTogetherMakeOneSchema(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		conn := beside(t, url)
		for range 3 {
			_, err := conn.Exec(t.Context(), "DROP SCHEMA public CASCADE")
			expect.OK(t, err)
			_, err = conn.Exec(t.Context(), "CREATE SCHEMA public")
			expect.OK(t, err)
			var running sync.WaitGroup
			for range 8 {
				running.Go(func() {
					e, err := open(t.Context(), url, Options{Connections: 2}, upTo(4))
					expect.Is(t, "open", err, nil)
					if err == nil {
						expect.Is(t, "close", e.Close(), nil)
					}
				})
			}
			running.Wait()
			var n, instances int
			expect.OK(t, conn.QueryRow(context.Background(), "SELECT (SELECT count(*) FROM migrations), (SELECT count(*) FROM instance)").Scan(&n, &instances))
			expect.Equal(t, "migrations", n, 4)
			expect.Equal(t, "instances", instances, 1)
		}
	})
}
