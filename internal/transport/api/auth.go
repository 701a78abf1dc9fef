package api

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// keyNames are the names under which clients try to send a key elsewhere than
// in the header.
var keyNames = map[string]bool{
	"api_key": true, "project_api_key": true, "authorization": true,
	"access_token": true, "token": true, "key": true, "upload_token": true, "ticket": true,
}

// keyInAddress refuses a key in the address of a request, where every log and
// history on the way may have kept it.
func keyInAddress(r *http.Request) error {
	if r.URL.User != nil || keyInUserinfo(r.Header.Get("Authorization")) {
		return leaked("", "A key was sent as the user name or password of the address.")
	}
	// By hand, for url.ParseQuery drops the pairs that it cannot read, and those hold a key as well.
	for pair := range strings.FieldsFuncSeq(r.URL.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(pair, "=")
		if name = strings.ToLower(strings.TrimSpace(loosely(name))); keyNames[name] {
			return leaked(name, "A key was sent in the query of the address, as "+name+".")
		}
		if holdsKey(loosely(pair)) {
			return leaked("", "A key was sent in the query of the address.")
		}
	}
	if holdsKey(r.URL.RawQuery) || holdsKey(r.URL.Path) || holdsKey(r.URL.RawPath) {
		return leaked("", "A key was sent in the address.")
	}
	return nil
}

// keyInUserinfo recognises what curl and others make of https://KEY@host/.
func keyInUserinfo(header string) bool {
	scheme, rest, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return false
	}
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
	return err == nil && holdsKey(string(plain))
}

// escapes finds the percent-encoded bytes of a text.
var escapes = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// loosely decodes what can be decoded and leaves the rest as it is.
func loosely(text string) string {
	return escapes.ReplaceAllStringFunc(strings.ReplaceAll(text, "+", " "), func(e string) string {
		plain, _ := hex.DecodeString(e[1:]) // two digits always do
		return string(plain)
	})
}

func holdsKey(text string) bool { return inspect.HoldsKey(text) }

func leaked(field, message string) error {
	return sandlot.Refuse(sandlot.CodeKeyNotInHeader, "%s A key is taken only from the header Authorization: Bearer <api_key>.", message).
		In(field).With(sandlot.OpRotate)
}

// identify finds out who is calling. Routes that need no key do not look at the
// header at all, so that they tell nothing about a key; nor does that of a project's
// numbers where what is asked for is public.
func (a *API) identify(c *call) error {
	c.by = sandlot.Caller{From: a.Admission.Sender(c.origin())}
	if c.route.key == keyIgnored || c.route.op == sandlot.OpStats && !c.asksFigures() {
		return nil
	}
	key, sent, err := bearer(c.r.Header)
	if err != nil {
		return err
	}
	if !sent {
		return c.checkTicket(false)
	}
	c.keyed = true
	if c.by, err = a.Admission.Identify(c.r.Context(), c.origin(), key); err == nil {
		c.keyed = !c.by.Nobody() // an upload_token is no key of anybody's
		return c.checkTicket(true)
	}
	return err
}

// bearer reads the Authorization header. Sent is false only if there is none:
// an empty or foreign one is refused, for to take it as none would make a new
// account for whoever mistyped the key of an old one.
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
	case holdsKey(scheme):
		return "", true, badHeader("The Authorization header lacks the word Bearer before the key.")
	}
	return "", true, badHeader("The Authorization header is of another scheme than Bearer.")
}

func badHeader(message string) error {
	return sandlot.Refuse(sandlot.CodeInvalidKey, "%s", message).With(sandlot.OpPresentKey)
}
