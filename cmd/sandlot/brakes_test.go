package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testenv"
)

// publicServer starts the real program with its limits on, behind a proxy that the test plays.
func publicServer(t *testing.T, args ...string) *testenv.Server {
	t.Helper()
	return testenv.Start(t, testenv.Binary(t), append([]string{"--limits", "on", "--trusted-proxies", "127.0.0.1"}, args...)...)
}

type reply struct {
	*http.Response
	body map[string]any
}

// from sends a request as the proxy passes it on.
func from(t *testing.T, s *testenv.Server, addr, method, path, key string, fields map[string]any) reply {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, s.URL()+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if addr != "" {
		req.Header.Set("X-Forwarded-For", addr)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r := reply{Response: resp}
	if err := json.NewDecoder(resp.Body).Decode(&r.body); err != nil {
		t.Fatalf("%d: %v", resp.StatusCode, err)
	}
	return r
}

// limitedUntil fails the test unless r is 429 rate_limited, and tells when to try again.
func limitedUntil(t *testing.T, what string, r reply) time.Duration {
	t.Helper()
	after, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if r.StatusCode != 429 || r.body["error"] != "rate_limited" || err != nil || after < 1 || r.body["retry_after"] != float64(after) || r.body["hint"] == "" {
		t.Fatalf("%s: %d %v, Retry-After %q", what, r.StatusCode, r.body, r.Header.Get("Retry-After"))
	}
	return time.Duration(after) * time.Second
}

func TestLimitsOfTheProgram(t *testing.T) {
	s := publicServer(t, "--limit-accounts", "3600/h:2", "--limit-mails", "60/h:3", "--limit-wrong-keys", "60/m:3", "--limit-heartbeats", "60/m:2", "--limit-searches", "60/h:2")
	anonymous := map[string]any{"content": page(100), "email": "me@example.com"}
	first := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", anonymous)
	if first.StatusCode != 201 || !strings.Contains(first.Header.Get("RateLimit-Policy"), `"accounts";q=3600;w=3600`) || !strings.Contains(first.Header.Get("RateLimit"), `"accounts";r=1;t=`) {
		t.Fatalf("the first: %d %v", first.StatusCode, first.Header)
	}
	key := first.body["api_key"].(string)

	t.Run("accounts: signup counts as well, and it recovers", func(t *testing.T) {
		if r := from(t, s, "203.0.113.1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Fatalf("the second: %d %v", r.StatusCode, r.body)
		}
		after := limitedUntil(t, "the third", from(t, s, "203.0.113.1", "POST", "/v1/publish", "", anonymous))
		if r := from(t, s, "203.0.113.1", "POST", "/v1/publish", key, map[string]any{"content": page(100)}); r.StatusCode != 201 {
			t.Errorf("with a key: %d", r.StatusCode)
		}
		time.Sleep(after)
		if r := from(t, s, "203.0.113.1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Errorf("after the time that was told: %d", r.StatusCode)
		}
	})
	t.Run("accounts: an IPv6 network is one client", func(t *testing.T) {
		for i := range 2 {
			from(t, s, fmt.Sprintf("2001:db8::%d", i), "POST", "/v1/signup", "", map[string]any{})
		}
		limitedUntil(t, "the third of a /64", from(t, s, "2001:db8::ffff", "POST", "/v1/signup", "", map[string]any{}))
		if r := from(t, s, "2001:db8:0:1::1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Errorf("another /64: %d", r.StatusCode)
		}
	})
	t.Run("a forged hop changes nothing", func(t *testing.T) {
		for _, forged := range []string{"127.0.0.1, 198.51.100.1", "10.0.0.1, 198.51.100.1"} {
			from(t, s, forged, "POST", "/v1/signup", "", map[string]any{})
		}
		limitedUntil(t, "the third", from(t, s, "192.168.0.1, 198.51.100.1", "POST", "/v1/signup", "", map[string]any{}))
	})
	t.Run("loopback and private addresses are unlimited", func(t *testing.T) {
		for _, addr := range []string{"", "10.1.2.3", "fd00::1"} {
			for range 5 {
				if r := from(t, s, addr, "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 || r.Header.Get("RateLimit") != "" {
					t.Fatalf("%q: %d %v", addr, r.StatusCode, r.Header)
				}
			}
		}
	})
	t.Run("mails", func(t *testing.T) {
		account := from(t, s, "203.0.113.20", "POST", "/v1/signup", "", map[string]any{}).body["api_key"].(string)
		for i := range 3 {
			r := from(t, s, fmt.Sprintf("203.0.113.%d", 30+i), "POST", "/v1/publish", account, map[string]any{"content": page(100), "email": fmt.Sprintf("m%d@example.com", i)})
			if r.StatusCode != 201 {
				t.Fatalf("mail %d: %d %v", i, r.StatusCode, r.body)
			}
		}
		limitedUntil(t, "the account's fourth", from(t, s, "203.0.113.40", "POST", "/v1/publish", account, map[string]any{"content": page(100), "email": "m4@example.com"}))
	})
	t.Run("wrong keys: others of the address go on", func(t *testing.T) {
		if r := from(t, s, "203.0.113.50", "GET", "/v1/whoami", key, nil); r.StatusCode != 200 {
			t.Fatal(r.StatusCode)
		}
		for range 3 {
			if r := from(t, s, "203.0.113.50", "GET", "/v1/whoami", "sla_wrong", nil); r.StatusCode != 401 {
				t.Fatalf("a wrong key: %d", r.StatusCode)
			}
		}
		after := limitedUntil(t, "the fourth", from(t, s, "203.0.113.50", "GET", "/v1/whoami", "sla_wrong", nil))
		if r := from(t, s, "203.0.113.50", "GET", "/v1/whoami", key, nil); r.StatusCode != 200 {
			t.Errorf("a key that was right before: %d", r.StatusCode)
		}
		time.Sleep(after)
		if r := from(t, s, "203.0.113.50", "GET", "/v1/whoami", "sla_wrong", nil); r.StatusCode != 401 {
			t.Errorf("after the time that was told: %d", r.StatusCode)
		}
	})
	t.Run("searches: a page says when to come again, and not to whoever is near", func(t *testing.T) {
		search := func(addr string) (int, string) {
			req, err := http.NewRequest("GET", s.URL()+"/?q=cats", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = "localhost" // of the pages
			if addr != "" {
				req.Header.Set("X-Forwarded-For", addr)
			}
			resp, err := s.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.StatusCode, resp.Header.Get("Retry-After")
		}
		for i, want := range []int{200, 200, 429} {
			if status, after := search("203.0.113.70"); status != want || (after != "") != (want == 429) {
				t.Errorf("search %d: %d, Retry-After %q", i+1, status, after)
			}
			if status, _ := search(""); status != 200 {
				t.Errorf("from loopback: %d", status)
			}
		}
	})
	t.Run("heartbeats", func(t *testing.T) {
		beat := func() int {
			req, err := http.NewRequest("POST", first.body["url"].(string)+".sandlot/heartbeat", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Forwarded-For", "203.0.113.60")
			resp, err := s.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode == 429 && resp.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			return resp.StatusCode
		}
		if got := []int{beat(), beat(), beat()}; got[0] != 204 || got[1] != 204 || got[2] != 429 {
			t.Errorf("three heartbeats: %v", got)
		}
	})
}

// TestBodiesAtOnceOfTheProgram: four of an address, so many in all, and each is freed when it ends.
func TestBodiesAtOnceOfTheProgram(t *testing.T) {
	s := publicServer(t, "--max-bodies", "6")
	key := from(t, s, "", "POST", "/v1/signup", "", map[string]any{}).body["api_key"].(string)
	var held []net.Conn
	hold := func(addr string, n int) {
		t.Helper()
		conn, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST /v1/publish HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"content\":\"%s",
			addr, key, strings.Repeat("AAAA", 50_000))
		held = append(held, conn)
		awaitTemps(t, s, n)
	}
	for i := range 4 {
		hold("203.0.113.1", i+1)
	}
	publish := func(addr string) reply {
		return from(t, s, addr, "POST", "/v1/publish", key, map[string]any{"content": page(100)})
	}
	limitedUntil(t, "the fifth of an address", publish("203.0.113.1"))
	if r := publish("203.0.113.2"); r.StatusCode != 201 {
		t.Errorf("another address: %d", r.StatusCode)
	}
	hold("203.0.113.2", 5)
	hold("", 6)
	for _, addr := range []string{"", "203.0.113.3"} {
		if r := publish(addr); r.StatusCode != 503 || r.body["error"] != "unavailable" || r.Header.Get("Retry-After") == "" {
			t.Errorf("the seventh of all, from %q: %d %v", addr, r.StatusCode, r.body)
		}
	}
	for _, conn := range held {
		conn.Close()
	}
	awaitTemps(t, s, 0)
	if r := publish("203.0.113.1"); r.StatusCode != 201 {
		t.Errorf("after they ended: %d %v", r.StatusCode, r.body)
	}
}

func TestHowManyBodiesTheMemoryHasRoomFor(t *testing.T) {
	for memory, want := range map[int64]int{64 << 20: 16, 128 << 20: 32, 2 << 30: 512, 64 << 30: 1024} {
		if got := bodiesFor(memory); got != want {
			t.Errorf("%d MiB: %d bodies, want %d", memory>>20, got, want)
		}
	}
	if memory() < 1<<20 {
		t.Errorf("the machine has %d bytes", memory())
	}
	group := filepath.Join(t.TempDir(), "memory.max")
	for text, want := range map[string]int64{"max\n": 0, "134217728\n": 128 << 20} {
		if err := os.WriteFile(group, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := groupMemory(group); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// TestASpoofedAddress from a peer that is not trusted does not lift a limit, and does not make one.
func TestASpoofedAddress(t *testing.T) {
	s := testenv.Start(t, testenv.Binary(t), "--limits", "on", "--limit-accounts", "1/d:1")
	for range 3 {
		if r := from(t, s, "203.0.113.1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Errorf("from loopback: %d", r.StatusCode)
		}
	}
}
