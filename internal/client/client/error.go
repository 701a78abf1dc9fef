package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// errorMax bounds what is read of a refusal, in bytes.
const errorMax = 1 << 20

// A Code names what was wrong; docs/api.md lists them. It is an error, for errors.Is:
//
//	if errors.Is(err, client.Code("version_conflict"))
type Code string

// Error implements error.
func (c Code) Error() string { return string(c) }

// An Error is a refusal: the service has answered, and the call has not happened, unless the code says so (upload_completed).
type Error struct {
	Code       Code          `json:"error"`      // empty: something before the service answered, say a proxy
	Message    string        `json:"message"`    // what was wrong
	Hint       string        `json:"hint"`       // a corrected call
	Field      string        `json:"field"`      // what of the request was wrong; empty: no one field
	RequestID  string        `json:"request_id"` // finds the call in the service's log
	Status     int           `json:"status"`     // of HTTP
	RetryAfter time.Duration `json:"-"`          // how long to wait; 0: the service did not say
	Location   string        `json:"-"`          // of a redirect: where it leads
	Text       []byte        `json:"-"`          // the answer as it came; nil if Code is empty
}

// Error implements error: the message alone, which never holds a key.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is the error's Code.
func (e *Error) Is(target error) bool { return target == e.Code }

// refusal reads an answer that is not one of success.
func refusal(resp *http.Response) error {
	e := &Error{}
	text, err := io.ReadAll(io.LimitReader(resp.Body, errorMax))
	if err != nil {
		return unanswered(err)
	}
	if json.Unmarshal(text, e) != nil || e.Code == "" {
		*e = Error{Message: fmt.Sprintf("%s, and no answer of the API: %.200q", resp.Status, text), Location: resp.Header.Get("Location")}
	} else {
		e.Text = text
	}
	e.Status = resp.StatusCode
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
