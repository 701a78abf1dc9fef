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

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/transport/intake"
)

// A Service holds the methods of the domain that this package calls; *publish.Service implements it.
type Service interface {
	Admit(ctx context.Context, by sandlot.Caller, act sandlot.Action) error
	Publish(ctx context.Context, by sandlot.Caller, in publish.PublishInput) (publish.Published, *publish.Pending, error)
	Update(ctx context.Context, by sandlot.Caller, in publish.UpdateInput) (publish.Updated, *publish.Pending, error)
	DeleteFile(ctx context.Context, by sandlot.Caller, in publish.DeleteInput) (publish.Deleted, error)
	DeleteProject(ctx context.Context, by sandlot.Caller, ref, confirm string) (publish.DeletedProject, error)
	Signup(ctx context.Context, by sandlot.Caller, in publish.SignupInput) (publish.SignedUp, error)
	Amend(ctx context.Context, by sandlot.Caller, ref string, in publish.AmendInput) (publish.ProjectView, error)
	Restore(ctx context.Context, by sandlot.Caller, in publish.RestoreInput) (publish.Restored, error)
}

// A Reader shows projects, files and accounts; *publish.Reader implements it.
type Reader interface {
	Project(ctx context.Context, by sandlot.Caller, ref string) (publish.ProjectView, error)
	File(ctx context.Context, by sandlot.Caller, ref, name string, version int) (publish.FileView, error)
	Versions(ctx context.Context, by sandlot.Caller, ref string, limit int, cursor string) (sandlot.VersionPage, error)
	Whoami(ctx context.Context, by sandlot.Caller, limit int, cursor string) (publish.Identity, error)
	Export(ctx context.Context, by sandlot.Caller) (publish.Export, error)
}

// A Transfer imports the projects of an export into an account; *transfer.Service implements it.
type Transfer interface {
	Import(ctx context.Context, by sandlot.Caller, in transfer.Input) (transfer.Report, error)
}

// A Gallery returns the public numbers of a project.
type Gallery interface {
	Stats(ctx context.Context, by sandlot.Caller, ref string) (sandlot.ProjectID, sandlot.Stats, error)
}

// Figures returns the numbers of a project over time to its owner; *figures.Service implements it.
type Figures interface {
	ByDay(ctx context.Context, by sandlot.Caller, ref string, days int) (figures.Days, error)
	ByVersion(ctx context.Context, by sandlot.Caller, ref string) (figures.Versions, error)
}

// A Config holds the parts and settings of an API. All but Log, Now and Links must be set.
type Config struct {
	Service  Service
	Reader   Reader
	Intake   *intake.Intake // reads the bodies of calls
	Gallery  Gallery
	Figures  Figures
	Tickets  Tickets
	Trials   Trials
	Covers   Covers
	Transfer Transfer
	Places   sandlot.Places
	// Archive writes a snapshot as a ZIP. It may be called concurrently.
	Archive func(ctx context.Context, w io.Writer, e publish.Export) error
	// Log gets the faults of the service, each with its request id; slog.Default() if nil.
	Log *slog.Logger
	// Now returns the date for the name of an archive that is only requested by HEAD; time.Now if nil.
	Now func() time.Time
	// Index returns the answer to GET /v1: the overview of the service, in JSON. Links is the Link header of every
	// answer.
	Index func() []byte
	Links string
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
	return &API{cfg, table{routes(), cfg.Places.Base.String()}, newLists(), sync.OnceValue(documentJSON)}
}

// ServeHTTP answers one request. It panics with http.ErrAbortHandler to break a connection on which a partial answer
// cannot be finished or no answer can be sent.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(w, r)
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
