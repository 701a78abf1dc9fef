package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sandlot/internal/testenv"
)

// TestPlainFault34Memory: with 128 MiB for the program, twenty publishes of 100 MB at once are taken, or told to come back; it stays
// within its memory and alive.
func TestPlainFault34Memory(t *testing.T) {
	testenv.Plain(t)
	const files, size, limit = 20, 100_000_000, 128 << 20
	t.Setenv("GOMEMLIMIT", "128MiB")
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	var all sync.WaitGroup
	var taken, later atomic.Int64
	for i := range files {
		all.Go(func() {
			switch code, wait := publishStatus(t, s, key, io.LimitReader(&pattern{next: byte(i)}, size)); {
			case code == 201:
				taken.Add(1)
			case (code == 503 || code == 429) && wait != "":
				later.Add(1)
			default:
				t.Errorf("a publish: %d, Retry-After %q", code, wait)
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

// publishStatus publishes what r yields and returns the status and Retry-After.
func publishStatus(t *testing.T, s *testenv.Server, key string, r io.Reader) (code int, wait string) {
	body, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, `{"content":"`) // each fails if the server has answered before the end
		enc := base64.NewEncoder(base64.StdEncoding, w)
		_, _ = io.Copy(enc, r)
		_ = enc.Close()
		_, _ = io.WriteString(w, `"}`)
		w.Close()
	}()
	defer body.Close()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/v1/publish", body)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Retry-After")
}

// TestFault35ClientGone: a client that vanishes before the last byte leaves no version, and its temporary file is gone at once.
func TestFault35ClientGone(t *testing.T) {
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
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			old := publishOne(t, s, key, 1000)
			body := fmt.Sprintf(`{"project_id":%q,"filename":"index.html","content":"%s"}`, old.id, base64.StdEncoding.EncodeToString(page(3_000_000)))
			conn, err := net.Dial("tcp", s.Addr())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "POST /v1/update HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", key, len(body))
			if _, err := io.WriteString(conn, body[:len(body)*99/100]); err != nil {
				t.Fatal(err)
			}
			awaitTemps(t, s, 1)
			begun := time.Now()
			if err := end(conn.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
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
