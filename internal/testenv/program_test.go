package testenv

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// TestAProgramCanBeRunAtOnce while others are begun.
func TestAProgramCanBeRunAtOnce(t *testing.T) {
	folder := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 40 {
				path := filepath.Join(folder, strconv.Itoa(i)+"-"+strconv.Itoa(j))
				Program(t, path, []byte("#!/bin/sh\n"))
				if err := exec.CommandContext(t.Context(), path).Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
