package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// backupOf runs the program beside nodes that keep everything where the arguments say.
func backupOf(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.Command(testenv.Binary(t), append([]string{"backup", dir}, args...)...).CombinedOutput()
	return string(out), err
}

// known is what was acknowledged until now.
func (l *ledger) known() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &ledger{pages: maps.Clone(l.pages)}
}

// filling has writers publish until the function it returns is called.
func (l *ledger) filling(t *testing.T, s *testenv.Server, key string, n int) (stop func()) {
	t.Helper()
	ended := make(chan error, n)
	c := apiOf(s, key)
	for i := range n {
		go func() { ended <- l.fill(t, c, fmt.Sprint("writer ", i)) }()
	}
	return func() {
		t.Helper()
		s.Kill(t) // which they see as a refusal
		for range n {
			<-ended
		}
	}
}

// TestSoakABackupOfNodesIsOneMomentOfThem: a folder that a server starts on, with all that was acknowledged before, and that moves back to
// where nodes are.
func TestSoakABackupOfNodesIsOneMomentOfThem(t *testing.T) {
	t.Parallel()
	set := fullSet(t)
	nodes := []*testenv.Server{testenv.Start(t, testenv.Binary(t), set...), testenv.Start(t, testenv.Binary(t), set...)}
	key := signUp(t, nodes[0])
	kept := ledger{pages: map[string]string{}}
	large := string(page(3 << 20))
	_, made := call(t, nodes[0], "POST", "/v1/publish", key, map[string]any{"content": []byte(large)})
	id, _ := made["project_id"].(string)
	kept.pages[id+"/"] = large
	first, second := kept.filling(t, nodes[0], key, 2), kept.filling(t, nodes[1], key, 1)
	dir := filepath.Join(t.TempDir(), "backup")
	for _, after := range []time.Duration{5, 60, 150, 300, 600} {
		cmd := exec.Command(testenv.Binary(t), append([]string{"backup", dir}, set...)...)
		expect.OK(t, cmd.Start())
		testenv.Wait(t, after*time.Millisecond, "the process is killed at any point of its work")
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(dir); err == nil { // it was faster
			expect.OK(t, os.RemoveAll(dir))
		}
	}
	testenv.Eventually(t, time.Minute, "enough is published that a backup could miss", func() bool { return len(kept.known().pages) >= 10 })
	before := kept.known()
	if out, err := backupOf(t, dir, set...); err != nil || !strings.Contains(out, "all verified") {
		t.Fatalf("%v\n%s", err, out)
	}
	first()
	second()
	if _, err := os.Stat(dir + partial); err == nil {
		t.Error("the leftovers are still there")
	}
	if found, exit := verify(t, dir); exit != 0 || len(found) != 0 {
		t.Errorf("exit code %d, %v", exit, found)
	}

	again := fullSet(t)
	copied := filepath.Join(t.TempDir(), "copied")
	expect.OK(t, os.CopyFS(copied, os.DirFS(dir)))
	if out, exit := move(t, append([]string{"--from", copied}, prefixed("to", again)...)...); exit != 0 {
		t.Fatalf("exit code %d\n%s", exit, out)
	}
	for name, args := range map[string][]string{"embedded": {"--data", dir}, "moved back to nodes": again} {
		t.Run(name, func(t *testing.T) {
			s := testenv.Start(t, testenv.Binary(t), args...)
			before.held(t, s)
			if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "new.txt", "content": []byte("more")}); status != http.StatusOK {
				t.Errorf("an update: %d %v", status, answer)
			}
			if status, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte("<p>new")}); status != http.StatusCreated {
				t.Errorf("a publish: %d %v", status, answer)
			}
		})
	}
}

func TestABackupOfOnePartElsewhere(t *testing.T) {
	t.Parallel()
	bucket, _ := apart(t)
	for name, args := range map[string][]string{"SQLite and a bucket": bucket, "PostgreSQL and a folder": {"--database-url=" + testenv.Postgres(t)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t), args...)
			key := signUp(t, s)
			id := withBig(t, s, key)
			stop := writers(t, s, 1)
			dir := filepath.Join(t.TempDir(), "backup")
			out, err := backupOf(t, dir, append(args, "--data="+s.Data())...)
			stop()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			whole(t, dir, id, key, bigFile("before"))
		})
	}
}

