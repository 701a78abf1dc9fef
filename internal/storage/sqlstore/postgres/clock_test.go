package postgres

import (
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// setClock has the database's clock be so far ahead of this machine's.
const setClock = `CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '`

func TestNowIsWhatTheClockOfTheDatabaseSays(t *testing.T) {
	everyWay(t, func(t *testing.T, url string) {
		conn := beside(t, url)
		set := func(ahead string) {
			t.Helper()
			_, err := conn.Exec(t.Context(), setClock+ahead+"' $$")
			expect.OK(t, err)
		}
		near := func(what string, e *Engine, ahead time.Duration) {
			t.Helper()
			if off := time.Until(e.Now()) - ahead; off.Abs() > 10*time.Second {
				t.Errorf("%s: it is off by %v", what, off)
			}
		}
		_, err := conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET search_path = public, pg_catalog'; END $$")
		expect.OK(t, err)
		_, err = conn.Exec(t.Context(), endSessions) // for the sessions that a pooler keeps
		expect.OK(t, err)
		set("5 minutes")
		e := mustOpen(t, url)
		near("at the beginning", e, 5*time.Minute)
		set("-1 hour")
		near("before it is read again", e, 5*time.Minute)
		e.readTime(t.Context())
		near("when it was read again", e, -time.Hour)
		set("1 day")
		e.pool.Close()
		e.readTime(t.Context())
		near("when it cannot be read", e, -time.Hour)

		fixed := time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC)
		with, err := open(t.Context(), url, Options{Now: func() time.Time { return fixed }}, notes)
		expect.OK(t, err)
		expect.Equal(t, "the clock of a test", with.Now(), fixed)
		expect.OK(t, with.Close())
	})
}
