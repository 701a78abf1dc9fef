package api

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/publish"
)

// who is the caller as the brakes count it.
func (c *call) who() admission.Who {
	return admission.Who{Addr: admission.Peer(c.r.RemoteAddr), Account: int64(c.by.Account()), Key: c.by.Key().ID}
}

// enter asks whether the caller may send a body now, before any of it is read.
func (a *API) enter(c *call) error {
	makes := c.by.Nobody() && (c.route.op == publish.OpPublish || c.route.op == publish.OpSignup)
	control := http.NewResponseController(c.w)
	pass, denied := a.Brakes.Enter(c.who(), admission.Body{
		MakesAccount: makes, Length: c.r.ContentLength,
		Stop: func() { _ = control.SetReadDeadline(time.Unix(1, 0)) }, // a connection without deadlines goes on until it stalls
	})
	if denied != nil {
		return c.denied(denied)
	}
	c.pass, c.body.pass, c.body.denied = pass, pass, c.denied
	if pass != nil {
		c.showStanding(pass.Standing)
	}
	return nil
}

// leave ends what enter began. The rest of a body, which is only thrown away,
// costs nothing.
func (c *call) leave() {
	c.pass.Leave()
	c.body.pass = nil
}

// charge counts bytes of one kind that the call makes.
func (c *call) charge() publish.Charge {
	meter := c.pass.Meter()
	return func(n int) error { return c.denied(meter.Take(n)) }
}

// mayMail asks whether a message may be sent for this request.
func (a *API) mayMail(c *call, f *fields) error {
	if !f.has("email") {
		return nil
	}
	return c.denied(a.Brakes.Mail(c.who()))
}

// lookUp finds out whose key this is, unless too many wrong ones came from the
// same address.
func (a *API) lookUp(c *call, key publish.Secret) (publish.Caller, error) {
	who, hash := c.who(), key.Hash()
	if err := c.denied(a.Brakes.TryKey(who, hash)); err != nil {
		return publish.Caller{}, err
	}
	by, err := a.Service.Identify(c.r.Context(), publish.Presented{Key: key}, a.sender(c))
	if err == nil || errors.Is(err, publish.CodeInvalidKey) {
		a.Brakes.TriedKey(who, hash, err == nil)
	}
	return by, err
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
		c.w.Header().Set("RateLimit-Policy", strings.Join(policies, ", "))
		c.w.Header().Set("RateLimit", strings.Join(left, ", "))
	}
}

// what is limited, and what else could be done. Neither changes.
var limited = map[string][2]string{
	"accounts":   {"Too many accounts were made from this address without a key.", "Use the api_key that an earlier answer returned: with a key a publish makes no account. Or wait."},
	"writes":     {"Too many requests came from this address, account or key.", "Send fewer in the same time."},
	"bytes":      {"This call costs more bytes than this address, account or key has left. A call costs the largest of what is received, decoded and stored.", "Nothing was kept. Wait, or send less."},
	"bodies":     {"Too many uploads at once from this address.", "Send one after the other."},
	"downloads":  {"Too many archives were asked for from this address, account or key.", "Keep the one you already downloaded."},
	"archives":   {"This account is already downloading an archive.", "Wait until it finishes."},
	"mails":      {"Too many e-mails were asked for from this address or account.", "If you have a key, leave email out. Or wait."},
	"wrong-keys": {"Too many wrong keys came from this address, so this one wasn't checked.", "Check the key, and send it again after the time in Retry-After."},
}

// denied makes an error of a limit that is reached; nil of nil.
func (c *call) denied(d *admission.Denied) error {
	if d == nil {
		return nil
	}
	after := time.Duration(math.Ceil(d.After.Seconds())) * time.Second
	if d.All {
		return publish.Refuse(publish.CodeUnavailable, "The service is busy with other uploads. Nothing was changed.").
			After(after).With(publish.OpWait).Note("Send the same request again after the time in Retry-After.")
	}
	c.w.Header().Set("RateLimit", fmt.Sprintf("%q;r=0;t=%d", d.Limit, seconds(after)))
	text := limited[d.Limit]
	return publish.Refuse(publish.CodeRateLimited, "%s", text[0]).After(after).With(publish.OpWait).Note("%s", text[1])
}
