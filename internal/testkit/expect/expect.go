// Package expect is what tests ask again and again. It is for tests alone.
package expect

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// OK ends the test if there is an error, and says what was being done.
func OK(t testing.TB, err error, doing ...any) {
	if err != nil {
		t.Helper()
		t.Fatal(append(doing, err)...)
	}
}

// Is fails the test unless err is want. What names what was tried.
func Is(t testing.TB, what string, err, want error) {
	if !errors.Is(err, want) {
		t.Helper()
		t.Errorf("%s: error is %v, want %v", what, err, want)
	}
}

// Equal fails the test unless got is want.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	if got != want {
		t.Helper()
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Same fails the test unless got is what was wanted, all the way down.
func Same[T any](t testing.TB, what string, got, want T) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Helper()
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Contains fails the test unless part is in text.
func Contains(t testing.TB, what, text, part string) {
	if !strings.Contains(text, part) {
		t.Helper()
		t.Errorf("%s: there is no %q in %s", what, part, text)
	}
}
