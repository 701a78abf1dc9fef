package intake

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"sandlot/internal/format/content"
)

// errEnough ends a body at its limit.
var errEnough = errors.New("api: no more of this body is read")

// mayReadOn lets the decoder read the rest of a refused body, for the fields that the corrected call repeats, if that
// takes no more bytes and time than discarding it would. A client that pauses is answered at once.
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
