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

// origin is where the request comes from, and whose it is once that is known.
func (c *call) origin() admission.Origin { return admission.From(c.R.RemoteAddr, c.By) }

// admit asks whether the caller may do now what the route does, before any of a body is
// read. done must be called when the request is over.
func (a *API) admit(c *call) (done func(), err error) {
	op := c.operation()
	if c.head() {
		op = admission.Look // nothing is made for a HEAD
	}
	control := http.NewResponseController(c.W)
	c.Grant, err = a.Admission.Admit(c.origin(), op, admission.Body{
		Length: c.R.ContentLength,
		Stop:   func() { _ = control.SetReadDeadline(time.Unix(1, 0)) }, // a connection without deadlines goes on until it stalls
	})
	if err != nil {
		return nil, err
	}
	c.Body.Grant = c.Grant
	c.showStanding(c.Grant.Standing())
	return func() {
		c.Grant.Done()
		c.Body.Grant = nil // the rest of a body, which is only thrown away, costs nothing
	}, nil
}

// showStanding sets the fields of draft-ietf-httpapi-ratelimit-headers: what may
// be done in a window of so many seconds, and what is left until it is all there
// again.
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

// showDenied tells of a limit that is reached.
func (c *call) showDenied(err error, e *sandlot.Error) {
	var d *admission.Denied
	if errors.As(err, &d) && !d.All {
		c.W.Header().Set("RateLimit", fmt.Sprintf("%q;r=0;t=%d", d.Limit, seconds(e.RetryAfter)))
	}
}
