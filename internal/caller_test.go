package internal_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNobodyForgesACaller: the operator is made in their own commands. Every other Caller with rights is made by publish alone.
func TestNobodyForgesACaller(t *testing.T) {
	read := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		if bytes.Contains(text, []byte("publish.AsOperator(")) && !strings.HasPrefix(filepath.ToSlash(path), "../cmd/sandlot/") && !strings.HasPrefix(filepath.ToSlash(path), "../internal/testworld/") {
			t.Errorf("%s makes the operator's caller, and is no command of theirs", path)
		}
		return nil
	})
	if err != nil || read < 100 {
		t.Errorf("%d files were read: %v", read, err)
	}
}
