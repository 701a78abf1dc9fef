package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// kills is how often a test kills. The soak kills 300 times, in each migration and at each point.
const kills = 10

func TestTenKills(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	sample(t, config{Plain: testenv.Binary(t), Tagged: testenv.Instrumented(t)})
}

// TestTenKillsOnTheFullSet: PostgreSQL, a bucket and Redis keep everything, and the data folder is empty at each start.
func TestTenKillsOnTheFullSet(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s3, _ := testenv.StartS3(t)
	all := &servers{Postgres: testenv.Postgres(t), S3: s3.URL(), Folder: s3.Folder(), Redis: redistest.Database(t)}
	sample(t, config{Plain: testenv.Binary(t), Tagged: testenv.Instrumented(t), Servers: all})
}

func sample(t *testing.T, cfg config) {
	t.Helper()
	var out bytes.Buffer
	cfg.Sample, cfg.Kills, cfg.Workers, cfg.Seed, cfg.Out = true, kills, 8, testenv.Seed(t), &out
	cfg.Dir = testenv.MemoryDir(t) // a kill leaves the system's cache alone
	err := run(t.Context(), cfg)
	t.Log("\n" + out.String())
	if err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // there is little to keep, and much that is compared and dropped
	os.Exit(m.Run())
}

// worked is an epoch whose workers have done some things, its program killed.
func worked(t *testing.T) *epoch {
	t.Helper()
	e, err := newEpoch(t.Context(),
		config{Workers: 2, Seed: 7, Dir: testenv.MemoryDir(t), Plain: testenv.Binary(t), Tagged: testenv.Instrumented(t)}, newCounts())
	if err != nil {
		t.Fatal(err)
	}
	more(t, e, 30)
	return e
}

// more lets each worker take so many steps.
func more(t *testing.T, e *epoch, steps int) {
	t.Helper()
	p, err := e.start(t.Context(), e.Plain)
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	c := newClient(p.addr, e.keys)
	defer c.close()
	if err := e.each(func(w *worker) error { return w.work(c, steps) }); err != nil {
		t.Fatal(err)
	}
}

// TestSoakTheCheckerNotices: what a crash must not do is done on purpose, and the run
// must end badly, for the reason given.
func TestSoakTheCheckerNotices(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(t *testing.T, e *epoch)
		says string
	}{
		{"acknowledged changes that are lost", loseChanges, "not"},
		{"a file's bytes that are damaged", damageBlob, "serves 500"},
		{"a change that happened twice", changeAgain, "it shows"},
		{"an account that was made twice", signUpAgain, "the database has accounts"},
		{"a key in a log", func(t *testing.T, e *epoch) {
			for _, key := range e.keys.keys {
				appendTo(t, e.log, "time=now msg=oops key="+key[2:30])
			}
		}, "holds a key"},
		{"what the ledger does not say", func(t *testing.T, e *epoch) {
			e.workers[0].shard.Ops++
		}, "differs from the ledger"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := worked(t)
			c.harm(t, e)
			for _, w := range e.workers {
				w.since = 0
			}
			if err := e.finish(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// loseChanges puts an earlier state of the records back.
func loseChanges(t *testing.T, e *epoch) {
	saved := filepath.Join(e.dir, "saved")
	if err := os.CopyFS(saved, os.DirFS(e.data)); err != nil {
		t.Fatal(err)
	}
	more(t, e, 30)
	if err := os.RemoveAll(e.data); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(saved, e.data); err != nil {
		t.Fatal(err)
	}
}

// unrecorded sends an operation that the ledger does not know.
func unrecorded(t *testing.T, e *epoch, s *shard, o *op) {
	t.Helper()
	p, err := e.start(t.Context(), e.Plain)
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	c := newClient(p.addr, e.keys)
	defer c.close()
	if a, err := c.send(s, o, 0); err != nil || a.Status >= 300 {
		t.Fatal(a, err)
	}
}

func signUpAgain(t *testing.T, e *epoch) {
	unrecorded(t, e, e.workers[0].shard, &op{Kind: signup, Account: -1, Email: "me@example.com"})
}

// changeAgain does what a retry without memory would.
func changeAgain(t *testing.T, e *epoch) {
	for _, w := range e.workers {
		for i, a := range w.shard.Accounts {
			if len(a.Projects) == 0 {
				continue
			}
			unrecorded(t, e, w.shard, &op{Kind: update, Account: i, Filename: primary, Content: content{Size: 100, HTML: true}})
			return
		}
	}
	t.Fatal("no project to change")
}

// damageBlob flips a bit of every blob.
func damageBlob(t *testing.T, e *epoch) {
	list, err := filepath.Glob(filepath.Join(e.data, "blobs", "??", "*"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no blobs: %v", err)
	}
	for _, path := range list {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = joinClose(err, f)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func joinClose(err error, f *os.File) error {
	if cerr := f.Close(); err == nil {
		return cerr
	}
	return err
}

func TestASeedDrawsTheSame(t *testing.T) {
	draw := func() (list []*op) {
		d := &drawer{random: rand.New(rand.NewPCG(1, 2)), run: "x"}
		s := &shard{}
		for range 200 {
			o := d.next(s)
			list = append(list, o)
			s.apply(record{Intent: o})
			s.apply(record{Ack: &ack{}})
		}
		return list
	}
	if !reflect.DeepEqual(draw(), draw()) {
		t.Error("two runs drew other operations")
	}
}
