// Package api is the HTTP transport of the service: the endpoints under /v1 and the OpenAPI document that describes
// them. Handlers translate and do not decide: the decoded input goes to one method of the Service, and its result is
// encoded. The table in routes.go is the only list of endpoints: routing, hints and tests read it.
package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/domain/trial"
	"sandlot/internal/transport/intake"
)

// A Config holds the parts and settings of an API. All but Log, Now and Links must be set.
type Config struct {
	Service   *publish.Service
	Reader    *publish.Reader
	Intake    *intake.Intake // reads the bodies of calls
	Gallery   *gallery.Service
	Figures   *figures.Service
	Tickets   *ticket.Service
	Trials    *trial.Service
	Requests  *trial.Requests
	Covers    *cover.Service
	Transfer  *transfer.Service
	Reporters *operate.Reporters
	Players   *players.Service // nil, as the two below: there is no runtime
	Boards    *boards.Service
	Faults    *faults.Service
	Places    sandlot.Places
	// Archive writes a snapshot as a ZIP. It may be called concurrently.
	Archive func(ctx context.Context, w io.Writer, e publish.Export) error
	// Log gets the faults of the service, each with its request id; slog.Default() if nil.
	Log *slog.Logger
	// Now returns the time of the numbers of a project; time.Now if nil.
	Now func() time.Time
	// Index returns the answer to GET /v1: the overview of the service, in JSON. Links is the Link header of every
	// answer.
	Index func() []byte
	Links string
	// Version of the program, which every answer names.
	Version string
	// Admission limits callers, and finds the owners of their keys.
	Admission *admission.Limits
}

// An API answers the requests under /v1 and for the OpenAPI document, and every other path with a 404 in JSON. It may
// be used concurrently. It takes the address in RemoteAddr for the client's; the request id is that of the context, or a
// new one.
type API struct {
	Config
	table table
	lists *turns.Lists[sandlot.AccountID]
	json  func() []byte // the OpenAPI document in JSON, made on first use
}

// New returns an API.
func New(cfg Config) *API {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &API{cfg, table{routes(), cfg.Places.Base.String(), cfg.Places.LostKeys()}, newLists(), sync.OnceValue(documentJSON)}
}

// ServeHTTP answers one request. It panics with http.ErrAbortHandler to break a connection on which a partial answer
// cannot be finished or no answer can be sent.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(w, r)
	w.Header().Set("Sandlot-Version", a.Version)
	if a.Links != "" {
		w.Header().Set("Link", a.Links)
	}
	if r.Method == http.MethodOptions {
		preflight(w.Header())
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err := a.serve(c); err != nil {
		a.refuse(c, err)
	}
}

// serve takes a request through the checks that need no body: it reports a leaked key before any look-up, and identifies
// the caller before a byte of the body is read.
func (a *API) serve(c *call) error {
	unknown := a.table.find(c)
	c.Takes = intake.UpdateFields // a body for an unknown path is only searched for a key
	if rt := c.named(); rt != nil {
		c.Takes = rt.takes
	}
	for _, check := range []func() error{
		func() error { return intake.KeyInAddress(c.R) },
		func() error { return unknown },
		c.checkQuery,
		func() error { return a.identify(c) },
		func() error { return a.allowed(c) },
	} {
		if err := check(); err != nil {
			return a.Intake.Search(c.Call, err)
		}
	}
	done, err := a.admit(c)
	if err != nil {
		return err
	}
	defer done()
	return c.route.serve(a, c)
}

// allowed refuses a caller who may not do what the route does.
func (a *API) allowed(c *call) error {
	row := c.route.op.Row()
	if !row.Admits {
		return nil
	}
	return a.Service.Admit(c.R.Context(), c.By, row.Action)
}
