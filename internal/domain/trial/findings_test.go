package trial

import (
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestOtherHostsAreToldBeforeWhatTheirWantMayHaveLedTo: a game that loads its library from elsewhere was reported as broken.
func TestOtherHostsAreToldBeforeWhatTheirWantMayHaveLedTo(t *testing.T) {
	told := func(s Seen) (codes []Code, hints []string) {
		for _, f := range findings(s) {
			codes, hints = append(codes, f.Code), append(hints, f.Hint)
		}
		return codes, hints
	}
	broken := Seen{Blank: true, Errors: []string{"THREE is not defined"}}
	codes, hints := told(broken)
	expect.Same(t, "without other hosts", codes, []Code{PageBlank, ScriptError})
	for _, hint := range hints {
		expect.Equal(t, "that they may be why, without any", hint == elsewhereHint, false)
	}
	broken.Elsewhere = []string{"cdn.example.com"}
	codes, hints = told(broken)
	expect.Same(t, "with other hosts", codes, []Code{AnotherHost, PageBlank, ScriptError})
	expect.Same(t, "what may be why", hints[1:], []string{elsewhereHint, elsewhereHint})
}
