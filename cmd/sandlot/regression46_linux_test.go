package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression46AFrozenFileSystemHoldsUpNoRead freezes the file system right after a commit, while more are to come. These wait for
// the thaw; what reads, from memory or from the disk, does not. Garbage is collected all the time: one thread that cannot be stopped
// would stop all.
func TestRegression46AFrozenFileSystemHoldsUpNoRead(t *testing.T) {
	t.Setenv("GOGC", "1")
	disk := testenv.Ext4(t, "loop")
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(disk, "data"), "--metrics-listen", "127.0.0.1:0")
	t.Cleanup(func() { s.Kill(t) })
	private := regexp.MustCompile(`msg=metrics addr=(\S+)`).FindStringSubmatch(s.Logs())
	if private == nil {
		t.Fatalf("the log does not tell where the metrics are:\n%s", s.Logs())
	}
	key := signUp(t, s)
	want := page(2000)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
	id := first["project_id"].(string)
	served(t, s, id)
	for round := 0; round < 4 && !t.Failed(); round++ {
		call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
		inTime := false
		whilePublishing(t, s, key, func(begin func()) {
			thaw := testenv.Freeze(t, disk)
			defer func() { inTime = thaw() }()
			begin()
			for range 10 {
				resp, err := http.Get("http://" + private[1] + "/healthz")
				expect.OK(t, err)
				resp.Body.Close()
				if alive := status(t, s, "/healthz"); alive != 200 || resp.StatusCode != 200 {
					t.Errorf("health is %d, and %d by itself", alive, resp.StatusCode)
				}
				serves(t, s, id, want)
				count(t, s, key)
			}
		})
		if !inTime {
			t.Errorf("freeze %d held up what reads until the thaw", round)
		}
	}
}

// whilePublishing runs do, and from begin on until it ends four clients publish one thing after another, each of which is to be
// answered with success.
func whilePublishing(t *testing.T, s *testenv.Server, key string, do func(begin func())) {
	t.Helper()
	c, content := apiOf(s, key), page(2000)
	publish := func() bool {
		_, err := c.Publish(t.Context(), client.Fields{}, bytes.NewReader(content))
		expect.Is(t, "a publish", err, nil)
		return err == nil
	}
	var clients sync.WaitGroup
	ended := make(chan struct{})
	defer clients.Wait()
	defer close(ended)
	do(func() {
		for range 4 {
			clients.Go(func() {
				for publish() {
					select {
					case <-ended:
						return
					default:
					}
				}
			})
		}
	})
}
