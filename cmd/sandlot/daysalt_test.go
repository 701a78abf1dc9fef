package main

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/base/worker"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/play"
)

func TestTheSaltOfADayOutlivesARestartAndNotTheDay(t *testing.T) {
	dir := t.TempDir()
	f := saltFile{filepath.Join(dir, saltName), slog.New(slog.DiscardHandler), nil}
	r := httptest.NewRequest("GET", "/", nil)
	noon := time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)
	id := play.KeepVisitors(f.keep).ID(r, "", noon)
	salt, err := os.ReadFile(f.name)
	expect.OK(t, err)
	if info, err := os.Stat(f.name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if play.KeepVisitors(f.keep).ID(r, "", noon.Add(11*time.Hour)) != id {
		t.Error("a restart forgets who came")
	}
	v := play.KeepVisitors(f.keep)
	v.Renew(noon.Add(12 * time.Hour)) // nobody came
	now, err := os.ReadFile(f.name)
	if err != nil || bytes.Contains(now, salt[8:]) {
		t.Errorf("yesterday's salt is still there: %v", err)
	}
	if v.ID(r, "", noon.Add(12*time.Hour)) == id || play.KeepVisitors(f.keep).ID(r, "", noon) == id {
		t.Error("known again after midnight")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
}

func TestRegression36ASaltThatCannotBeKeptIsCounted(t *testing.T) {
	var said strings.Builder
	f := saltFile{filepath.Join(t.TempDir(), "none", saltName), slog.New(slog.NewTextHandler(&said, nil)), &worker.Failures{}}
	v, r, now := play.KeepVisitors(f.keep), httptest.NewRequest("GET", "/", nil), time.Now()
	first := v.ID(r, "", now)
	if again := v.ID(r, "", now); again != first || !strings.Contains(said.String(), "salt not kept") || f.failures.Count() != 1 {
		t.Errorf("it said %q, and counted %d failures", said.String(), f.failures.Count())
	}
	f.name = filepath.Join(t.TempDir(), saltName)
	expect.OK(t, os.WriteFile(f.name, []byte("half"), 0o600))
	if id := play.KeepVisitors(f.keep).ID(r, "", now); id != play.KeepVisitors(f.keep).ID(r, "", now) {
		t.Error("a file that is none stays")
	}
}

func TestAVisitorIsTheSameToAllNodesOfADatabase(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	failures := &worker.Failures{}
	node := func(w *testworld.World) *play.Visitors {
		return play.KeepVisitors(sharedSalt{w.DB.Upkeep(), w.Log, failures}.keep)
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
	expect.OK(t, other.DB.Close())
	lost := node(other)
	if lost.ID(r, "", now) == id || failures.Count() != 1 {
		t.Errorf("without a database: %d failures", failures.Count())
	}
	w.Clock.Move(24 * time.Hour)
	if v.ID(r, "", w.Now()) == id {
		t.Error("known again after midnight")
	}
}
