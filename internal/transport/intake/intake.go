// Package intake reads the bodies of calls, as JSON, a form or a bare archive: it decodes their fields, and stages the
// bytes of their files as they arrive.
//
// It accepts a field whose meaning is unambiguous, and refuses near misses of fields that select the target of a
// change. It also supplies the fields of a call that a hint repeats. Every transport with bodies uses it, so that a
// call means the same on all of them.
package intake

import (
	"cmp"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
)

// A Call is one request whose body is being read.
type Call struct {
	W        http.ResponseWriter
	R        *http.Request
	By       sandlot.Caller
	Keyed    bool      // whether a key was sent, for hints
	Takes    *FieldSet // the fields of the call, or of the first of its path; nil: none
	Body     *Body
	Told     *ticket.Call     // the declaration of the ticket; nil until it is known, and without a ticket
	Grant    *admission.Grant // nil until the call is admitted
	Said     *Fields          // the fields of the body, for hints; nil until it is read
	Object   bool             // whether the body begins like a JSON object
	Whole    bool             // whether the body was read to its end
	drainBy  time.Time        // the deadline for the rest of a refused body, if it is read on
	Stalled  bool             // whether the client paused, which net/http takes for its end
	Warnings []sandlot.Warning
}

// New returns an Intake with the default for each limit that is 0.
func New(in Intake) *Intake {
	in.MaxContent = cmp.Or(in.MaxContent, sandlot.DefaultMaxContent)
	in.MaxFile = cmp.Or(in.MaxFile, sandlot.DefaultMaxFile)
	return &in
}

// An Intake reads the bodies of calls, and stages the bytes of their files. It may be used concurrently.
type Intake struct {
	Contents   *publish.Contents // stages the bytes of a body until a call uses them, and opens those of stored files
	Places     sandlot.Places
	MaxContent int64 // the largest content of one request in bytes, decoded and unpacked
	MaxFile    int64 // the largest file in bytes, however many parts bring it
}
