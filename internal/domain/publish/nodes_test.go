package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// answer is what a call of an upload got.
type answer struct {
	out     publish.Published
	pending *publish.Pending
	err     error
}

// sendPart is one call of an upload.
func (w *world) sendPart(ctx context.Context, by sandlot.Caller, p part) answer {
	out, pending, err := w.Publish(ctx, by, publish.PublishInput{Content: w.content(p), Part: p.input()})
	return answer{out, pending, err}
}

// TestPartsOfOneUploadReachDifferentNodes: each is accepted, however many arrive at once,
// and one of them has the project.
func TestPartsOfOneUploadReachDifferentNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nodes := []*world{w, w.node(), w.node()}
	by := w.account()
	w.waits(by, part{id: "x", n: 1, text: page, total: 31})
	var all sync.WaitGroup
	var mu sync.Mutex
	var made []sandlot.ProjectID
	want := page
	for n := 2; n <= 31; n++ {
		p := part{id: "x", n: n, text: long(fmt.Sprint(n))}
		want += p.text
		all.Go(func() {
			a := nodes[n%len(nodes)].sendPart(t.Context(), by, p)
			mu.Lock()
			defer mu.Unlock()
			if a.err != nil {
				t.Error(a.err)
			} else if a.pending == nil {
				made = append(made, a.out.Project.ID)
			}
		})
	}
	all.Wait()
	if len(made) != 1 {
		t.Fatalf("%d projects", len(made))
	}
	if w.text(made[0], 1, "index.html") != want {
		t.Error("the parts are not in order")
	}
}

// assembling has a node put the parts of upload x of three together until release is
// called. It returns when the node has begun, with what it answers in the end.
func (w *world) assembling(t *testing.T, by sandlot.Caller) (answers <-chan answer, release func()) {
	t.Helper()
	w.waits(by, part{id: "x", n: 1, text: page, total: 3})
	w.waits(by, part{id: "x", n: 2, text: long("two")})
	begun, free, got := make(chan struct{}), make(chan struct{}), make(chan answer, 1)
	var once sync.Once
	w.blobs.Opening = func(_ context.Context, _ sandlot.Blob, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
		once.Do(func() { close(begun); <-free })
		return open()
	}
	go func() { got <- w.sendPart(t.Context(), by, part{id: "x", n: 3, text: long("three")}) }()
	<-begun
	return got, sync.OnceFunc(func() { close(free) })
}

// TestTwoNodesPutAnUploadTogether also when the first is as good as dead: the project is made once.
func TestTwoNodesPutAnUploadTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.node()
	by := w.account()
	got, release := w.assembling(t, by)
	defer release()
	a := other.sendPart(t.Context(), by, part{id: "x", n: 3, text: long("three")})
	if a.err != nil || a.pending != nil {
		t.Fatalf("answer %v", a)
	}
	expect.Equal(t, "the project", other.text(a.out.Project.ID, 1, "index.html"), page+long("two")+long("three"))
	release()
	if first := <-got; first.err != nil || first.out.Project.ID != a.out.Project.ID {
		t.Errorf("the first is answered %v", first)
	}
	expect.Equal(t, "projects", w.kept()["projects"], 1)
}

// TestAPartIsReplacedWhileItsUploadIsPutTogether: neither call is asked to send its body
// again.
func TestAPartIsReplacedWhileItsUploadIsPutTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.node()
	by := w.account()
	got, release := w.assembling(t, by)
	defer release()
	second := other.sendPart(t.Context(), by, part{id: "x", n: 2, text: long("new")})
	if second.err != nil || second.pending != nil {
		t.Fatalf("the part: %v", second)
	}
	release()
	first := <-got
	if !errors.Is(first.err, sandlot.CodeUploadCompleted) {
		t.Errorf("the call that began is told %v", first)
	}
	expect.Equal(t, "the project", w.text(second.out.Project.ID, 1, "index.html"), page+long("new")+long("three"))
	expect.Equal(t, "projects", w.kept()["projects"], 1)
}
