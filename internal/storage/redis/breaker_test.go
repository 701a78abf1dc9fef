package redis

import (
	"errors"
	"testing"
	"testing/synctest"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

var errTest = errors.New("no answer")

// call makes a call that ends so, if one may be made.
func call(b *breaker, err error) (made bool) {
	trial, ok := b.allow()
	if ok {
		b.report(trial, err, false)
	}
	return ok
}

func state(t *testing.T, b *breaker, want State) {
	t.Helper()
	is, err := b.now()
	expect.Equal(t, "state", is, want)
	if (is == Up) != (err == nil) {
		t.Errorf("%v, and the error is %v", is, err)
	}
}

// opened is a breaker after a few calls that failed.
func opened(t *testing.T, changed func(State, error)) *breaker {
	t.Helper()
	b := newBreaker(changed)
	for range opensAfter {
		state(t, b, Up)
		if !call(b, errTest) {
			t.Fatal("no call was allowed")
		}
	}
	state(t, b, Down)
	return b
}

func TestBreaker(t *testing.T) {
	bubble := func(says string, proof func(t *testing.T)) {
		t.Run(says, func(t *testing.T) { synctest.Test(t, proof) })
	}
	quiet := func(State, error) {}
	bubble("calls are made while a few fail, not all in a row", func(t *testing.T) {
		b := newBreaker(quiet)
		for i := range 100 {
			var err error
			if i%opensAfter != 0 {
				err = errTest
			}
			if !call(b, err) {
				t.Fatalf("call %d was not allowed", i)
			}
		}
		state(t, b, Up)
	})
	bubble("after three failures in a row none is made for a second, then one at a time", func(t *testing.T) {
		b := opened(t, quiet)
		testenv.Pass(pause - 1)
		if call(b, nil) {
			t.Error("a call was made at once")
		}
		testenv.Pass(pause + 1)
		trial, ok := b.allow()
		if !trial || !ok {
			t.Fatal("no trial after two seconds")
		}
		state(t, b, Trying)
		if call(b, nil) {
			t.Error("a second call was made during the trial")
		}
		b.report(trial, nil, false)
		state(t, b, Up)
		if !call(b, nil) {
			t.Error("no call was made after a trial that went well")
		}
	})
	bubble("a trial that fails puts the next one off", func(t *testing.T) {
		b := opened(t, quiet)
		for range 10 {
			testenv.Pass(2 * pause)
			if !call(b, errTest) || call(b, nil) {
				t.Fatal("not one trial was made")
			}
			state(t, b, Down)
		}
	})
	bubble("a caller that gives up its trial leaves it to the next", func(t *testing.T) {
		b := opened(t, quiet)
		testenv.Pass(2 * pause)
		trial, _ := b.allow()
		b.report(trial, errTest, true)
		state(t, b, Down)
		if !call(b, nil) {
			t.Error("the next caller could not try")
		}
		state(t, b, Up)
	})
	bubble("callers that give up say nothing about the server", func(t *testing.T) {
		b := newBreaker(quiet)
		for range 10 {
			trial, _ := b.allow()
			b.report(trial, errTest, true)
		}
		state(t, b, Up)
	})
	bubble("a call from before does not end the pause", func(t *testing.T) {
		b := newBreaker(quiet)
		early, _ := b.allow()
		for range opensAfter {
			call(b, errTest)
		}
		b.report(early, nil, false)
		state(t, b, Down)
	})
	bubble("nodes do not come back together", func(t *testing.T) {
		ready := 0
		for range 100 {
			b := opened(t, quiet)
			testenv.Pass(pause * 3 / 2)
			if call(b, nil) {
				ready++
			}
		}
		if ready == 0 || ready == 100 {
			t.Errorf("%d of 100 came back after one and a half seconds", ready)
		}
	})
	bubble("going and coming back is told once each", func(t *testing.T) {
		var told []State
		b := opened(t, func(s State, _ error) { told = append(told, s) })
		for range 3 {
			testenv.Pass(2 * pause)
			call(b, errTest)
		}
		testenv.Pass(2 * pause)
		call(b, nil)
		call(b, nil)
		if len(told) != 2 || told[0] != Down || told[1] != Up {
			t.Errorf("told %v", told)
		}
	})
}
