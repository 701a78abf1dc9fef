package main

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// everybodys starts the real program as strangers reach it, where everything that an address may do is limited.
func everybodys(t *testing.T, args ...string) *testenv.Server {
	t.Helper()
	return testenv.Start(t, testenv.Binary(t), append([]string{"--base-url", "https://play.example.com", "--content-host", "example.net", "--disk-limit", "100"}, args...)...)
}

// TestRegression10WhoCannotBeToldIsOneClientWithLimits: only a client on this machine that came by no proxy is without limits.
func TestRegression10WhoCannotBeToldIsOneClientWithLimits(t *testing.T) {
	t.Parallel()
	signup := func(t *testing.T, s *testenv.Server, addr string) int {
		return from(t, s, addr, "POST", "/v1/signup", "", map[string]any{}).StatusCode
	}
	s := everybodys(t, "--limit", "accounts=1/d:1", "--trusted-proxies", "127.0.0.1,192.0.2.0/24")
	t.Run("what a proxy tells and nobody can read", func(t *testing.T) {
		if got := signup(t, s, "unknown"); got != 201 {
			t.Fatalf("the first: %d", got)
		}
		for _, told := range []string{"unknown", "_hidden", "203.0.113.300", "[2001:db8::1", "203.0.113.9, nonsense, 192.0.2.7", "203.0.113.9,", "127.0.0.1"} {
			if got := signup(t, s, told); got != 429 {
				t.Errorf("%q is %d: a client of its own, or without limits", told, got)
			}
		}
	})
	t.Run("addresses with ports are read", func(t *testing.T) {
		for _, same := range [][2]string{{"203.0.113.10:4711", "203.0.113.10"}, {"[2001:db8:10::1]:4711", "2001:db8:10::2"}, {"[2001:db8:11::1]", "2001:db8:11::1"}, {"x, 203.0.113.11:1, 192.0.2.7:80", "203.0.113.11"}} {
			expect.Equal(t, same[0], signup(t, s, same[0]), 201)
			if got := signup(t, s, same[1]); got != 429 {
				t.Errorf("%q is not the client of %q: %d", same[1], same[0], got)
			}
		}
	})
	t.Run("private peers are ordinary clients", func(t *testing.T) {
		for _, addr := range []string{"10.1.2.3", "172.17.0.1", "192.168.1.1", "fd00::1", "169.254.0.1"} {
			if got := []int{signup(t, s, addr), signup(t, s, addr)}; got[0] != 201 || got[1] != 429 {
				t.Errorf("%s: %v", addr, got)
			}
		}
	})
	t.Run("a client on this machine has no limits", func(t *testing.T) {
		for range 3 {
			if got := signup(t, s, ""); got != 201 {
				t.Errorf("%d", got)
			}
		}
	})
	t.Run("a proxy on this machine that was not named is one client", func(t *testing.T) {
		s := everybodys(t, "--limit", "accounts=1/d:1")
		if got := []int{signup(t, s, "203.0.113.1"), signup(t, s, "203.0.113.2"), signup(t, s, "")}; got[0] != 201 || got[1] != 429 || got[2] != 201 {
			t.Errorf("%v", got)
		}
	})
	t.Run("where base-url is local, private addresses have no limits", func(t *testing.T) {
		s := publicServer(t, "--limit", "accounts=1/d:1")
		for range 3 {
			if got := signup(t, s, "10.1.2.3"); got != 201 {
				t.Errorf("%d", got)
			}
		}
	})
}

// TestRegression10AProxyThatTellsNoAddressIsOneClient: its own address, on this machine, has no limits, and none of its clients has it.
func TestRegression10AProxyThatTellsNoAddressIsOneClient(t *testing.T) {
	t.Parallel()
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, flags := range [][]string{nil, {"--trusted-proxies", "127.0.0.1"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			s := everybodys(t, append(flags, "--limit", "accounts=1/d:1")...)
			want := 201
			for _, one := range [][2]string{
				{"X-Real-IP", "203.0.113.1"},
				{"X-Real-IP", "203.0.113.2"},
				{"X-Forwarded-Proto", "https"},
				{"X-Forwarded-Host", "play.example.com"},
				{"Via", "1.1 proxy"},
				{"CF-Connecting-IP", "203.0.113.3"},
			} {
				expect.Equal(t, one[0]+" "+one[1], from(t, s, "", "POST", "/v1/signup", "", map[string]any{}, with(one[0], one[1])).StatusCode, want)
				want = 429
			}
			expect.Equal(t, "a client on this machine", from(t, s, "", "POST", "/v1/signup", "", map[string]any{}).StatusCode, 201)
			s.Stop(t)
			if n := strings.Count(s.Logs(), "whose word is not taken"); n != 1 {
				t.Errorf("it is told %d times", n)
			}
		})
	}
}

func TestRegression10APrivatePeerIsToldOnce(t *testing.T) {
	var told strings.Builder
	c := &clients{public: true, log: newLogger(&told, "text", "info")}
	for _, peer := range []string{"203.0.113.1:1", "127.0.0.1:1", "172.17.0.1:1", "10.0.0.1:1", "172.17.0.1:2"} {
		c.name(&http.Request{RemoteAddr: peer, Header: http.Header{}})
	}
	flushLog(c.log)
	if n := strings.Count(told.String(), "whose word is not taken"); n != 1 || strings.Contains(told.String(), "172.17") {
		t.Errorf("it is told %d times: %s", n, &told)
	}
}
