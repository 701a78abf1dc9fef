package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestTheAddressOfARequest(t *testing.T) {
	proxies, err := admission.ParseProxies("192.0.2.1")
	expect.OK(t, err)
	for _, tc := range []struct{ name, peer, header, value, want string }{
		{"86 behind a trusted proxy", "192.0.2.1:5000", "X-Forwarded-For", "6.6.6.6, 203.0.113.9", "203.0.113.9:0"},
		{"86 IPv6 behind a trusted proxy", "192.0.2.1:5000", "X-Forwarded-For", "2001:db8::1", "[2001:db8::1]:0"},
		{"86 spoofed by a client", "198.51.100.7:5000", "X-Forwarded-For", "127.0.0.1", "198.51.100.7:5000"},
		{"a trusted proxy that tells nothing", "192.0.2.1:5000", "Accept", "*/*", "192.0.2.1:5000"},
		{"86 X-Real-IP means nothing", "192.0.2.1:5000", "X-Real-Ip", "203.0.113.9", "192.0.2.1:5000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = tc.peer
			r.Header.Set(tc.header, tc.value)
			(&clients{proxies: proxies}).name(r)
			if r.RemoteAddr != tc.want {
				t.Errorf("got %s, want %s", r.RemoteAddr, tc.want)
			}
		})
	}
}

func TestAProxyThatWasForgottenIsToldOnce(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	for range 3 {
		raw(t, s.Addr(), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: close\r\n\r\n")
	}
	s.Stop(t)
	if n := strings.Count(s.Logs(), "--trusted-proxies"); n != 1 {
		t.Errorf("the log tells it %d times", n)
	}
	if strings.Contains(s.Logs(), "203.0.113.9") {
		t.Error("the log has a visitor's address")
	}
}
