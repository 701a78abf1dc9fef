package api

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/transport/intake/hint"
)

// A special is an Error whose answer differs from that of its code: in its status, or in its list of allowed methods.
type special struct {
	refusal *sandlot.Error
	status  int    // 0: that of the code
	allow   string // for Allow
}

// Error returns the message.
func (e *special) Error() string { return e.refusal.Message }

// Unwrap lets errors.As find the Error.
func (e *special) Unwrap() error { return e.refusal }

// refuse answers an error, or breaks the connection if no answer can reach the client.
func (a *API) refuse(c *call, err error) {
	if c.Gone(err) {
		panic(http.ErrAbortHandler)
	}
	e := a.refusal(c, err)
	status := codes[e.Code].status
	var sp *special
	if errors.As(err, &sp) {
		status = cmp.Or(sp.status, status)
		if sp.allow != "" {
			c.W.Header().Set("Allow", sp.allow)
		}
	}
	c.errorHeaders(e)
	c.showDenied(err, e)
	text, err := encode(a.errorBody(c, e, status))
	if err != nil {
		a.logFault(c, err)
		status = http.StatusInternalServerError
	}
	h := c.W.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	c.Settle(func() {
		c.W.WriteHeader(status)
		_, _ = c.W.Write(text)
	})
}

// refusal turns any error into an Error, and logs a fault of the service.
func (a *API) refusal(c *call, err error) *sandlot.Error {
	e := a.Intake.Refusal(c.Call, err, a.about(c))
	if codes[e.Code].status >= http.StatusInternalServerError {
		a.logFault(c, err)
	}
	return e
}

// logFault logs the cause that the answer omits. The record contains neither the key nor the query of the request.
func (a *API) logFault(c *call, err error) {
	pattern := ""
	if c.route != nil {
		pattern = c.route.pattern
	}
	text := err.Error()
	if e := sandlot.AsError(err); e != nil && e.Cause() != nil && !strings.Contains(text, e.Cause().Error()) {
		text += ": " + e.Cause().Error() // the message omits it
	}
	a.Log.ErrorContext(c.R.Context(), "request failed", "request_id", c.id, "route", pattern, "error", inspect.Redact(text))
}

func (c *call) errorHeaders(e *sandlot.Error) {
	h := c.W.Header()
	h.Del("ETag")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds(e.RetryAfter)))
	}
	switch e.Code {
	case sandlot.CodeKeyRequired:
		h.Set("WWW-Authenticate", `Bearer realm="sandlot"`)
	case sandlot.CodeInvalidKey:
		h.Set("WWW-Authenticate", `Bearer realm="sandlot", error="invalid_token"`)
	}
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// hint returns the advice for a refused request.
func (a *API) hint(c *call, e *sandlot.Error) string {
	if id := c.lacksTicket(e); id != "" {
		return "This address takes the bytes of the file as they are, with PUT and the ticket (slt_...) that came with it:\n" + sendCommand("<file>", "<ticket>", a.ticketURL(id))
	}
	if c.route != nil && c.route.key == ticketRequired {
		return a.ticketHint(c, e)
	}
	return hint.Curl(a.Places.Base.String(), a.about(c), e)
}

// errorBody returns the body of the answer: first the members that the contract fixes, then the details. It redacts
// names that the client chose, which may be a key in the wrong place, or a piece of one.
func (a *API) errorBody(c *call, e *sandlot.Error, status int) object {
	out := object{
		{"error", string(e.Code)},
		{"message", inspect.Redact(e.Message)},
		{"hint", inspect.Redact(a.hint(c, e))},
		{"status", status},
		{"request_id", c.id},
	}
	if e.Field != "" {
		out = append(out, member{"field", inspect.Redact(cmp.Or(argumentHeaders[e.Field], e.Field))})
	}
	if e.RetryAfter > 0 {
		out = append(out, member{"retry_after", seconds(e.RetryAfter)})
	}
	for _, d := range e.Details {
		out = append(out, member(d))
	}
	return out
}

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, m := range o {
		out.WriteByte(",{"[btoi(i == 0)])
		name, err := encode(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.Value)
		if err != nil {
			return nil, err
		}
		out.Write(bytes.TrimSpace(name))
		out.WriteByte(':')
		out.Write(bytes.TrimSpace(value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
