package oauth

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/format/inspect"
)

// Bounds of bodies, in bytes. Metadata of clients has many members that are not read.
const (
	maxForm = 8 << 10
	maxJSON = 32 << 10
)

// errLarge is a body above its bound.
var errLarge = &oauth.Refusal{Code: "invalid_request", Description: "The body is too large."}

func invalid(description string) error {
	return &oauth.Refusal{Code: "invalid_request", Description: description}
}

// A form has the parameters of a request, each once.
type form map[string]string

// needs refuses a form in which one of the parameters is missing.
func (f form) needs(names ...string) error {
	for _, name := range names {
		if f[name] == "" {
			return invalid(name + " is missing.")
		}
	}
	return nil
}

// form reads the form of a request from a client without a secret.
func (c *call) form() (form, error) {
	text, err := c.body(maxForm, "application/x-www-form-urlencoded")
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, invalid("The form cannot be read.")
	}
	f := form{}
	for name, list := range values {
		switch {
		case len(list) > 1:
			return nil, invalid("A parameter is repeated.")
		case !utf8.ValidString(list[0]) || strings.Contains(list[0], "\x00"):
			return nil, invalid("A parameter is no text.")
		}
		f[name] = list[0]
	}
	if c.r.Header.Get("Authorization") != "" || f["client_secret"] != "" {
		return nil, &oauth.Refusal{Code: "invalid_client", Description: "Clients have no secret here. Send client_id in the form."}
	}
	return f, nil
}

// json reads a body in JSON.
func (c *call) json(into any) error {
	text, err := c.body(maxJSON, "application/json")
	if err != nil {
		return err
	}
	if json.Unmarshal(text, into) != nil {
		return &oauth.Refusal{Code: "invalid_client_metadata", Description: "The metadata is no JSON, or a member of it has another type."}
	}
	return nil
}

func (c *call) body(most int64, kind string) ([]byte, error) {
	if sent, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || sent != kind {
		return nil, invalid("The Content-Type has to be " + kind + ".")
	}
	text, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, errLarge
	case err != nil:
		return nil, invalid("The body broke off.")
	}
	return text, nil
}

// refuse answers an error in the form of RFC 6749, section 5.2.
func (h *Handler) refuse(c *call, err error) {
	var r *oauth.Refusal
	e := sandlot.AsError(err)
	switch {
	case errors.As(err, &r):
		c.fail(statusOf(c, r), r.Code, r.Description)
	case e == nil || sandlot.Codes[e.Code] == sandlot.KindFault:
		h.log(c, err)
		c.fail(http.StatusInternalServerError, "server_error", "A fault of the service.")
	default:
		if e.Cause() != nil {
			h.log(c, e.Cause())
		}
		if e.RetryAfter > 0 {
			c.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
		}
		status, code := kindOf(e)
		c.fail(status, code, e.Message)
	}
}

func (h *Handler) log(c *call, err error) {
	h.Log.ErrorContext(c.r.Context(), "request of OAuth failed", "path", c.r.URL.Path, "error", inspect.Redact(err.Error()))
}

// statusOf returns the status of a refusal. A client that sent a secret in the header sees which scheme was refused.
func statusOf(c *call, r *oauth.Refusal) int {
	if r == errLarge {
		return http.StatusRequestEntityTooLarge
	}
	if r.Code != "invalid_client" {
		return http.StatusBadRequest
	}
	if scheme, _, _ := strings.Cut(c.r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Basic") {
		c.w.Header().Set("WWW-Authenticate", `Basic realm="sandlot"`)
	}
	return http.StatusUnauthorized
}

// kindOf returns the status and the code of OAuth for a refusal of the domain.
func kindOf(e *sandlot.Error) (status int, code string) {
	switch sandlot.Codes[e.Code] {
	case sandlot.KindTooMany:
		return http.StatusTooManyRequests, "temporarily_unavailable"
	case sandlot.KindUnavailable, sandlot.KindFull:
		return http.StatusServiceUnavailable, "temporarily_unavailable"
	case sandlot.KindForbidden:
		return http.StatusBadRequest, "access_denied"
	}
	return http.StatusBadRequest, "invalid_request"
}

// fail answers an error.
func (c *call) fail(status int, code, description string) {
	_ = c.answer(status, map[string]string{"error": code, "error_description": description}) // texts always encode
}

// answer answers a value in JSON.
func (c *call) answer(status int, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		c.send(status, text)
	}
	return err
}

func (c *call) send(status int, text []byte) {
	c.w.Header().Set("Content-Type", "application/json")
	c.w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(append(text[:len(text):len(text)], '\n')) // the client is gone if this fails
}
