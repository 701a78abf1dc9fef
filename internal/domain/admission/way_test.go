package admission

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/testenv"
)

func TestAnIPv6AddressCountsInThreeNetworks(t *testing.T) {
	l := New(Config{Writes: Rate{1, time.Hour, 1}})
	use := func(format string, n int) (let int) {
		for i := range n {
			if enters(l, from(fmt.Sprintf(format, i)), false) == nil {
				let++
			}
		}
		return let
	}
	for _, tc := range []struct {
		what, format string
		n, want      int
	}{
		{"of one /64", "2001:db8:1:1::%x", 10, 1},
		{"in all of its /56", "2001:db8:1:%x::1", 100, 4},
		{"in all of its /48", "2001:db8:1:%x00::1", 100, 16},
		{"in another /48", "2001:db8:2:%x00::1", 100, 16},
		{"with an IPv4 address each", "203.0.113.%d", 100, 100},
	} {
		before := 0
		switch tc.what {
		case "in all of its /56":
			before = 1
		case "in all of its /48":
			before = 4
		}
		if got := before + use(tc.format, tc.n); got != tc.want {
			t.Errorf("%s %d may write once, want %d", tc.what, got, tc.want)
		}
	}
}

func TestNoNetworkButAClientsOwnHoldsMoreThanAQuarter(t *testing.T) {
	for all, want := range map[int]int{0: 64, 1024: 64, 100: 25, 8: 4} {
		s := NewSlots(4, all, func(netip.Addr) bool { return false })
		for i := range 200 {
			s.Take(netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x00::1", i)))
		}
		if s.Held() != want {
			t.Errorf("of %d a /48 holds %d, want %d", all, s.Held(), want)
		}
		if taken, full := s.Take(netip.MustParseAddr("2001:db8::1")); taken || full {
			t.Errorf("of %d: its limit is not told from that of all", all)
		}
		if taken, _ := s.Take(netip.MustParseAddr("203.0.113.1")); !taken {
			t.Errorf("of %d nothing is left for others", all)
		}
	}
}

func TestSlotsAreGivenBack(t *testing.T) {
	s := NewSlots(2, 3, netip.Addr.IsLoopback)
	a, local := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("127.0.0.1")
	for range 3 {
		for _, want := range []bool{true, true, false} {
			if taken, all := s.Take(a); taken != want || all {
				t.Fatalf("taken: %v, all: %v", taken, all)
			}
		}
		if taken, _ := s.Take(local); !taken {
			t.Fatal("the last one is not for who is exempt")
		}
		if taken, all := s.Take(local); taken || !all {
			t.Fatal("there are more than all")
		}
		s.Give(a)
		s.Give(a)
		s.Give(local)
	}
	if s.Held() != 0 || len(s.held.by) != 0 {
		t.Errorf("left are %d, %v", s.Held(), s.held.by)
	}
}

// bodies are being received, each of an address.
type bodies struct {
	l    *Limits
	cut  []string
	pass map[string]*Grant
}

func (b *bodies) enter(name, addr string) *Denied {
	p, d := admit(b.l, from(addr), Update, Body{Stop: func() { b.cut = append(b.cut, name) }})
	if d == nil {
		b.pass[name] = p
	}
	return d
}

func TestWhoMakesWay(t *testing.T) {
	// Four slots hold a and b of one network, and c and d of others; a has had the most time.
	full := func(t *testing.T) *bodies {
		b := &bodies{l: New(Config{MaxBodies: 4}), pass: map[string]*Grant{}}
		for i, addr := range []string{"2001:db8:1::1", "2001:db8:1:ff::1", "203.0.113.3", "203.0.113.4"} {
			if d := b.enter(string(rune('a'+i)), addr); d != nil {
				t.Fatal(d)
			}
			testenv.Pass(time.Millisecond)
		}
		return b
	}
	move := func(b *bodies, names string, n int) {
		for _, name := range names {
			b.pass[string(name)].Received(n)
		}
	}
	for _, tc := range []struct {
		name, addr string
		given      func(b *bodies)
		want       string // who is cut; empty: the other is refused
	}{
		{"the slowest of the network with the most", "203.0.113.5", func(b *bodies) { move(b, "a", 10); move(b, "b", 20) }, "a"},
		{"the oldest of those that are as slow", "203.0.113.5", func(*bodies) {}, "a"},
		{"not for one of the same network, at first", "2001:db8:1:3::1", func(*bodies) {}, ""},
		{"one of the same network that is slow", "2001:db8:1:3::1", func(b *bodies) { testenv.Pass(2 * time.Second) }, "a"},
		{"a client without limits, too", "127.0.0.1", func(*bodies) {}, "a"},
		{"not one that has come whole", "203.0.113.5", func(b *bodies) { b.pass["a"].Whole() }, "b"},
		{"of as many each the slowest", "203.0.113.5", func(b *bodies) {
			b.pass["a"].Done()
			if d := b.enter("e", "203.0.113.9"); d != nil {
				panic(d)
			}
			testenv.Pass(2 * time.Second)
			move(b, "bde", 100_000)
		}, "c"},
		{"of as many each none that is fast", "203.0.113.5", func(b *bodies) {
			b.pass["a"].Done()
			if d := b.enter("e", "203.0.113.9"); d != nil {
				panic(d)
			}
			testenv.Pass(2 * time.Second)
			move(b, "bcde", 100_000)
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := full(t)
				tc.given(b)
				d := b.enter("new", tc.addr)
				switch {
				case tc.want == "" && (d == nil || !d.All || len(b.cut) > 0):
					t.Errorf("%+v, cut is %v", d, b.cut)
				case tc.want != "" && (d != nil || len(b.cut) != 1 || b.cut[0] != tc.want):
					t.Fatalf("%+v, cut is %v", d, b.cut)
				case tc.want != "":
					if d := limit(b.pass[tc.want].Whole()); d == nil || !d.All || d.After <= 0 {
						t.Errorf("who made way is told %+v", d)
					}
				}
				for _, p := range b.pass {
					p.Done()
				}
				if len(b.l.bodies) != 0 || b.l.leaving != 0 || len(b.l.held.by) != 0 {
					t.Errorf("left are %d, %d and %v", len(b.l.bodies), b.l.leaving, b.l.held.by)
				}
			})
		})
	}
}

func TestFewAreCutBeforeTheyEnd(t *testing.T) {
	b := &bodies{l: New(Config{MaxBodies: 16}), pass: map[string]*Grant{}}
	for i := range 16 {
		if d := b.enter(fmt.Sprint(i), fmt.Sprintf("2001:db8:0:%x::1", i)); d != nil {
			t.Fatal(d)
		}
	}
	for i := range 3 {
		if d := b.enter("new", fmt.Sprintf("203.0.113.%d", i)); (d == nil) != (i < 2) {
			t.Errorf("another %d: %+v", i, d)
		}
	}
	b.pass[b.cut[0]].Done()
	if d := b.enter("new", "203.0.113.9"); d != nil {
		t.Errorf("after one has ended: %+v", d)
	}
}
