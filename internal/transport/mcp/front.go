package mcp

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot"
	"sandlot/internal/base/meter"
	"sandlot/internal/domain/admission"
	"sandlot/internal/format/inspect"
	"sandlot/internal/transport/api"
)

const (
	maxBody   = 4 << 20  // bytes of a request
	smallBody = 64 << 10 // bytes of a request that needs no slot
	largeMost = 8        // larger ones that are read at once, if Config does not say
	largePart = 4        // one client may send a quarter of them at once, but two in any case
	largeWait = 2 * time.Second
)

// A Front answers MCP over HTTP. It mends the headers of clients, and refuses in JSON-RPC the requests that the SDK
// would refuse in plain text. It may be used concurrently.
type Front struct {
	// Account answers like Front, and refuses every call without a key.
	Account http.Handler

	tools     *Tools
	admission *admission.Limits
	sdk       http.Handler
	large     *admission.Slots
	mended    *meter.Counts[string]
}

// NewFront returns a Front of the tools. The limits find the callers of keys.
func NewFront(t *Tools, limits *admission.Limits) *Front {
	server, most := t.Server(), cmp.Or(t.Large, largeMost)
	f := &Front{
		tools: t, admission: limits, mended: meter.NewCounts(mendable...),
		large: admission.NewSlots(max(2, most/largePart), most, limits.Exempt),
		sdk: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
			DisableLocalhostProtection: true, // a proxy on this machine passes on the public Host, which our router has checked
		}),
	}
	f.Account = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.serve(w, r, true) })
	return f
}

// Mended counts the requests of which a header was set from the body, by header.
func (f *Front) Mended() *meter.Counts[string] { return f.mended }

// ServeHTTP answers a request. It never answers 401 to one without a key.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.serve(w, r, false) }

func (f *Front) serve(w http.ResponseWriter, r *http.Request, account bool) {
	base := f.tools.Places.Base.String()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch origin := r.Header.Get("Origin"); {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, nil, codeRequest, "This address takes POST alone: there are no sessions, and nothing is pushed.", "Send each message with POST.")
		return
	case origin != "" && origin != base:
		refuse(w, http.StatusForbidden, nil, codeRequest, "Pages of other sites may not call here.", "Call from a program, without the header Origin.")
		return
	}
	by, err := api.CallerOf(r, f.admission)
	switch {
	case err != nil:
		f.deny(w, nil, account, err)
		return
	case account && by.Nobody():
		w.Header().Set("WWW-Authenticate", f.tools.challenge())
		refuse(w, http.StatusUnauthorized, nil, codeRequest, "This address needs an account.",
			"Your user connects once: "+f.tools.connectPage()+". Or use "+base+"/mcp, which publishes without an account.")
		return
	}
	body, done, ok := f.read(w, r)
	defer done()
	if ok {
		f.pass(w, r, body, by)
	}
}

// deny answers a refusal of the domain; a wrong key on the address for accounts with the way to another.
func (f *Front) deny(w http.ResponseWriter, id []byte, account bool, err error) {
	e := sandlot.AsError(err)
	status := http.StatusServiceUnavailable
	switch {
	case e == nil:
		f.tools.Log.Error("request of MCP failed", "error", inspect.Redact(err.Error()))
		e, status = sandlot.Refuse(sandlot.CodeInternal, "A fault of the service."), http.StatusInternalServerError
	case sandlot.Codes[e.Code] == sandlot.KindTooMany:
		status = http.StatusTooManyRequests
	case e.Code == sandlot.CodeInvalidKey || e.Code == sandlot.CodeInvalidField:
		status = http.StatusUnauthorized
		challenge := `Bearer error="invalid_token"`
		if account {
			challenge = f.tools.challenge(`error="invalid_token"`)
		}
		w.Header().Set("WWW-Authenticate", challenge)
	case sandlot.Codes[e.Code] != sandlot.KindUnavailable:
		status = http.StatusBadRequest
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	hint := cmp.Or(e.Fix.Note, f.tools.Places.LostKeys())
	refuse(w, status, id, codeRequest, string(e.Code)+": "+spoken(e.Message), spoken(hint))
}

// read reads the body. One that is not small takes a slot until done.
func (f *Front) read(w http.ResponseWriter, r *http.Request) (body []byte, done func(), ok bool) {
	done = func() {}
	limited := http.MaxBytesReader(w, r.Body, maxBody)
	body, err := io.ReadAll(io.LimitReader(limited, smallBody))
	if err == nil && len(body) == smallBody {
		addr := admission.Peer(r.RemoteAddr)
		if taken, all := f.large.Take(addr); !taken {
			f.deny(w, nil, false, &admission.Denied{Limit: "bodies", All: all, After: largeWait})
			return nil, done, false
		}
		done = func() { f.large.Give(addr) }
		whole := bytes.NewBuffer(make([]byte, 0, max(int64(2*smallBody), min(r.ContentLength, maxBody)+bytes.MinRead)))
		whole.Write(body)
		_, err = whole.ReadFrom(limited)
		body = whole.Bytes()
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, idOf(body), codeRequest, "The request is larger than 4 MiB.",
			"Send large or binary files with the tool upload, which takes them outside of this connection.")
		return nil, done, false
	case err != nil:
		refuse(w, http.StatusBadRequest, nil, codeParse, "The request broke off.", "Send it again.")
		return nil, done, false
	}
	return body, done, true
}

