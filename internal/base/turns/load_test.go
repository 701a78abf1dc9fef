package turns

import (
	"context"
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

func TestFewAreInTheirHeaviestPartAtOnce(t *testing.T) {
	l := NewLoad(2, nil)
	first, err := l.Heaviest(t.Context())
	expect.OK(t, err)
	_, err = l.Heaviest(t.Context())
	expect.OK(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = l.Heaviest(ended)
	expect.Is(t, "the third", err, context.Canceled)
	first()
	_, err = l.Heaviest(t.Context())
	expect.OK(t, err)
}
