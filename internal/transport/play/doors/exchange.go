package doors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/format/inspect"
)

// An exchange is one call and its answer. Only one goroutine may use it.
type exchange struct {
	*Handler
	Call
	w    http.ResponseWriter
	r    *http.Request
	from netip.Addr
	rest string // the name of the slot, board or key
	body []byte
	held bool // whether a slot of bodies is taken
	v    players.Visit
}

// ctx returns the context of the request.
func (x *exchange) ctx() context.Context { return x.r.Context() }

// nobody is the caller of every call: players have no account.
var nobody = sandlot.Caller{}

// headers sets the fields of every answer. Only a page of the path form, which has the origin "null", may read it from
// another origin.
func (x *exchange) headers() {
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if x.Framed {
		h.Set("Access-Control-Allow-Origin", "null")
		return
	}
	h.Del("Access-Control-Allow-Origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// preflight answers OPTIONS with the methods, to a page of the path form as CORS.
func (x *exchange) preflight(rt *route) {
	h := x.w.Header()
	h.Set("Allow", rt.allowed())
	if x.Framed {
		h.Set("Access-Control-Allow-Methods", rt.allowed())
		h.Set("Access-Control-Allow-Headers", "Content-Type, X-Sandlot-Player")
		h.Set("Access-Control-Max-Age", "86400")
	}
	x.w.WriteHeader(http.StatusNoContent)
}

// fromHere reports whether a call comes from the project's own page, or from a program that is not a browser, by
// Sec-Fetch-Site and Origin. It is required of reads as well.
func fromHere(r *http.Request, framed bool) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if framed && origin == "null" {
		return true
	}
	if site != "" && site != "same-origin" && site != "none" {
		return false
	}
	if origin == "" {
		return true
	}
	at, err := url.Parse(origin)
	return err == nil && at.Host != "" && at.Host == r.Host
}

// receive reads the body of a call, of at most n bytes. A large one takes a slot, which release gives back.
func (x *exchange) receive(n int64) error {
	if e := x.r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "A call takes no body with a Content-Encoding.").In("Content-Encoding").
			Note("Send the same body unpacked, without the header Content-Encoding.")
	}
	length := x.r.ContentLength
	if length > n {
		return tooLarge(n)
	}
	if length < 0 || length > smallBody {
		taken, all := x.bodies.Take(x.from)
		if !taken {
			return x.Admission.Refuse(&admission.Denied{Limit: "bodies", All: all, After: 2 * time.Second})
		}
		x.held = true
	}
	var err error
	x.body, err = io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, n))
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return tooLarge(n)
	case err != nil:
		return sandlot.Refuse(sandlot.CodeInvalidContent, "The body is incomplete.").Note("Send the request again.")
	}
	return nil
}

// release gives the slot of the body back.
func (x *exchange) release() {
	if x.held {
		x.bodies.Give(x.from)
	}
}

func tooLarge(n int64) error {
	return sandlot.Refuse(sandlot.CodeContentTooLarge, "The body is larger than this call takes.").Note("It takes %d bytes.", n)
}

// fields reads the body as a JSON object into a struct.
func (x *exchange) fields(into any) error {
	body := x.body
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	err := json.Unmarshal(body, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return sandlot.Refuse(sandlot.CodeInvalidField, "A field has the wrong type.").In(wrong.Field).
			Note("Send a %s in %s.", kindOf(wrong), wrong.Field)
	case err != nil:
		return sandlot.Refuse(sandlot.CodeInvalidJSON, "The body is not a JSON object.").
			Note("Send a JSON object: JSON has no NaN, no Infinity and no single quotes.")
	}
	return nil
}

// fieldsOf reads the body as fields does, and sets the player by a field of it, unless the header has a token.
func (x *exchange) fieldsOf(into any, token *string) error {
	if err := x.fields(into); err != nil || *token == "" || x.v.Token != (sandlot.Digest{}) {
		return err
	}
	return x.visit(*token)
}

func kindOf(wrong *json.UnmarshalTypeError) string {
	switch kind := wrong.Type.Kind().String(); kind {
	case "float64", "int64", "int":
		return "number"
	case "struct":
		return "JSON object"
	case "slice":
		return "list"
	default:
		return kind
	}
}

// methodShown returns a method for a message: clients choose it.
func methodShown(method string) string { return inspect.Quoted(method) }

// answer answers with a value as JSON, or returns the error.
func (x *exchange) answer(v any, err error) error {
	if err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	x.write(http.StatusOK, append(text, '\n'))
	return nil
}

func (x *exchange) write(status int, body []byte) {
	h := x.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write(body) // an error means that the client is gone
	}
}
