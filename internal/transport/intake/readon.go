package intake

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"sandlot/internal/format/content"
)

// errEnough ends a body of which no more is read.
var errEnough = errors.New("api: no more of this body is read")

// mayReadOn lets the decoder read the rest of a refused body, for the fields that
// the corrected call repeats, where that takes no more bytes and time than would
// be spent on throwing it away. A client that pauses is answered at once.
func (c *Call) mayReadOn(refusal error) bool {
	var decoded *content.Error
	if !errors.As(refusal, &decoded) || c.Body.Err != nil && c.Body.Err != io.EOF || c.unread() > drainMost {
		return false
	}
	c.Body.most = c.Body.read + drainMost
	c.drainBy = time.Now().Add(DrainWait)
	// Where there is no deadline to set, the server's own ends the wait.
	_ = http.NewResponseController(c.W).SetReadDeadline(time.Now().Add(SearchWait))
	return true
}

// readOn ends the patience for a body that was read on.
func (c *Call) readOn() {
	_ = http.NewResponseController(c.W).SetReadDeadline(time.Time{})
	// For net/http the client is gone after a failed read; it may only be slow.
	c.Stalled = errors.Is(c.Body.Err, os.ErrDeadlineExceeded)
}
