package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// drips sends bodies from one of many addresses after another, as a proxy passes them on: 1.6 KB a second each, and a new one for each that ends.
type drips struct {
	s    *testenv.Server
	key  string
	stop chan struct{}
	wg   sync.WaitGroup
}

// dripOn begins n bodies and returns when the service has them, or has refused them.
func dripOn(t *testing.T, s *testenv.Server, key string, n int, addr func(i int) string) *drips {
	t.Helper()
	d := &drips{s: s, key: key, stop: make(chan struct{})}
	t.Cleanup(func() {
		close(d.stop)
		d.wg.Wait()
	})
	var begun sync.WaitGroup
	for i := range n {
		begun.Add(1)
		first := sync.OnceFunc(begun.Done)
		d.wg.Go(func() {
			defer first()
			for d.going() {
				d.one(addr(i), first)
			}
		})
	}
	begun.Wait()
	return d
}

func (d *drips) going() bool {
	select {
	case <-d.stop:
		return false
	default:
		return true
	}
}

// one sends a body until it is refused, cut, or the attack ends.
func (d *drips) one(addr string, begun func()) {
	conn, err := net.Dial("tcp", d.s.Addr())
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n", addr, d.key)
	// The service asks for the body, or refuses it.
	line, err := bufio.NewReader(io.LimitReader(conn, 25)).ReadString('\n')
	begun()
	if err != nil || !strings.Contains(line, " 100 ") {
		d.pause()
		return
	}
	for text := "{\"content\":\""; ; text = strings.Repeat("AAAA", 40) {
		if _, err := io.WriteString(conn, text); err != nil || !d.pause() {
			return
		}
	}
}

// pause is the time between two pieces. It is false when the attack ends.
func (d *drips) pause() bool {
	select {
	case <-d.stop:
		return false
	case <-time.After(100 * time.Millisecond):
		return true
	}
}

// TestRegression04NobodyHoldsAllSlotsForBodies: an honest publish succeeds within 2 s although another client has many networks.
func TestRegression04NobodyHoldsAllSlotsForBodies(t *testing.T) {
	t.Parallel()
	const slots = 16
	for name, addr := range map[string]func(i int) string{
		"a /56":                    func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i) },
		"a /48":                    func(i int) string { return fmt.Sprintf("2001:db8:0:%x00::1", i) },
		"several /48":              func(i int) string { return fmt.Sprintf("2001:db8:%x:%x::1", i%8, i) },
		"as many addresses as one": func(i int) string { return fmt.Sprintf("198.51.100.%d", i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := publicServer(t, "--max-bodies", fmt.Sprint(slots), "--limit", "writes=off")
			key := from(t, s, "", "POST", "/v1/signup", "", map[string]any{}).body["api_key"].(string)
			dripOn(t, s, key, 2*slots, addr)
			for i := range 5 {
				honest := fmt.Sprintf("203.0.113.%d", i)
				began := time.Now()
				got := 0
				for got != 201 && time.Since(began) < 10*time.Second {
					r := from(t, s, honest, "POST", "/v1/publish", "", map[string]any{"content": page(50_000), "email": "me@example.com"})
					got = r.StatusCode
				}
				// The promise is 2 s; a machine that is busy with other tests has fivefold.
				if took := time.Since(began); got != 201 || took > 10*time.Second {
					t.Fatalf("publish %d: %d after %s", i, got, took)
				}
			}
		})
	}
}

// TestRegression04WhoMakesWayIsTold: the slowest body of the busiest network gets an answer, and nothing of it is kept.
func TestRegression04WhoMakesWayIsTold(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "--max-bodies", "4")
	for range 4 {
		h.hold(t, "2001:db8::1")
	}
	answers := make(chan string, len(h.held))
	for _, conn := range h.held {
		go func() {
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return // cut without an answer, as it stalled
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			answers <- fmt.Sprintf("%d %s %s", resp.StatusCode, resp.Header.Get("Retry-After"), text)
		}()
	}
	if r := h.publish(t, "203.0.113.1"); r.StatusCode != 201 {
		t.Fatalf("the honest one: %d %v", r.StatusCode, r.body)
	}
	select {
	case got := <-answers:
		if !strings.HasPrefix(got, "503 2 {") || !strings.Contains(got, `"error":"unavailable"`) {
			t.Errorf("the one that made way: %s", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("no body was told that it made way")
	}
}
