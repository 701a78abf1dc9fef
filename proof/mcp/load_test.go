package mcp

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSlowBodiesHoldUpNobody: while one client sends 64 of them, which it does not end, calls of others are answered, large ones, too.
func TestSlowBodiesHoldUpNobody(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t), "--base-url", "http://"+publicHost, "--trusted-proxies", "127.0.0.1")
	for range 64 {
		begin(t, service.Addr(), publicHost, "X-Forwarded-For: 203.0.113.7", 4_000_000, strings.Repeat(" ", 100<<10))
	}
	for _, size := range []int{1, 1 << 20} {
		call := calling("publish", `{"html":"<p>`+strings.Repeat("a", size)+`","dry_run":true}`)
		got := send(t, service.Client(), "POST", "http://"+publicHost+"/mcp", call, "X-Forwarded-For", "203.0.113.8")
		if r := got.result(t); r.IsError {
			t.Errorf("a call of %d bytes: %v", size, r.Data)
		}
	}
}

// TestSoakAThousandConnections that hold a body are one service's, and a conversation goes on beside them.
func TestSoakAThousandConnections(t *testing.T) {
	service := testenv.Start(t, testenv.Binary(t))
	for range 1000 {
		begin(t, service.Addr(), service.Addr(), "Accept: */*", 10_000, `{"jsonrpc":"2.0",`)
	}
	a := &goAgent{address: service.URL() + "/mcp"}
	a.connect(t, "")
	anonymous(t, a)
}

// TestSoakManyCallsAtOnce, each of them answered: with its result, or with the time after which to call again.
func TestSoakManyCallsAtOnce(t *testing.T) {
	service := testenv.Start(t, testenv.Binary(t), "--base-url", "http://"+publicHost, "--trusted-proxies", "127.0.0.1")
	large := calling("publish", `{"dry_run":true,"html":"<!doctype html><p>`+strings.Repeat("a", 3<<20)+`"}`)
	var wg sync.WaitGroup
	statuses := make([]int, 64)
	for i := range statuses {
		wg.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+publicHost+"/mcp", strings.NewReader(large))
			if err != nil {
				return
			}
			r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
			resp, err := service.Client().Do(r)
			if err != nil {
				return
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
			if statuses[i] = resp.StatusCode; resp.StatusCode != http.StatusOK && resp.Header.Get("Retry-After") == "" {
				statuses[i] = -resp.StatusCode
			}
		})
	}
	wg.Wait()
	for _, status := range statuses {
		if status != http.StatusOK && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			t.Errorf("a call ends with %d", status)
		}
	}
}

// begin sends a request with a part of its body, and leaves the connection open.
func begin(t *testing.T, addr, host, header string, length int, part string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	expect.OK(t, err)
	t.Cleanup(func() { c.Close() })
	// That the service may refuse it at once, and end the connection, is no fault.
	_, _ = fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s", host, header, length, part)
}
