package admission

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func from(addr string) Origin { return Origin{Addr: netip.MustParseAddr(addr)} }

// admit is Limits.Admit where nothing but a limit refuses.
func admit(l *Limits, from Origin, op Operation, in Body) (*Grant, *Denied) {
	g, err := l.Admit(from, op, in)
	return g, limit(err)
}

// limit is what refused, nil if nothing did. Another error is a fault of the test.
func limit(err error) *Denied {
	var d *Denied
	if err != nil && !errors.As(err, &d) {
		panic(err)
	}
	return d
}

// ask asks for an operation and is done with it.
func ask(l *Limits, from Origin, op Operation) *Denied {
	g, d := admit(l, from, op, Body{})
	g.Done()
	return d
}

// tries presents a secret.
func tries(l *Limits, from Origin, secret [32]byte, right bool) *Denied {
	return limit(l.Guess(from, secret, func() (bool, error) { return right, nil }))
}

// enters sends a request with a body, and reports whether it was admitted.
func enters(l *Limits, who Origin, newAccount bool) *Denied {
	op := Update
	if newAccount {
		op = Signup
	}
	p, d := admit(l, who, op, Body{})
	if d == nil {
		if newAccount {
			p.Made()
		}
		p.Done()
	}
	return d
}

func TestNewAccountsOfAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Accounts: Rate{60, time.Hour, 20}})
		for i := range 20 {
			if d := enters(l, from("203.0.113.1"), true); d != nil {
				t.Fatalf("account %d: %+v", i+1, d)
			}
		}
		d := enters(l, from("203.0.113.1"), true)
		if d == nil || d.Limit != "accounts" || d.All || d.After <= 0 || d.After > time.Minute {
			t.Fatalf("account 21: %+v", d)
		}
		if d := enters(l, from("203.0.113.2"), true); d != nil {
			t.Errorf("another address has not its own: %+v", d)
		}
		testenv.Pass(d.After)
		if d := enters(l, from("203.0.113.1"), true); d != nil {
			t.Errorf("after the time that was told: %+v", d)
		}
		if enters(l, from("203.0.113.1"), true) == nil {
			t.Error("two came at once after it")
		}
		testenv.Pass(time.Hour)
		for i := range 20 {
			if d := enters(l, from("203.0.113.1"), true); d != nil {
				t.Fatalf("an hour later, account %d: %+v", i+1, d)
			}
		}
	})
}

func TestARequestThatMakesNoAccountUsesNone(t *testing.T) {
	l := New(Config{Accounts: Rate{60, time.Hour, 1}})
	for range 10 {
		p, d := admit(l, from("203.0.113.1"), Signup, Body{})
		if d != nil {
			t.Fatal(d)
		}
		if _, d := admit(l, from("203.0.113.1"), Signup, Body{}); d == nil {
			t.Fatal("two that are under way could make two accounts")
		}
		p.Done()
	}
}

func TestLocalClientsAreUnlimited(t *testing.T) {
	l := New(Config{Accounts: Rate{1, time.Hour, 1}, Writes: Rate{1, time.Hour, 1}, Mails: Rate{1, time.Hour, 1}, WrongKeys: Rate{1, time.Hour, 1}, Heartbeats: Rate{1, time.Hour, 1}, Reports: Rate{1, time.Hour, 1}, Likes: Rate{1, time.Hour, 1}, Searches: Rate{1, time.Hour, 1}, Downloads: Rate{1, time.Hour, 1}, Bodies: 1})
	for _, addr := range []string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1"} {
		who := from(addr)
		who.Account, who.Key = 1, 1
		for range 10 {
			p, d := admit(l, who, Signup, Body{})
			wrong := tries(l, who, [32]byte{}, false)
			if d != nil || wrong != nil || ask(l, who, Mail) != nil || tries(l, who, [32]byte{}, false) != nil || ask(l, who, Heartbeat) != nil || ask(l, who, Report) != nil || ask(l, who, Like) != nil || ask(l, who, Search) != nil || refusesArchive(l, who) {
				t.Fatalf("%s is limited", addr)
			}
			if len(p.Standing()) > 0 {
				t.Errorf("%s is told of limits: %v", addr, p.Standing())
			}
			p.Made()
		}
	}
}

func refusesArchive(l *Limits, who Origin) bool {
	_, d := admit(l, who, Export, Body{})
	return d != nil
}

func TestSearchesAndDownloads(t *testing.T) {
	one := Rate{1, time.Hour, 1}
	l := New(Config{Searches: one, Downloads: one, Writes: Rate{4, time.Hour, 4}})
	owner := func(addr string) Origin {
		who := from(addr)
		who.Account = 7
		return who
	}
	if d := ask(l, from("203.0.113.1"), Search); d != nil {
		t.Error(d)
	}
	if d := ask(l, from("203.0.113.1"), Search); d == nil || d.Limit != "searches" {
		t.Errorf("a second search: %+v", d)
	}
	if _, d := admit(l, owner("203.0.113.1"), Export, Body{}); d != nil {
		t.Error(d)
	}
	if _, d := admit(l, owner("203.0.113.2"), Export, Body{}); d == nil || d.Limit != "downloads" {
		t.Errorf("a second archive of the account, to another address: %+v", d)
	}
	for i := range 5 {
		if d := enters(l, owner(fmt.Sprintf("203.0.113.%d", i)), false); (d == nil) != (i < 4) {
			t.Errorf("upload %d of an owner without a key: %+v", i, d)
		}
	}
}

