package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// publicServer starts the real program with its limits on, behind a proxy that the test plays.
func publicServer(t *testing.T, args ...string) *testenv.Server {
	t.Helper()
	return testenv.Start(t, testenv.Binary(t), append([]string{"--limits", "normal", "--trusted-proxies", "127.0.0.1"}, args...)...)
}

type reply struct {
	*http.Response
	body map[string]any
}

// from sends a request as the proxy passes it on.
func from(t *testing.T, s *testenv.Server, addr, method, path, key string, fields map[string]any, change ...func(*http.Request)) reply {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodGet {
		text = nil
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
	for _, c := range change {
		c(req)
	}
	return answered(t, s, req)
}

// answered sends a request whose answer is JSON.
func answered(t *testing.T, s *testenv.Server, req *http.Request) reply {
	t.Helper()
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return replied(t, resp)
}

// replied reads an answer that is JSON.
func replied(t *testing.T, resp *http.Response) reply {
	t.Helper()
	defer resp.Body.Close()
	r := reply{Response: resp}
	if err := json.NewDecoder(resp.Body).Decode(&r.body); err != nil {
		t.Fatalf("%d: %v", resp.StatusCode, err)
	}
	return r
}

// limitedUntil fails the test unless r is 429 rate_limited, and returns the time of the next try.
func limitedUntil(t *testing.T, what string, r reply) time.Duration {
	t.Helper()
	after, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if r.StatusCode != 429 || r.body["error"] != "rate_limited" || err != nil || after < 1 || r.body["retry_after"] != float64(after) || r.body["hint"] == "" {
		t.Fatalf("%s: %d %v, Retry-After %q", what, r.StatusCode, r.body, r.Header.Get("Retry-After"))
	}
	return time.Duration(after) * time.Second
}

// limitedAfter sends until it is limited: what is left of the limit at begun is taken, and no more than comes back in the time that passes
// since, one in each every. How long that is the machine decides.
func limitedAfter(t *testing.T, what string, begun time.Time, left int, every time.Duration, send func() reply) time.Duration {
	t.Helper()
	for taken := 0; ; taken++ {
		r := send()
		if r.StatusCode == http.StatusTooManyRequests {
			if taken < left {
				t.Errorf("%s: only %d of %d are taken", what, taken, left)
			}
			return limitedUntil(t, what, r)
		}
		if most := left + int(time.Since(begun)/every); taken+1 > most || taken > 100 {
			t.Fatalf("%s: %d are taken, of at most %d", what, taken+1, most)
		}
	}
}

func TestLimitsOfTheProgram(t *testing.T) {
	t.Parallel()
	s := publicServer(t, "--limit", "accounts=3600/h:2", "--limit", "mails=60/h:3", "--limit", "wrong-keys=60/m:3", "--limit", "heartbeats=60/h:2", "--limit", "searches=60/h:2")
	anonymous := map[string]any{"content": page(100), "email": "me@example.com"}
	begun := time.Now()
	first := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", anonymous)
	if first.StatusCode != 201 || !strings.Contains(first.Header.Get("RateLimit-Policy"), `"accounts";q=3600;w=3600`) || !strings.Contains(first.Header.Get("RateLimit"), `"accounts";r=1;t=`) {
		t.Fatalf("the first: %d %v", first.StatusCode, first.Header)
	}
	key := first.body["api_key"].(string)

	t.Run("accounts: signup counts as well, and it recovers", func(t *testing.T) {
		if r := from(t, s, "203.0.113.1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Fatalf("the second: %d %v", r.StatusCode, r.body)
		}
		after := limitedAfter(t, "the third", begun, 0, time.Second, func() reply { return from(t, s, "203.0.113.1", "POST", "/v1/publish", "", anonymous) })
		if r := from(t, s, "203.0.113.1", "POST", "/v1/publish", key, map[string]any{"content": page(100)}); r.StatusCode != 201 {
			t.Errorf("with a key: %d", r.StatusCode)
		}
		testenv.Wait(t, after, "the limits of another process recover in time alone")
		if r := from(t, s, "203.0.113.1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Errorf("after the time that was told: %d", r.StatusCode)
		}
	})
	t.Run("accounts: an IPv6 network is one client", func(t *testing.T) {
		i := 0
		limitedAfter(t, "the third of a /64", time.Now(), 2, time.Second, func() reply {
			i++
			return from(t, s, fmt.Sprintf("2001:db8::%d", i), "POST", "/v1/signup", "", map[string]any{})
		})
		if r := from(t, s, "2001:db8:0:1::1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Errorf("another /64: %d", r.StatusCode)
		}
	})
	t.Run("a forged hop changes nothing", func(t *testing.T) {
		forged, i := []string{"127.0.0.1", "10.0.0.1", "192.168.0.1"}, -1
		limitedAfter(t, "the third", time.Now(), 2, time.Second, func() reply {
			i++
			return from(t, s, forged[i%len(forged)]+", 198.51.100.1", "POST", "/v1/signup", "", map[string]any{})
		})
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
}

// TestEachLimitHasItsSetting: a name sets its own limit, and no other.
func TestEachLimitHasItsSetting(t *testing.T) {
	for _, row := range limitRows {
		text := map[string]string{"bytes": "77/h:77", "bodies": "77", "connections": "77", "archives": "77", "uploads": "77"}[row.name]
		if text == "" {
			text = "77/h:77"
		}
		l, err := limitSettings{Limit: limitList{row.name + "=" + text}}.each()
		expect.OK(t, err)
		name := strings.ReplaceAll(row.name, "-", "")
		for field, v := range reflect.ValueOf(l.Config).Fields() {
			if set := strings.Contains(fmt.Sprint(v), "77"); set != strings.EqualFold(field.Name, name) {
				t.Errorf("%s=%s: %s is %v", row.name, text, field.Name, v)
			}
		}
		expect.Equal(t, row.name+" sets connections", l.connections == 77, row.name == "connections")
		expect.Equal(t, row.name+" sets uploads", l.uploads == 77, row.name == "uploads")
	}
}

// holding is a server with bodies that do not go on.
type holding struct {
	*testenv.Server
	key  string
	held []net.Conn
}

func newHolding(t *testing.T, args ...string) *holding {
	t.Helper()
	s := publicServer(t, args...)
	return &holding{Server: s, key: from(t, s, "", "POST", "/v1/signup", "", map[string]any{}).body["api_key"].(string)}
}

// hold sends the beginning of one more, and returns when the service has written of it.
func (h *holding) hold(t *testing.T, addr string) {
	t.Helper()
	if addr != "" {
		addr = "X-Forwarded-For: " + addr + "\r\n"
	}
	h.held = append(h.held, beginPublish(t, h.Server, addr+"Authorization: Bearer "+h.key+"\r\n", 1_000_000, `{"content":"`+strings.Repeat("AAAA", 50_000)))
	awaitTemps(t, h.Server, len(h.held))
}

func (h *holding) publish(t *testing.T, addr string) reply {
	t.Helper()
	return from(t, h.Server, addr, "POST", "/v1/publish", h.key, map[string]any{"content": page(100)})
}

// TestBodiesAtOnceOfTheProgram: four of an address, so many in all, and each is freed when it ends.
func TestBodiesAtOnceOfTheProgram(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "--max-bodies", "6")
	for range 4 {
		h.hold(t, "203.0.113.1")
	}
	limitedUntil(t, "the fifth of an address", h.publish(t, "203.0.113.1"))
	if r := h.publish(t, "203.0.113.2"); r.StatusCode != 201 {
		t.Errorf("another address: %d", r.StatusCode)
	}
	for _, conn := range h.held {
		conn.Close()
	}
	awaitTemps(t, h.Server, 0)
	if r := h.publish(t, "203.0.113.1"); r.StatusCode != 201 {
		t.Errorf("after they ended: %d %v", r.StatusCode, r.body)
	}
	full := newHolding(t, "--max-bodies", "2")
	for range 2 {
		full.hold(t, "") // clients without limits make way for nobody
	}
	for _, addr := range []string{"", "203.0.113.3"} {
		if r := full.publish(t, addr); r.StatusCode != 503 || r.body["error"] != "unavailable" || r.Header.Get("Retry-After") == "" {
			t.Errorf("the third of all, from %q: %d %v", addr, r.StatusCode, r.body)
		}
	}
}

// TestASpoofedAddress from a peer that is not trusted does not lift a limit, and does not make one.
func TestASpoofedAddress(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--limits", "normal", "--limit", "accounts=1/d:1")
	for range 3 {
		if r := from(t, s, "203.0.113.1", "POST", "/v1/signup", "", map[string]any{}); r.StatusCode != 201 {
			t.Errorf("from loopback: %d", r.StatusCode)
		}
	}
}
