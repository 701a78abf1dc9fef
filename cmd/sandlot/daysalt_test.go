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

	"sandlot/internal/expect"
	"sandlot/internal/play"
	"sandlot/internal/worker"
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
