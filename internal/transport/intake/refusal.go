package intake

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"sandlot"
	"sandlot/internal/format/content"
	"sandlot/internal/transport/intake/hint"
)

// Gone reports whether err only means that the client is gone. One that ended its body too early may still be reading.
func (c *Call) Gone(err error) bool {
	var decoded *content.Error
	if errors.Is(c.Body.Err, io.ErrUnexpectedEOF) && errors.As(err, &decoded) {
		return false
	}
	if c.Stalled || errors.Is(c.Body.Err, sandlot.CodeUnavailable) {
		return false // a deadline of the service ended the body
	}
	if c.R.Context().Err() != nil {
		return true
	}
	var network net.Error
	return errors.As(c.Body.Err, &network) && errors.Is(err, c.Body.Err)
}

// Refusal turns any error of a call into an Error. A fault of the service becomes CodeInternal, with a fixed sentence.
// on is the request for hints.
func (a *Intake) Refusal(c *Call, err error, on hint.Request) *sandlot.Error {
	var e *sandlot.Error
	var decoded *content.Error
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &e):
	case errors.As(err, &decoded):
		return WrongBody(decoded, on)
	case errors.As(err, &large):
		return a.BodyTooLarge()
	case c.Body.Err != nil && c.Body.Err != io.EOF && errors.Is(err, c.Body.Err):
		return sandlot.Refuse(sandlot.CodeInvalidJSON, "The body isn't valid HTTP (its length or chunks are wrong).").With(sandlot.OpSame)
	default:
		e = sandlot.AsError(err)
	}
	if e == nil {
		e = sandlot.Refuse(sandlot.CodeInternal, "Something failed on the server; your request was fine.").Because(err).
			With(sandlot.OpWait).Note("Send the same request again later. If it fails again, tell the operator the request_id.")
	}
	return e
}

// errEnough ends a body at its limit.
var errEnough = errors.New("api: no more of this body is read")

// mayReadOn lets the decoder read the rest of a refused body, for the fields that the corrected call repeats, if that
// takes no more than discarding it would. A client that pauses is answered at once.
func (c *Call) mayReadOn(refusal error) bool {
	var decoded *content.Error
	if !errors.As(refusal, &decoded) || c.Body.Err != nil && c.Body.Err != io.EOF || c.unread() > drainMost {
		return false
	}
	c.Body.most = c.Body.read + drainMost
	c.drainBy = time.Now().Add(DrainWait)
	// Without such a deadline, the server's own ends the wait.
	_ = http.NewResponseController(c.W).SetReadDeadline(time.Now().Add(SearchWait))
	return true
}

// readOn clears the deadline after the rest of a body was read.
func (c *Call) readOn() {
	_ = http.NewResponseController(c.W).SetReadDeadline(time.Time{})
	// net/http considers the client gone after a failed read; it may only be slow.
	c.Stalled = errors.Is(c.Body.Err, os.ErrDeadlineExceeded)
}
