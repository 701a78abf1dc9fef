package sqlstore

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// anew are the functions that mostly find with one statement what they look for, and otherwise begin
// anew, with a snapshot that does not rely on that.
var anew = []string{"files(", "Projects("}

// TestRegression34EveryReadOfSeveralStatementsIsOneSnapshot reads this package's source: what asks
// the database more than once outside of a snapshot or a step would mix two states.
func TestRegression34EveryReadOfSeveralStatementsIsOneSnapshot(t *testing.T) {
	t.Parallel()
	read := regexp.MustCompile(`\((ctx, )?(store\.)?db[,)]|db\.snapshot\(`)
	sources, err := filepath.Glob("*.go")
	expect.OK(t, err)
	reads := 0
	for _, source := range sources {
		text, err := os.ReadFile(source)
		expect.OK(t, err)
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		for _, fn := range strings.Split(string(text), "\nfunc (store ")[1:] {
			fn, _, _ = strings.Cut(fn, "\n}\n")
			_, signature, _ := strings.Cut(fn, ") ")
			found := read.FindAllString(fn, -1)
			reads += len(found)
			if len(found) > 1 && !slices.ContainsFunc(anew, func(name string) bool { return strings.HasPrefix(signature, name) }) {
				t.Errorf("%s: a method reads in several statements (%q), which have to be one snapshot: %.80s", source, found, fn)
			}
		}
	}
	if reads < 60 {
		t.Errorf("%d reads were found", reads)
	}
}
