package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestRegressionTableMatchesTheCode compares docs/regressions.md with the test
// functions of the module: every named test exists and stands in the row of its
// number, and every test that bears a number is named.
func TestRegressionTableMatchesTheCode(t *testing.T) {
	table, err := os.ReadFile("../docs/regressions.md")
	expect.OK(t, err)
	code := regressionTests(t)
	name := regexp.MustCompile(`Test(?:Soak)?Regression(M?\d\d)\w*`)
	named := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		number, isRow := rowNumber(line)
		for _, found := range name.FindAllStringSubmatch(line, -1) {
			named[found[0]] = true
			if !isRow || found[1] != number {
				t.Errorf("%s stands in the row of %q", found[0], number)
			}
			if !slices.Contains(code, found[0]) {
				t.Errorf("the table names %s, which does not exist", found[0])
			}
		}
	}
	for _, test := range code {
		if !named[test] {
			t.Errorf("%s is missing in the table", test)
		}
	}
}

// rowNumber returns the number in the first column of a row of the table.
func rowNumber(line string) (string, bool) {
	columns := strings.Split(line, "|")
	if len(columns) != 5 {
		return "", false
	}
	number := strings.TrimSpace(columns[1])
	return number, regexp.MustCompile(`^M?\d\d$`).MatchString(number)
}

// regressionTests returns the names of all test functions of the module that bear a number.
func regressionTests(t *testing.T) []string {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func (Test(?:Soak)?RegressionM?\d\d\w*)\(`)
	var found []string
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range function.FindAllSubmatch(text, -1) {
			found = append(found, string(match[1]))
		}
		return err
	})
	expect.OK(t, err)
	return found
}
