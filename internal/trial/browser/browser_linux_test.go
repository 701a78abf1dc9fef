package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
	"sandlot/internal/trial"
)

// TestMain has this program be the worker as well, as the real one is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "playtest-worker" {
		if err := Work(context.Background(), os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// files are an origin of a few texts.
type files map[string]string

func (f files) ServeTrial(w http.ResponseWriter, r *http.Request, _ trial.Page) {
	text, ok := f[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write([]byte(text))
}

// unprivileged is whom tests run a browser as: nobody, or who they run as themselves.
func unprivileged() User {
	if me := Myself(); me.UID != 0 {
		return me
	}
	return User{65534, 65534}
}

// opens opens a page of an origin.
func opens(t *testing.T, origin Origin, url string) trial.Seen {
	t.Helper()
	testenv.Need(t, "chromium")
	program, err := find()
	expect.OK(t, err)
	b := &Browser{User: unprivileged(), Origin: origin, program: program}
	seen, err := b.Open(t.Context(), trial.Page{URL: url})
	expect.OK(t, err)
	return seen
}

// game moves by itself, asks for what is not there, and fails.
const game = `<!doctype html><body style="background:#123"><canvas id=c width=600 height=400></canvas><script src=missing.js></script><script>
let n = 0; setInterval(() => { let x = c.getContext('2d'); x.fillStyle = 'hsl(' + n + ' 80% 50%)'; x.fillRect(n % 600, n % 400, 60, 60); n += 7 }, 30)
onkeydown = e => { if (e.key === 'ArrowUp') console.error('it was', e.key, location.href, isSecureContext) }
fetch('https://other.example/x').catch(() => 0)
setTimeout(() => nope(), 100)</script>`

// TestUnracedATrialSeesWhatAPageDoes: under the origin's own address, a page is painted, moves, gets keys, and says what failed.
func TestUnracedATrialSeesWhatAPageDoes(t *testing.T) {
	testenv.Unraced(t)
	s := opens(t, files{"/": game}, "https://pong.example.org/")
	for range 2 {
		if s.Unseen { // the machine was too busy to draw it, which is all that is said of it then
			s = opens(t, files{"/": game}, "https://pong.example.org/")
		}
	}
	shot, err := png.DecodeConfig(bytes.NewReader(s.Shot))
	expect.OK(t, err)
	expect.Equal(t, "the size of the picture", image.Pt(shot.Width, shot.Height), image.Pt(width, height))
	if s.FirstPaint <= 0 || s.FirstPaint > playTime {
		t.Errorf("painted after %v", s.FirstPaint)
	}
	s.Shot, s.FirstPaint = nil, 0
	expect.Same(t, "what was seen", s, trial.Seen{
		Moved: true, Failed: []trial.Request{{Path: "/missing.js", Status: 404}}, Elsewhere: []string{"other.example"},
		Errors: []string{"Uncaught ReferenceError: nope is not defined (:5)", "it was ArrowUp https://pong.example.org/ true (:3)"},
	})
}
