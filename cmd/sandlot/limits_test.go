package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/storage/datafolder"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestTheDiskLimitIsForPublicInstances(t *testing.T) {
	for base, want := range map[string]int{"http://localhost:8080": 100, "http://192.168.0.2": 100, "https://play.example.com": diskLimit} {
		s := settings{BaseURL: base, ContentHost: "none", PathForm: "on"}
		places, err := s.places("127.0.0.1:8080")
		expect.OK(t, err)
		if got := (limitSettings{}).diskPercent(places); got != want {
			t.Errorf("%s: the limit is %d", base, got)
		}
		if got := (limitSettings{DiskLimit: new(70)}).diskPercent(places); got != 70 {
			t.Errorf("%s: the limit of the operator is %d", base, got)
		}
	}
}

// TestANearlyFullDisk of the real program: reads and deletes go on.
func TestANearlyFullDisk(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", folder).CombinedOutput(); err != nil {
		t.Logf("mount: %v %s", err, out)
		testenv.Skip(t, "mounting a small file system (root)")
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", folder).Run() })
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(folder, "data"), "--disk-limit", "50")
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	_, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(1000)})
	call(t, s, "POST", "/v1/update", key, map[string]any{"filename": "a.txt", "content": page(100)})
	filler := filepath.Join(folder, "filler")
	expect.OK(t, os.WriteFile(filler, []byte(strings.Repeat("x", 20<<20)), 0o600))
	testenv.Wait(t, datafolder.DiskEvery, "the program looks at its disk so seldom")
	if status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(100)}); status != 507 || answer["error"] != "storage_full" || answer["retry_after"] == nil {
		t.Errorf("a publish: %d %v", status, answer)
	}
	if status, _ := open(t, s, project["url"].(string)); status != 200 {
		t.Errorf("a read: %d", status)
	}
	if status, answer := call(t, s, "POST", "/v1/delete-file", key, map[string]any{"project_id": project["project_id"], "filename": "a.txt"}); status != 200 {
		t.Errorf("a delete: %d %v", status, answer)
	}
	expect.OK(t, os.Remove(filler))
	testenv.Wait(t, datafolder.DiskEvery, "the program looks at its disk so seldom")
	if status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(100)}); status != 201 {
		t.Errorf("with room again: %d %v", status, answer)
	}
}

func TestQuotasAndOpeningOfTheProgram(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--publish", "keyed", "--account-projects", "1")
	if status, answer := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": page(100), "email": "me@example.com"}); status != 403 || answer["error"] != "publish_closed" || answer["hint"] == "" {
		t.Errorf("without a key: %d %v", status, answer)
	}
	if status, answer := call(t, s, "POST", "/v1/signup", "", map[string]any{}); status != 403 || answer["error"] != "publish_closed" {
		t.Errorf("a signup: %d %v", status, answer)
	}
}
