package doors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/transport/intake"
)

// retryLater is the wait after a passing failure.
const retryLater = 5 * time.Second

// A refusal is the body of an error: as in the API, with its code repeated as the reason, which the script returns.
type refusal struct {
	OK         bool         `json:"ok"` // false
	Error      sandlot.Code `json:"error"`
	Reason     sandlot.Code `json:"reason"`
	Message    string       `json:"message"`
	Hint       string       `json:"hint"`
	Status     int          `json:"status"`
	Field      string       `json:"field,omitempty"`
	RetryAfter int          `json:"retry_after,omitempty"`
}

// refuse answers with an error. A fault of the service is logged, and not shown.
func (x *exchange) refuse(err error) {
	e, status := x.errorOf(err)
	retry := int(math.Ceil(e.RetryAfter.Seconds()))
	if retry > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(retry))
	}
	body, _ := json.Marshal(refusal{ // texts and numbers always encode
		Error: e.Code, Reason: e.Code, Message: e.Message, Hint: x.hint(e, retry), Status: status, Field: e.Field, RetryAfter: retry,
	})
	x.write(status, append(body, '\n'))
}

// errorOf returns an error as a refusal with its status.
func (x *exchange) errorOf(err error) (*sandlot.Error, int) {
	e := sandlot.AsError(err)
	var code sandlot.Code
	switch {
	case e != nil:
	case errors.As(err, &code) && code != sandlot.CodeInternal:
		e = sandlot.Refuse(code, "%s", sentences[code])
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e = sandlot.Refuse(sandlot.CodeUnavailable, "The service cannot do this now.").After(retryLater)
	default:
		e = sandlot.Refuse(sandlot.CodeInternal, "The service has a fault. It was logged.").Note("Go on without this call.")
	}
	status := intake.StatusOf(e.Code)
	if status >= http.StatusInternalServerError && x.r.Context().Err() == nil && (e.RetryAfter == 0 || e.Cause() != nil) {
		x.Log.ErrorContext(x.r.Context(), "a player's call failed", "project", x.Project.ID, "call", x.Name, "err", err)
	}
	return e, status
}

// sentences holds the messages of codes that a look-up of the project returns without a message.
var sentences = map[sandlot.Code]string{
	sandlot.CodeProjectNotFound: "There is no project at this address.",
	sandlot.CodeTakenDown:       "This project has been taken down.",
	sandlot.CodeHeld:            "This project is held for now.",
}

// hint returns the advice for a refusal. It is never empty.
func (x *exchange) hint(e *sandlot.Error, retry int) string {
	switch {
	case e.Fix.Note != "":
		return e.Fix.Note
	case retry > 0:
		return fmt.Sprintf("Send the same request again in %d s.", retry)
	}
	return "See " + x.documents() + " for the calls."
}

// documents returns the address of the documentation of the calls.
func (x *exchange) documents() string { return x.Base + "/docs/players" }
