package web

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golang.org/x/image/font"

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

func TestAFailedPictureIsTriedAgain(t *testing.T) {
	p, broken := newPictures(), errors.New("broken")
	if _, err := p.get(t.Context(), "key", func() ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if body, err := p.get(t.Context(), "key", func() ([]byte, error) { return []byte("x"), nil }); err != nil || string(body) != "x" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestTheFontKnowsWhatItCanWrite(t *testing.T) {
	b := newBrush()
	for title, want := range map[string]bool{
		"Chess": true, "Señor Größe — “ok”": true, "Шахматы": true, "Σκάκι": true,
		"チェス": false, "国际象棋": false, "شطرنج": false, "\u202eevil": false, "chess 🎮": false,
	} {
		if b.covers(title) != want {
			t.Errorf("%q is written: %v", title, !want)
		}
	}
}

func TestTitlesAreBrokenIntoLinesThatFit(t *testing.T) {
	b := newBrush()
	for _, title := range []string{"Pong", "The long way home through the old forest", strings.Repeat("W", cardMaxTitle), strings.Repeat("many words ", 100)} {
		lines := wrap(b.title, short(title))
		if len(lines) == 0 || len(lines) > cardLines {
			t.Errorf("%q has %d lines", title, len(lines))
		}
		for _, line := range lines {
			if line == "" || font.MeasureString(b.title, line).Ceil() > cardWords {
				t.Errorf("%q has the line %q", title, line)
			}
		}
		if last := lines[len(lines)-1]; len(title) > 100 && !strings.HasSuffix(last, "…") {
			t.Errorf("%q ends with %q", title, last)
		}
	}
}

func TestCardsOfAnyTitleAreDrawn(t *testing.T) {
	t.Parallel()
	b := newBrush()
	for _, title := range []string{"", "Pong", "チェス", strings.Repeat("\u202e<", 500), "e\u0301"} {
		if body, err := b.card(publish.Project{ID: "game-abc123", Title: title, Handle: "kim"}); err != nil || len(body) > 100<<10 {
			t.Errorf("%.20q: %d bytes, %v", title, len(body), err)
		}
	}
}
