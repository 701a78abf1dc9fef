package admission

import (
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestRefusalsAndWrongKeysAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{WrongKeys: Rate{1, time.Hour, 1}, Likes: Rate{1, time.Hour, 1}, MaxBodies: 1})
		who := from("203.0.113.1")
		for range 3 {
			ask(l, who, Like)
		}
		tries(l, who, [32]byte{1}, false)
		tries(l, who, [32]byte{2}, false)
		first, _ := admit(l, who, Update, Body{Length: 1})
		expect.Equal(t, "bodies", l.Receiving(), 1)
		admit(l, who, Update, Body{Length: 1})
		first.Done()
		expect.Equal(t, "bodies at last", l.Receiving(), 0)
		expect.Equal(t, "wrong keys", l.Wrong(), 1)
		got := map[string]int64{}
		for limit := range l.Refusals().Labels() {
			if n := l.Refusals().Get(limit); n > 0 {
				got[limit] = n
			}
		}
		expect.Same(t, "refusals", got, map[string]int64{"likes": 2, "wrong-keys": 1, "max-bodies": 1})
	})
}
