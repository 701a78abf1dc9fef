package admission

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestEveryOperationHasItsTerms(t *testing.T) {
	var seen []string
	for op := Operation(1); op < operations; op++ {
		if op.String() == "" || slices.Contains(seen, op.String()) {
			t.Errorf("operation %d is called %q", op, op)
		}
		seen = append(seen, op.String())
		if !op.Known() || termsOf[op].cost == 0 {
			t.Errorf("%v is not known, or costs nothing", op)
		}
	}
	for k := range kinds {
		found := k == writes || k == volume || k == accounts || k == wrongKeys || k == work // of bodies, of Guess, and of all
		for op := Operation(1); op < operations; op++ {
			found = found || slices.Contains(termsOf[op].counts, k)
		}
		if !found {
			t.Errorf("no operation counts against %s", names[k])
		}
	}
}

func TestNothingIsAdmittedWithoutAnOperation(t *testing.T) {
	for _, l := range []*Limits{nil, New(Config{})} {
		for _, op := range []Operation{0, operations, 255} {
			var d *Denied
			if _, err := l.Admit(Origin{}, op, Body{}); err == nil || errors.As(err, &d) {
				t.Errorf("%v: %v", op, err)
			}
		}
	}
}

func TestAnotherOperationComesWithARequest(t *testing.T) {
	l := New(Config{Mails: Rate{1, time.Hour, 1}, Writes: Rate{10, time.Hour, 10}})
	g, d := admit(l, from("203.0.113.1"), Publish, Body{})
	if d != nil {
		t.Fatal(d)
	}
	if d := limit(g.Also(Mail)); d != nil {
		t.Error(d)
	}
	if d := limit(g.Also(Mail)); d == nil || d.Limit != "mails" {
		t.Errorf("a second message: %+v", d)
	}
	for _, op := range []Operation{0, Publish, Export} {
		if g.Also(op) == nil {
			t.Errorf("%v came with another operation", op)
		}
	}
}

func TestWhatIsDeniedIsARefusalOfTheDomain(t *testing.T) {
	for _, name := range append(names[:], "bodies", "archives", "watchers") {
		d := &Denied{Limit: name, After: 1500 * time.Millisecond}
		e := sandlot.AsError(d)
		if e == nil || e.Code != sandlot.CodeRateLimited || e.Message == "" || e.Fix.Note == "" || e.RetryAfter != 2*time.Second {
			t.Errorf("%s: %+v", name, e)
		}
		if !errors.Is(d, sandlot.CodeRateLimited) {
			t.Errorf("%s does not have its code", name)
		}
	}
	expect.Is(t, "a limit of the service", (&Denied{Limit: "bodies", All: true, After: time.Second}), sandlot.CodeUnavailable)
}

// TestGuessingCountsWhateverIsGuessed and whatever says that the guess was wrong; a fault says nothing.
func TestGuessingCountsWhateverIsGuessed(t *testing.T) {
	who := from("203.0.113.1")
	for name, tc := range map[string]struct {
		right   bool
		err     error
		counted bool
	}{
		"a wrong code":                      {false, nil, true},
		"a key that is unknown":             {false, sandlot.CodeInvalidKey, true},
		"a login that is over":              {false, sandlot.ErrNotFound, true},
		"a right one":                       {true, nil, false},
		"a database that cannot be reached": {false, sandlot.ErrUnavailable, false},
	} {
		l := New(Config{WrongKeys: Rate{1, time.Hour, 1}})
		if err := l.Guess(who, [32]byte{1}, func() (bool, error) { return tc.right, tc.err }); !errors.Is(err, tc.err) {
			t.Errorf("%s: %v", name, err)
		}
		if denied := tries(l, who, [32]byte{2}, false) != nil; denied != tc.counted {
			t.Errorf("after %s the next guess is denied: %v", name, denied)
		}
	}
}

// TestWhoIsTold is what the domain hears of where a call comes from.
func TestWhoIsTold(t *testing.T) {
	for _, tc := range []struct {
		addr         string
		public       bool
		network      string
		shared, free bool
	}{
		{"203.0.113.1", true, "203.0.113.1", false, false},
		{"2001:db8::1:2", true, "2001:db8::", false, false},
		{"10.0.0.1", true, "10.0.0.1", true, false},
		{"10.0.0.1", false, "10.0.0.1", false, true},
		{"127.0.0.1", true, "127.0.0.1", false, true},
		{"", true, "invalid IP", true, false},
	} {
		addr, _ := netip.ParseAddr(tc.addr)
		if got := New(Config{Public: tc.public}).Sender(Origin{Addr: addr}); got != (sandlot.Sender{Network: tc.network, Shared: tc.shared, Free: tc.free}) {
			t.Errorf("%q, public %v: %+v", tc.addr, tc.public, got)
		}
	}
}