// pass checks and mends a message, and has the SDK answer it. It charges a look for messages without a call of the API.
func (f *Front) pass(w http.ResponseWriter, r *http.Request, body []byte, by sandlot.Caller) {
	m, problem := readMessage(body)
	if !m.calls() {
		grant, err := f.admission.Admit(admission.From(r.RemoteAddr, by), admission.Look, admission.Body{})
		if err != nil {
			f.deny(w, m.id, false, err)
			return
		}
		defer grant.Done()
	}
	if problem != nil {
		refuse(w, problem.status, m.id, problem.code, problem.message, problem.hint)
		return
	}
	in := r.Clone(r.Context())
	in = in.WithContext(withOuter(r))
	in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	f.mend(in.Header, m)
	f.sdk.ServeHTTP(&translated{ResponseWriter: w, about: m}, in)
}

// mendable are the headers that are set from the body, as they are counted. It never changes.
var mendable = []string{"version", "method", "name", "accept", "content_type"}

// mend sets the headers that the SDK demands from the body, which has the client's meaning. It drops those that mean
// nothing here.
func (f *Front) mend(h http.Header, m message) {
	set := func(what, name, value string, lacks bool) {
		if lacks {
			f.mended.Add(what)
		}
		h.Set(name, value)
	}
	accept := strings.Join(h.Values("Accept"), ",")
	set("accept", "Accept", "application/json, text/event-stream",
		!strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream"))
	set("content_type", "Content-Type", "application/json", !strings.HasPrefix(h.Get("Content-Type"), "application/json"))
	if said := h.Get("Mcp-Protocol-Version"); m.id != nil {
		if right := m.rightVersion(said); right != "" {
			set("version", "Mcp-Protocol-Version", right, right != said)
		}
	}
	if h.Get("Mcp-Protocol-Version") >= versions[0] {
		set("method", "Mcp-Method", m.method, h.Get("Mcp-Method") != m.method)
		if m.name != "" {
			set("name", "Mcp-Name", m.name, h.Get("Mcp-Name") != m.name)
		}
	}
	for _, name := range []string{"Mcp-Session-Id", "Last-Event-Id", "Cookie", "Origin"} {
		h.Del(name)
	}
}

// A translated answer is one of the SDK, with its refusals in plain text as errors of JSON-RPC.
type translated struct {
	http.ResponseWriter
	about   message
	replace bool
}

// Unwrap lets http.ResponseController reach the connection.
func (t *translated) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (t *translated) WriteHeader(status int) {
	if status < http.StatusBadRequest || !strings.HasPrefix(t.Header().Get("Content-Type"), "text/plain") {
		t.ResponseWriter.WriteHeader(status)
		return
	}
	t.replace = true
	switch {
	case t.about.id == nil: // nobody waits for an answer to a notification
		t.Header().Del("Content-Type")
		t.ResponseWriter.WriteHeader(http.StatusAccepted)
	case status >= http.StatusInternalServerError:
		refuse(t.ResponseWriter, status, t.about.id, codeInternal, "A fault of the service.", "Send the message again.")
	default:
		refuse(t.ResponseWriter, http.StatusOK, t.about.id, codeMethod, "There is no method "+inspect.Quoted(t.about.method)+" here.", methodsHint)
	}
}

// Write implements http.ResponseWriter.
func (t *translated) Write(p []byte) (int, error) {
	if t.replace {
		return len(p), nil
	}
	return t.ResponseWriter.Write(p)
}
