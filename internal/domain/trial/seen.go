package trial

import (
	"bytes"
	"encoding/json"
	"time"
)

// Limits of the record of a trial.
const (
	MostEntries = 20  // errors, requests that failed, other hosts
	MostText    = 300 // bytes of one
	MostHost    = 100
)

// A Page is a version to open.
type Page struct {
	Due
	URL string // of the project
}

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
