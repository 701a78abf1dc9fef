package postgres

import (
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

func TestADatabaseThatIsOpen(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		e, err := Open(t.Context(), url, Options{})
		expect.OK(t, err)
		known, err := knownMigrations()
		expect.OK(t, err)
		expect.Same(t, "migrations", read[int](t, e, "SELECT count(*) FROM migrations"), []int{len(known)})
		for _, table := range []string{"accounts", "projects", "blobs", "jobs", "uploads"} {
			if e.sequences[table] == "" {
				t.Errorf("nothing numbers the rows of %s", table)
			}
		}
		expect.OK(t, e.Ping(t.Context()))
		expect.OK(t, e.CheckPlace())

		expect.OK(t, e.Close())
		expect.OK(t, e.Close())
		expect.Is(t, "a step after the end", e.Step(t.Context(), 0, nil), publish.ErrUnavailable)
		expect.Is(t, "a read after the end", e.Read(t.Context(), nil), publish.ErrUnavailable)
		expect.Is(t, "a snapshot after the end", e.Snapshot(t.Context(), nil), publish.ErrUnavailable)
		expect.Is(t, "ping after the end", e.Ping(t.Context()), publish.ErrUnavailable)
		expect.Is(t, "the place after the end", e.CheckPlace(), publish.ErrUnavailable)
	})
}
