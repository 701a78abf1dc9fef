package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/format/inspect"
	"sandlot/internal/transport/intake"

	"sandlot"
)

// identify sets the caller. Routes that need no key do not read the header, so that they reveal nothing about it; nor
// does the route of a project's public numbers.
func (a *API) identify(c *call) error {
	c.By = sandlot.Caller{From: a.Admission.Sender(c.origin())}
	if c.route.key == keyIgnored || c.route.op == sandlot.OpStats && !c.asksFigures() {
		return nil
	}
	key, sent, err := bearer(c.R.Header)
	if err != nil {
		return err
	}
	if c.route.key == flagRequired {
		c.reporter, err = a.Reporters.Present(c.R.Context(), c.By, key)
		return err
	}
	if !sent {
		return c.checkTicket(false)
	}
	c.Keyed = true
	presented := sandlot.Presented{Key: key, Tool: fromTools(c.R.Context())}
	if c.By, err = a.Admission.Identify(c.R.Context(), c.origin(), presented); err == nil {
		c.Keyed = !c.By.Nobody() // an upload_token is no one's key
		return c.checkTicket(true)
	}
	return err
}

// bearer reads the Authorization header. sent is false only if there is none: an empty or foreign one is refused, for
// ignoring it would make a new account for a client that mistyped the key of an old one.
func bearer(h http.Header) (key sandlot.Secret, sent bool, err error) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "", false, nil
	}
	if len(values) > 1 {
		return "", true, sandlot.Refuse(sandlot.CodeInvalidField, "The request has %d Authorization headers.", len(values)).
			In("Authorization").With(sandlot.OpPresentKey).Note("Send exactly one.")
	}
	scheme, rest, _ := strings.Cut(strings.TrimSpace(values[0]), " ")
	message := "The Authorization header is of another scheme than Bearer."
	switch {
	case strings.EqualFold(scheme, "Bearer") && rest != "":
		return sandlot.Secret(strings.TrimSpace(rest)), true, nil
	case strings.EqualFold(scheme, "Bearer") || scheme == "":
		message = "The Authorization header holds no key."
	case inspect.HoldsKey(scheme):
		message = "The Authorization header lacks the word Bearer before the key."
	}
	return "", true, sandlot.Refuse(sandlot.CodeInvalidKey, "%s", message).With(sandlot.OpPresentKey)
}

// checkQuery refuses an unreadable query of a call that changes something: the part that is dropped may name the project.
func (c *call) checkQuery() error {
	if c.R.Method == http.MethodGet || c.R.Method == http.MethodHead {
		return c.checkNarrowed()
	}
	if err := intake.ReadableQuery(c.R); err != nil {
		return err.With(sandlot.OpNothing).Note(intake.QueryNote)
	}
	return nil
}

// checkNarrowed refuses a query that names one project where the call reads all projects of a key.
func (c *call) checkNarrowed() error {
	if c.route.op != sandlot.OpExport && c.route.op != sandlot.OpWhoami {
		return nil
	}
	for name := range c.R.URL.Query() {
		if slices.Contains(intake.DeleteFields.Candidates(name), "project_id") || name == "project_id" {
			return sandlot.Refuse(sandlot.CodeInvalidField,
				"The parameter %s is not read here: the call is about all projects that the key covers.", inspect.Quoted(name)).
				In(name).With(sandlot.OpSame).
				Note("Leave it out, and send the project_api_key of a project for that project alone:")
		}
	}
	return nil
}

// checkDryOfTicket refuses a dry run that is requested with the bytes: the ticket decides whether the call is one.
func (c *call) checkDryOfTicket() error {
	dry, refusal := c.ReadDry()
	if refusal == nil && (!dry || c.Told.DryRun()) {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField,
		"The query of the address asks for a dry run, and it is not read. Nothing was changed.").
		In(intake.DryRun).With(sandlot.OpTicket, sandlot.Arg{Name: intake.DryRun, Value: true}).
		Note("Ask for a ticket with dry_run for bytes that are only to be checked:")
}

// origin returns the address of the request, and its caller once that is known.
func (c *call) origin() admission.Origin { return admission.From(c.R.RemoteAddr, c.By) }

// admit takes the request's cost from the limits of the caller. done must be called when the request is over.
func (a *API) admit(c *call) (done func(), err error) {
	op := c.operation()
	if c.head() {
		op = admission.Look // a HEAD makes nothing
	}
	control := http.NewResponseController(c.W)
	c.Grant, err = a.Admission.Admit(c.origin(), op, admission.Body{
		Length: c.R.ContentLength,
		Stop:   func() { _ = control.SetReadDeadline(time.Unix(1, 0)) }, // without deadlines it goes on until a stall
	})
	if err != nil {
		return nil, err
	}
	c.Body.Grant = c.Grant
	c.showStanding(c.Grant.Standing())
	return func() {
		c.Grant.Done()
		c.Body.Grant = nil // discarding the rest of the body costs nothing
	}, nil
}

// showStanding sets the headers of draft-ietf-httpapi-ratelimit-headers.
func (c *call) showStanding(list []admission.Standing) {
	var policies, left []string
	for _, s := range list {
		unit := ""
		if s.Limit == "bytes" {
			unit = `;qu="content-bytes"`
		}
		policies = append(policies, fmt.Sprintf("%q;q=%d;w=%d%s", s.Limit, s.Rate.Count, int(s.Rate.Per.Seconds()), unit))
		left = append(left, fmt.Sprintf("%q;r=%d;t=%d", s.Limit, s.Left, seconds(s.Full)))
	}
	if len(list) > 0 {
		c.W.Header().Set("RateLimit-Policy", strings.Join(policies, ", "))
		c.W.Header().Set("RateLimit", strings.Join(left, ", "))
	}
}

// showDenied sets the header of an exhausted limit.
func (c *call) showDenied(err error, e *sandlot.Error) {
	var d *admission.Denied
	if errors.As(err, &d) && !d.All {
		c.W.Header().Set("RateLimit", fmt.Sprintf("%q;r=0;t=%d", d.Limit, seconds(e.RetryAfter)))
	}
}
