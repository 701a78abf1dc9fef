package model_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"sandlot/internal/blob"
	"sandlot/internal/blob/crashfs"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/sqlstore"
	"sandlot/internal/testenv"
)

// machine is the real thing, beside the model that it is compared with.
type machine struct {
	state
	dir string // of all machines of this test

	path string // of the database
	db   *sqlstore.DB
	fs   *crashfs.FS
	disk *blob.Disk
	*publish.Service
	*publish.Authenticator
	random io.Reader
	latest time.Time // the latest that the clock has shown

	cut    bool       // the power may go in the middle of a call
	recent []partCall // to be sent again

	kept     []kept
	onceKeys int // drawn so far
}

// recentCalls is how many calls are remembered, to be sent again.
const recentCalls = 6

// newMachine is one on an empty database, which lay makes.
func newMachine(t *rapid.T, dir string, lay func(path string)) *machine {
	m := &machine{dir: dir, random: rand.NewChaCha8([32]byte{1})}
	m.uploads = map[string]*upload{}
	m.now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	m.latest = m.now
	m.fs = crashfs.New(func() time.Time { return m.now })
	m.path = filepath.Join(m.folder(t), "sandlot.db")
	lay(m.path)
	m.open(t)
	t.Cleanup(func() {
		if err := m.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// folder makes a new folder, which goes with the machine.
func (m *machine) folder(t *rapid.T) string {
	dir, err := os.MkdirTemp(m.dir, "machine")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// open starts the Service on what is stored.
func (m *machine) open(t *rapid.T) {
	ctx, clock := context.Background(), func() time.Time { return m.now }
	var err error
	if m.db, err = sqlstore.OpenSQLite(ctx, m.path, sqlstore.Options{Now: clock}); err != nil {
		t.Fatal(err)
	}
	if m.disk, err = blob.OpenOn(m.fs, blob.Options{Alone: true}); err != nil {
		t.Fatal(err)
	}
	cfg := publish.Config{
		Places:    publish.Places{Base: &url.URL{Scheme: "http", Host: "localhost:8080"}, Content: "localhost:8080", PathForm: true},
		InlineMax: inlineMax, MaxFile: maxFile, MaxFiles: maxFiles, MaxUploads: maxUploads,
	}
	m.Authenticator = &publish.Authenticator{Store: m.db.Credentials(), Now: clock, Log: slog.New(slog.DiscardHandler)}
	stores := publish.Stores{Store: m.db.Publish(), Management: m.db.Publish(), Blobs: m.disk}
	m.Service, err = publish.New(ctx, cfg, stores, slog.New(slog.DiscardHandler), publish.WithClock(clock), publish.WithRandom(m.random))
	if err != nil {
		t.Fatal(err)
	}
}

// restart stops the Service in order and starts it again.
func (m *machine) restart(t *rapid.T) {
	if err := m.db.Close(); err != nil {
		t.Fatal(err)
	}
	m.open(t)
	m.compareAll(t)
}

// crash drops the Service as it is. The blobs lose what was not synced; of the
// database's files all is kept that was written, as when a process is killed:
// that they are synced in time is shown by their own tests.
func (m *machine) crash(t *rapid.T, seed uint64) {
	path := filepath.Join(m.folder(t), "sandlot.db")
	if err := testenv.CopyDatabase(m.path, path); err != nil {
		t.Fatal(err)
	}
	if err := m.db.Close(); err != nil {
		t.Fatal(err)
	}
	m.path = path
	m.fs = m.fs.Crash(rand.New(rand.NewPCG(seed, 0)))
	m.open(t)
}

// losePower lets the power go somewhere in a call.
func (m *machine) losePower(t *rapid.T) {
	m.fs.CutAfter(rapid.IntRange(0, 12).Draw(t, "steps until the power goes"))
	m.cut = true
	switch rapid.IntRange(0, 2).Draw(t, "call") {
	case 0:
		m.publish(t)
	case 1:
		m.update(t)
	case 2:
		m.part(t)
	}
	m.cut = false
	m.crash(t, rapid.Uint64().Draw(t, "what the crash leaves"))
	m.compareAll(t)
}

// moveClock lets time pass, or sets the clock back, which must change no order.
func (m *machine) moveClock(t *rapid.T) {
	m.now = m.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 61 * time.Minute, 25 * time.Hour, -59 * time.Minute, -9000 * time.Hour}).Draw(t, "time"))
	if m.now.After(m.latest) {
		m.latest = m.now
	}
}

// collect deletes what nothing refers to. What is needed stays; once all uploads
// have expired, only what versions have is left.
func (m *machine) collect(t *rapid.T) {
	late := rapid.Bool().Draw(t, "days later")
	if late {
		m.now = m.latest.Add(3 * operate.Grace)
		m.latest = m.now
	}
	c := operate.Collector{Records: m.db.Upkeep(), Blobs: m.disk, Staged: m.Contents.Held, Now: func() time.Time { return m.now }}
	if _, err := c.Collect(t.Context()); err != nil {
		t.Fatalf("collect: %v", err)
	}
	m.bringBack()
	if late {
		m.now = m.now.Add(2 * operate.Grace)
		m.latest = m.now
		if _, err := c.Collect(t.Context()); err != nil {
			t.Fatalf("collect: %v", err)
		}
		m.checkStored(t)
	}
	m.forgetExpired()
	m.dropExpired()
	m.compareAll(t)
}

// bringBack is what a collection does about what the clock, when it was ahead, has
// dated: it ends a day from now.
func (m *machine) bringBack() {
	const life, skew = 24 * time.Hour, time.Hour
	for _, u := range m.uploads {
		if u.expires.After(m.now.Add(life + skew)) {
			u.expires = m.now.Add(life)
		}
	}
	for i, k := range m.kept {
		if k.expires.After(m.now.Add(life + skew)) {
			m.kept[i].expires = m.now.Add(life)
		}
	}
}

// checkStored compares the blobs with what versions have.
func (m *machine) checkStored(t *rapid.T) {
	needed := map[int]bool{}
	for _, p := range m.projects {
		for _, v := range p.versions {
			for _, f := range v.files {
				if len(f.text) > inlineMax {
					needed[f.put] = true
				}
			}
		}
	}
	stored := 0
	for _, err := range m.disk.List(t.Context(), m.now.Add(time.Hour)) {
		if stored++; err != nil {
			t.Fatal(err)
		}
	}
	if stored != len(needed) {
		t.Fatalf("%d blobs are stored; the versions need %d", stored, len(needed))
	}
}

// caller is the actor as a transport sees it.
func (m *machine) caller(t *rapid.T, a actor) publish.Caller {
	by, err := m.Identify(t.Context(), publish.Presented{Key: a.key()}, nobody.From)
	if err != nil {
		t.Fatalf("a key that was given out is not known: %v", err)
	}
	return by
}

// actor draws who makes the next call, seldom nobody.
func (m *machine) actor(t *rapid.T) actor {
	var who []actor
	for _, a := range m.accounts {
		who = append(who, actor{account: a})
	}
	for _, p := range m.projects {
		who = append(who, actor{account: p.owner, project: p})
	}
	return pick(t, "who", append(who, actor{}))
}

// stage hands content over as a transport does. It is false if the power went.
func (m *machine) stage(t *rapid.T, text string) (publish.Content, bool) {
	c, err := m.Contents.Stage(t.Context(), strings.NewReader(text))
	if err != nil && !m.lost(err) {
		t.Fatalf("stage: %v", err)
	}
	return c, err == nil
}

// lost reports whether a call failed because the power went. Such a call was not
// acknowledged.
func (m *machine) lost(err error) bool { return m.cut && errors.Is(err, crashfs.ErrPower) }

// happened compares the outcome of a call with what the model expects, and
// reports whether it was done.
func (m *machine) happened(t *rapid.T, what string, err error, refusals []publish.Code) bool {
	if m.lost(err) {
		return false
	}
	if len(refusals) == 0 {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return true
	}
	e := publish.AsError(err)
	if e == nil || !slices.Contains(refusals, e.Code) {
		t.Fatalf("%s: got %v, want %v", what, err, refusals)
	}
	return false
}
