package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// moves are the acts of a person who does not know the game: to look first, to click, and to try the keys that games
// are played with.
var moves = []func(*session){
	(*session).rest, (*session).rest,
	(*session).click,
	func(s *session) { s.keys(" \r") },
	func(s *session) { s.keys(kb.ArrowRight + kb.ArrowUp) },
	func(s *session) { s.keys(kb.ArrowLeft + kb.ArrowDown) },
	(*session).wander,
	func(s *session) { s.keys("wasd") },
	func(s *session) { s.keys(" ") },
}

// load goes to the page, and waits until it has loaded, or some time.
func (s *session) load(todo order) error {
	err := s.step(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: todo.URL})
		return err
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	select {
	case <-s.loaded:
	case <-time.After(s.atMost(s.long.Load)):
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	return nil
}

// play goes to the page, and makes moves until the time is over, with a screenshot after each.
func (s *session) play(todo order) error {
	begin := time.Now()
	if err := s.load(todo); err != nil {
		return err
	}
	for i := 0; s.goesOn(i, time.Since(begin)); i++ {
		moves[i%len(moves)](s)
		s.rest()
		if i%3 == 1 || i == len(moves)-1 {
			s.readFields()
		}
		if err := s.shoot(begin.Add(s.long.Most)); err != nil {
			return err
		}
		if s.over() {
			return nil
		}
	}
	return s.painted()
}

// goesOn reports whether there is another move: until the time is over, and on a busy machine for somewhat longer, so
// that each was made once.
func (s *session) goesOn(move int, played time.Duration) bool {
	return s.ctx.Err() == nil && (played < s.long.Play || move < len(moves) && played < s.long.Most)
}

// shoot takes a screenshot of the page. A busy machine takes long to draw, and shoot waits for the drawing until the
// time is over, because the next one would take as long: a page hangs only if it does not even answer when nothing is
// drawn.
func (s *session) shoot(until time.Time) error {
	ctx, cancel := context.WithDeadline(s.ctx, until)
	defer cancel()
	drawn := make(chan []byte, 1)
	go func() {
		defer close(drawn)
		if shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot()); err == nil {
			drawn <- shot
		}
	}()
	select {
	case shot, ok := <-drawn:
		s.look.at(shot)
		if ok {
			return nil
		}
	case <-time.After(s.long.Step):
	}
	if err := s.answers(); err != nil || s.over() {
		return err
	}
	s.look.at(<-drawn)
	return nil
}

// answers waits until the page's own thread finishes its present work. If that takes too long, the page hangs.
func (s *session) answers() error {
	begin := time.Now()
	ctx, cancel := s.within(s.long.Hang)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[float64]("0"))
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		s.hangs.Store(!s.crashed.Load() && time.Since(begin) >= s.long.Hang)
	case err != nil && !s.crashed.Load():
		return fmt.Errorf("the page does not answer: %w", err)
	}
	return nil
}

// over reports whether nothing more can be seen of the page.
func (s *session) over() bool { return s.hangs.Load() || s.crashed.Load() }

// paintedAt is the time at which the page first painted content, or anything.
const paintedAt = `Math.max(0, ...performance.getEntriesByType("paint").map(e => e.startTime))`

// painted reads from the page when it first painted something.
func (s *session) painted() error {
	_ = s.step(func(ctx context.Context) error {
		at, err := chromedp.Run(ctx, chromedp.Evaluate[float64](paintedAt))
		s.paint = at
		return err
	})
	return s.ctx.Err()
}

func (s *session) rest() { s.pause(s.long.Pause) }

func (s *session) pause(long time.Duration) {
	select {
	case <-time.After(s.atMost(long)):
	case <-s.ctx.Done():
	}
}

func (s *session) click() {
	_ = s.step(func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.MouseClickXY(width/2, height/2))
	})
}

// wander moves the mouse across the page, as long as the page takes it.
func (s *session) wander() {
	for _, at := range [][2]float64{{200, 200}, {900, 250}, {640, 600}} {
		err := s.step(func(ctx context.Context) error {
			return chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		})
		if err != nil {
			return
		}
	}
}

// held is the time that a key is held down: a few frames, for games that poll the keys in each.
const held = 120 * time.Millisecond

// keys presses keys, one after another, as long as the page takes them.
func (s *session) keys(keys string) {
	for _, r := range keys {
		if s.key(r, held) != nil {
			return // a page that takes none now takes no other
		}
	}
}

// key presses a key, and lets it go.
func (s *session) key(r rune, held time.Duration) error {
	for _, k := range kb.Encode(r) {
		if k.Type == input.DispatchKeyEventTypeKeyUp {
			s.pause(held)
		}
		err := s.step(func(ctx context.Context) error {
			return chromedp.Do(ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *k)
				return chromedp.Void{}, err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
