package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestMain has this program be the worker as well, as the real one is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == serverCommand {
		serveTrial(os.Args[2])
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "playtest-worker" {
		if act, ok := bad[os.Args[2]]; ok {
			badWorker(act)
		}
		work := func(stage string) error { return Work(context.Background(), stage) }
		if strings.HasPrefix(os.Args[2], stageTrap) {
			work = trapped
		}
		if err := work(strings.TrimPrefix(os.Args[2], stageTrap)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// files are an origin of a few texts.
type files map[string]string

func (f files) ServeTrial(w http.ResponseWriter, r *http.Request, _ trial.Due) {
	text, ok := f[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write([]byte(text))
}

// unprivileged is the user of the tests' browser: nobody, or the user of the tests.
func unprivileged() User {
	if me := Myself(); me.UID != 0 {
		return me
	}
	return User{65534, 65534}
}

// TestATrialThatDoesNotEndIsNoFinding: that the time of a trial ran out says nothing about the page; a busy machine does that as well.
func TestATrialThatDoesNotEndIsNoFinding(t *testing.T) {
	testenv.Unraced(t)
	ctx, timeIsOver := context.WithCancelCause(t.Context())
	origin := answers(func(http.ResponseWriter, *http.Request) {
		timeIsOver(context.DeadlineExceeded)
		<-t.Context().Done() // until the test has ended
	})
	seen, err := sees(ctx, t, origin, &Browser{})
	expect.Equal(t, "an error", errors.Is(err, context.DeadlineExceeded), true)
	expect.Equal(t, "hangs", seen.Hangs, false)
}

// patient makes each move once, quickly, however busy the machine is.
func patient() times {
	return times{Wall: 5 * time.Minute, Most: 4 * time.Minute, Load: 20 * time.Second, Step: 20 * time.Second, Hang: time.Minute, Pause: 50 * time.Millisecond}
}

// opens opens a page of an origin.
func opens(t *testing.T, origin Origin, long times) trial.Seen {
	t.Helper()
	seen, err := sees(t.Context(), t, origin, &Browser{times: long})
	expect.OK(t, err)
	return seen
}

// sees opens a page of an origin in a browser that has its times, stage and memory.
func sees(ctx context.Context, t *testing.T, origin Origin, b *Browser) (trial.Seen, error) {
	t.Helper()
	testenv.Need(t, "chromium")
	program, err := find()
	expect.OK(t, err)
	b.User, b.Origin, b.program = unprivileged(), origin, program
	return b.Open(ctx, trial.Due{Project: "pong"})
}

// game moves by itself, asks for what is not there, and fails.
const game = `<!doctype html><body style="background:#123"><canvas id=c width=600 height=400></canvas><script src=missing.js></script><script>
let n = 0; setInterval(() => { let x = c.getContext('2d'); x.fillStyle = 'hsl(' + n + ' 80% 50%)'; x.fillRect(n % 600, n % 400, 60, 60); n += 7 }, 30)
onkeydown = e => { if (e.key === 'ArrowUp') console.error('it was', e.key, location.href, isSecureContext) }
fetch('https://other.example/x').catch(() => 0)
setTimeout(() => nope(), 100)</script>`

// TestATrialSeesWhatAPageDoes: under the origin's own address, a page is painted, moves, gets keys, and says what failed.
func TestATrialSeesWhatAPageDoes(t *testing.T) {
	testenv.Unraced(t)
	s := opens(t, files{"/": game}, patient())
	shot, err := png.DecodeConfig(bytes.NewReader(s.Shot))
	expect.OK(t, err)
	expect.Equal(t, "the size of the picture", image.Pt(shot.Width, shot.Height), image.Pt(width, height))
	expect.Equal(t, "painted", s.FirstPaint > 0, true)
	expect.Equal(t, "moved", s.Moved, true)
	expect.Equal(t, "hangs or is blank", s.Hangs || s.Blank || s.Memory, false)
	has(t, s.Failed, trial.Request{Path: "/missing.js", Status: 404})
	has(t, s.Elsewhere, "other.example")
	has(t, s.Errors, "Uncaught ReferenceError: nope is not defined (line 5 of the page)")
	has(t, s.Errors, "it was ArrowUp http://pong.localhost/ true (line 3 of the page)")
}

func has[T comparable](t *testing.T, all []T, one T) {
	t.Helper()
	if !slices.Contains(all, one) {
		t.Errorf("of %+v, %+v is missing", all, one)
	}
}

// TestAPageThatNeverAnswersHangs: an endless loop is known by its silence.
func TestAPageThatNeverAnswersHangs(t *testing.T) {
	testenv.Unraced(t)
	long := patient()
	long.Load, long.Step, long.Hang = time.Second/2, time.Second/2, 2*time.Second
	s := opens(t, files{"/": "<!doctype html><h1>on it</h1><script>for (;;);</script>"}, long)
	expect.Equal(t, "hangs", s.Hangs, true)
}

// slow is drawn a second after it was asked to be, each time.
const slow = `<!doctype html><body style="background:#123"><h1 style="color:#fb3">Slow</h1><script>
let n = 0
function frame() { for (let end = performance.now() + 1000; performance.now() < end;); document.body.style.paddingTop = 40 * (n++ % 9) + 'px'; requestAnimationFrame(frame) }
frame()</script>`

// TestSoakAPageThatIsDrawnSlowlyIsSeen: what is drawn is waited for as long as the page answers.
func TestSoakAPageThatIsDrawnSlowlyIsSeen(t *testing.T) {
	testenv.Unraced(t)
	long := patient()
	long.Step = 200 * time.Millisecond
	s := opens(t, files{"/": slow}, long)
	expect.Equal(t, "that there is a picture", len(s.Shot) > 0, true)
	expect.Equal(t, "moved", s.Moved, true)
	expect.Equal(t, "hangs or is blank", s.Hangs || s.Blank || s.Unseen, false)
}
