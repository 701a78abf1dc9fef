package model_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/testkit/testworld"
)

// shared is PostgreSQL and a bucket, which several nodes share. They lose nothing: what a crash takes is a node
// in the middle of a call.
type shared struct {
	tb    testing.TB
	world *testworld.World // the first node's, which is there to the end
}

func newShared(tb testing.TB, t *rapid.T, m *machine) *shared {
	run := &scope{TB: tb, t: t}
	t.Cleanup(run.end)
	w := testworld.New(run, testworld.Full())
	m.clock = w.Clock
	return &shared{tb, w}
}

func (s *shared) open(t *rapid.T, m *machine) *node {
	own := &scope{TB: s.tb, t: t}
	t.Cleanup(own.end)
	w := s.world.Node(own)
	p := &power{left: -1}
	w.Faults.Step = p.around
	stores := w.StoresOn(w.Served)
	stores.Blobs = mortalBlobs{w.Stored, p}
	n, err := m.newNode(t.Context(), w.Served, stores)
	if err != nil {
		t.Fatal(err)
	}
	n.blobs, n.dead = testworld.AllBlobs(w.Stored), p
	n.close = func(*rapid.T) { own.end() }
	return n
}

func (*shared) cutAfter(n *node, steps int) { n.dead.left = steps }

func (*shared) power() error { return errPower }

func (*shared) sure() bool { return false }

// crash leaves all that was stored. The leases of a node that is gone lapse.
func (*shared) crash(t *rapid.T, _ *machine, n *node, _ uint64) { n.close(t) }

// scope is a test that ends before the test that it is in: with a run, or with a node.
type scope struct {
	testing.TB
	t    *rapid.T
	last []func()
}

func (s *scope) Cleanup(f func())             { s.last = append(s.last, f) }
func (s *scope) Context() context.Context     { return context.WithoutCancel(s.t.Context()) }
func (s *scope) Error(args ...any)            { s.t.Error(args...) }
func (s *scope) Errorf(f string, args ...any) { s.t.Errorf(f, args...) }
func (s *scope) Fatal(args ...any)            { s.t.Fatal(args...) }
func (s *scope) Fatalf(f string, args ...any) { s.t.Fatalf(f, args...) }

// end may be called again.
func (s *scope) end() {
	for len(s.last) > 0 {
		f := s.last[len(s.last)-1]
		s.last = s.last[:len(s.last)-1]
		f()
	}
}

// errPower is what a node gets that is dead, of all that it does.
var errPower = errors.New("the node is dead")

// power is what a node has until it dies: after so many steps, of which each has two halves. One that dies
// after the first has done it, and does not know.
type power struct {
	left int // below 0: it does not die
	gone bool
}

// half takes half a step.
func (p *power) half() error {
	if p.left == 0 {
		p.gone = true
	}
	if p.left > 0 {
		p.left--
	}
	if p.gone {
		return errPower
	}
	return nil
}

// writes are the steps of stores that a node may die in.
var writes = []string{"CreateAccount", "CreateProject", "PutFile", "DeleteFile", "SaveUpload", "Rearrange", "Put"}

// around is the two halves of a step.
func (p *power) around(step string) (before, after error) {
	if !slices.Contains(writes, step) {
		return nil, nil
	}
	if err := p.half(); err != nil {
		return sandlot.NoEffect(err), nil
	}
	return nil, p.half()
}

func (p *power) step(do func() error) error {
	return (&testworld.Faults{Step: p.around}).Around("Put", do)
}

// mortalBlobs are the blobs as such a node has them.
type mortalBlobs struct {
	sandlot.Blobs
	*power
}

// Put implements publish.Blobs.
func (b mortalBlobs) Put(ctx context.Context, ref sandlot.BlobRef, r io.Reader) (out sandlot.Blob, err error) {
	err = b.step(func() error { out, err = b.Blobs.Put(ctx, ref, r); return err })
	return out, err
}

// Delete implements publish.Blobs.
func (b mortalBlobs) Delete(ctx context.Context, ref sandlot.BlobRef) error {
	return b.step(func() error { return b.Blobs.Delete(ctx, ref) })
}
