package internal_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoTestSleeps: but in testenv, whose helpers poll, say what they wait for, or go by the clock of a bubble.
func TestNoTestSleeps(t *testing.T) {
	looked := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "testenv" || filepath.Base(path) == "sleeps_test.go" {
			return err
		}
		looked++
		text, err := os.ReadFile(path)
		if n := bytes.Count(text, []byte("time.Sleep")); n > 0 {
			t.Errorf("%s sleeps %d times: use testenv.Eventually, or testenv.Pass in a bubble of testing/synctest", path, n)
		}
		return err
	})
	if err != nil || looked < 200 {
		t.Errorf("%d files of tests, %v", looked, err)
	}
}
