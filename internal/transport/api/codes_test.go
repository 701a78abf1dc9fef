package api

import (
	"testing"

	"sandlot"
)

func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	for code := range sandlot.Codes {
		if statusOf(code) == 0 {
			t.Errorf("%s has no status", code)
		}
	}
}
