package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestTheTableFollowsTheCode: each mutation's text stands in the code as it is.
// Where it fails, proof/mutate/table.go is to be changed like the code was.
func TestTheTableFollowsTheCode(t *testing.T) {
	// Go caches results by the files of this module alone, and the code is in another: the seed is that of the commit.
	t.Log("SANDLOT_TEST_SEED", os.Getenv("SANDLOT_TEST_SEED"))
	for _, m := range mutations() {
		if _, err := m.apply("../.."); err != nil {
			t.Error(err)
		}
	}
}

func TestFailures(t *testing.T) {
	out := "=== RUN   TestA\n    --- FAIL: TestA/inner (0.00s)\n--- FAIL: TestA (0.01s)\n--- PASS: TestB (0.00s)\nFAIL\npanic: " +
		"test timed out after 3m0s\n"
	if got := failures([]byte(out)); !slices.Equal(got, []string{"TestA", "a test that never ended"}) {
		t.Errorf("%q", got)
	}
	if got := failures([]byte("x.go:1:1: syntax error\nFAIL sandlot/x [build failed]\n")); got != nil {
		t.Errorf("a mutation that does not compile was noticed by %q", got)
	}
}

// TestEveryRegressionHasAMutation: its tests are known to fail without its mend.
func TestEveryRegressionHasAMutation(t *testing.T) {
	table, err := os.ReadFile("../../docs/regressions.md")
	expect.OK(t, err)
	rows := regexp.MustCompile(`(?m)^\| (M?\d\d) \|`).FindAllStringSubmatch(string(table), -1)
	if len(rows) < 30 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		if !slices.ContainsFunc(mutations(), func(m mutation) bool { return strings.Contains(m.tests, "Regression"+row[1]) }) {
			t.Errorf("no mutation is for the tests of %s", row[1])
		}
	}
}
