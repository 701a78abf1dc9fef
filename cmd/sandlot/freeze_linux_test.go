package main

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAFrozenFileSystemLosesNoPublish: publishes that come while it lasts are answered after the thaw.
func TestAFrozenFileSystemLosesNoPublish(t *testing.T) {
	disk := testenv.Ext4(t, "loop")
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(disk, "data"))
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	want := page(2000)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": want})
	whilePublishing(t, s, key, func(begin func()) {
		thaw := testenv.Freeze(t, disk)
		begin()
		testenv.Wait(t, time.Second, "publishes come while the file system is frozen")
		thaw()
	})
	serves(t, s, first["project_id"].(string), want)
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
