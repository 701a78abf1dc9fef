package web

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

func TestAPictureIsDrawnOnceHoweverManyAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, drawn, finish := newPictures(), 0, make(chan struct{})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				body, err := p.get(t.Context(), "key", func() ([]byte, error) { drawn++; <-finish; return []byte("x"), nil })
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
	synctest.Test(t, func(t *testing.T) {
		p, finish := newPictures(), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range maxWaiting {
			all.Go(func() {
				_, _ = p.get(ctx, strconv.Itoa(i), func() ([]byte, error) { <-finish; return nil, nil })
			})
		}
		synctest.Wait()
		if _, err := p.get(ctx, "more", nil); !errors.Is(err, publish.ErrUnavailable) {
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
	p := newPictures()
	for i := range 20 {
		p.keep(strconv.Itoa(i), make([]byte, 1<<20))
	}
	if _, last := p.find("19"); !last || p.bytes > maxDrawn || len(p.made) != len(p.order) || len(p.made) != maxDrawn>>20 {
		t.Errorf("%d are kept, of %d bytes", len(p.made), p.bytes)
	}
}

func TestAFailedPictureIsTriedAgain(t *testing.T) {
	p, broken := newPictures(), errors.New("broken")
	if _, err := p.get(t.Context(), "key", func() ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if body, err := p.get(t.Context(), "key", func() ([]byte, error) { return []byte("x"), nil }); err != nil || string(body) != "x" {
		t.Errorf("got %q, %v", body, err)
	}
}
