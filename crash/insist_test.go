package main

import (
	"strings"
	"testing"
	"time"

	"sandlot/internal/failpoint"
	"sandlot/internal/testenv"
)

// TestUnracedAPointThatWasMissedIsInsistedOn: one try each is enough for what chance passes seldom.
func TestUnracedAPointThatWasMissedIsInsistedOn(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	program, _ := tagged(t, false)
	e := workedBy(t, program, 2)
	for _, p := range []failpoint.Point{failpoint.MidCollection, failpoint.MidSweep, failpoint.MidAssembly, failpoint.AfterAssembly, failpoint.MidMail, failpoint.MidVariant, failpoint.BeforeAnswer} {
		if err := e.insist(t.Context(), p, 1, insistPatience); err != nil || e.count.points[p] != 1 {
			t.Errorf("%v, and %d kills at %s", err, e.count.points[p], p)
		}
	}
	err := e.insist(t.Context(), failpoint.Stored, 2, time.Millisecond)
	if want := "did not pass stored: it was tried 2 times"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a point of a bucket, in a folder: %v", err)
	}
	if err := e.finish(t.Context()); err != nil {
		t.Error(err)
	}
}
