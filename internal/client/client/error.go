package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// errorMax is how much of a refusal is read, in bytes.
const errorMax = 1 << 20

// A Code names the reason of a refusal; docs/api.md lists them. It is an error, for errors.Is:
//
//	if errors.Is(err, client.Code("version_conflict"))
type Code string

// Error implements error.
func (c Code) Error() string { return string(c) }

// An Error is a refusal: the service has answered, and the call has not happened, unless the code says otherwise
// (upload_completed).
type Error struct {
	Code       Code          `json:"error"`      // empty: the answer came from something in front of the service, such as a proxy
	Message    string        `json:"message"`    // description of the fault
	Hint       string        `json:"hint"`       // a corrected call
	Field      string        `json:"field"`      // the faulty part of the request; empty: no single field
	RequestID  string        `json:"request_id"` // finds the call in the service's log
	Status     int           `json:"status"`     // of HTTP
	RetryAfter time.Duration `json:"-"`          // how long to wait; 0: not given by the service
	Location   string        `json:"-"`          // target of a redirect
	Text       []byte        `json:"-"`          // the answer as it came; nil if Code is empty
}

// Error implements error. It returns only the message, which never holds a key.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is the error's Code.
func (e *Error) Is(target error) bool { return target == e.Code }

// refusal returns the error for an answer without a success status.
func refusal(resp *http.Response) error {
	e := &Error{}
	text, err := io.ReadAll(io.LimitReader(resp.Body, errorMax))
	if err != nil {
		return err
	}
	said := struct {
		*Error
		Description string `json:"error_description"` // of OAuth
	}{Error: e}
	if json.Unmarshal(text, &said) != nil || e.Code == "" {
		*e = Error{Message: fmt.Sprintf("%s, and no answer of the API: %.200q", resp.Status, text), Location: resp.Header.Get("Location")}
	} else {
		e.Text, e.Message = text, cmp.Or(e.Message, said.Description, string(e.Code))
	}
	e.Status = resp.StatusCode
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
