package main

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestRegression36MetricsTellWhatAWorkerCouldNotDo(t *testing.T) {
	t.Parallel()
	a := smallApp(t)
	m := newMetrics(false)
	a.router(m)
	a.failures["collect"].Add(3)
	answer := httptest.NewRecorder()
	m.handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for worker, line := range map[string]string{"collect": "3", "variants": "0", "mail": "0", "counts": "0", "shrink": "0", "clock": "0", "heads": "0", "salt": "0"} {
		if want := `sandlot_worker_failures_total{worker="` + worker + `"} ` + line; !strings.Contains(answer.Body.String(), want) {
			t.Errorf("there is not %s", want)
		}
	}
}

// smallApp is the program's own parts on a folder of their own.
func smallApp(t *testing.T) *app {
	t.Helper()
	s := settings{storage: storage{Data: filepath.Join(t.TempDir(), "data")}, MaxFileSize: sandlot.DefaultMaxFile, CacheSize: 1 << 20}
	s.Publish = "on"
	places, err := s.places("127.0.0.1:8080")
	expect.OK(t, err)
	a, err := openApp(context.Background(), s, places, slog.New(slog.NewTextHandler(io.Discard, nil)))
	expect.OK(t, err)
	t.Cleanup(func() { a.close() })
	return a
}
