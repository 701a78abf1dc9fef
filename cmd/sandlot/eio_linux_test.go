package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/testenv"
)

// status asks for a path of the server itself.
func status(t *testing.T, s *testenv.Server, path string) int {
	t.Helper()
	code, _ := open(t, s, s.URL()+path)
	return code
}

// count is how many projects a key has.
func count(t *testing.T, s *testenv.Server, key string) int {
	t.Helper()
	code, who := call(t, s, "GET", "/v1/whoami", key, nil)
	if code != 200 {
		t.Fatalf("whoami: %d %v", code, who)
	}
	return len(who["projects"].([]any))
}

// serves fails the test unless the project has these bytes.
func serves(t *testing.T, s *testenv.Server, id string, want []byte) {
	t.Helper()
	if code, body := open(t, s, "http://"+id+".localhost/"); code != 200 || !bytes.Equal(body, want) {
		t.Errorf("%s is %d with %d bytes", id, code, len(body))
	}
}

// walFault attaches strace so that a call fails on the database's log.
func walFault(t *testing.T, s *testenv.Server, calls string) *tracer {
	return attach(t, s, "-P", filepath.Join(s.Data(), "sandlot.db-wal"), "-e", "trace="+calls, "-e", "inject="+calls+":error=EIO")
}

// TestFault08FailedSyncOfTheLog: after it nothing more is acknowledged, however often it is tried and though later syncs would succeed;
// reads go on, readiness is red, and a new process knows again what is there.
func TestFault08FailedSyncOfTheLog(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]func(*testenv.Server){
		"stopped": func(s *testenv.Server) { s.Stop(t) },
		"killed":  func(s *testenv.Server) { s.Kill(t) },
	} {
		t.Run("and then "+name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			before, lost := page(2000), page(3000)
			_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": before})
			id := first["project_id"].(string)

			tr := walFault(t, s, "fsync,fdatasync")
			if code, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": lost}); code < 500 {
				t.Errorf("with a sync that failed: %d %v", code, answer)
			}
			tr.detach()
			for path, fields := range map[string]map[string]any{
				"/v1/publish": {"content": lost}, "/v1/update": {"project_id": id, "filename": "index.html", "content": lost},
				"/v1/delete-file": {"project_id": id, "filename": "x.css"}, "/v1/signup": {},
			} {
				if code, answer := call(t, s, "POST", path, key, fields); code != 503 && path != "/v1/delete-file" || code < 400 {
					t.Errorf("later, %s: %d %v", path, code, answer["error"])
				}
			}
			serves(t, s, id, before)
			if ready, alive := status(t, s, "/readyz"), status(t, s, "/healthz"); ready != 503 || alive != 200 {
				t.Errorf("readiness %d, liveness %d", ready, alive)
			}
			restart(s)
			s.Restart(t)
			serves(t, s, id, before)
			if n := count(t, s, key); n > 2 {
				t.Errorf("%d projects after one publish that was acknowledged and one that may be there", n)
			}
			if code, answer := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": lost}); code != 201 || status(t, s, "/readyz") != 200 {
				t.Errorf("after a restart: %d %v", code, answer)
			}
		})
	}
}

// TestFault09FailedSteps, and row 7 for quotas: a step of storing that fails is a 5xx, the old version is served, nothing is left, and the next try works.
func TestFault09FailedSteps(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	old := page(100_000)
	_, first := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": old})
	id := first["project_id"].(string)
	wal := []string{"-P", filepath.Join(s.Data(), "sandlot.db-wal")}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"rename", []string{"-e", "inject=rename,renameat,renameat2:error=EIO"}},
		{"sync of the folder", append(folders(t, s), "-e", "inject=fsync,fdatasync:error=EIO")},
		{"short write to the log", append(wal[:2:2], "-e", "inject=pwrite64:retval=0")},
		{"write to the log", append(wal[:2:2], "-e", "inject=pwrite64:error=EIO")},
		{"quota, at the log", append(wal[:2:2], "-e", "inject=pwrite64:error=EDQUOT")},
		{"quota, at a blob", []string{"-P", filepath.Join(s.Data(), "blobs", "tmp"), "-e", "inject=openat:error=EDQUOT"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := page(200_000)
			fields := map[string]any{"project_id": id, "filename": "index.html", "content": next}
			tr := attach(t, s, c.args...)
			code, answer := call(t, s, "POST", "/v1/update", key, fields)
			tr.detach()
			if code < 500 {
				t.Errorf("%d %v", code, answer)
			}
			serves(t, s, id, old)
			if left, _ := filepath.Glob(filepath.Join(s.Data(), "blobs/tmp/*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if code, answer = call(t, s, "POST", "/v1/update", key, fields); code != 200 {
				t.Fatalf("with a disk that works: %d %v", code, answer)
			}
			serves(t, s, id, next)
			if code, answer = call(t, s, "POST", "/v1/update", key, map[string]any{"project_id": id, "filename": "index.html", "content": old}); code != 200 {
				t.Fatalf("back to the old bytes: %d %v", code, answer)
			}
		})
	}
}

// folders limits strace to the folders of blobs.
func folders(t *testing.T, s *testenv.Server) (args []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Data(), "blobs"))
	if err != nil || len(entries) < 257 {
		t.Fatalf("%d folders, %v", len(entries), err)
	}
	for _, e := range entries {
		args = append(args, "-P", filepath.Join(s.Data(), "blobs", e.Name()))
	}
	return args
}
