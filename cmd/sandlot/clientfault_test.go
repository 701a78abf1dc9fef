package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakFault34Memory: with 128 MiB for the program, twenty publishes of 100 MB at once are taken, or refused with a time to come back; it stays
// within its memory and alive.
func TestSoakFault34Memory(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	const files, size, limit = 20, 100_000_000, 128 << 20
	s := testenv.Start(t, after(t, "export GOMEMLIMIT=128MiB"))
	key := signUp(t, s)
	var all sync.WaitGroup
	var taken, later atomic.Int64
	for i := range files {
		all.Go(func() {
			_, err := apiOf(s, key).Publish(t.Context(), client.Fields{}, io.LimitReader(&pattern{next: byte(i)}, size))
			var refused *client.Error
			switch {
			case err == nil:
				taken.Add(1)
			case errors.As(err, &refused) && (refused.Status == 503 || refused.Status == 429) && refused.RetryAfter > 0:
				later.Add(1)
			default:
				t.Errorf("a publish: %v, which says not when to come back", err)
			}
		})
	}
	all.Wait()
	used := peak(t, s)
	t.Logf("%d taken, %d told to come back, peak memory %d MiB", taken.Load(), later.Load(), used>>20)
	if used > limit || taken.Load() == 0 {
		t.Errorf("peak memory is %d bytes, more than %d", used, limit)
	}
	if n := count(t, s, key); n != int(taken.Load()) {
		t.Errorf("%d projects, %d acknowledged", n, taken.Load())
	}
}

// TestFault35ClientGone: a client that vanishes before the last byte leaves no version, and its temporary file is gone at once.
func TestFault35ClientGone(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*net.TCPConn) error{
		"with an orderly end": (*net.TCPConn).Close,
		"with a reset": func(c *net.TCPConn) error {
			if err := c.SetLinger(0); err != nil {
				return err
			}
			return c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			old := publishOne(t, s, key, 1000)
			body := fmt.Sprintf(`{"project_id":%q,"filename":"index.html","content":"%s"}`, old.id, base64.StdEncoding.EncodeToString(page(3_000_000)))
			conn, err := net.Dial("tcp", s.Addr())
			expect.OK(t, err)
			fmt.Fprintf(conn, "POST /v1/update HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", key, len(body))
			if _, err := io.WriteString(conn, body[:len(body)*99/100]); err != nil {
				t.Fatal(err)
			}
			awaitTemps(t, s, 1)
			begun := time.Now()
			expect.OK(t, end(conn.(*net.TCPConn)))
			awaitTemps(t, s, 0)
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("the temporary file stayed for %v", took)
			}
			serves(t, s, old.id, old.want)
			if _, answer := call(t, s, "GET", "/v1/project/"+old.id, key, nil); answer["version"] != 1.0 {
				t.Errorf("version %v", answer["version"])
			}
		})
	}
}
