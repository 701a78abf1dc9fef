package breaker

import (
	"errors"
	"testing"
	"testing/synctest"

	"sandlot/internal/testkit/testenv"
)

var errTest = errors.New("no answer")

// call makes a call that ends so, if one may be made.
func call(b *Breaker, err error) (made bool) {
	if made = b.Allow(); made {
		b.Report(err)
	}
	return made
}

func TestABreaker(t *testing.T) {
	var told []error
	opened := func(t *testing.T) *Breaker {
		told = nil
		b := New(func(why error) { told = append(told, why) })
		for range OpensAfter {
			if b.Err() != nil || !call(b, errTest) {
				t.Fatal("stopped calls too early")
			}
		}
		return b
	}
	for says, proof := range map[string]func(t *testing.T){
		"makes calls while a few fail, not all in a row": func(t *testing.T) {
			b := New(nil)
			for i := range 100 {
				if !call(b, map[bool]error{true: nil, false: errTest}[i%OpensAfter == 0]) {
					t.Fatalf("call %d was not allowed", i)
				}
			}
		},
		"makes no calls for a second, then one at a time until one succeeds": func(t *testing.T) {
			b := opened(t)
			testenv.Pass(pause - 1)
			if call(b, nil) || b.Err() == nil {
				t.Error("a call was made at once")
			}
			for range 5 {
				testenv.Pass(2 * pause)
				if !call(b, errTest) || call(b, nil) {
					t.Fatal("not one call tried")
				}
			}
			testenv.Pass(2 * pause)
			if !call(b, nil) || !b.Allow() || b.Err() != nil {
				t.Error("calls are not made after one that went well")
			}
			if len(told) != 2 || told[0] != errTest || told[1] != nil {
				t.Errorf("told %v", told)
			}
		},
		"does not come back on all nodes at once": func(t *testing.T) {
			ready := 0
			for range 100 {
				b := opened(t)
				testenv.Pass(pause * 3 / 2)
				if call(b, nil) {
					ready++
				}
			}
			if ready == 0 || ready == 100 {
				t.Errorf("%d of 100 came back after one and a half seconds", ready)
			}
		},
	} {
		t.Run(says, func(t *testing.T) { synctest.Test(t, proof) })
	}
}
