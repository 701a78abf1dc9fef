package front

import (
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/testenv"
)

func TestDeadlinesWaitForAsLongAsTheProcessSlept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		awake bool // whether the process looks at its clock meanwhile
		want  bool
	}{{"asleep", false, true}, {"awake", true, false}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, set := sleepyDeadline{clock: &Clock{}}, time.Time{}
				note := func(t time.Time) error { set = t; return nil }
				first := time.Now().Add(10 * time.Second)
				if err := d.put(first, note); err != nil {
					t.Fatal(err)
				}
				if tt.awake {
					go d.clock.Run(t.Context())
				}
				testenv.Pass(30 * time.Second)
				if got := d.putOff(note); got != tt.want {
					t.Errorf("put off: %v, to %v", got, set)
				}
				if want := first.Add(30 * time.Second); tt.want && !set.Equal(want) {
					t.Errorf("put off to %v, want %v", set, want)
				}
			})
		})
	}
	t.Run("one that was set to end a read ends it", func(t *testing.T) {
		d := sleepyDeadline{clock: &Clock{}}
		_ = d.put(time.Unix(1, 0), func(time.Time) error { return nil })
		if d.putOff(func(time.Time) error { return nil }) {
			t.Error("it was put off")
		}
	})
}
