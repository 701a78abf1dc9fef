package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"testing"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/play/front"
)

// TestSoakRegression08ASilentConnectionIsCutWithALateHeader and one that was used before is kept.
func TestSoakRegression08ASilentConnectionIsCutWithALateHeader(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	dial := func(text string) net.Conn {
		conn, err := net.Dial("tcp", s.Addr())
		expect.OK(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, text)
		expect.OK(t, err)
		// The header has 10 s; a machine that is busy with other tests has fivefold.
		expect.OK(t, conn.SetReadDeadline(time.Now().Add(50*time.Second)))
		return conn
	}
	const get = "GET /p/none HTTP/1.1\r\nHost: none.localhost\r\n\r\n" // plain, for a project
	used := dial(get)
	in := bufio.NewReader(used)
	answer := func() {
		t.Helper()
		resp, err := http.ReadResponse(in, nil)
		expect.OK(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	answer()
	for name, conn := range map[string]net.Conn{"one that says nothing": dial(""), "one whose header is late": dial("GET / HTTP/1.1\r\nHost: ")} {
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := io.WriteString(used, get)
	expect.OK(t, err)
	answer()
}

// arrivals is a listener whose connections come from the addresses that a test names.
type arrivals []string

// Accept implements net.Listener.
func (a *arrivals) Accept() (net.Conn, error) {
	if len(*a) == 0 {
		return nil, io.EOF
	}
	addr := netip.MustParseAddr((*a)[0])
	*a = (*a)[1:]
	conn, _ := net.Pipe()
	return arrived{conn, addr}, nil
}
func (*arrivals) Close() error   { return nil }
func (*arrivals) Addr() net.Addr { return &net.TCPAddr{} }

type arrived struct {
	net.Conn
	addr netip.Addr
}

// RemoteAddr implements net.Conn.
func (a arrived) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(a.addr, 1))
}

// accepted are those of connections from addresses that may stay.
func accepted(t *testing.T, l *connections, addrs ...string) (conns []net.Conn) {
	t.Helper()
	list := arrivals(addrs)
	for {
		conn, err := front.Pace(&list, l, nil).Accept()
		if errors.Is(err, io.EOF) {
			return conns
		}
		expect.OK(t, err)
		conns = append(conns, conn)
	}
}

func addresses(n int, format string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(format, i))
	}
	return list
}

func TestRegression08ConnectionsAreLimitedForEachNetwork(t *testing.T) {
	exempt := func(a netip.Addr) bool { return admission.Exempt(a, true) || a == netip.MustParseAddr("192.0.2.1") }
	limit := func(each, all int) *connections {
		return &connections{admission.NewSlots(each, all, exempt), newMetrics(true).refusals()}
	}
	for _, tc := range []struct {
		name      string
		each, all int
		of        []string
		want      int
	}{
		{"an IPv4 address", 5, 1000, slices.Repeat([]string{"203.0.113.7"}, 20), 5},
		{"a /64", 5, 1000, addresses(20, "2001:db8::%x"), 5},
		{"a /56", 5, 1000, addresses(100, "2001:db8:0:%x::1"), 20},
		{"a /48", 5, 1000, addresses(200, "2001:db8:0:%x00::1"), 80},
		{"a /48 where there are few", 5, 100, addresses(200, "2001:db8:0:%x00::1"), 25},
		{"a private peer", 5, 1000, slices.Repeat([]string{"172.17.0.1"}, 20), 5},
		{"a named proxy", 5, 1000, slices.Repeat([]string{"192.0.2.1"}, 20), 20},
		{"this machine", 5, 1000, slices.Repeat([]string{"127.0.0.1"}, 20), 20},
		{"a named proxy beyond all there may be", 5, 10, slices.Repeat([]string{"192.0.2.1"}, 20), 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := limit(tc.each, tc.all)
			for range 2 { // what is closed can be had again
				conns := accepted(t, l, tc.of...)
				if len(conns) != tc.want {
					t.Errorf("%d of %d stay, want %d", len(conns), len(tc.of), tc.want)
				}
				for _, conn := range conns {
					conn.Close()
					conn.Close()
				}
			}
			expect.Equal(t, "are held after all were closed", l.slots.Held(), 0)
		})
	}
	t.Run("10,000 people each behind an address of their own", func(t *testing.T) {
		var many []string
		for i := range 10_000 {
			many = append(many, fmt.Sprintf("198.51.%d.%d", i/250, i%250))
		}
		expect.Equal(t, "stay", len(accepted(t, limit(1024, connectionsFor(20_000)), many...)), len(many))
	})
}

// TestRegression08ACrowdLeavesDescriptorsToTheService: it publishes on the connections that there are, and answers for its health on the other listener.
func TestRegression08ACrowdLeavesDescriptorsToTheService(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, after(t, "ulimit -n 256"), "--metrics-listen", "127.0.0.1:0")
	private := regexp.MustCompile(`msg=metrics addr=(\S+)`).FindStringSubmatch(s.Logs())
	if private == nil {
		t.Fatalf("the log does not tell where the metrics are:\n%s", s.Logs())
	}
	key := from(t, s, "", "POST", "/v1/signup", "", map[string]any{}).body["api_key"].(string)
	get := fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\n\r\n", s.Addr())
	open := 0
	for range 300 {
		conn, err := net.Dial("tcp", s.Addr())
		expect.OK(t, err)
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		_, _ = io.WriteString(conn, get) // fails on one that was closed
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			open++
		}
	}
	if open < 64 || open > 200 {
		t.Errorf("%d of 300 connections stay, with 256 descriptors", open)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		resp, err := http.Get("http://" + private[1] + path)
		expect.OK(t, err)
		resp.Body.Close()
		expect.Equal(t, path+" is", resp.StatusCode, 200)
	}
	// On the connection of the signup.
	for i := range 5 {
		if r := from(t, s, "", "POST", "/v1/publish", key, map[string]any{"content": page(200_000)}); r.StatusCode != 201 {
			t.Errorf("publish %d: %d %v", i, r.StatusCode, r.body)
		}
	}
}