func TestABackupOfADamagedBucketIsMadeAndTold(t *testing.T) {
	t.Parallel()
	args, blobs := apart(t)
	args = append(args, "--database-url="+testenv.Postgres(t))
	s := testenv.Start(t, testenv.Binary(t), args...)
	key := signUp(t, s)
	id := withBig(t, s, key)
	for _, name := range []string{"lost", "flipped"} {
		call(t, s, "POST", "/v1/update", key, map[string]any{"filename": name + ".bin", "content": bigFile(name)})
	}
	expect.OK(t, os.Remove(blobIn(t, blobs, bigFile("lost"))))
	other := bigFile("flipped")
	other[len(other)/2] ^= 1
	write(t, blobIn(t, blobs, bigFile("flipped")), other)
	dir := filepath.Join(t.TempDir(), "backup")
	out, err := backupOf(t, dir, args...)
	for _, says := range []string{"missing project=" + id + ` file="lost.bin"`, "missing project=" + id + ` file="flipped.bin"`, "is complete, but of its data 2 items are damaged"} {
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%q is not in\n%s", says, out)
		}
	}
	if status, got := open(t, testenv.Start(t, testenv.Binary(t), "--data", dir), "http://"+id+".localhost/big.bin"); status != http.StatusOK || string(got) != string(bigFile("before")) {
		t.Errorf("a file that is whole: %d with %d bytes", status, len(got))
	}
}

// TestABackupOfWhatDoesNotBelongTogetherIsRefused, and leaves nothing.
func TestABackupOfWhatDoesNotBelongTogetherIsRefused(t *testing.T) {
	t.Parallel()
	mine, other := fullSet(t), fullSet(t)
	for _, set := range [][]string{mine, other} {
		s := testenv.Start(t, testenv.Binary(t), set...)
		withBig(t, s, signUp(t, s))
		s.Stop(t)
	}
	unreachable := "postgres://me:hunter2@127.0.0.1:1/sandlot"
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"another's bucket":       {[]string{mine[0], mine[1], other[2], other[3]}, "not the bucket of this instance"},
		"no database":            {[]string{"--database-url", unreachable, mine[2], mine[3]}, "127.0.0.1:1"},
		"no address":             {[]string{"--database-url", "mysql://me:hunter2@h/x", mine[2], mine[3]}, "--database-url"},
		"a database without any": {[]string{"--database-url", testenv.Postgres(t), mine[2], mine[3]}, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusesBackup(t, c.says, c.args...)
		})
	}
	t.Run("verify, of another's bucket", func(t *testing.T) {
		t.Parallel()
		text, err := exec.CommandContext(t.Context(), testenv.Binary(t), "verify", "--data", t.TempDir(), mine[0], mine[1], other[2], other[3]).CombinedOutput()
		if err == nil || !strings.Contains(string(text), "not the bucket of this instance") || strings.Contains(string(text), "missing project") {
			t.Errorf("%v, %s", err, text)
		}
	})
}

// refusesBackup fails the test unless a backup is refused with these words, shows no password, and leaves nothing.
func refusesBackup(t *testing.T, says string, args ...string) {
	t.Helper()
	data := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	text, err := exec.CommandContext(ctx, testenv.Binary(t), append([]string{"backup", filepath.Join(data, "copy"), "--data", data}, args...)...).CombinedOutput()
	if err == nil || !strings.Contains(string(text), says) || strings.Contains(string(text), "hunter2") {
		t.Errorf("%v, %s", err, text)
	}
	if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestABackupHasWhatACollectorTakesWhenTheRecordsAreCopied(t *testing.T) {
	t.Parallel()
	bucket, _ := apart(t)
	for name, args := range map[string][]string{"of a folder": nil, "of nodes": append(bucket, "--database-url="+testenv.Postgres(t))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t), args...)
			withBig(t, s, signUp(t, s))
			s.Stop(t)
			b := &backup{from: storage{Data: s.Data()}, tmp: t.TempDir(), out: io.Discard}
			for _, arg := range args {
				_, value, _ := strings.Cut(arg, "=")
				if strings.HasPrefix(arg, "--blob") {
					b.from.BlobURL = value
				} else {
					b.from.DatabaseURL = value
				}
			}
			db, err := b.from.records(t.Context())
			expect.OK(t, err)
			defer func() { expect.OK(t, db.Close()) }()
			from, err := b.from.existing(t.Context(), db)
			expect.OK(t, err)
			defer func() { expect.OK(t, from.Close()) }()
			to, err := blob.OpenDisk(filepath.Join(b.tmp, blobsName), blob.Options{})
			expect.OK(t, err)
			defer func() { expect.OK(t, to.Close()) }()
			take := b.taking(from, to)
			expect.OK(t, b.copy(t.Context(), db, to, func(ctx context.Context, of sandlot.Blob) error {
				if _, err := os.Stat(filepath.Join(b.tmp, databaseName+partial)); err == nil {
					return nil // a collector has taken all of them
				}
				return take(ctx, of)
			}))
			if b.seen.Damaged != 0 || b.seen.Blobs == 0 {
				t.Errorf("%+v", b.seen)
			}
		})
	}
}
