package sqlstore

import (
	"errors"
	"fmt"
	"testing"

	"sandlot/internal/expect"
)

func check(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error is %v, want %v", what, err, want)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	expect.Equal(t, what, got, want)
}

// fault is an error of the database.
type fault int

func (f fault) Error() string { return fmt.Sprintf("fault %d", int(f)) }
func (f fault) Code() int     { return int(f) }

// second is the error of a step, without what else it returns.
func second[T any](_ T, err error) error { return err }
