package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// origin returns the address of the request, and its caller once that is known.
func (c *call) origin() admission.Origin { return admission.From(c.R.RemoteAddr, c.By) }

// admit takes the request's cost from the limits of the caller before any of the body is read. done must be called when
// the request is over.
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

// showStanding sets the headers of draft-ietf-httpapi-ratelimit-headers: the amount allowed in a window of so many
// seconds, the rest of it, and the time until all of it is available again.
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
