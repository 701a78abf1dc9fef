package heads

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// noted are the hints that a node gave.
type noted []sandlot.Changed

func (n *noted) Tell(c sandlot.Changed) { *n = append(*n, c) }

func TestWhatThisNodeChangesIsToldToOthers(t *testing.T) {
	t.Parallel()
	var told noted
	h := testHeads(&numbers{})
	h.Share(&told)
	h.Drop(sandlot.Changed{Projects: []sandlot.ProjectID{"a", "b"}})
	h.Drop(sandlot.Changed{Account: 7})
	h.Drop(sandlot.Changed{})
	expect.Is(t, "a step without an effect", h.After(sandlot.Changed{Account: 8}, sandlot.ErrNoEffect), sandlot.ErrNoEffect)
	expect.Is(t, "a step that may have had one", h.After(sandlot.Changed{Account: 9}, sandlot.ErrUnavailable), sandlot.ErrUnavailable)
	want := noted{{Projects: []sandlot.ProjectID{"a", "b"}}, {Account: 7}, {Account: 9}}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// hinted is a change that a node hears of, each in its own way.
var hinted = map[string]sandlot.Changed{"by its project": {Projects: []sandlot.ProjectID{"unknown", "a"}}, "by its account": {Account: 3}}

func TestAChangeByAnotherNodeThatGivesAHintIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range hinted {
		t.Run(name, func(t *testing.T) {
			n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
			confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
				s := &source{version: 1, account: 3}
				if _, err := reads(t, h, s, 5*time.Second); err != nil {
					t.Fatal(err)
				}
				for version := 2; version < 10; version++ {
					n.become(map[sandlot.ProjectID]int64{"a": int64(version)}, 0, nil)
					s.become(func(s *source) { s.version = version })
					h.Heard(c)
					if p, err := reads(t, h, s, hintsEvery+20*time.Millisecond); err != nil || p.Version != version {
						t.Fatalf("%v, %v; it has become %d", p, err, version)
					}
				}
			})
		})
	}
}

func TestAFloodOfHintsAsksAtMostTenTimesASecond(t *testing.T) {
	t.Parallel()
	n := &numbers{of: map[sandlot.ProjectID]int64{"a": 1}}
	confirming(t, n, func(t *testing.T, h *Cache, _ *worker.Failures) {
		s := &source{version: 1}
		if _, err := h.Get(t.Context(), "a", s.load); err != nil {
			t.Fatal(err)
		}
		for range 10_000 {
			h.Heard(sandlot.Changed{Projects: []sandlot.ProjectID{"a"}, Account: 5})
			testenv.Pass(time.Millisecond)
		}
		if most := int(10*time.Second/hintsEvery + 10*time.Second/confirmEvery + 2); n.asked() > most || n.asked() < most/2 {
			t.Errorf("the store was asked %d times in ten seconds, and at most %d is right", n.asked(), most)
		}
		testenv.Pass(time.Second)
		asked := n.asked()
		testenv.Pass(time.Minute)
		expect.Equal(t, "times that it was asked for what nobody reads, later", n.asked()-asked, 0)
	})
}

func TestHintsThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	h := testHeads(&numbers{})
	var ids []sandlot.ProjectID
	for i := range 3 * hintsMost {
		id := sandlot.ProjectID(fmt.Sprint("p", i))
		h.known[id] = &head{Project: sandlot.Project{ID: id, Account: 1}}
		ids = append(ids, id)
		h.Heard(sandlot.Changed{Account: sandlot.AccountID(i + 1)})
	}
	h.Heard(sandlot.Changed{Projects: ids})
	if len(h.doubts.projects) != hintsMost || len(h.doubts.accounts) != hintsMost {
		t.Errorf("%d projects and %d accounts wait", len(h.doubts.projects), len(h.doubts.accounts))
	}
	_, asked := h.doubted()
	expect.Equal(t, "projects asked for", len(asked), hintsMost)
}
