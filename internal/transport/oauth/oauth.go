// Package oauth is the transport of the authorization server for programs: its metadata, and the addresses that a program
// calls by itself. The page on which a person consents is one of the website.
//
// Its clients are public: they have no secret, and nothing here proves who they are. Every answer may be read by pages of
// other sites, since no cookie means anything here.
package oauth

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
)

// Paths of the addresses here and of the pages beside them.
const (
	ServerMetadata   = "/.well-known/oauth-authorization-server/oauth"
	ResourceMetadata = "/.well-known/oauth-protected-resource/mcp/account"
	authorizePath    = "/oauth/authorize" // of the website
	devicePage       = "/connect"         // likewise
	tokenPath        = "/oauth/token"
	devicePath       = "/oauth/device"
	registerPath     = "/oauth/register"
	revokePath       = "/oauth/revoke"
)

// Service decides about the requests of programs; *oauth.Service does.
type Service interface {
	Register(ctx context.Context, by sandlot.Caller, r oauth.Registration) (oauth.Client, error)
	Exchange(ctx context.Context, by sandlot.Caller, in oauth.CodeInput) (oauth.Tokens, error)
	Refresh(ctx context.Context, by sandlot.Caller, in oauth.RefreshInput) (oauth.Tokens, error)
	AskDevice(ctx context.Context, by sandlot.Caller, in oauth.DeviceInput) (oauth.Device, error)
	PollDevice(ctx context.Context, by sandlot.Caller, code sandlot.Secret, clientID string) (oauth.Tokens, error)
	Revoke(ctx context.Context, by sandlot.Caller, token sandlot.Secret, clientID string) error
}

// A Config holds the parts of a Handler. Service and Places must be set.
type Config struct {
	Service   Service
	Places    sandlot.Places
	Admission *admission.Limits // nil: none
	Log       *slog.Logger      // slog.Default() if nil
	Now       func() time.Time  // time.Now if nil
}

// A Handler answers the calls of programs. It may be used concurrently.
type Handler struct {
	Config
	endpoints map[string]endpoint
}

// An endpoint is one address.
type endpoint struct {
	methods   string // as in Allow, without OPTIONS
	operation admission.Operation
	serve     func(*call) error
}

// New returns a Handler.
func New(cfg Config) *Handler {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	h := &Handler{Config: cfg}
	h.endpoints = map[string]endpoint{
		ServerMetadata:   {"GET, HEAD", admission.Fetch, document(server(cfg.Places))},
		ResourceMetadata: {"GET, HEAD", admission.Fetch, document(resource(cfg.Places))},
		tokenPath:        {"POST", admission.EnterCode, h.token},
		devicePath:       {"POST", admission.Tokens, h.device},
		registerPath:     {"POST", admission.Look, h.register},
		revokePath:       {"POST", admission.Tokens, h.revoke},
	}
	return h
}

// Takes reports whether a path is answered here.
func (h *Handler) Takes(path string) bool {
	_, ok := h.endpoints[path]
	return ok
}

// A call is one request.
type call struct {
	w    http.ResponseWriter
	r    *http.Request
	by   sandlot.Caller // nobody
	from admission.Origin

	grant *admission.Grant
}

// ServeHTTP answers a request for one of the paths that are taken.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, from := h.endpoints[r.URL.Path], admission.From(r.RemoteAddr, sandlot.Caller{})
	c := &call{w: w, r: r, by: sandlot.Caller{From: h.Admission.Sender(from)}, from: from}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Access-Control-Allow-Origin", "*")
	switch {
	case r.Method == http.MethodOptions:
		header.Set("Access-Control-Allow-Methods", e.methods)
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Mcp-Protocol-Version")
		header.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method != http.MethodPost && e.methods == "POST", r.Method != http.MethodGet && r.Method != http.MethodHead && e.methods != "POST":
		header.Set("Allow", e.methods+", OPTIONS")
		c.fail(http.StatusMethodNotAllowed, "invalid_request", "This address takes "+e.methods+".")
		return
	}
	var err error
	if c.grant, err = h.Admission.Admit(from, e.operation, admission.Body{}); err == nil {
		defer c.grant.Done()
		err = e.serve(c)
	}
	if err != nil {
		h.refuse(c, err)
	}
}
