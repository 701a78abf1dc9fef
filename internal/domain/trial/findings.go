package trial

import (
	"fmt"
	"strings"
)

// A Code names the kind of a finding.
type Code string

// The codes of findings. All are warnings but AnotherHost, which may be meant.
const (
	PageBlank   Code = "page_blank"
	PageHangs   Code = "page_hangs"
	TooMuch     Code = "too_much_memory"
	ScriptError Code = "script_error"
	MissingFile Code = "missing_file"
	NothingMove Code = "nothing_moved"
	AnotherHost Code = "another_host"
)

// A Finding is one fault that a trial found, with its remedy.
type Finding struct {
	Code    Code
	Message string
	Hint    string
}

// elsewhereHint is the hint for a page that asks for other hosts and fails.
const elsewhereHint = "That may be for want of the other hosts alone, which a trial does not reach: open it in a browser to see."

// findings returns the probable faults of a page with these observations, the worst first; its use of other hosts is
// before the faults that this may have caused.
func findings(s Seen) (all []Finding) {
	say := func(when bool, code Code, message, hint string) {
		if when {
			all = append(all, Finding{code, message, hint})
		}
	}
	say(s.Memory, TooMuch, "The page took more than 1 GiB of memory, and was closed.",
		"Load less at once, and let go of what is not shown: phones have less than that.")
	say(s.Hangs, PageHangs, "The page stopped answering.",
		"Look for a loop that never ends; do long work in small steps, from requestAnimationFrame or in a worker.")
	blank := "Open it in a browser and look at the console: " +
		"most often a script failed before it drew anything, or a file is missing."
	failed := "Mend the scripts, and send them with POST /v1/update: the address stays."
	if len(s.Elsewhere) > 0 {
		say(true, AnotherHost, "The page asked for another host, which a trial does not reach, so it may look different in a browser: "+
			first(s.Elsewhere), "Nothing to do if that is meant. "+
			"A project that brings all its files itself also works where the other host does not.")
		blank, failed = elsewhereHint, elsewhereHint
	}
	say(s.Blank, PageBlank, "The page showed one colour and nothing else for ten seconds.", blank)
	say(len(s.Errors) > 0, ScriptError, "The page reported an error: "+first(s.Errors), failed)
	for _, r := range s.Failed {
		say(r.Status == 404 || r.Status == 410, MissingFile, "The page asked for "+r.Path+", which is not among its files.",
			"Add the file under this name, or take out what asks for it. Names count upper and lower case.")
	}
	still := !s.Moved && !s.Unseen && !s.Blank && !s.Hangs && !s.Memory
	say(still, NothingMove, "Nothing on the page moved, neither by itself nor by a click or the usual keys.",
		"That is fine for a page to read. A game may wait for something else than a click, the space bar, arrows or WASD: "+
			"say so on its first screen.")
	return all
}

// first returns the first entry of a list, and the number of the others.
func first(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return fmt.Sprintf("%s (and %d more)", list[0], len(list)-1)
}
