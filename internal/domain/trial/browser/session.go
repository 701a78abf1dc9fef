package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"sandlot/internal/domain/trial"
)

// A session is one page in the browser.
type session struct {
	ctx     context.Context
	long    times
	until   time.Time // the end of all waits; zero: there is none
	main    target.ID
	look    look
	paint   float64 // ms
	loaded  chan struct{}
	onLoad  sync.Once
	closing chan struct{} // has an element for each window that is being closed
	hangs   atomic.Bool   // the page did not answer
	crashed atomic.Bool
	done    performance // of a script
	fields  fields

	mu     sync.Mutex
	errors []string
	lines  []string // of the console
}

func newSession(ctx context.Context, long times) *session {
	return &session{ctx: ctx, long: long, loaded: make(chan struct{}), closing: make(chan struct{}, 8)}
}

// prepare subscribes to the browser's events, and refuses all requests of a page to a person. There is no page yet that
// could delay it: a busy machine has all the time of the trial for it.
func (s *session) prepare() error {
	if err := chromedp.Listen(s.ctx, s.hear); err != nil {
		return err
	}
	if err := chromedp.ListenBrowser(s.ctx, s.hear); err != nil {
		return err
	}
	s.main = chromedp.FromContext(s.ctx).Target.TargetID
	go s.console()
	deny := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny}
	if _, err := chromedp.CallBrowser(s.ctx, browser.SetDownloadBehavior, deny); err != nil {
		return fmt.Errorf("deny downloads: %w", err)
	}
	if _, err := chromedp.CallBrowser(s.ctx, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("watch for windows: %w", err)
	}
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}
	_, err := chromedp.Call(s.ctx, emulation.SetDeviceMetricsOverride, size)
	return err
}

// step does one thing with the page, within a time.
func (s *session) step(do func(context.Context) error) error {
	ctx, cancel := s.within(s.long.Step)
	defer cancel()
	return do(ctx)
}

// within returns a context that ends after a time, and when all waits end.
func (s *session) within(long time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.ctx, s.atMost(long))
}

// atMost returns the given time, or the shorter time until all waits end.
func (s *session) atMost(long time.Duration) time.Duration {
	if s.until.IsZero() {
		return long
	}
	return min(long, time.Until(s.until))
}

// hear notes an event. It must not wait.
func (s *session) hear(event any) {
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		go s.dismiss()
	case *page.EventLoadEventFired:
		s.onLoad.Do(func() { close(s.loaded) })
	case *inspector.EventTargetCrashed:
		s.crashed.Store(true)
		s.onLoad.Do(func() { close(s.loaded) })
	case *target.EventTargetCreated:
		if e.TargetInfo.Type == "page" && e.TargetInfo.TargetID != s.main {
			s.shut(e.TargetInfo.TargetID)
		}
	}
}

func (s *session) dismiss() {
	_ = s.step(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		return err
	})
}

// shut closes a window that the page has opened. If a page opens them faster than they close, those beyond a few stay
// until the end.
func (s *session) shut(id target.ID) {
	select {
	case s.closing <- struct{}{}:
	default:
		return
	}
	go func() {
		_ = s.step(func(ctx context.Context) error {
			_, err := chromedp.CallBrowser(ctx, target.CloseTarget, target.CloseTargetParams{TargetID: id})
			return err
		})
		<-s.closing
	}()
}

// console gathers the lines of the page's console, and of its errors each once, until the session ends.
func (s *session) console() {
	for m, err := range chromedp.Console(s.ctx) {
		if err != nil {
			return
		}
		s.hearLine(m)
	}
}

// hearLine keeps a line of the console, with the name of the file and the line that it came from.
func (s *session) hearLine(m chromedp.ConsoleMessage) {
	if strings.HasPrefix(m.Text, "Error with Permissions-Policy header") || strings.Contains(m.Text, "GPU stall due to ReadPixels") {
		return // of the service, for browsers that know more, or of a browser without a graphics card
	}
	text := placed(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) < trial.MostLines {
		s.lines = append(s.lines, clip(string(m.Type)+": "+text, trial.MostText))
	}
	fault := (m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException) && m.Source != "network"
	if fault && len(s.errors) < trial.MostEntries && !slices.Contains(s.errors, text) {
		s.errors = append(s.errors, text)
	}
}

// placed returns the text of a line, with its place behind it.
func placed(m chromedp.ConsoleMessage) string {
	text := clip(m.Text, trial.MostText)
	if m.URL == "" {
		return text
	}
	place := fmt.Sprintf(" (line %d of the page)", m.Line+1)
	if file := m.URL[strings.LastIndexByte(m.URL, '/')+1:]; file != "" {
		place = fmt.Sprintf(" (%s:%d)", clip(file, 60), m.Line+1)
	}
	return clip(text, trial.MostText-len(place)) + place
}

// report returns the observations.
func (s *session) report() report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := report{
		Painted: s.paint > 0, Paint: int64(s.paint), Moved: s.look.moved, Unseen: s.look.taken < 2, Blank: s.look.blank(),
		Hangs: s.hangs.Load(), Shot: s.look.picture(),
	}
	r.Before, r.After, r.Values, r.Frames = s.done.before, s.done.after, s.done.values, s.done.frames
	copy(r.Lines[:], s.lines)
	for i, sign := range s.fields.Signs() {
		r.Fields[i] = sign.Kind
	}
	n := copy(r.Errors[:], s.errors)
	if s.crashed.Load() && n < len(r.Errors) {
		r.Errors[n] = "The page crashed."
	}
	return r
}
