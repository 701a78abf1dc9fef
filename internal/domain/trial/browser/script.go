package browser

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sandlot/internal/domain/trial"
)

// keyRunes has the runes of keys that have a name. It never changes.
var keyRunes = map[string]string{
	"ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "Enter": kb.Enter,
	"Escape": kb.Escape, "Tab": kb.Tab, "Backspace": kb.Backspace, "Delete": kb.Delete, "Home": kb.Home, "End": kb.End,
	"PageDown": kb.PageDown, "PageUp": kb.PageUp, "Shift": kb.Shift, "Control": kb.Control, "Alt": kb.Alt,
	"F1": kb.F1, "F2": kb.F2, "F3": kb.F3, "F4": kb.F4, "F5": kb.F5, "F6": kb.F6,
	"F7": kb.F7, "F8": kb.F8, "F9": kb.F9, "F10": kb.F10, "F11": kb.F11, "F12": kb.F12,
}

// A performance holds the observations before, during and after a script.
type performance struct {
	before, after []byte
	values        [trial.MostProbes]value
	frames        float64
}

// perform goes to the page, and plays a script between two screenshots. A page that is drawn slowly has all of the time
// for the first that the steps do not need, and the rest for the second; the probes do not wait for that.
func (s *session) perform(todo order) error {
	s.until = todo.Until.Add(-s.long.Last)
	if err := s.load(todo); err != nil {
		return err
	}
	s.rest()
	counter := s.countFrames()
	long := time.Duration(todo.Script.Seconds) * time.Second
	var err error
	if s.done.before, err = s.picture(s.until.Add(-long)); err != nil || s.over() {
		return err
	}
	s.probe(todo.Script.Probes, func(v *value) *result { return &v.Before })
	end := time.Now().Add(long)
	for _, step := range todo.Script.Steps {
		if s.act(step) != nil {
			break // a page that takes none now takes no other
		}
	}
	s.pause(time.Until(end))
	s.until = todo.Until
	s.done.frames = s.frames(counter)
	s.probe(todo.Script.Probes, func(v *value) *result { return &v.After })
	if err = s.painted(); err == nil {
		s.done.after, err = s.picture(s.until)
	}
	return err
}

// picture takes a screenshot, and returns it with at most trial.MostPicture bytes.
func (s *session) picture(until time.Time) ([]byte, error) {
	taken := s.look.taken
	if err := s.shoot(until); err != nil || s.look.taken == taken {
		return nil, err
	}
	return packed(s.look.shot, s.look.last, trial.MostPicture), nil
}

// act carries out one step.
func (s *session) act(step trial.Step) error {
	switch {
	case step.Wait != nil:
		s.pause(step.Length())
		return s.ctx.Err()
	case step.Tap != nil:
		return s.tap(step.Tap[0], step.Tap[1], step.Length())
	}
	r := []rune(step.Key)[0]
	if named := keyRunes[step.Key]; named != "" {
		r = []rune(named)[0]
	}
	return s.key(r, step.Length())
}

// tap presses the mouse at a place, and lets it go.
func (s *session) tap(x, y float64, held time.Duration) error {
	press := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1,
	}
	release := press
	release.Type = input.DispatchMouseEventTypeMouseReleased
	move := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}
	for _, event := range []input.DispatchMouseEventParams{move, press, release} {
		if event.Type == release.Type {
			s.pause(held)
		}
		err := s.step(func(ctx context.Context) error {
			_, err := chromedp.Call(ctx, input.DispatchMouseEvent, event)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// frameCounter counts the frames of the page's thread, in a world of its own, where the page changes nothing of it.
const frameCounter = `let n = 0, began = performance.now(); (function count() { n++; requestAnimationFrame(count) })()`

// countFrames begins to count frames, and returns the world of the counter; 0: there is none.
func (s *session) countFrames() (world runtime.ExecutionContextID) {
	_ = s.step(func(ctx context.Context) error {
		tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return err
		}
		made, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID})
		if err != nil {
			return err
		}
		world = made.ExecutionContextID
		_, err = chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: frameCounter, ContextID: world})
		return err
	})
	return world
}

// frames returns the frames a second that were counted; 0: unknown, as after the page has gone to another.
func (s *session) frames(world runtime.ExecutionContextID) (rate float64) {
	if world == 0 {
		return 0
	}
	_ = s.step(func(ctx context.Context) error {
		yes := true
		got, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
			Expression: "1000 * n / (performance.now() - began)", ContextID: world, ReturnByValue: &yes,
		})
		if err == nil && got.Result != nil {
			_ = json.Unmarshal(got.Result.Value, &rate)
		}
		return err
	})
	return rate
}

// shorten bounds a value in the page: its depth, its members and the length of its texts. What JSON has no word for
// becomes a text.
const shorten = `((v, depth) => {
	let left = 100
	const cut = (v, depth) => {
		if (left-- < 0) return '...'
		if (v === undefined || v === null || typeof v === 'boolean' || Number.isFinite(v)) return v ?? null
		if (typeof v === 'string') return v.slice(0, 300)
		if (typeof v !== 'object') return String(v).slice(0, 300)
		if (depth === 0) return '...'
		if (Array.isArray(v)) return v.slice(0, 50).map(e => cut(e, depth - 1))
		const out = {}
		for (const k of Object.keys(v).slice(0, 50)) out[k.slice(0, 100)] = cut(v[k], depth - 1)
		return out
	}
	return cut(v, depth)
})`

// probe has the page evaluate the probes, as long as it answers.
func (s *session) probe(probes []string, of func(*value) *result) {
	for i, p := range probes {
		if s.evaluate(p, of(&s.done.values[i])) != nil {
			return
		}
	}
}

func (s *session) evaluate(probe string, into *result) error {
	return s.step(func(ctx context.Context) error {
		yes := true
		got, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
			Expression:   "(async () => " + shorten + "(await (" + probe + "\n), " + depthText + "))()",
			AwaitPromise: &yes, ReturnByValue: &yes, Silent: &yes,
		})
		switch {
		case err != nil:
			into.Error = noAnswer
		case got.ExceptionDetails != nil:
			into.Error = clip(said(got.ExceptionDetails), trial.MostText)
		case got.Result != nil && len(got.Result.Value) <= trial.MostValue:
			into.JSON = json.RawMessage(got.Result.Value)
		default:
			into.Error = tooLong
		}
		return err
	})
}

// said returns the first line of an exception.
func said(e *runtime.ExceptionDetails) string {
	text := e.Text
	if e.Exception != nil && e.Exception.Description != "" {
		text = e.Exception.Description
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}