func TestArchivesAtOnce(t *testing.T) {
	l := New(Config{Archives: 1})
	ask := func(addr string, account int64) (*Grant, *Denied) {
		who := from(addr)
		who.Account = account
		return admit(l, who, Export, Body{})
	}
	first, d := ask("203.0.113.1", 7)
	if d != nil {
		t.Fatal(d)
	}
	if _, d := ask("203.0.113.2", 7); d == nil || d.Limit != "archives" || d.After <= 0 {
		t.Errorf("a second one of the account: %+v", d)
	}
	if _, d := ask("203.0.113.1", 8); d != nil {
		t.Errorf("one of another account: %+v", d)
	}
	for range 2 {
		if a, d := ask("127.0.0.1", 7); d != nil {
			t.Errorf("of a local client: %+v", d)
		} else {
			a.Done()
		}
	}
	first.Done()
	if _, d := ask("203.0.113.2", 7); d != nil {
		t.Errorf("after the first: %+v", d)
	}
}

func TestBodiesAtOnce(t *testing.T) {
	l := New(Config{Bodies: 4, MaxBodies: 6})
	var open []*Grant
	enter := func(addr string) *Denied {
		p, d := admit(l, from(addr), Update, Body{})
		if d == nil {
			open = append(open, p)
		}
		return d
	}
	for range 4 {
		if d := enter("203.0.113.1"); d != nil {
			t.Fatal(d)
		}
	}
	if d := enter("203.0.113.1"); d == nil || d.All || d.Limit != "bodies" {
		t.Errorf("the fifth of an address: %+v", d)
	}
	for _, addr := range []string{"203.0.113.2", "127.0.0.1"} {
		if d := enter(addr); d != nil {
			t.Errorf("another address: %+v", d)
		}
	}
	for _, addr := range []string{"203.0.113.3", "127.0.0.1"} {
		if d := enter(addr); d == nil || !d.All {
			t.Errorf("the seventh of all, from %s: %+v", addr, d)
		}
	}
	for _, p := range open {
		p.Done()
	}
	if d := enter("203.0.113.1"); d != nil {
		t.Errorf("after they ended: %+v", d)
	}
}

func TestACallCostsTheLargestOfItsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Bytes: Rate{3600, time.Hour, 1000}})
		call := func(length int64, received, decoded, unpacked int) *Denied {
			p, d := admit(l, from("203.0.113.1"), Update, Body{Length: length})
			if d != nil {
				return d
			}
			defer p.Done()
			if d := limit(p.Received(received)); d != nil {
				return d
			}
			for _, n := range []int{decoded, unpacked} {
				for charge := p.Charge(); n > 0; n -= 10 {
					if d := limit(charge(min(n, 10))); d != nil {
						return d
					}
				}
			}
			return nil
		}
		left := func() int64 {
			p, d := admit(l, from("203.0.113.1"), Update, Body{})
			if d != nil {
				return 0
			}
			defer p.Done()
			return p.Standing()[0].Left
		}
		for _, tc := range []struct{ received, decoded, unpacked, left int }{{100, 75, 0, 900}, {10, 7, 200, 700}, {10, 500, 20, 200}} {
			if d := call(0, tc.received, tc.decoded, tc.unpacked); d != nil || left() != int64(tc.left) {
				t.Fatalf("%+v: %+v, %d left", tc, d, left())
			}
		}
		if d := call(201, 0, 0, 0); d == nil || d.After != time.Second || left() != 200 {
			t.Errorf("one whose length is over what is left: %+v, %d left", d, left())
		}
		d := call(-1, 1, 1, 400)
		if d == nil || d.Limit != "bytes" || d.After < 200*time.Second || d.After > 1000*time.Second {
			t.Fatalf("one that turns out to cost more than is left: %+v", d)
		}
		if n := left(); n != 0 {
			t.Errorf("what it used was not charged: %d left", n)
		}
		testenv.Pass(d.After)
		if d := call(-1, 1, 1, 400); d != nil {
			t.Errorf("after the time that was told: %+v", d)
		}
	})
}

func TestAccountsAndKeysHaveLimitsOfTheirOwn(t *testing.T) {
	l := New(Config{Writes: Rate{100, time.Hour, 10}})
	use := func(host byte, account, key int64) (n int) {
		for ; n < 100; n++ { // each from another address
			if enters(l, Origin{netip.AddrFrom4([4]byte{203, 0, host, byte(n)}), account, key}, false) != nil {
				return n
			}
		}
		return n
	}
	expect.Equal(t, "one key may do", use(1, 7, 1), 5)
	expect.Equal(t, "the other key of the account may do", use(2, 7, 2), 5)
	expect.Equal(t, "a third key may do", use(3, 7, 3), 0)
	expect.Equal(t, "another account's key may do", use(4, 8, 4), 5)
}

