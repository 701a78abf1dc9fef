package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/storage/datafolder"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM41AFullDiskKeepsNothingOnline: the operator's commands have room of their own, which nothing that owners do can take, with
// and without a server; and then nothing new takes what is left.
func TestRegressionM41AFullDiskKeepsNothingOnline(t *testing.T) {
	t.Parallel()
	folder := mounted(t, "-t", "tmpfs", "-o", "size=32m", "tmpfs")
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(folder, "data"))
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	var ids, urls []string
	for range 3 {
		_, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(1000)})
		ids, urls = append(ids, project["project_id"].(string)), append(urls, project["url"].(string))
	}
	call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": ids[2], "filename": "a.txt", "content": page(100)})
	_, account := call(t, s, "GET", "/v1/whoami", key, nil)
	handle := "@" + account["handle"].(string)
	full := func() {
		t.Helper()
		for range 8 { // a database that is folded gives some room back
			fill(t, filepath.Join(folder, "filler"+strings.Repeat("r", len(glob(t, filepath.Join(folder, "filler*"))))))
		}
	}
	full()
	for status, n := 201, 0; status != 507; n++ { // the database has some room of its own
		if status, _ = call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(30_000)}); n > 200 {
			t.Fatalf("on a full disk: %d", status)
		}
	}
	full()
	reserved := func() int64 {
		t.Helper()
		info, err := os.Stat(filepath.Join(folder, "data", datafolder.ReserveName))
		expect.OK(t, err)
		return info.Size()
	}
	expect.Equal(t, "the reserve", reserved(), datafolder.ReserveBytes)

	call(t, s, "POST", "/v1/delete-file", key, map[string]any{"project_id": ids[2], "filename": "a.txt"})
	expect.Equal(t, "what an owner leaves of the reserve", reserved(), datafolder.OperatorBytes)
	full() // all of the room that the owner had

	admin := func(args ...string) {
		t.Helper()
		out, err := exec.Command(testenv.Binary(t), append(append([]string{"admin"}, args...), "--data", filepath.Join(folder, "data"))...).CombinedOutput()
		if err != nil {
			t.Fatalf("sandlot admin %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	admin("suspend", ids[0], "--reason", "phishing")
	awaitStatus(t, s, urls[0], http.StatusUnavailableForLegalReasons)
	expect.Equal(t, "what is left of the reserve", reserved(), 0)
	full() // all of the room that it had
	if status, _ := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(30_000)}); status != 507 {
		t.Errorf("a publish into the room of the reserve: %d", status)
	}

	for _, name := range glob(t, filepath.Join(folder, "filler*")) {
		expect.OK(t, os.Remove(name))
	}
	testenv.Eventually(t, fivefold*datafolder.ReserveEvery, "a reserve that is whole again", func() bool {
		status, _ := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(1000)})
		return status == 201 && reserved() == datafolder.ReserveBytes
	})
	s.Stop(t)
	full()
	admin("new-key", handle, "--revoke")
	admin("delete", ids[1], "--reason", "phishing")
	admin("suspend", handle, "--reason", "phishing")
}
