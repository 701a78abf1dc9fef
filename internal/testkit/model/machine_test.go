package model_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/testworld"
)

// machine is the real thing, beside the model that it is compared with.
type machine struct {
	state
	dir string // of all machines of this test

	set
	nodes  []*node
	*node  // that calls go to
	clock  *testworld.Clock
	random io.Reader
	latest time.Time // the latest that the clock has shown

	cut    bool       // the power may go in the middle of a call
	recent []partCall // to be sent again

	kept     []kept
	onceKeys int // drawn so far
	sessions int // begun so far
	opened   int // nodes, so far
	values   int // that players kept, so far
}

// recentCalls is how many calls are remembered, to be sent again.
const recentCalls = 6

func newMachine(dir string, nodes int) *machine {
	m := &machine{dir: dir, random: rand.NewChaCha8([32]byte{1}), clock: testworld.NewClock(testworld.Start), nodes: make([]*node, nodes)}
	m.uploads = map[string]*upload{}
	m.now, m.latest = testworld.Start, testworld.Start
	return m
}

// embedded is a machine of one node on an empty database, which lay makes, and a disk.
func embedded(t *rapid.T, dir string, lay func(path string)) *machine {
	m := newMachine(dir, 1)
	m.set = newDisk(t, m, lay)
	m.start(t)
	return m
}

// full is a machine of two nodes on what nodes share.
func full(tb testing.TB, t *rapid.T) *machine {
	m := newMachine("", 2)
	m.set = newShared(tb, t, m)
	m.start(t)
	return m
}

// start opens all nodes.
func (m *machine) start(t *rapid.T) {
	for i := range m.nodes {
		m.open(t, i)
	}
	t.Cleanup(func() {
		for _, n := range m.nodes {
			n.close(t)
		}
	})
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

// setTime sets the clock.
func (m *machine) setTime(at time.Time) {
	m.clock.Move(at.Sub(m.now))
	m.now = at
	if at.After(m.latest) {
		m.latest = at
	}
}

// restart stops the node in order and starts it again.
func (m *machine) restart(t *rapid.T) {
	place := m.place()
	m.node.close(t)
	m.open(t, place)
	m.compareAll(t)
}

// crash drops the node as it is, and starts another in its place.
func (m *machine) crash(t *rapid.T, seed uint64) {
	place := m.place()
	m.set.crash(t, m, m.node, seed)
	m.open(t, place)
}

// losePower lets the power go somewhere in a call.
func (m *machine) losePower(t *rapid.T) {
	m.cutAfter(m.node, rapid.IntRange(0, 12).Draw(t, "steps until the power goes"))
	m.cut = true
	switch rapid.IntRange(0, 6).Draw(t, "call") {
	case 0:
		m.publish(t)
	case 1:
		m.update(t)
	case 2:
		m.part(t)
	case 3:
		m.deleteFile(t)
	case 4:
		m.finish(t)
	case 5:
		m.restore(t)
	case 6:
		m.play(t)
	}
	if m.cut { // else it crashed in the call
		m.crash(t, rapid.Uint64().Draw(t, "what the crash leaves"))
	}
	m.cut = false
	m.compareAll(t)
}

// moveClock lets time pass, or sets the clock back, which must change no order.
func (m *machine) moveClock(t *rapid.T) {
	m.setTime(m.now.Add(rapid.SampledFrom([]time.Duration{
		time.Second, 61 * time.Minute, 25 * time.Hour, -59 * time.Minute,
		-9000 * time.Hour,
	}).Draw(t, "time")))
}

// collect deletes what nothing refers to. What is needed stays; once all uploads
// have expired, only what versions have is left.
func (m *machine) collect(t *rapid.T) {
	late := rapid.Bool().Draw(t, "days later")
	if late {
		m.setTime(m.latest.Add(3 * operate.Grace))
	}
	c := operate.Collector{Records: m.db.Upkeep(), Blobs: m.blobs, Staged: m.Contents.Held, Leases: m.db.Upkeep(), Now: m.clock.Now}
	if _, err := c.Collect(t.Context()); err != nil {
		t.Fatalf("collect: %v", err)
	}
	m.bringBack()
	m.empty(m.over)
	if late {
		m.setTime(m.now.Add(2 * operate.Grace))
		if _, err := c.Collect(t.Context()); err != nil {
			t.Fatalf("collect: %v", err)
		}
		m.empty(m.over)
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
	for _, p := range m.trash {
		if p.deleted.After(m.now.Add(skew)) {
			p.deleted = m.now
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
	for _, p := range append(slices.Clone(m.projects), m.trash...) {
		for _, v := range p.versions {
			for _, f := range v.files {
				if len(f.text) > inlineMax && !v.erased {
					needed[f.put] = true
				}
			}
		}
	}
	stored := 0
	for _, err := range m.blobs.List(t.Context(), m.now.Add(time.Hour)) {
		if stored++; err != nil {
			t.Fatal(err)
		}
	}
	if stored != len(needed) {
		t.Fatalf("%d blobs are stored; the versions need %d", stored, len(needed))
	}
}

// caller is the actor as a transport sees it.
func (m *machine) caller(t *rapid.T, a actor) sandlot.Caller {
	by, err := m.Identify(t.Context(), sandlot.Presented{Key: a.key()}, nobody.From)
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

// stage hands content over as a transport does.
func (m *machine) stage(t *rapid.T, text string) (publish.Content, error) {
	c, err := m.Contents.Stage(t.Context(), strings.NewReader(text))
	if err != nil && !m.lost(err) {
		t.Fatalf("stage: %v", err)
	}
	return c, err
}

// lost reports whether a call failed because the power went. Such a call was not
// acknowledged.
func (m *machine) lost(err error) bool { return m.cut && errors.Is(err, m.power()) }

// happened compares the outcome of a call with what the model expects, and
// reports whether it was done.
func (m *machine) happened(t *rapid.T, what string, err error, refusals []sandlot.Code) bool {
	if m.lost(err) {
		return false
	}
	if len(refusals) == 0 {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return true
	}
	e := sandlot.AsError(err)
	if e == nil || !slices.Contains(refusals, e.Code) {
		t.Fatalf("%s: got %v, want %v", what, err, refusals)
	}
	return false
}
