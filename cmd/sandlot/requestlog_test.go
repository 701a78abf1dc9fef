package main

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRequestsAreLoggedAsSlogWould(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 123456789, time.FixedZone("", 3600))
	line := requestLine{
		at: at, id: "abc", area: "play", method: "GET", host: "maze-abc123.localhost:8080", path: "/a/b.js",
		status: 200, took: 1234567 * time.Nanosecond, read: 12, answered: 3456, aborted: true,
	}
	quoted, key := line, line
	quoted.path = `/a b"=`
	key.path = "/sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege"
	for name, l := range map[string]requestLine{"a simple one": line, "one to be quoted": quoted, "one with a key": key} {
		t.Run(name, func(t *testing.T) {
			var own, slogs bytes.Buffer
			log := newLogger(&own, "text", "info")
			if simple := l.simple(); simple != (l.path == line.path) {
				t.Fatalf("simple: %v", simple)
			}
			handlerOf(log).request(log, &l)
			flushLog(log)
			newLogger(&slogs, "text", "info").Info("request", "request_id", l.id, "area", l.area, "method", l.method, "host", l.host,
				"path", l.path, "status", l.status, "took_ms", 1.234, "in", l.read, "out", l.answered, "aborted", l.aborted)
			_, got, _ := strings.Cut(own.String(), "level")
			_, want, _ := strings.Cut(slogs.String(), "level")
			expect.Equal(t, "the line", got, want)
			if at, _, _ := strings.Cut(own.String(), " "); l.simple() && at != "time=2026-11-21T10:00:00.123+01:00" {
				t.Errorf("the line begins with %s", at)
			}
		})
	}
}

func TestHeldLines(t *testing.T) {
	t.Run("a line is written within 100 ms", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var out locked
			l := newLineWriter(&out)
			l.Hold([]byte("a\n"))
			l.Hold([]byte("b\n"))
			if out.String() != "" {
				t.Error("written at once")
			}
			testenv.Pass(heldTime)
			synctest.Wait()
			if out.String() != "a\nb\n" {
				t.Errorf("%q", out.String())
			}
			l.Hold([]byte("c\n"))
			testenv.Pass(heldTime)
			synctest.Wait()
			if out.String() != "a\nb\nc\n" {
				t.Errorf("%q", out.String())
			}
		})
	})
	t.Run("lines keep their order", func(t *testing.T) {
		var out locked
		l := newLineWriter(&out)
		l.Hold([]byte("a\n"))
		l.Write([]byte("b\n"))
		l.Hold([]byte("c\n"))
		if err := l.Flush(); err != nil || out.String() != "a\nb\nc\n" {
			t.Errorf("%q, %v", out.String(), err)
		}
	})
	t.Run("no more than 32 KiB are held", func(t *testing.T) {
		var out locked
		l := newLineWriter(&out)
		for range 100 {
			l.Hold(make([]byte, 1000))
		}
		l.mu.Lock() // the timer may write what is held meanwhile
		defer l.mu.Unlock()
		if left := 100_000 - len(out.String()); left > heldBytes || cap(l.held) != heldBytes {
			t.Errorf("%d bytes held in %d", left, cap(l.held))
		}
	})
	t.Run("a writer that fails is told to whoever writes", func(t *testing.T) {
		l := newLineWriter(failing{})
		l.Hold([]byte("a\n"))
		if _, err := l.Write([]byte("b\n")); !errors.Is(err, errFailing) {
			t.Errorf("%v", err)
		}
	})
}

var errFailing = errors.New("no")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
