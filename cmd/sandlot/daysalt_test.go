package main

import (
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/base/worker"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/play"
)

func TestTheSaltOfADayOutlivesARestartAndNotTheDay(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	var kept [32]byte
	open := func() (*play.Visitors, *sqlstore.DB) {
		db, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(dir, databaseName), sqlstore.Options{})
		expect.OK(t, err)
		return play.KeepVisitors(func(day int64, fresh [32]byte) (salt [32]byte, ok bool) {
			salt, ok = daySalts{db.Upkeep(), slog.New(slog.DiscardHandler), nil}.keep(day, fresh)
			kept = salt
			return salt, ok
		}), db
	}
	r, now := httptest.NewRequest("GET", "/", nil), time.Now().UTC().Truncate(24*time.Hour).Add(-24*time.Hour)
	visitors, db := open()
	id := visitors.ID(r, "", now)
	expect.OK(t, db.Close())
	visitors, db = open()
	defer db.Close()
	expect.Equal(t, "after a restart", visitors.ID(r, "", now.Add(23*time.Hour)), id)
	yesterdays := string(kept[:])
	if len(search(t, dir, []string{yesterdays})) == 0 {
		t.Error("no file has the salt")
	}
	visitors.Renew(now.Add(24 * time.Hour)) // nobody came
	if visitors.ID(r, "", now.Add(24*time.Hour)) == id {
		t.Error("known again after midnight")
	}
	eventually(t, "no file has yesterday's salt", func() bool { return len(search(t, dir, []string{yesterdays})) == 0 })
}

func TestAVisitorIsTheSameToAllNodesOfADatabase(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	failures := &worker.Failures{}
	node := func(w *testworld.World) *play.Visitors {
		return play.KeepVisitors(daySalts{w.DB.Upkeep(), w.Log, failures}.keep)
	}
	r, now := httptest.NewRequest("GET", "/", nil), w.Now()
	id := node(w).ID(r, "", now)
	other := w.Node(t)
	expect.Equal(t, "to another node", node(other).ID(r, "", now), id)
	v := node(w)
	copied := filepath.Join(t.TempDir(), "copy.db")
	expect.OK(t, w.DB.CopyTo(t.Context(), copied))
	backup, err := sqlstore.OpenSQLite(t.Context(), copied, sqlstore.Options{Now: w.Now})
	expect.OK(t, err)
	defer backup.Close()
	salt, err := backup.Upkeep().DaySalt(t.Context(), now.Unix()/(24*60*60), [32]byte{1})
	expect.OK(t, err)
	expect.Equal(t, "the salt in a copy", salt, [32]byte{1})
	w.Clock.Move(24 * time.Hour)
	if v.ID(r, "", w.Now()) == id {
		t.Error("known again after midnight")
	}
}

func TestRegression36ASaltThatCannotBeKeptIsCounted(t *testing.T) {
	t.Parallel()
	w, failures := testworld.New(t), &worker.Failures{}
	closed := w.Node(t)
	expect.OK(t, closed.DB.Close())
	v, r, now := play.KeepVisitors(daySalts{closed.DB.Upkeep(), w.Log, failures}.keep), httptest.NewRequest("GET", "/", nil), w.Now()
	first := v.ID(r, "", now)
	expect.Equal(t, "the visitor again", v.ID(r, "", now), first)
	expect.Equal(t, "failures", failures.Count(), 1)
}
