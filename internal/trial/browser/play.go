package browser

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// moves are what somebody would do who does not know the game: to look first, to click, and to try
// the keys that games are played with.
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

// play goes to the page, and makes moves until the time is over, with a look after each.
func (s *session) play(todo order) error {
	begin := time.Now()
	err := s.step(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: todo.URL})
		return err
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	select {
	case <-s.loaded:
	case <-time.After(loadTime):
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	for i := 0; s.goesOn(i, time.Since(begin), todo.Play); i++ {
		moves[i%len(moves)](s)
		s.rest()
		if !s.shoot() {
			break
		}
	}
	return s.painted()
}

// goesOn reports whether there is another move: until the time is over, and where the machine is
// busy for somewhat longer, so that each was made once.
func (s *session) goesOn(move int, played, most time.Duration) bool {
	return s.ctx.Err() == nil && (played < most || move < len(moves) && played < 2*most)
}

// shoot takes a look at the page, and reports whether it answers yet. A busy machine takes long to
// draw: a page hangs only if it does not even answer when nothing is drawn.
func (s *session) shoot() bool {
	err := s.step(func(ctx context.Context) error {
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err == nil {
			s.look.at(shot)
		}
		return err
	})
	return err == nil || s.answers()
}

// answers reports whether the page's own thread does anything else but what it is at.
func (s *session) answers() bool {
	for range asks {
		err := s.step(func(ctx context.Context) error {
			_, err := chromedp.Run(ctx, chromedp.Evaluate[float64]("0"))
			return err
		})
		if err == nil {
			return true
		}
	}
	s.mu.Lock()
	s.hangs = !s.crashed
	s.mu.Unlock()
	return false
}

// painted asks the page when it first painted something.
func (s *session) painted() error {
	_ = s.step(func(ctx context.Context) error {
		at, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`(performance.getEntriesByType("paint").find(e => e.name === "first-contentful-paint") || performance.getEntriesByType("paint")[0] || {startTime: 0}).startTime`))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paint = at
		return err
	})
	return s.ctx.Err()
}

func (s *session) rest() {
	select {
	case <-time.After(pause):
	case <-s.ctx.Done():
	}
}

func (s *session) click() {
	_ = s.step(func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.MouseClickXY(width/2, height/2))
	})
}

// wander moves the mouse across the page.
func (s *session) wander() {
	for _, at := range [][2]float64{{200, 200}, {900, 250}, {640, 600}} {
		_ = s.step(func(ctx context.Context) error {
			return chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		})
	}
}

// held is for how long a key is held down: a few frames, for games that look at each.
const held = 120 * time.Millisecond

// keys presses keys, one after another.
func (s *session) keys(keys string) {
	for _, r := range keys {
		for _, k := range kb.Encode(r) {
			if k.Type == input.DispatchKeyEventTypeKeyUp {
				select {
				case <-time.After(held):
				case <-s.ctx.Done():
				}
			}
			_ = s.step(func(ctx context.Context) error {
				return chromedp.Do(ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
					_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *k)
					return chromedp.Void{}, err
				})
			})
		}
	}
}
