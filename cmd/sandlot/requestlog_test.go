package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
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
		for _, format := range []string{"text", "json"} {
			t.Run(name+" as "+format, func(t *testing.T) {
				var own, slogs bytes.Buffer
				log := newLogger(&own, format, "info")
				h := handlerOf(log)
				if simple := l.simple(); simple != (l.path == line.path) {
					t.Fatalf("simple: %v", simple)
				} else if simple {
					own.Write(h.append(nil, &l))
				} else {
					h.request(log, &l)
				}
				r := slog.NewRecord(at, slog.LevelInfo, "request", 0)
				r.AddAttrs(slog.String("request_id", l.id), slog.String("area", l.area), slog.String("method", l.method), slog.String("host", l.host), slog.String("path", l.path),
					slog.Int("status", l.status), slog.Float64("took_ms", 1.234), slog.Int64("in", l.read), slog.Int64("out", l.answered), slog.Bool("aborted", l.aborted))
				expect.OK(t, newLogger(&slogs, format, "info").Handler().Handle(context.Background(), r))
				got, want := withoutTime(own.String(), l, line), withoutTime(slogs.String(), l, line)
				if got != want {
					t.Errorf("\n%s and not\n%s", got, want)
				}
			})
		}
	}
}

// withoutTime cuts the time off a line that slog made with its own.
func withoutTime(s string, l, simple requestLine) string {
	if l.path == simple.path {
		return s
	}
	return s[strings.Index(s, "level"):]
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