func TestMailsHeartbeatsAndLikes(t *testing.T) {
	l := New(Config{Mails: Rate{20, time.Hour, 2}, Heartbeats: Rate{60, time.Minute, 3}, Likes: Rate{60, time.Hour, 1}})
	who := from("203.0.113.1")
	for i, want := range []bool{true, true, false} {
		if d := ask(l, who, Mail); (d == nil) != want {
			t.Errorf("mail %d: %+v", i+1, d)
		}
	}
	account := Origin{netip.MustParseAddr("203.0.113.2"), 7, 1}
	ask(l, account, Mail)
	ask(l, Origin{netip.MustParseAddr("203.0.113.3"), 7, 2}, Mail)
	if d := ask(l, Origin{netip.MustParseAddr("203.0.113.4"), 7, 1}, Mail); d == nil || d.Limit != "mails" {
		t.Errorf("the account's third mail: %+v", d)
	}
	for i, want := range []bool{true, true, true, false} {
		if d := ask(l, who, Heartbeat); (d == nil) != want {
			t.Errorf("heartbeat %d: %+v", i+1, d)
		}
	}
	for i, want := range []bool{true, false} {
		if d := ask(l, who, Like); (d == nil) != want || d != nil && d.Limit != "likes" {
			t.Errorf("like %d: %+v", i+1, d)
		}
	}
}

func TestWrongKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{WrongKeys: Rate{30, time.Minute, 30}})
		who := from("203.0.113.1")
		known, wrong, fresh := [32]byte{1}, [32]byte{2}, [32]byte{3}
		tries(l, who, known, true)
		for i := range 30 {
			if d := tries(l, who, wrong, false); d != nil {
				t.Fatalf("try %d: %+v", i+1, d)
			}
		}
		if d := tries(l, who, wrong, false); d == nil || d.Limit != "wrong-keys" || d.After > 2*time.Second {
			t.Errorf("try 31: %+v", d)
		}
		if tries(l, who, fresh, true) == nil {
			t.Error("a key that nobody used is looked up")
		}
		if d := tries(l, who, known, true); d != nil {
			t.Errorf("a key that was right before, of the same address: %+v", d)
		}
		if d := tries(l, from("203.0.113.2"), [32]byte{4}, false); d != nil {
			t.Errorf("another address: %+v", d)
		}
		testenv.Pass(time.Minute)
		if d := tries(l, who, fresh, false); d != nil {
			t.Errorf("a minute later: %+v", d)
		}
	})
}

// TestSoakAMillionAddresses: each of another network of IPv6, take bounded memory, and do not take an account's limit away.
func TestSoakAMillionAddresses(t *testing.T) {
	testenv.Unraced(t)
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // what is measured is what is left after a collection
	l := New(Config{Accounts: Rate{60, time.Hour, 20}, Writes: Rate{3600, time.Hour, 1000}, Bytes: Rate{1 << 33, time.Hour, 1 << 32}})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	addr := netip.MustParseAddr("2001:db8::1").As16()
	for i := range uint32(1_000_000) {
		binary.BigEndian.PutUint32(addr[2:], i) // each in a /48 of its own
		if d := enters(l, Origin{Addr: netip.AddrFrom16(addr)}, true); d != nil {
			t.Fatal(d)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n := l.addresses.Weight(); n > maxEntries {
		t.Errorf("%d entries are kept", n)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 48<<20 {
		t.Errorf("they take %d MiB", grown>>20)
	} else {
		t.Logf("they take %d MiB", grown>>20)
	}
	runtime.KeepAlive(l)
}

func TestStandingTellsTheLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Writes: Rate{60, time.Minute, 10}, Accounts: Rate{60, time.Hour, 20}})
		p, d := admit(l, Origin{netip.MustParseAddr("203.0.113.1"), 7, 1}, Update, Body{})
		if d != nil {
			t.Fatal(d)
		}
		if len(p.Standing()) != 1 || p.Standing()[0].Left != 4 || p.Standing()[0].Full != 2*time.Second {
			t.Errorf("the key has the least left: %+v", p.Standing())
		}
		p, _ = admit(l, from("203.0.113.9"), Signup, Body{})
		if len(p.Standing()) != 2 || p.Standing()[1].Limit != "accounts" || p.Standing()[1].Left != 19 {
			t.Errorf("a request that may make an account: %+v", p.Standing())
		}
	})
}

func TestRates(t *testing.T) {
	if r, err := ParseRate("60/h:20"); err != nil || r != (Rate{60, time.Hour, 20}) {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := ParseRate("off"); err != nil || r != (Rate{}) {
		t.Errorf("off: %v, %v", r, err)
	}
	for _, text := range []string{"", "60", "60/h", "60/w:1", "0/h:1", "60/h:0", "-1/h:1", "a/h:b"} {
		if _, err := ParseRate(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
