package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A Code names the kind of a finding.
type Code string

// The codes of findings. All are warnings but AnotherHost and AsksSecrets, which may be meant.
const (
	PageBlank   Code = "page_blank"
	PageHangs   Code = "page_hangs"
	TooMuch     Code = "too_much_memory"
	ScriptError Code = "script_error"
	MissingFile Code = "missing_file"
	NothingMove Code = "nothing_moved"
	AnotherHost Code = "another_host"
	AsksSecrets Code = "asks_for_secrets"
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
	say(len(s.Fields) > 0, AsksSecrets, "The page has fields for secrets of its readers: "+strings.Join(s.Fields, ", ")+".",
		"Take them out if they are not meant: a game needs none. While nobody has verified the email address of the account, "+
			"a public service holds such a project back from others.")
	blank := "Open it in a browser and look at the console: " +
		"most often a script failed before it drew anything, or a file is missing."
	failed := "Mend the scripts, and send them with POST /v1/update: the address stays."
	if len(s.Elsewhere) > 0 {
		say(true, AnotherHost, "The page asked for another host, which a trial does not reach, so it may look different in a browser: "+
			first(s.Elsewhere), "Nothing to do if that is meant. "+
			"A project that brings all its files itself also works where the other host does not.")
		blank, failed = elsewhereHint, elsewhereHint
	}
	say(s.Blank, PageBlank, "The page showed one colour and nothing else.", blank)
	say(len(s.Errors) > 0, ScriptError, "The page reported an error: "+first(s.Errors), failed)
	for _, r := range s.Failed {
		say(r.Status == 404 || r.Status == 410, MissingFile, "The page asked for "+r.Path+", which is not among its files.",
			"Add the file under this name, or take out what asks for it. Names count upper and lower case.")
	}
	still := !s.Moved && !s.Unseen && !s.Blank && !s.Hangs && !s.Memory
	say(still, NothingMove, "Nothing on the page moved, neither by itself nor by the clicks and keys.",
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

// Limits of the record of a trial.
const (
	MostEntries = 20  // errors, requests that failed, other hosts
	MostText    = 300 // bytes of one
	MostHost    = 100
)

// Seen holds the observations of a version. All texts are the page's own words.
type Seen struct {
	FirstPaint time.Duration `json:"first_paint,omitempty"` // 0: nothing was painted
	Moved      bool          `json:"moved,omitempty"`
	Unseen     bool          `json:"unseen,omitempty"` // the machine was too busy to see whether anything moved
	Blank      bool          `json:"blank,omitempty"`  // one colour all the time
	Hangs      bool          `json:"hangs,omitempty"`  // the page stopped answering
	Memory     bool          `json:"memory,omitempty"` // the page took more than a trial has
	Errors     []string      `json:"errors,omitempty"`
	Failed     []Request     `json:"failed,omitempty"`
	Fields     []string      `json:"fields,omitempty"`    // kinds of secrets that the page requests: password, card, seed, sends
	Elsewhere  []string      `json:"elsewhere,omitempty"` // hosts that the page asked for, and that a trial does not have
	Shot       []byte        `json:"-"`                   // a screenshot, PNG or JPEG; nil: none was worth it
}

// A Request is a request to the project's own origin that was answered with an error.
type Request struct {
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// nothing reports whether the machine was too busy to see the page.
func (s Seen) nothing() bool { return s.Unseen && len(s.Shot) == 0 && !s.Hangs && !s.Memory }

// write encodes the observations for a Store: some 20 KiB at most.
func (s Seen) write() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // texts and numbers always encode
	}
	return bytes.TrimSpace(out.Bytes())
}

// read decodes the observations from a Store.
func read(kept []byte) (s Seen, err error) {
	if len(kept) > 0 {
		err = json.Unmarshal(kept, &s)
	}
	return s, err
}
