package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// TestFault06ManyFiles: a call of many files that finds the disk full midway says that nothing was changed, and what it had written is gone
// with its answer, so that less is taken soon after.
func TestFault06ManyFiles(t *testing.T) {
	t.Parallel()
	folder := mounted(t, "-t", "tmpfs", "-o", "size=24m", "tmpfs")
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(folder, "data"))
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	publish := func(small int) (int, map[string]any) {
		files := []map[string]any{{"filename": "index.html", "text": "<!doctype html><title>Many</title>"}}
		for i := range small {
			files = append(files, map[string]any{"filename": fmt.Sprintf("%d.txt", i), "text": fmt.Sprint(i) + strings.Repeat("a", 10_000)})
		}
		for i := range 20 {
			files = append(files, map[string]any{"filename": fmt.Sprintf("%d.bin", i), "text": fmt.Sprint(i) + strings.Repeat("b", 100_000)})
		}
		return call(t, s, "POST", "/v1/publish", key, map[string]any{"files": files})
	}
	if status, answer := publish(600); status != 507 || !strings.Contains(answer["message"].(string), "Nothing was changed.") {
		t.Errorf("too much: %d %v", status, answer["message"])
	}
	if left := glob(t, filepath.Join(folder, "data/blobs/??/*")); len(left) > 0 {
		t.Errorf("%d files are left of it", len(left))
	}
	testenv.Eventually(t, time.Minute, "less is taken", func() bool {
		status, _ := publish(10)
		return status == 201
	})
}
