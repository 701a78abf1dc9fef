package cache

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestThoseWhoComeAtOnceCauseOneFetch(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 2*mebi)
	proceed := make(chan struct{})
	r.change = func(context.Context, []byte) error { <-proceed; return nil }
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() { holds(t, c, b, data) })
	}
	// All wait for the first MiB.
	key := pieceOf(b, 0)
	testenv.Eventually(t, waitLong, "32 wait for the first MiB", func() bool {
		c.flying.mu.Lock()
		defer c.flying.mu.Unlock()
		f := c.flying.flying[key]
		return f != nil && f.waiting == 32
	})
	close(proceed)
	all.Wait()
	expect.Equal(t, "fetched", r.fetches(), 2)
}

func TestAFetchGoesOnWhileSomebodyWaitsForIt(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, _ := r.put(t, 10)
	begun, ended, proceed := make(chan struct{}, 9), make(chan error, 9), make(chan struct{})
	r.change = func(ctx context.Context, _ []byte) error {
		begun <- struct{}{}
		select {
		case <-proceed:
		case <-ctx.Done():
		}
		ended <- ctx.Err()
		return ctx.Err()
	}
	open := func() (leave func(), got chan error) {
		ctx, cancel := context.WithCancel(t.Context())
		got = make(chan error, 1)
		go func() {
			rc, err := c.Open(ctx, b, 0, -1)
			if err == nil {
				err = rc.Close()
			}
			got <- err
		}()
		return cancel, got
	}
	leave, got := open()
	<-begun
	leaveToo, gotToo := open()
	testenv.Eventually(t, waitLong, "the second waits, too", func() bool {
		c.flying.mu.Lock()
		defer c.flying.mu.Unlock()
		return c.flying.flying[pieceOf(b, 0)].waiting == 2
	})
	leave() // who began it
	expect.Is(t, "who left", <-got, context.Canceled)
	proceed <- struct{}{}
	expect.OK(t, <-ended)
	expect.OK(t, <-gotToo)
	leaveToo()
	expect.Equal(t, "fetched", r.fetches(), 1)

	b, other := r.put(t, 11)
	leave, got = open()
	<-begun
	leave()
	expect.Is(t, "who left", <-got, context.Canceled)
	expect.Is(t, "the fetch for nobody", <-ended, context.Canceled)
	r.change = nil
	holds(t, c, b, other)
}

func TestTheNextMiBIsFetchedAhead(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 3*mebi)
	rc, err := c.Open(t.Context(), b, 0, -1)
	expect.OK(t, err)
	testenv.Eventually(t, waitLong, "the second MiB is there", func() bool { return c.files.has(pieceOf(b, 1)) })
	expect.Equal(t, "fetched", r.fetches(), 2)
	got, err := io.ReadAll(rc)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	expect.OK(t, rc.Close())
	expect.Equal(t, "fetched then", r.fetches(), 1)

	// Nobody waits for the one after a range.
	b, _ = r.put(t, 3*mebi-1)
	_, err = read(t, c, b, 0, mebi)
	expect.OK(t, err)
	expect.Equal(t, "fetched for a range", r.fetches(), 1)
}

func TestAClosedCacheFails(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := New(r, in(testenv.MemoryDir(t)))
	b, _ := r.put(t, 10)
	begun := make(chan struct{})
	r.change = func(ctx context.Context, _ []byte) error { close(begun); <-ctx.Done(); return ctx.Err() }
	got := make(chan error, 1)
	go func() { _, err := c.Open(t.Context(), b, 0, -1); got <- err }()
	<-begun
	expect.OK(t, c.Close())
	expect.Is(t, "under way", <-got, sandlot.ErrUnavailable)
	_, err := c.Open(t.Context(), b, 0, -1)
	expect.Is(t, "after that", err, sandlot.ErrUnavailable)
}
