package turns

import (
	"context"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestFewListsAreMadeAtOnceAndFewOfAKeyAreHeld(t *testing.T) {
	l := NewLists[string](2, 2, time.Minute)
	ended, end := context.WithCancel(t.Context())
	end()
	full := func(when, key string) {
		t.Helper()
		_, _, err := l.Begin(ended, key)
		expect.Is(t, when, err, context.Canceled)
	}
	begin := func(key string) (made, sent func()) {
		t.Helper()
		made, sent, err := l.Begin(t.Context(), key)
		expect.OK(t, err)
		return made, sent
	}
	made1, sent1 := begin("kim")
	made2, sent2 := begin("kim")
	full("a third that is made", "lee")
	made1()
	made2()
	full("a third of kim's that is held", "kim")
	made3, sent3 := begin("lee")
	made3()
	sent1()
	made4, sent4 := begin("kim")
	made4()
	sent2()
	sent3()
	sent4()
	expect.Equal(t, "keys that are kept", len(l.held.held), 0)

	soon := NewLists[string](1, 1, time.Millisecond)
	_, _, err := soon.Begin(t.Context(), "kim")
	expect.OK(t, err)
	_, _, err = soon.Begin(t.Context(), "lee")
	expect.Is(t, "a wait that took too long", err, context.DeadlineExceeded)
	expect.Equal(t, "keys that wait for nothing", len(soon.held.held), 1)
}
