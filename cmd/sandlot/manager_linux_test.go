package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSystemdHearsOfAService: that it opens its stores, is ready, lives and stops.
func TestSystemdHearsOfAService(t *testing.T) {
	t.Parallel()
	u := testenv.Supervise(t, testenv.Unit{ExecStart: serveUnit(t), Sockets: map[string]string{"http": "127.0.0.1:0"}, Watchdog: time.Second})
	u.Start(t)
	u.Await(t, "WATCHDOG=1")
	t.Run("SIGHUP ends nothing", func(t *testing.T) {
		u.Signal(t, syscall.SIGHUP)
		eventually(t, "the log says so", func() bool { return strings.Contains(u.Logs(), "SIGHUP changes nothing") })
		expect.Equal(t, "it answers", getStatus(t, clientOf("tcp", u.Addr("http")), "http://localhost/healthz"), 200)
	})
	expect.Equal(t, "exit code", u.Stop(t), 0)
	said := u.Said()
	for _, line := range []string{"EXTEND_TIMEOUT_USEC=20000000", "READY=1", "STATUS=serving", "STOPPING=1"} {
		if !slices.Contains(said, line) {
			t.Errorf("it did not say %s: %q", line, said)
		}
	}
}

// TestAProcessWithAPassedSocketWaitsForTheFolder of the one before; another second server is refused at once.
func TestAProcessWithAPassedSocketWaitsForTheFolder(t *testing.T) {
	t.Parallel()
	before := testenv.Start(t, testenv.Binary(t))
	second := configuration{args: []string{"--data=" + before.Data()}}.try(t, "serve")
	if second.code != 1 || !strings.Contains(second.sentence, "another sandlot is using data folder") {
		t.Errorf("%d %s", second.code, second.sentence)
	}
	u := testenv.Supervise(t, testenv.Unit{
		ExecStart: []string{testenv.Binary(t), "serve", "--data", before.Data(), "--base-url", "http://localhost:8080"},
		Sockets:   map[string]string{"http": "127.0.0.1:0"},
	})
	u.Run(t)
	u.Await(t, "STATUS=opening the stores")
	before.Stop(t)
	u.Await(t, "READY=1")
}
