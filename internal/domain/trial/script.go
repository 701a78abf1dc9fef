package trial

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// Limits of a Script, and the size of the view that it plays in.
const (
	MostSteps   = 50
	MostProbes  = 10
	MostProbe   = 200 // bytes
	MostSeconds = 10
	ViewWidth   = 1280
	ViewHeight  = 720
	heldFor     = 120 // ms: a few frames, for games that poll the keys in each
	looksOn     = 2   // seconds after the last step, if the script does not say
)

// A Step is one act of a Script: a Key that is held, a Tap, or a Wait.
type Step struct {
	Key  string    `json:"key,omitempty"`
	Tap  []float64 `json:"tap,omitempty"` // from the left and from the top, in pixels of the view
	Wait *int      `json:"wait,omitempty"`
	MS   *int      `json:"ms,omitempty"` // the time for which the key or the tap is held
}

// Length returns the time that a step takes.
func (s Step) Length() time.Duration { return time.Duration(s.milliseconds()) * time.Millisecond }

func (s Step) milliseconds() int {
	held := heldFor
	return *cmp.Or(s.Wait, s.MS, &held)
}

// A Script holds the steps and probes of a check. A probe is an expression in JavaScript, which the page itself
// evaluates, before the steps and after them.
type Script struct {
	Version int // 0: the current one
	Steps   []Step
	Probes  []string
	Seconds int // from the first picture to the second; 0: as long as the steps take, and some more
}

// KeyNames are the keys beside those of one printable ASCII character, named as in KeyboardEvent.key. It never changes.
var KeyNames = []string{
	"ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "Enter", "Escape", "Tab", "Backspace", "Delete", "Home", "End", "PageDown",
	"PageUp", "Shift", "Control", "Alt", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
}

// readKey returns a key by its name in KeyboardEvent.key. It also takes the names of KeyboardEvent.code for single
// characters.
func readKey(name string) (string, bool) {
	rest, letter := strings.CutPrefix(name, "Key")
	digit, number := strings.CutPrefix(name, "Digit")
	switch {
	case name == "Space", name == "Spacebar":
		return " ", true
	case letter && len(rest) == 1:
		name = strings.ToLower(rest)
	case number && len(digit) == 1:
		name = digit
	}
	return name, len(name) == 1 && name[0] >= ' ' && name[0] <= '~' || slices.Contains(KeyNames, name)
}

// ready returns a script with its defaults set, or the refusal of an invalid one.
func (s Script) ready() (Script, error) {
	if len(s.Steps) > MostSteps {
		return s, misplayed("inputs", "inputs has %d entries, and at most %d are taken", len(s.Steps), MostSteps)
	}
	if len(s.Probes) > MostProbes {
		return s, misplayed("probe", "probe has %d entries, and at most %d are taken", len(s.Probes), MostProbes)
	}
	if s.Seconds < 0 || s.Seconds > MostSeconds {
		return s, misplayed("seconds", "seconds is %d; a check takes 1 to %d", s.Seconds, MostSeconds)
	}
	for i, p := range s.Probes {
		if strings.TrimSpace(p) == "" || len(p) > MostProbe {
			return s, misplayed("probe", "probe[%d] has %d bytes; an expression has 1 to %d", i, len(p), MostProbe)
		}
	}
	steps, sum := make([]Step, len(s.Steps)), time.Duration(0)
	for i, step := range s.Steps {
		var err error
		if steps[i], err = step.ready(i); err != nil {
			return s, err
		}
		sum += steps[i].Length()
	}
	most := time.Duration(cmp.Or(s.Seconds, MostSeconds)) * time.Second
	if sum > most {
		return s, misplayed("inputs", "inputs takes %d ms in all, and there are %d", sum.Milliseconds(), most.Milliseconds())
	}
	s.Steps, s.Seconds = steps, cmp.Or(s.Seconds, min(MostSeconds, int((sum+time.Second-1)/time.Second)+looksOn))
	return s, nil
}

// ready returns a step with its key in the form of KeyboardEvent.key, or the refusal of an invalid one.
func (s Step) ready(i int) (Step, error) {
	acts := 0
	for _, is := range []bool{s.Key != "", s.Tap != nil, s.Wait != nil} {
		if is {
			acts++
		}
	}
	key, known := readKey(s.Key)
	switch {
	case acts != 1 || s.Wait != nil && s.MS != nil:
		return s, misplayed("inputs", `inputs[%d] is not one of {"key": "ArrowRight", "ms": 500}, {"tap": [200, 300]} and {"wait": 1000}`, i)
	case s.Key != "" && !known:
		return s, misplayed("inputs", "inputs[%d] has the unknown key %s; a key is one character, or %s", i, inspect.Quoted(s.Key),
			strings.Join(KeyNames, ", "))
	case s.Tap != nil && (len(s.Tap) != 2 || outside(s.Tap[0], ViewWidth) || outside(s.Tap[1], ViewHeight)):
		return s, misplayed("inputs", "inputs[%d] taps outside of the view, which is %d wide and %d high", i, ViewWidth, ViewHeight)
	case s.milliseconds() < 0 || s.milliseconds() > MostSeconds*1000:
		return s, misplayed("inputs", "inputs[%d] takes %d ms; a step takes 0 to %d", i, s.milliseconds(), MostSeconds*1000)
	}
	s.Key = key
	return s, nil
}

func outside(at float64, size int) bool { return !(at >= 0 && at < float64(size)) }

// misplayed returns the refusal of a script, with a check that works.
func misplayed(field, format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field "+format+".", args...).In(field).With(sandlot.OpCheck, Example()...).
		Note("Nothing was opened. A check that works:")
}

// Example returns the arguments of a check that works with any page.
func Example() []sandlot.Arg {
	return []sandlot.Arg{
		{Name: "inputs", Value: json.RawMessage(`[{"key":"ArrowRight","ms":500},{"tap":[640,360]},{"wait":1000}]`)},
		{Name: "probe", Value: json.RawMessage(`["document.title"]`)},
		{Name: "seconds", Value: 5},
	}
}
