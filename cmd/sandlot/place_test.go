package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/storage/datafolder"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegression09FilesUnderTheServiceAreNotSwappedUnseen(t *testing.T) {
	t.Parallel()
	bin := testenv.Binary(t)
	t.Run("the folder of blobs, renamed or replaced", func(t *testing.T) {
		t.Parallel()
		s := testenv.Start(t, bin)
		key := signUp(t, s)
		blobs := filepath.Join(s.Data(), "blobs")
		publish := func() int {
			t.Helper()
			status, _ := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(100_000)})
			return status
		}
		if got := publish(); got != 201 {
			t.Fatalf("before: %d", got)
		}
		rename(t, blobs, blobs+".old")
		expect.Equal(t, "renamed", publish(), 503)
		expect.OK(t, os.Mkdir(blobs, 0o700))
		expect.Equal(t, "replaced", publish(), 503)
		expect.OK(t, os.Remove(blobs))
		rename(t, blobs+".old", blobs)
		expect.Equal(t, "back again", publish(), 201)
	})
	t.Run("a lock that was removed, or replaced, lets no second server start", func(t *testing.T) {
		t.Parallel()
		s := testenv.Start(t, bin)
		// A server that starts although it must not is ended.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		lock := filepath.Join(s.Data(), datafolder.LockName)
		for what, do := range map[string]func() error{
			"as it is": func() error { return nil },
			"removed":  func() error { return os.Remove(lock) },
			"replaced": func() error { return errors.Join(os.RemoveAll(lock), os.WriteFile(lock, nil, 0o600)) },
		} {
			expect.OK(t, do())
			out, err := exec.CommandContext(ctx, bin, "serve", "--data", s.Data(), "--listen", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "another sandlot is using data folder") {
				t.Errorf("%s: %v\n%s", what, err, out)
			}
		}
		// What opens the folder beside the server still does.
		if out, err := exec.CommandContext(t.Context(), bin, "verify", "--data", s.Data()).CombinedOutput(); err != nil {
			t.Errorf("verify: %v\n%s", err, out)
		}
		backup := filepath.Join(t.TempDir(), "backup")
		if out, err := exec.CommandContext(t.Context(), bin, "backup", "--data", s.Data(), backup).CombinedOutput(); err != nil {
			t.Errorf("backup: %v\n%s", err, out)
		}
		s.Restart(t) // nothing of the one before is left
	})
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	expect.OK(t, os.Rename(from, to))
}
