package api

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/intake/hint"
)

// refuse answers an error, or breaks the connection if no answer can reach the client.
func (a *API) refuse(c *call, err error) {
	if c.Gone(err) {
		panic(http.ErrAbortHandler)
	}
	e := a.refusal(c, err)
	status := cmp.Or(c.status, intake.StatusOf(e.Code))
	c.errorHeaders(e)
	c.showDenied(err, e)
	text := a.errorBody(c, e, status)
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
	busy := e.Code == sandlot.CodeUnavailable && e.RetryAfter > 0 && e.Cause() == nil // a refusal on purpose
	if intake.StatusOf(e.Code) >= http.StatusInternalServerError && !busy {
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

// advice returns the advice for a refused request.
func (a *API) advice(c *call, e *sandlot.Error) hint.Advice {
	if id := c.lacksTicket(e); id != "" {
		return hint.Advice{Text: "This address takes the bytes of the file as they are, with PUT and the ticket (slt_...) that came with it:\n" +
			sendCommand("<file>", "<ticket>", a.ticketURL(id))}
	}
	if c.route != nil && c.route.key == ticketRequired {
		return a.ticketAdvice(c, e)
	}
	return hint.Advise(a.Places.Base.String(), a.about(c), e)
}

// errorInfo holds the members of an error that the contract fixes.
type errorInfo struct {
	Error      sandlot.Code `json:"error"`
	Message    string       `json:"message"`
	Hint       string       `json:"hint"`
	Status     int          `json:"status"`
	RequestID  string       `json:"request_id"`
	Field      string       `json:"field,omitempty"`
	RetryAfter int          `json:"retry_after,omitempty"`
	Fix        *hint.Fix    `json:"fix,omitempty"`
}

// errorBody returns the body of the answer: the fixed members, then the details. It redacts names that the client
// chose, which may be a key in the wrong place, or a piece of one.
func (a *API) errorBody(c *call, e *sandlot.Error, status int) json.RawMessage {
	field := inspect.Redact(cmp.Or(argumentHeaders[e.Field], e.Field))
	advice := a.advice(c, e)
	if advice.Fix != nil {
		advice.Fix.Arguments = json.RawMessage(inspect.Redact(string(advice.Fix.Arguments)))
	}
	// Texts, numbers and lists of them always encode.
	out, _ := encode(errorInfo{
		e.Code, inspect.Redact(e.Message), inspect.Redact(advice.Text), status, c.id, field, seconds(e.RetryAfter), advice.Fix,
	})
	if len(e.Details) == 0 {
		return out
	}
	details := map[string]any{}
	for _, d := range e.Details {
		details[d.Name] = d.Value
	}
	if id, ok := details[sandlot.DetailProject].(string); ok && sandlot.Codes[e.Code] == sandlot.KindTakenDown {
		details["appeal_url"] = a.Places.Appeal(sandlot.ProjectID(id))
	}
	more, _ := encode(details)
	return slices.Concat([]byte("{"), inside(out), []byte(","), inside(more), []byte("}\n"))
}

// argumentHeaders maps the arguments of an operation that come in a header to that header's name. It never changes.
var argumentHeaders = map[string]string{intake.IdempotencyArgument: intake.IdempotencyKey}

// named returns the route of the request, or else the first of its path; nil if it has none.
func (c *call) named() *route { return cmp.Or(c.route, c.meant) }

// about returns the request for its hints.
func (a *API) about(c *call) hint.Request {
	h := c.R.Header
	// A request refused before its key was checked may still have sent one.
	on := hint.Request{Keyed: c.Keyed || c.route == nil && h.Get("Authorization") != "", LostKeys: a.Places.LostKeys()}
	on.Logins = a.Places.Logins
	on.Token = !on.Keyed && h.Get("Authorization") != ""
	on.Cut = !c.Whole && c.R.ContentLength != 0
	on.Limit, on.Most = a.Intake.MaxContent, a.Intake.MaxFile
	if rt := c.named(); rt != nil {
		on.Op = rt.op
		if rt.takes != nil {
			said := cmp.Or(c.Said, &intake.Fields{Set: rt.takes, Header: h, Query: c.R.URL.Query()})
			intake.Repeat(&on, said, a.Places)
		}
	}
	on.JSON, on.Tool = c.Object, fromTools(c.R.Context())
	key := h.Values(intake.IdempotencyKey)
	if len(key) == 1 && hint.Showable(key[0]) && publish.CheckIdempotencyKey(key[0]) == nil {
		on.IdempotencyKey = key[0]
	}
	if c.Told != nil {
		toldArgs(&on, c)
	}
	switch {
	case on.Op == sandlot.OpTicket:
	case c.param != "":
		on.Add("project_id", c.param)
	case c.By.Scoped() && on.Op.Row().Chooses:
		on.Add("project_id", string(c.By.Key().Project))
	}
	if by := c.R.URL.Query().Get("by"); on.Op == sandlot.OpStats && (by == "day" || by == "version") {
		on.Add("by", by)
	}
	if name := hint.Thing(on.Op); name != "" && c.thing != "" {
		on.Add(name, c.thing)
	}
	if name, _, err := names.ReadFilename(c.filename); err == nil && on.Op == sandlot.OpFile {
		on.Add("filename", name)
	}
	return on
}

// tellTotal returns the call that declares the number of parts of this upload.
func (a *API) tellTotal(c *call) string {
	on := a.about(c)
	var args []sandlot.Arg
	for _, arg := range on.Args {
		if arg.Name == "upload_id" || arg.Name == "project_id" {
			args = append(args, arg)
		}
	}
	on.IdempotencyKey = ""
	args = append(args, sandlot.Arg{Name: "total_parts", Value: "<number of all parts>"})
	return hint.CallOf(a.Places.Base.String(), on, on.Op, args)
}
