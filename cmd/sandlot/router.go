package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/mcp"
	"sandlot/internal/transport/oauth"
	"sandlot/internal/transport/play"
	"sandlot/internal/transport/play/front"
	"sandlot/internal/transport/web"
)

// A router is the outermost handler: it finds the part of the service for a request, and logs and counts it.
type router struct {
	places   sandlot.Places
	clients  clients
	log      *slog.Logger
	access   accessLog
	metrics  *metrics
	writes   *writeCounts
	needs    []need // the parts on which readiness depends
	draining atomic.Bool
	underWay underWay // the requests that net/http passes on
	clock    *front.Clock
	api      http.Handler
	mcp      *mcp.Front
	oauth    *oauth.Handler
	play     *play.Handler
	pages    *web.Pages
	guide    *guide.Guide
	hosts    sandlot.Hosts
	strict   bool // whether answers have Strict-Transport-Security
}

// Limits of a request's header, in addition to that of its size.
const (
	maxHeaders     = 100     // browsers send about 20
	maxHeaderValue = 8 << 10 // bytes of one value

	headerTooLargeMessage = "The request has more than 100 header fields, or one of more than 8 KiB."
)

// ServeHTTP answers any request that reaches the program.
func (s *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := api.NewRequestID()
	r = r.WithContext(api.WithRequestID(r.Context(), id))
	if r.ProtoMajor == 2 {
		paced := newPacedAnswer(w)
		defer paced.end()
		w = paced
	}
	body := newPacedBody(w, r, s.clock)
	rec := &recorder{ResponseWriter: w, body: body, began: time.Now(), ending: s.draining.Load}
	defer s.underWay.add(r.Context(), body)()
	body.answered = func() bool { return rec.status != 0 }
	r, end := limitLife(r, body)
	defer end()
	area, handler := "refused", http.Handler(nil)
	s.metrics.inFlight.Add(1)
	defer func() {
		broken := recover()
		s.metrics.inFlight.Add(-1)
		s.finish(rec, r, id, area, body.n, broken)
	}()
	s.clients.name(r)
	if len(r.TransferEncoding) > 0 {
		// net/http drops an accompanying Content-Length unseen: closing the connection ends any request smuggled after
		// it (RFC 9112, 6.1).
		w.Header().Set("Connection", "close")
	}
	if owner, _ := s.hosts.Of(r.Host); s.strict && owner == sandlot.Website {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000") // not its subdomains, which may be others' services
	}
	area, handler = s.route(r)
	handler.ServeHTTP(rec, r)
}

// Project implements front.Handler: it recognizes projects by Host alone, as route does.
func (s *router) Project(host string) (label string, ok bool) {
	return s.play.Label(host)
}

// ServeProject implements front.Handler. It does the same as ServeHTTP where necessary: there is no body to wait for,
// and no part of the request is too large.
func (s *router) ServeProject(a *front.Answer, r *http.Request, label string) {
	s.metrics.inFlight.Add(1)
	defer s.finishProject(a, r)
	s.clients.name(r)
	s.play.ServeOrigin(a, r, label)
}

// route returns the part of the service for a request. It recognizes projects by Host alone; the API answers under any
// other.
func (s *router) route(r *http.Request) (area string, h http.Handler) {
	if r.URL.IsAbs() {
		hint := "Send the path alone in the request line."
		return "refused", refuse(http.StatusMisdirectedRequest, "misdirected", "This is not a proxy.", hint)
	}
	owner, label := s.hosts.Of(r.Host)
	onBase, ofProject := owner == sandlot.Website, owner == sandlot.OwnOrigin
	if ofProject {
		r.Header.Del("Cookie") // projects need none, and pages set large ones
	}
	switch {
	case headerTooLarge(r.Header) && ofProject:
		return "refused", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.play.Refuse(w, r, http.StatusRequestHeaderFieldsTooLarge, headerTooLargeMessage)
		})
	case headerTooLarge(r.Header):
		hint := "Send only the fields that the documentation names."
		return "refused", refuse(http.StatusRequestHeaderFieldsTooLarge, "header_too_large", headerTooLargeMessage, hint)
	case ofProject:
		return "play", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.play.ServeOrigin(w, r, label) })
	}
	for _, p := range owns {
		if p.path == r.URL.Path && (p.area != "metrics" || s.metrics.public) {
			return p.area, readOnly(p.serve(s))
		}
	}
	switch path := r.URL.Path; {
	case path == "/v1" || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/openapi."):
		if !public(s.places) && fromElsewhere(r) {
			return "refused", refuse(http.StatusUnauthorized, "key_required",
				"A page of another site needs a key to change something here.",
				"Send it as Authorization: Bearer. A program that is no page needs none to publish.")
		}
		return "api", s.api
	case path == "/mcp":
		return "mcp", s.mcp
	case path == "/mcp/account":
		return "mcp", s.mcp.Account
	case onBase && s.oauth.Takes(path):
		return "oauth", s.oauth
	case onBase && s.places.PathForm && strings.HasPrefix(path, "/~/"):
		return "play", http.HandlerFunc(s.play.ServePath)
	case onBase && path == "/login" && strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return "api", s.api // its 404 says how lost keys are replaced; the page takes a form
	case onBase && s.guide.Takes(r):
		return "guide", s.guide
	case onBase && s.guide.HasPage(path):
		return "pages", s.guide.Advertised(s.pages)
	case onBase && (s.pages.Has(path) || browses(r)):
		return "pages", s.pages
	case onBase:
		return "api", s.api // its 404 lists the endpoints, in case of a typing error
	}
	page := browses(r) || r.URL.Path == "/" || r.URL.Path == "/report" || r.URL.Path == "/.well-known/security.txt"
	if owner == sandlot.ContentApex && page {
		return "play", http.HandlerFunc(s.play.ServeApex)
	}
	return "refused", refuse(http.StatusMisdirectedRequest, "misdirected", "There are no pages under this name.",
		"The pages of this service are at "+s.places.Base.String()+"/; the API answers here under /v1.")
}

// fromElsewhere reports whether a page of another site makes a browser send a call without a key that changes
// something: on a local instance such a call has no limits, and a visit to the page would suffice. A page whose own
// name leads to this machine is recognized by its Origin.
func fromElsewhere(r *http.Request) bool {
	switch {
	case r.Method == http.MethodGet, r.Method == http.MethodHead, r.Method == http.MethodOptions, r.Header.Get("Authorization") != "":
		return false
	case r.Header.Get("Sec-Fetch-Site") == "cross-site", r.Header.Get("Origin") == "null":
		return true
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err != nil || origin.Host != "" && !private(origin.Hostname())
}

// browses reports whether a person's browser requests a page, and not a program.
func browses(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func headerTooLarge(h http.Header) bool {
	n := 0
	for _, values := range h {
		n += len(values)
		for _, v := range values {
			if len(v) > maxHeaderValue {
				return true
			}
		}
	}
	return n > maxHeaders
}

// unstored sets the headers of all answers except published content.
func unstored(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// refuse answers in the form of the API's errors.
func refuse(status int, code, message, hint string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := api.RequestID(r.Context())
		body, err := json.Marshal(map[string]any{"error": code, "message": message, "hint": hint, "status": status, "request_id": id})
		if err != nil {
			panic(err) // strings and a number always encode
		}
		h := w.Header()
		unstored(h)
		h.Set("Content-Type", "application/json")
		if status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", "Bearer")
		}
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("X-Request-Id", id)
		w.WriteHeader(status)
		_, _ = w.Write(append(body, '\n'))
	})
}
