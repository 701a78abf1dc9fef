package main

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// backupTo runs the program beside the server.
func backupTo(t *testing.T, data, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.Command(testenv.Binary(t), append([]string{"backup", dir, "--data", data}, args...)...).CombinedOutput()
	return string(out), err
}

// whole fails the test unless dir is a data folder on which a server runs, with a
// project as it was published, with its pictures, and a key that works.
func whole(t *testing.T, dir, id, key string, content []byte, pictures ...pictureMade) {
	t.Helper()
	if found, exit := verify(t, dir); exit != 0 || len(found) != 0 {
		t.Errorf("exit code %d, %v", exit, found)
	}
	s := testenv.Start(t, testenv.Binary(t), "--data", dir)
	defer s.Kill(t)
	resp, err := s.Client().Get("http://" + id + ".localhost/big.bin")
	expect.OK(t, err)
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || string(got) != string(content) {
		t.Errorf("the copy answers %d with %d bytes, %v", resp.StatusCode, len(got), err)
	}
	for _, p := range pictures {
		if status, got := open(t, s, p.url); status != http.StatusOK || !bytes.Equal(got, p.bytes) {
			t.Errorf("%s in the copy: %d with %d bytes, and it has %d", p.url, status, len(got), len(p.bytes))
		}
	}
	if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "new.txt", "content": []byte("more")}); status != http.StatusOK {
		t.Errorf("an update of the copy: %d %v", status, answer)
	}
}

// withBig publishes a project with a file that is not in the database.
func withBig(t *testing.T, s *testenv.Server, key string) (id string) {
	t.Helper()
	_, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>hi")})
	id, _ = project["project_id"].(string)
	if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "big.bin", "content": bigFile("before")}); status != http.StatusOK {
		t.Fatalf("update: %d %v", status, answer)
	}
	return id
}

// A pictureMade is one in one of its widths.
type pictureMade struct {
	url   string
	bytes []byte
}

// withCover gives a project a file that its cover is made of, and returns the cover in all widths.
func withCover(t *testing.T, s *testenv.Server, key, id string) (all []pictureMade) {
	t.Helper()
	img, next := image.NewGray(image.Rect(0, 0, 640, 360)), uint32(1)
	for i := range img.Pix { // which no format makes small
		next = next*1_664_525 + 1_013_904_223
		img.Pix[i] = byte(next >> 24)
	}
	var sent bytes.Buffer
	expect.OK(t, jpeg.Encode(&sent, img, nil))
	if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "cover.jpg", "content": sent.Bytes()}); status != http.StatusOK {
		t.Fatalf("update: %d %v", status, answer)
	}
	var found [][]byte
	testenv.Eventually(t, time.Minute, "the cover", func() bool {
		_, page := open(t, s, "http://localhost/p/"+id)
		found = regexp.MustCompile(`/i/([a-z0-9]+)-[0-9]+(\.(?:png|jpg))`).FindSubmatch(page)
		return found != nil
	})
	for _, width := range []string{"1280", "640", "320"} {
		url := fmt.Sprintf("http://localhost/i/%s-%s%s", found[1], width, found[2])
		status, made := open(t, s, url)
		expect.Equal(t, "status of "+url, status, http.StatusOK)
		all = append(all, pictureMade{url, made})
	}
	return all
}

func TestABackupBesideWritersIsWhole(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	id := withBig(t, s, key)
	cover := withCover(t, s, key, id)
	stop := writers(t, s, 2)
	dirs := map[string][]string{"linked": nil, "copied": {"--copy"}}
	for name, args := range dirs {
		dir := filepath.Join(t.TempDir(), name)
		if out, err := backupTo(t, s.Data(), dir, args...); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		before, err := os.Stat(blobOf(t, s.Data(), bigFile("before")))
		expect.OK(t, err)
		after, err := os.Stat(blobOf(t, dir, bigFile("before")))
		if err != nil || os.SameFile(before, after) != (name == "linked") {
			t.Errorf("%s: one file under two names is %v, %v", name, os.SameFile(before, after), err)
		}
		whole(t, dir, id, key, bigFile("before"), cover...)
		if out, err := backupTo(t, s.Data(), dir); err == nil || !strings.Contains(out, "is not empty; nothing was written") {
			t.Errorf("into a folder that is not empty: %v\n%s", err, out)
		}
	}
	stop()
	if found, exit := verify(t, s.Data()); exit != 0 {
		t.Errorf("the original, after all of that: %v", found)
	}
}

func TestABackupOfDamagedDataIsMadeAndTold(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	id := withBig(t, s, key)
	call(t, s, "POST", "/v1/update", key, map[string]any{"filename": "lost.bin", "content": bigFile("lost")})
	expect.OK(t, os.Remove(blobOf(t, s.Data(), bigFile("lost"))))
	dir := filepath.Join(t.TempDir(), "backup")
	out, err := backupTo(t, s.Data(), dir)
	if err == nil || !strings.Contains(out, "missing project="+id+` file="lost.bin"`) || !strings.Contains(out, "is complete, but of its data 1 item is damaged") {
		t.Errorf("%v\n%s", err, out)
	}
	if found, exit := verify(t, dir); exit != 1 || len(found) != 1 || found[0].Filename != "lost.bin" {
		t.Errorf("exit code %d, %v", exit, found)
	}
}

func TestABackupOfNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "backup")
	out, err := backupTo(t, filepath.Join(t.TempDir(), "none"), dir)
	if err == nil || !strings.Contains(out, "is not a Sandlot data folder") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, left := range []string{dir, dir + partial} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("it made %s", left)
		}
	}
}
