package turns

import (
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestALoadIsHeardOfWhileThereIsAny(t *testing.T) {
	var heard []bool
	l := NewLoad(1, func(some bool) { heard = append(heard, some) })
	a, b := l.Begin(), l.Begin()
	a()
	expect.Same(t, "heard", heard, []bool{true})
	b()
	l.Begin()()
	expect.Same(t, "heard in the end", heard, []bool{true, false, true, false})
	NewLoad(1, nil).Begin()()
}
