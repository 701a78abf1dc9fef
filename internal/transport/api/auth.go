package api

import (
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/transport/intake"
)

// identify sets the caller. Routes that need no key do not read the header at all, so that they reveal nothing about a
// key; nor does the route of a project's numbers for the public ones.
func (a *API) identify(c *call) error {
	c.By = sandlot.Caller{From: a.Admission.Sender(c.origin())}
	if c.route.key == keyIgnored || c.route.op == sandlot.OpStats && !c.asksFigures() {
		return nil
	}
	key, sent, err := bearer(c.R.Header)
	if err != nil {
		return err
	}
	if !sent {
		return c.checkTicket(false)
	}
	c.Keyed = true
	if c.By, err = a.Admission.Identify(c.R.Context(), c.origin(), key); err == nil {
		c.Keyed = !c.By.Nobody() // an upload_token is no one's key
		return c.checkTicket(true)
	}
	return err
}

// bearer reads the Authorization header. sent is false only if there is none: an empty or foreign one is refused, since
// ignoring it would make a new account for a client that mistyped the key of an old one.
func bearer(h http.Header) (key sandlot.Secret, sent bool, err error) {
	values := h.Values("Authorization")
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
	default:
		return "", true, sandlot.Refuse(sandlot.CodeInvalidField, "The request has %d Authorization headers.", len(values)).
			In("Authorization").With(sandlot.OpPresentKey).Note("Send exactly one.")
	}
	value := strings.TrimSpace(values[0])
	scheme, rest, _ := strings.Cut(value, " ")
	switch {
	case strings.EqualFold(scheme, "Bearer") && rest != "":
		return sandlot.Secret(strings.TrimSpace(rest)), true, nil
	case strings.EqualFold(scheme, "Bearer") || value == "":
		return "", true, badHeader("The Authorization header holds no key.")
	case intake.HoldsKey(scheme):
		return "", true, badHeader("The Authorization header lacks the word Bearer before the key.")
	}
	return "", true, badHeader("The Authorization header is of another scheme than Bearer.")
}

func badHeader(message string) error {
	return sandlot.Refuse(sandlot.CodeInvalidKey, "%s", message).With(sandlot.OpPresentKey)
}
