package cluster

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// TestTheCheckOfOrdersFindsWhatFitsNone tries the checker itself: an update that was lost, a version that came twice, one that was
// skipped, and a guard that held although it was of an old version.
func TestTheCheckOfOrdersFindsWhatFitsNone(t *testing.T) {
	// Each of two clients writes while the other does; the look comes after both.
	check := func(a, b, look edited, guard int) porcupine.CheckResult {
		return porcupine.CheckOperationsTimeout(edits(), []porcupine.Operation{
			{ClientId: 0, Input: edit{content: "first"}, Call: 0, Output: edited{version: 1}, Return: 1},
			{ClientId: 0, Input: edit{guard: guard, content: "a"}, Call: 2, Output: a, Return: 5},
			{ClientId: 1, Input: edit{guard: guard, content: "b"}, Call: 3, Output: b, Return: 4},
			{ClientId: 0, Input: edit{}, Call: 6, Output: look, Return: 7},
		}, 0)
	}
	for name, c := range map[string]struct {
		a, b, look edited
		guard      int
		want       porcupine.CheckResult
	}{
		"both happen":                        {edited{version: 3}, edited{version: 2}, edited{true, 3, "a"}, 0, porcupine.Ok},
		"one is guarded against":             {edited{version: 2}, edited{}, edited{true, 2, "a"}, 1, porcupine.Ok},
		"one is lost":                        {edited{version: 2}, edited{version: 3}, edited{true, 3, "a"}, 0, porcupine.Illegal},
		"one number comes twice":             {edited{version: 2}, edited{version: 2}, edited{true, 2, "a"}, 0, porcupine.Illegal},
		"a number is skipped":                {edited{version: 2}, edited{version: 4}, edited{true, 4, "b"}, 0, porcupine.Illegal},
		"both guards hold":                   {edited{version: 2}, edited{version: 3}, edited{true, 3, "b"}, 1, porcupine.Illegal},
		"a guard fails that should hold":     {edited{}, edited{}, edited{true, 1, "first"}, 1, porcupine.Illegal},
		"what was acknowledged is not there": {edited{version: 2}, edited{version: 3}, edited{true, 1, "first"}, 0, porcupine.Illegal},
	} {
		t.Run(name, func(t *testing.T) {
			if got := check(c.a, c.b, c.look, c.guard); got != c.want {
				t.Errorf("it is %s, not %s", got, c.want)
			}
		})
	}
}
