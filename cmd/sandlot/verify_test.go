package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// verify runs the program on a data folder and returns its findings and its exit code.
func verify(t *testing.T, data string) (found []operate.Finding, exit int) {
	t.Helper()
	return verifyAll(t, "--data", data)
}

// verifyAll is verify of what the arguments name.
func verifyAll(t *testing.T, args ...string) (found []operate.Finding, exit int) {
	t.Helper()
	out, err := exec.Command(testenv.Binary(t), append([]string{"verify", "--json"}, args...)...).Output()
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		exit = exited.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	summed := false
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var f operate.Finding
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		if summed = f.Kind == "summary"; !summed {
			found = append(found, f)
		} else if ok := strings.Contains(lines.Text(), `"ok":true`); ok != (exit == 0) {
			t.Errorf("exit code %d with %s", exit, lines.Text())
		}
	}
	if !summed {
		t.Fatalf("no summary in\n%s\n%v", out, err)
	}
	return found, exit
}

// bigFile is content that is not kept in the database, each seed's of its own.
func bigFile(seed string) []byte { return bytes.Repeat([]byte(seed+"\x00"), 30_000) }

// blobOf finds the file under blobs that holds content.
func blobOf(t *testing.T, data string, content []byte) string {
	t.Helper()
	return blobIn(t, filepath.Join(data, "blobs"), content)
}

// blobIn finds the file in a folder that holds content.
func blobIn(t *testing.T, folder string, content []byte) string {
	t.Helper()
	found := ""
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if bytes, err := os.ReadFile(path); err == nil && string(bytes) == string(content) {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("no blob holds that: %v", err)
	}
	return found
}

// apart are the arguments by which the files are in a bucket, and where that is a folder.
func apart(t *testing.T) (args []string, blobs string) {
	t.Helper()
	bucket := testenv.S3(t)
	blobs = filepath.Join(os.Getenv("SANDLOT_TEST_S3_FOLDER"), bucket.Name, "here")
	// A file that the test removes leaves a folder, which no request would remove.
	t.Cleanup(func() { expect.OK(t, os.RemoveAll(blobs)) })
	return []string{bucketOf(bucket)}, blobs
}

// bucketOf is the argument that names a part of a bucket.
func bucketOf(b testenv.Bucket) string {
	return fmt.Sprintf("--blob-url=s3://%s/here?endpoint=%s&region=%s&path-style=true", b.Name, b.Endpoint, b.Region)
}

func TestVerifyNamesEachDamagedFile(t *testing.T) {
	t.Parallel()
	damageIsNamed(t, nil, "")
}

func TestVerifyNamesEachDamagedFileOfADatabaseAndABucket(t *testing.T) {
	t.Parallel()
	args, blobs := apart(t)
	damageIsNamed(t, append(args, "--database-url="+testenv.Postgres(t), "--redis-url="+redistest.Database(t)), blobs)
}

// damageIsNamed where everything is as the arguments say; the files are in that folder, or in the data folder.
func damageIsNamed(t *testing.T, args []string, blobs string) {
	t.Helper()
	s := testenv.Start(t, testenv.Binary(t), args...)
	args = append(args, "--data="+s.Data())
	if blobs == "" {
		blobs = filepath.Join(s.Data(), "blobs")
	}
	key := signUp(t, s)
	_, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>hi")})
	id := project["project_id"].(string)
	for _, name := range []string{"whole", "flipped", "cut", "longer", "gone"} {
		if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"filename": name + ".bin", "content": bigFile(name)}); status != http.StatusOK {
			t.Fatalf("update: %d %v", status, answer)
		}
	}
	if found, exit := verifyAll(t, args...); exit != 0 || len(found) != 0 {
		t.Fatalf("of an undamaged store: exit code %d, %v", exit, found)
	}
	path := blobIn(t, blobs, bigFile("flipped"))
	content := bigFile("flipped")
	content[len(content)/2] ^= 1
	write(t, path, content)
	write(t, blobIn(t, blobs, bigFile("cut")), bigFile("cut")[:1000])
	write(t, blobIn(t, blobs, bigFile("longer")), append(bigFile("longer"), 'x'))
	expect.OK(t, os.Remove(blobIn(t, blobs, bigFile("gone"))))
	known := filepath.Base(path)
	stray := known[:2] + strings.Repeat("0", len(known)-2)
	write(t, filepath.Join(blobs, known[:2], stray), []byte("not ours"))
	old := time.Now().Add(-48 * time.Hour)
	expect.OK(t, os.Chtimes(filepath.Join(blobs, known[:2], stray), old, old))

	found, exit := verifyAll(t, args...)
	expect.Equal(t, "exit code", exit, 1)
	got := map[string]string{}
	for _, f := range found {
		name := f.Filename
		if f.Kind == operate.FoundStray {
			name = f.Blob
		} else if string(f.Project) != id {
			t.Errorf("not told of its project: %+v", f)
		}
		got[name] += f.Kind + " " + f.Detail + ";"
	}
	for name, want := range map[string]string{
		"flipped.bin": "damaged ", "cut.bin": "damaged .*1000 bytes instead of", "longer.bin": "damaged .*bytes instead of", "gone.bin": "missing ",
		stray: "stray no record refers to it",
	} {
		before, after, _ := strings.Cut(want, ".*")
		if text := got[name]; !strings.HasPrefix(text, before) || !strings.Contains(text, after) {
			t.Errorf("%s is told as %q, want %q", name, text, want)
		}
	}
	if len(found) != 5 {
		t.Errorf("%d findings: %v", len(found), found)
	}
	out, err := exec.Command(testenv.Binary(t), append([]string{"verify"}, args...)...).CombinedOutput()
	for _, line := range []string{fmt.Sprintf("missing project=%s file=\"gone.bin\"", id), "4 damaged, 1 stray\n", "sandlot: 4 items are damaged or missing"} {
		if err == nil || !strings.Contains(string(out), line) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
}

func TestVerifyBesideWriters(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	stop := writers(t, s, 2)
	for range 3 {
		if found, exit := verify(t, s.Data()); exit != 0 || len(found) != 0 {
			t.Errorf("exit code %d, %v", exit, found)
		}
	}
	stop()
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, content, 0o600))
}

// writers publish and update, content of both kinds, until stop is called.
func writers(t *testing.T, s *testenv.Server, n int) (stop func()) {
	t.Helper()
	end, ended := make(chan struct{}), make(chan error, n)
	key := signUp(t, s)
	for i := range n {
		go func() {
			for round := 0; ; round++ {
				select {
				case <-end:
					ended <- nil
					return
				default:
				}
				if err := writeOnce(t.Context(), apiOf(s, key), fmt.Sprint(i, "-", round)); err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	return func() {
		t.Helper()
		close(end)
		for range n {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}

func writeOnce(ctx context.Context, c *client.Client, seed string) error {
	made, err := c.Publish(ctx, client.Fields{}, strings.NewReader("<p>"+seed))
	for _, f := range []struct{ name, content string }{{"big.bin", string(bigFile(seed))}, {"index.html", "<h1>" + seed}} {
		if err == nil {
			_, err = c.Update(ctx, client.Fields{ProjectID: made.ProjectID, Filename: f.name}, strings.NewReader(f.content))
		}
	}
	return err
}
