package publish_test

import (
	"slices"
	"strings"
	"testing"

	"sandlot"
)

func warned(t *testing.T, warnings []sandlot.Warning, code, words string) {
	t.Helper()
	if !slices.ContainsFunc(warnings, func(w sandlot.Warning) bool { return w.Code == code && strings.Contains(w.Message, words) }) {
		t.Errorf("no %s about %s in %v", code, words, warnings)
	}
}
