package internal_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// makers are the functions that make a Caller with rights, and the folders that may call them.
var makers = map[string][]string{
	"sandlot.AsOperator(": {"cmd/sandlot/", "internal/testkit/testworld/"},
	"sandlot.Identified(": {"internal/domain/account/identity/"},
}

// TestNobodyForgesACaller: the operator's Caller is made in the operator's own commands, and every other Caller with
// rights by publish.
func TestNobodyForgesACaller(t *testing.T) {
	found := map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for maker, folders := range makers {
			if !bytes.Contains(text, []byte(maker)) {
				continue
			}
			found[maker]++
			if !slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(filepath.ToSlash(path), "../"+f) }) {
				t.Errorf("%s calls %s), and only %q may", path, maker, folders)
			}
		}
		return nil
	})
	if err != nil || len(found) != len(makers) {
		t.Errorf("the makers that were found: %v; %v", found, err)
	}
}
