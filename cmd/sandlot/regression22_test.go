package main

import (
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestRegression22NoStrangerCountsAsLocal: a listener that others reach needs a public base-url, or a wish.
func TestRegression22NoStrangerCountsAsLocal(t *testing.T) {
	for _, tc := range []struct {
		listen, at string
		alone      bool // whether this machine alone reaches it
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", true},
		{"127.9.9.9:0", "127.9.9.9:0", true},
		{"[::1]:80", "[::1]:80", true},
		{"[::ffff:127.0.0.1]:80", "127.0.0.1:80", true},
		{"localhost:8080", "127.0.0.1:8080", true},
		{"localhost:http", "127.0.0.1:80", true},
		{":8080", ":8080", false},
		{":", ":0", false},
		{"0.0.0.0:0", "0.0.0.0:0", false},
		{"[::]:80", "[::]:80", false},
		{"[::ffff:0.0.0.0]:80", "0.0.0.0:80", false},
		{"10.0.0.1:80", "10.0.0.1:80", false},
		{"169.254.1.1:80", "169.254.1.1:80", false},
		{"[fd00::1]:80", "[fd00::1]:80", false},
		{"[fe80::1%eth0]:80", "[fe80::1%eth0]:80", false},
		{"203.0.113.7:80", "203.0.113.7:80", false},
	} {
		at, err := resolve("--listen", tc.listen)
		if err != nil || at.String() != tc.at || loopback(at) != tc.alone {
			t.Errorf("%s is %v, %v", tc.listen, at, err)
			continue
		}
		for base, local := range map[string]bool{"": true, "http://localhost:8080": true, "http://192.168.0.9:8080": true, "http://sandlot": true, "https://example.com": false, "http://203.0.113.7": false} {
			for _, wish := range []bool{false, true} {
				s := settings{Listen: tc.listen, BaseURL: base, PathForm: "auto", InsecureLocal: wish}
				places, err := s.places(at.String())
				expect.OK(t, err)
				err = s.checkExposure(at, places)
				if refused := !tc.alone && local && !wish; refused != (err != nil) {
					t.Errorf("listen %s, base-url %q, insecure-local %v: %v", tc.listen, base, wish, err)
				}
				if err != nil && (!strings.Contains(err.Error(), "set --base-url to") || !strings.Contains(err.Error(), "or --insecure-local if")) {
					t.Errorf("it does not say what to set: %v", err)
				}
			}
		}
	}
	for _, wrong := range []string{"", "8080", "127.0.0.1", "nowhere.invalid:80", "127.0.0.1:70000", "127.0.0.1:-1", "::1:80", "a b:80"} {
		if at, err := resolve("--listen", wrong); err == nil {
			t.Errorf("%q is %v", wrong, at)
		}
	}
}

// TestRegression22TryIsAsStrictAsServe, for it serves with the same settings.
func TestRegression22TryIsAsStrictAsServe(t *testing.T) {
	o := configuration{args: []string{"--listen=0.0.0.0:0"}}.try(t, "try")
	if o.code != 2 || !strings.Contains(o.sentence, "--listen 0.0.0.0:0 can be reached from other machines") {
		t.Errorf("%d %s", o.code, o.sentence)
	}
}

// TestRegression22TheAddressThatWasCheckedIsListenedOn: what a name stands for is found out once.
func TestRegression22TheAddressThatWasCheckedIsListenedOn(t *testing.T) {
	o := configuration{args: []string{"--listen=localhost:0"}}.try(t, "serve")
	if o.code != 0 || o.sentence != "" {
		t.Errorf("%d %s", o.code, o.sentence)
	}
	at, err := resolve("--listen", "127.0.0.2:0")
	expect.OK(t, err)
	l, err := listenOn("--listen", at)
	expect.OK(t, err)
	defer l.Close()
	if !strings.HasPrefix(l.Addr().String(), "127.0.0.2:") {
		t.Errorf("it listens on %s", l.Addr())
	}
}

func TestRegression22OneAddressIsNotListenedOnTwice(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"127.0.0.1:1", "127.0.0.1:1", true},
		{"127.0.0.1:1", "127.0.0.1:2", false},
		{"127.0.0.1:0", "127.0.0.1:0", false},
		{"127.0.0.1:1", "127.0.0.2:1", false},
		{":1", "127.0.0.1:1", true},
		{"[::1]:1", ":1", true},
		{"0.0.0.0:1", "127.0.0.1:1", true},
		{"0.0.0.0:1", "[::1]:1", true},
		{"[::]:1", "127.0.0.1:1", true},
	} {
		a, err1 := resolve("", tc.a)
		b, err2 := resolve("", tc.b)
		if err1 != nil || err2 != nil || sameListener(a, b) != tc.same || sameListener(b, a) != tc.same {
			t.Errorf("%s and %s: %v %v", tc.a, tc.b, err1, err2)
		}
	}
}
