package web

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAPictureIsDrawnOnceHoweverManyAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, drawn, finish := newPictures(), 0, make(chan struct{})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				body, err := p.get(t.Context(), "key", drawing{draw: func([]byte) ([]byte, error) { drawn++; <-finish; return []byte("x"), nil }})
				if err != nil || string(body) != "x" {
					t.Errorf("got %q, %v", body, err)
				}
			})
		}
		synctest.Wait()
		close(finish)
		all.Wait()
		if drawn != 1 {
			t.Errorf("it was drawn %d times", drawn)
		}
	})
}

func TestACrowdThatWaitsForPicturesIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, finish := newPictures(), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range maxWaiting {
			all.Go(func() {
				_, _ = p.get(ctx, strconv.Itoa(i), drawing{draw: func([]byte) ([]byte, error) { <-finish; return nil, nil }})
			})
		}
		synctest.Wait()
		if _, err := p.get(ctx, "more", drawing{}); !errors.Is(err, sandlot.ErrUnavailable) {
			t.Errorf("one more got %v", err)
		}
		cancel() // those who wait go away; one draws on
		synctest.Wait()
		close(finish)
		all.Wait()
		expect.Equal(t, "still wait", p.waiting.Load(), 0)
	})
}

func TestOnlyTheLastPicturesAreKept(t *testing.T) {
	t.Parallel()
	p := newPictures()
	for i := range maxPictures + 10 {
		p.keep(strconv.Itoa(i), nil)
	}
	if _, old := p.find("9"); old || len(p.made) != maxPictures || len(p.order) != maxPictures {
		t.Errorf("%d are kept", len(p.made))
	}
	if _, last := p.find(strconv.Itoa(maxPictures + 9)); !last {
		t.Error("the last is not")
	}
}

func TestThePicturesThatAreKeptAreFewBytes(t *testing.T) {
	t.Parallel()
	p := newPictures()
	for i := range 20 {
		p.keep(strconv.Itoa(i), make([]byte, 1<<20))
	}
	if _, last := p.find("19"); !last || p.bytes > maxDrawn || len(p.made) != len(p.order) || len(p.made) != maxDrawn>>20 {
		t.Errorf("%d are kept, of %d bytes", len(p.made), p.bytes)
	}
}

func TestAFailedPictureIsTriedAgain(t *testing.T) {
	t.Parallel()
	p, broken := newPictures(), errors.New("broken")
	if _, err := p.get(t.Context(), "key", drawing{draw: func([]byte) ([]byte, error) { return nil, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if body, err := p.get(t.Context(), "key", drawing{draw: func([]byte) ([]byte, error) { return []byte("x"), nil }}); err != nil || string(body) != "x" {
		t.Errorf("got %q, %v", body, err)
	}
}

// TestWhatAPictureShowsIsFetchedBesideTheDrawingOfOthers: a store of blobs that hung kept every card of a node waiting, also of those that show
// nothing from there, and each who waited for one tried in turn.
func TestWhatAPictureShowsIsFetchedBesideTheDrawingOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, broken, tries := newPictures(), errors.New("broken"), 0
		hangs := drawing{fetch: func() ([]byte, error) {
			tries++
			testenv.Pass(15 * time.Second)
			return nil, broken
		}}
		begun, errs := time.Now(), make(chan error)
		for range 2 * maxWaiting {
			go func() {
				_, err := p.get(t.Context(), "hangs", hangs)
				errs <- err
			}()
		}
		synctest.Wait()
		body, err := p.get(t.Context(), "another", drawing{draw: func([]byte) ([]byte, error) { return []byte("x"), nil }})
		expect.OK(t, err)
		expect.Equal(t, "another", string(body), "x")
		expect.Equal(t, "how long that took", time.Since(begun), 0)
		for range 2 * maxWaiting {
			expect.Is(t, "the one that hangs", <-errs, broken)
		}
		expect.Equal(t, "how long all waited", time.Since(begun), 15*time.Second)
		expect.Equal(t, "tries", tries, 1)
	})
}
