package trial

import (
	"bytes"
	"encoding/json"
	"time"
)

// Limits of what is kept of a trial.
const (
	MostEntries = 20  // errors, requests that failed, other hosts
	MostText    = 300 // bytes of one
	MostHost    = 100
)

// A Page is a version that is opened.
type Page struct {
	Due
	URL string // of the project
}

// Seen is what there was to see of a version. All texts are the page's own words.
type Seen struct {
	FirstPaint time.Duration `json:"first_paint,omitempty"` // 0: nothing was painted
	Moved      bool          `json:"moved,omitempty"`
	Unseen     bool          `json:"unseen,omitempty"` // the machine was too busy to tell whether anything moved
	Blank      bool          `json:"blank,omitempty"`  // one colour all the time
	Hangs      bool          `json:"hangs,omitempty"`  // it stopped answering
	Memory     bool          `json:"memory,omitempty"` // it took more than a trial has
	Errors     []string      `json:"errors,omitempty"`
	Failed     []Request     `json:"failed,omitempty"`
	Elsewhere  []string      `json:"elsewhere,omitempty"` // hosts that it asked for, and that a trial has not
	Shot       []byte        `json:"-"`                   // a picture of it, PNG or JPEG; nil: none was worth it
}

// A Request is one to the project's own origin that was answered with an error.
type Request struct {
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// nothing reports whether the machine was too busy to tell what the page shows.
func (s Seen) nothing() bool { return s.Unseen && len(s.Shot) == 0 && !s.Hangs && !s.Memory }

// write makes of it what a Store keeps: some 20 KiB at most.
func (s Seen) write() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // texts and numbers always encode
	}
	return bytes.TrimSpace(out.Bytes())
}

// read makes what was seen of what a Store kept.
func read(kept []byte) (s Seen, err error) {
	if len(kept) > 0 {
		err = json.Unmarshal(kept, &s)
	}
	return s, err
}
