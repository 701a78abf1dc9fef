package main

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// apiOf is the API of a server, called with a key or with none.
func apiOf(s *testenv.Server, key string) *client.Client {
	return &client.Client{Base: &url.URL{Scheme: "http", Host: s.Addr()}, Key: key, HTTP: s.Client()}
}

// call sends a request and returns the status and the fields of the answer.
func call(t *testing.T, s *testenv.Server, method, path, key string, fields map[string]any) (int, map[string]any) {
	t.Helper()
	r := from(t, s, "", method, path, key, fields)
	return r.StatusCode, r.body
}

// open gets a project's address, or a file under it.
func open(t *testing.T, s *testenv.Server, url string) (int, []byte) {
	t.Helper()
	resp, err := s.Client().Get(url)
	expect.OK(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return resp.StatusCode, body
}

// page is an HTML document of about that many bytes that does not compress.
func page(size int) []byte {
	b := append([]byte("<!doctype html><title>Big</title>"), make([]byte, size)...)
	_, _ = (&pattern{}).Read(b[33:])
	return b
}

// TestFullDisk: a full disk answers 507 storage_full, reads go on, and it recovers without a restart.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Logf("mount: %v %s", err, out)
		testenv.Skip(t, "mounting a small file system (root)")
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	s := testenv.Start(t, testenv.Binary(t), "--data", filepath.Join(disk, "data"))
	t.Cleanup(func() { s.Kill(t) })
	key := signUp(t, s)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(100_000), "title": "first"})

	for name, size := range map[string]int{"files": 1 << 20, "records": 30_000} {
		t.Run(name, func(t *testing.T) {
			filler := filepath.Join(disk, "filler")
			fill(t, filler)
			var status int
			var answer map[string]any
			for range 200 { // the database has some room of its own left
				if status, answer = call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(size)}); status != 201 {
					break
				}
			}
			if status != 507 || answer["error"] != "storage_full" {
				t.Errorf("on a full disk: %d %v", status, answer["error"])
			}
			if status, body := open(t, s, first["url"].(string)); status != 200 || len(body) < 100_000 {
				t.Errorf("reads do not go on: %d, %d bytes", status, len(body))
			}
			expect.OK(t, os.Remove(filler))
			if status, answer = call(t, s, "POST", "/v1/publish", key, map[string]any{"content": page(size)}); status != 201 {
				t.Errorf("with room again: %d %v", status, answer)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(disk, "data/blobs/tmp/*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// fill writes until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	expect.OK(t, err)
	defer f.Close()
	for block := make([]byte, 1<<16); len(block) > 0; block = block[:len(block)/2] {
		for {
			if _, err := f.Write(block); err != nil {
				break
			}
		}
	}
}

// TestDamagedDatabase: it is one clear sentence and a failure, and nothing is overwritten.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	signUp(t, s)
	if code := s.Stop(t); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	file := filepath.Join(s.Data(), "sandlot.db")
	data, err := os.ReadFile(file)
	expect.OK(t, err)
	for name, damage := range map[string]func([]byte){
		"the header":      func(b []byte) { copy(b, "not a database at all") },
		"the first table": func(b []byte) { clear(b[100:8192]) },
	} {
		t.Run(name, func(t *testing.T) {
			bad := bytes.Clone(data)
			damage(bad)
			expect.OK(t, os.WriteFile(file, bad, 0o600))
			out, err := exec.Command(testenv.Binary(t), "serve", "--listen", "127.0.0.1:0", "--data", s.Data()).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "sandlot.db") || strings.Count(strings.TrimSpace(string(out)), "\n") > 0 {
				t.Errorf("it ended with %v, saying %s", err, out)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, bad) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}
