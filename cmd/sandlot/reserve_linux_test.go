package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/storage/datafolder"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestFault06Deletions: on a full disk deletions still work (reserve file), nothing else gets the room of the reserve, and it recovers without a restart.
func TestFault06Deletions(t *testing.T) {
	t.Parallel()
	folder := mounted(t, "-t", "tmpfs", "-o", "size=32m", "tmpfs")
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(folder, "data"))
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	_, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(1000)})
	for _, name := range []string{"a.txt", "b.txt"} {
		call(t, s, "POST", "/v1/update", key, map[string]any{"filename": name, "content": page(100)})
	}
	filler := filepath.Join(folder, "filler")
	fill(t, filler)
	publish := func() (int, map[string]any) {
		return call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(30_000)})
	}
	status := 201
	for range 200 { // the database has some room of its own left
		if status, _ = publish(); status != 201 {
			break
		}
	}
	if status != 507 {
		t.Fatalf("on a full disk: %d", status)
	}
	for range 8 { // what was refused has given its room back, which is enough for a deletion; so it is taken
		fill(t, filler+time.Now().Format("150405.000000"))
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		if status, answer := call(t, s, "POST", "/v1/delete-file", key, map[string]any{"project_id": project["project_id"], "filename": name}); status != 200 {
			t.Errorf("the deletion of %s: %d %v", name, status, answer)
		}
	}
	if left, err := os.Stat(filepath.Join(folder, "data", datafolder.ReserveName)); err != nil || left.Size() != datafolder.OperatorBytes {
		t.Errorf("owners left of the reserve: %v %v", left, err)
	}
	testenv.Wait(t, datafolder.ReserveEvery, "the program looks at its disk so seldom")
	if status, answer := publish(); status != 507 || answer["error"] != "storage_full" || answer["retry_after"] == nil {
		t.Errorf("a publish into the room of the reserve: %d %v", status, answer)
	}
	for _, name := range glob(t, filler+"*") {
		expect.OK(t, os.Remove(name))
	}
	testenv.Wait(t, datafolder.ReserveEvery, "the program looks at its disk so seldom")
	if status, answer := publish(); status != 201 {
		t.Errorf("with room again: %d %v", status, answer)
	}
	if left, err := os.Stat(filepath.Join(folder, "data", datafolder.ReserveName)); err != nil || left.Size() != datafolder.ReserveBytes {
		t.Errorf("the reserve is not whole again: %v %v", left, err)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	expect.OK(t, err)
	return names
}
