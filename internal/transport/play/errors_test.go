package play

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/domain/players/faults"
	"sandlot/internal/testkit/testenv"
)

// reporting makes a Handler's script report errors.
func reporting(c *Config) { c.Faults = faults.New(faults.Config{}) }

// reported returns the next n errors that a page reported, each as its kind, message and place, in order, and the last
// Origin.
func (s *stage) reported(t *testing.T, n int) (list []string, origin string) {
	t.Helper()
	for len(list) < n {
		select {
		case body := <-s.reports:
			var in struct {
				Age    float64         `json:"age"`
				Errors []faults.Report `json:"errors"`
			}
			origin, body, _ = strings.Cut(body, " ")
			if err := json.Unmarshal([]byte(body), &in); err != nil || in.Age <= 0 {
				t.Fatalf("%v: %s", err, body)
			}
			for _, r := range in.Errors {
				at := strings.TrimPrefix(r.Source, "http://")
				list = append(list, fmt.Sprintf("%s %s %s:%d %v", r.Kind, r.Message, at[strings.Index(at, "/")+1:], r.Line, r.Stack != ""))
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("only %q was reported", list)
		}
	}
	slices.Sort(list)
	return list, origin
}

func sameReports(t *testing.T, got []string, want ...string) {
	t.Helper()
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("reported\n%q, want\n%q", got, want)
	}
}

const faulty = `<!doctype html><title>x</title><body><canvas></canvas><img src="gone.png"><img src="http://127.0.0.1:1/x.png"><script>
addEventListener('load', () => {
  setTimeout(() => { lose(); }, 0);
  setTimeout(() => { throw new Error('thrown'); }, 0);
  setTimeout(() => { throw new Error('thrown'); }, 0);
  Promise.reject(new Error('rejected'));
  Promise.reject(Object.assign(new Error('x'), {name: 'AbortError'}));
  fetch('level.json').catch(() => {});
  fetch('.sandlot/saves/main').catch(() => {});
  document.querySelector('canvas').dispatchEvent(new Event('webglcontextlost'));
});
</script>`

// wantFaulty are the reports of that page.
var wantFaulty = []string{
	"error Uncaught ReferenceError: lose is not defined :3 true", "error Uncaught Error: thrown :4 true",
	"error Uncaught Error: thrown :5 true", "rejection rejected :0 true", "resource Not loaded: fetch level.json:0 false",
	"resource Not loaded: img gone.png:0 false", "webgl The WebGL context was lost. :0 false",
}

// TestPagesReportTheirErrors in a tab and in a frame: each error once, with failures of their own files, and nothing else.
func TestPagesReportTheirErrors(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, reporting)
	s.put(gameID, s.file("index.html", faulty))
	s.put("frame-abc234", s.file("index.html", `<iframe src="`+s.url(gameID)+`"></iframe>`))
	for name, page := range map[string]string{"a tab": s.url(gameID), "a frame": s.url("frame-abc234")} {
		run(t, ctx, chromedp.Navigate(page))
		list, origin := s.reported(t, len(wantFaulty))
		if sameReports(t, list, wantFaulty...); origin+"/" != s.url(gameID) {
			t.Errorf("%s: reported by %q", name, origin)
		}
	}
	run(t, ctx, chromedp.Navigate("about:blank"))
	if len(s.reports) > 0 {
		t.Errorf("reported as well: %s", <-s.reports)
	}
}

// TestAPageReportsTenErrors, and those of its last second when it is left.
func TestAPageReportsTenErrors(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, reporting)
	s.put(gameID, s.file("index.html", page("game")))
	run(t, ctx, chromedp.Navigate(s.url(gameID)))
	s.next(t) // the script runs
	run(t, ctx, chromedp.Evaluate[bool](`for (let i = 0; i < 20; i++) setTimeout(() => { throw 'error ' + i; }, 0); true`))
	list, _ := s.reported(t, 10)
	if len(list) != 10 {
		t.Errorf("%d were reported", len(list))
	}
	run(t, ctx, chromedp.Navigate(s.url(gameID)))
	s.next(t)
	run(t, ctx, chromedp.Evaluate[bool](`dispatchEvent(new ErrorEvent('error', {message: 'last'})); location = 'about:blank'; true`))
	list, _ = s.reported(t, 1)
	sameReports(t, list, "error last :0 false")
}

// TestTheSDKReportsInsteadOfTheScript: where it is there first, each error is reported once.
func TestTheSDKReportsInsteadOfTheScript(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, reporting)
	mark := `<script>Object.defineProperty(window, Symbol.for('sandlot.errors'), {value: true})</script>`
	s.put(gameID, s.file("index.html", mark+page("game")))
	run(t, ctx, chromedp.Navigate(s.url(gameID)))
	s.next(t)
	run(t, ctx, chromedp.Evaluate[bool](`dispatchEvent(new ErrorEvent('error', {message: 'x'})); true`))
	run(t, ctx, chromedp.Navigate("about:blank"))
	s.next(t) // it left
	if len(s.reports) > 0 {
		t.Errorf("reported: %s", <-s.reports)
	}
}
