package browser

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// steered moves a square by keys and by taps, and has its state where a probe finds it.
const steered = `<!doctype html><title>Steered</title><body style="margin:0;background:#123"><canvas id=c width=1280 height=720></canvas><script>
let state = {x: 100, score: 0, deep: {a: {b: {c: {d: {e: {f: 1}}}}}}}, held = {}
onkeydown = e => held[e.key] = true
onkeyup = e => delete held[e.key]
onclick = e => { state.score += 10; state.at = [e.clientX, e.clientY]; console.log('tapped', state.score) }
function frame() { if (held.ArrowRight) state.x += 5; const d = c.getContext('2d'); d.fillStyle = '#123'; d.fillRect(0, 0, 1280, 720); d.fillStyle = '#fb3'; d.fillRect(state.x, 300, 90, 90); requestAnimationFrame(frame) }
frame()</script>`

// plays plays a script on a page of an origin.
func plays(t *testing.T, origin Origin, script trial.Script) trial.Played {
	t.Helper()
	testenv.Need(t, "chromium")
	p, err := (&Browser{User: unprivileged(), Origin: origin, times: patient()}).Play(t.Context(), trial.Due{Project: "pong"}, script)
	expect.OK(t, err)
	return p
}

// TestACheckPlaysItsScript: keys are held, taps are where they should be, and probes are read before and after.
func TestACheckPlaysItsScript(t *testing.T) {
	testenv.Unraced(t)
	held, waited := 500, 100
	p := plays(t, files{"/": steered}, trial.Script{
		Steps:   []trial.Step{{Key: "ArrowRight", MS: &held}, {Tap: []float64{200, 300}}, {Wait: &waited}},
		Probes:  []string{"state.score", "state.x > 110", "state.at", "nope.a", "state.deep", "1 +* 2", "NaN", "'\\u202e' + document.title", "await Promise.resolve([1n, () => 0])", "void 0"},
		Seconds: 1,
	})
	expect.Equal(t, "moved", p.Moved, true)
	expect.Equal(t, "that both pictures are there", len(p.Before) > 0 && len(p.After) > 0, true)
	expect.Equal(t, "that frames were counted", p.Frames > 0, true)
	var got []string
	for _, v := range p.Values {
		got = append(got, string(v.Before)+" -> "+string(v.After)+v.Error)
	}
	expect.Same(t, "what the probes found", got, []string{
		"0 -> 10", "false -> true", "null -> [200,300]", " -> ReferenceError: nope is not defined",
		`{"a":{"b":{"c":{"d":{"e":"..."}}}}} -> {"a":{"b":{"c":{"d":{"e":"..."}}}}}`, " -> SyntaxError: Unexpected token '*'",
		`"NaN" -> "NaN"`, `"Steered" -> "Steered"`, `["1","() =\u003e 0"] -> ["1","() =\u003e 0"]`, "null -> null",
	})
	expect.Equal(t, "the console", strings.Join(p.Console, "|"), "log: tapped 10 (line 5 of the page)")
}

// TestACheckOfAPageThatHangsEnds: the observations until then are returned.
func TestACheckOfAPageThatHangsEnds(t *testing.T) {
	testenv.Unraced(t)
	b := &Browser{User: unprivileged(), Origin: files{"/": `<!doctype html><h1>on it</h1><script>onkeydown = () => { for (;;); }</script>`}}
	testenv.Need(t, "chromium")
	b.times = patient()
	b.times.Step, b.times.Hang = b.times.Load/40, b.times.Load/10
	p, err := b.Play(t.Context(), trial.Due{Project: "pong"}, trial.Script{Steps: []trial.Step{{Key: "a"}, {Key: "b"}}, Probes: []string{"1", "2"}, Seconds: 1})
	expect.OK(t, err)
	expect.Equal(t, "hangs", p.Hangs, true)
	expect.Same(t, "the pictures before and after", []bool{len(p.Before) > 0, len(p.After) > 0}, []bool{true, false})
	for i, want := range []string{"1 The page did not answer.", "2 The page did not answer."} {
		expect.Equal(t, "what a probe found before, and after", string(p.Values[i].Before)+" "+p.Values[i].Error, want)
	}
}

// TestACheckThatBeganLateAnswers: the rest of its caller's time is enough for an answer with the observations so far.
func TestACheckThatBeganLateAnswers(t *testing.T) {
	testenv.Unraced(t)
	testenv.Need(t, "chromium")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	long := patient()
	long.Most, long.Last = long.Wall-57*time.Second, 0 // three seconds, and then as long as a busy machine needs for the answer
	b := &Browser{User: unprivileged(), Origin: files{"/": steered}, times: long}
	hour := int(time.Hour / time.Millisecond)
	p, err := b.Play(ctx, trial.Due{Project: "pong"}, trial.Script{Steps: []trial.Step{{Wait: &hour}, {Key: "a"}}, Probes: []string{"1"}})
	expect.OK(t, err)
	expect.Equal(t, "hangs", p.Hangs, false)
}

// TestSoakAFullScreenCanvasIsSeen, with both pictures, in the times of a check and in those of a trial.
func TestSoakAFullScreenCanvasIsSeen(t *testing.T) {
	testenv.Unraced(t)
	wick, err := os.ReadFile("../../../../examples/wick/index.html")
	expect.OK(t, err)
	testenv.Need(t, "chromium")
	b := &Browser{User: unprivileged(), Origin: files{"/": string(wick)}}
	p, err := b.Play(t.Context(), trial.Due{Project: "pong"}, trial.Script{Seconds: 2, Steps: []trial.Step{{Key: " "}, {Tap: []float64{640, 360}}}})
	expect.OK(t, err)
	expect.Same(t, "the pictures, and that it moved", []bool{len(p.Before) > 0, len(p.After) > 0, p.Moved}, []bool{true, true, true})
	s := opens(t, files{"/": string(wick)}, usual())
	expect.Same(t, "the picture of a trial, and that it moved", []bool{len(s.Shot) > 0, s.Moved, s.Unseen}, []bool{true, true, false})
	b = &Browser{User: unprivileged(), Origin: files{"/": filled}, memory: mostMemory / 2}
	p, err = b.Play(t.Context(), trial.Due{Project: "pong"}, trial.Script{Seconds: 6})
	expect.OK(t, err)
	expect.Same(t, "that the browser hoarded its frames, and that it moved", []bool{p.Memory, p.Moved}, []bool{false, true})
}

// filled fills a canvas of the whole view in each frame.
const filled = `<!doctype html><body style="margin:0"><canvas id=c width=1280 height=720></canvas><script>
let d = c.getContext('2d'), n = 0
function frame() { d.fillStyle = 'hsl(' + n++ + ' 60% 50%)'; d.fillRect(0, 0, 1280, 720); requestAnimationFrame(frame) }
frame()</script>`

// TestEachNamedKeyIsKnownToTheBrowser: the names that are taken are those that are pressed.
func TestEachNamedKeyIsKnownToTheBrowser(t *testing.T) {
	t.Parallel()
	for _, name := range trial.KeyNames {
		expect.Equal(t, name+" is known", keyRunes[name] != "", true)
	}
	expect.Equal(t, "the number of keys", len(keyRunes), len(trial.KeyNames))
}
