// Package play serves what was published.
//
// Each project has an origin of its own, {project_id}.{content host}, so that no project can read another's storage or
// the login of the site; each of its versions has one too, and where names cannot be resolved the path form
// {base}/~/{project_id}/ serves the same bytes inside a sandbox. The way of a request: which project (asked anew every
// time, so that an acknowledged write is seen at once), which file (from a cached list of the version), which form of
// it (plain, compressed, with the heartbeat's script), then the conditions and ranges of HTTP, and the bytes, from a
// cache when they are few and streamed when they are many. Lists and bytes never change under their keys, so nothing
// in the cache is ever out of date.
//
// Bytes are sent exactly as published. The one exception is a browser's own top-level navigation to an HTML primary
// file, which is followed by one script that says "somebody is playing".
package play

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// Service is what this package reads of projects. *publish.Service has it.
type Service interface {
	// Site returns a project as the latest acknowledged write left it.
	Site(ctx context.Context, by publish.Caller, id publish.ProjectID) (publish.Project, error)
	// SiteVersion returns a project as of version n, if suffix is that of the version's address.
	SiteVersion(ctx context.Context, by publish.Caller, id publish.ProjectID, n int, suffix string) (publish.Project, error)
}

// Contents is where versions' files are read from. *publish.Contents is one.
type Contents interface {
	// Files returns the files of a version. Of a file that is not Squeezed, variants may still come.
	Files(ctx context.Context, id publish.ProjectID, version int) ([]publish.File, error)
	// Open returns n verified bytes of a blob from off (n < 0: up to the end).
	Open(ctx context.Context, b publish.Blob, off, n int64) (io.ReadCloser, error)
}

// Gallery is who counts plays and players.
type Gallery interface {
	// Play counts a load, unless the same visitor's last one is too recent, or enough come from one network.
	Play(ctx context.Context, by publish.Caller, id publish.ProjectID, player publish.Visitor)
	// Touch counts a player as present, unless enough of one network are.
	Touch(ctx context.Context, by publish.Caller, id publish.ProjectID, p publish.Visitor) error
	// Leave counts a player as gone.
	Leave(ctx context.Context, by publish.Caller, id publish.ProjectID, p publish.Visitor) error
}

// Config is what a Handler is made from. Only Service, Contents, Gallery and Places are needed.
type Config struct {
	Service    Service
	Contents   Contents
	Gallery    Gallery
	Places     publish.Places
	Visitors   *Visitors                    // nil: one of its own
	Token      func(r *http.Request) string // by which a browser is known on the site's origin, empty if it is not; nil: none is
	Quarantine bool                         // whether projects of unverified accounts may send nothing anywhere else
	Admission  *admission.Limits            // holds visitors to their limits; nil: none
	CacheBytes int64                        // bound on the cached lists and bytes; 0: 64 MiB
	Now        func() time.Time             // nil: time.Now
	Log        *slog.Logger                 // nil: nothing is logged
}

// defaultCacheBytes holds the current files of some thousand small games, and is what the smallest machines can spare.
const defaultCacheBytes = 64 << 20

// Handler serves published files. Its methods may be called concurrently.
type Handler struct {
	service     Service
	contents    Contents
	gallery     Gallery
	places      publish.Places
	visitors    *Visitors
	token       func(*http.Request) string
	agents      *agents
	book        *book
	quarantine  bool
	admission   *admission.Limits
	cache       *cache
	bodyMax     int64 // the largest body that is cached
	now         func() time.Time
	log         *slog.Logger
	script      *file       // /.sandlot/player.js
	ownIcon     *file       // of projects that have none
	storagePage storagePage // /.sandlot/storage
	common      common      // header lines that answers share
	suffix      string      // "." and the name of the content host, without a port; empty if there is none
	prefix      string      // of the path form: "/~/", after the base URL's path
}

// New makes a Handler.
func New(c Config) *Handler {
	h := &Handler{
		service: c.Service, contents: c.Contents, gallery: c.Gallery, places: c.Places, visitors: c.Visitors, token: c.Token, agents: newAgents(), book: openBook(), now: c.Now, log: c.Log, script: playerFile(), ownIcon: iconFile(), storagePage: newStoragePage(c.Places.Base), quarantine: c.Quarantine, admission: c.Admission,
		prefix: strings.TrimSuffix(c.Places.Base.Path, "/") + "/~/",
	}
	if h.visitors == nil {
		h.visitors = NewVisitors()
	}
	if h.token == nil {
		h.token = func(*http.Request) string { return "" }
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if c.CacheBytes == 0 {
		c.CacheBytes = defaultCacheBytes
	}
	if c.Places.Content != "" {
		h.suffix = "." + hostname(c.Places.Content)
	}
	h.cache = newCache(c.CacheBytes)
	h.bodyMax = min(maxBody, c.CacheBytes/8)
	return h
}

// Label returns the label of a request's Host under the content host, and whether the Host is under it: then the
// request belongs to ServeOrigin whatever the label is, and never to the site. The port is not compared: a request
// that came through a tunnel must not fall through to the site either.
func (h *Handler) Label(host string) (label string, ok bool) {
	if h.suffix == "" {
		return "", false
	}
	return strings.CutSuffix(hostname(host), h.suffix)
}

// hostname returns the name in a Host header in lower case, without a port and a last dot.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// ServeOrigin answers a request to the origin with that label: a project's, a version's, or nobody's, which is a clean
// 404. The request's URL must be as it came: a router that cleans paths must not see it before.
func (h *Handler) ServeOrigin(w http.ResponseWriter, r *http.Request, label string) {
	v := exchange{Handler: h, w: w, r: r, root: "/"}
	id, n, suffix, ok := names.ParseLabel(label)
	var err error
	switch {
	case !ok:
		err = publish.CodeProjectNotFound
	case n == 0:
		v.project, err = h.service.Site(r.Context(), publish.Caller{}, publish.ProjectID(id))
	default:
		v.place = onVersion
		v.project, err = h.service.SiteVersion(r.Context(), publish.Caller{}, publish.ProjectID(id), n, suffix)
	}
	if err != nil {
		v.fail(err)
		return
	}
	v.serve(r.URL.Path)
}

// Refuse answers a request to a project's origin that the program refuses before it looks for the project, with the
// headers that everything on such an origin has.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	v := exchange{Handler: h, w: w, r: r, root: "/"}
	v.refuse(status, message)
}

// ServePath answers a request to the path form. Its path begins with the base URL's path and "/~/", and is as it came.
func (h *Handler) ServePath(w http.ResponseWriter, r *http.Request) {
	v := exchange{Handler: h, w: w, r: r, place: onPath}
	rest, ok := strings.CutPrefix(r.URL.Path, h.prefix)
	id, path, slash := strings.Cut(rest, "/")
	if !ok || !h.hasPath() || !names.ValidProjectID(id) {
		v.fail(publish.CodeProjectNotFound)
		return
	}
	var err error
	if v.project, err = h.service.Site(r.Context(), publish.Caller{}, publish.ProjectID(id)); err != nil {
		v.fail(err)
		return
	}
	v.root = h.prefix + id + "/"
	v.servePath("/"+path, slash)
}

// hasPath reports whether the path form is served.
func (h *Handler) hasPath() bool { return h.places.PathForm || h.places.Content == "" }

// servePath does what only the path form needs, and then serves the path.
func (x *exchange) servePath(path string, slash bool) {
	switch reading := x.r.Method == http.MethodGet || x.r.Method == http.MethodHead; {
	case x.r.Header.Get("Service-Worker") == "script":
		// A worker would run outside of the sandbox, on the origin of the site.
		x.refuse(http.StatusForbidden, "Service workers are for projects on their own address.")
	case reading && x.moves() && navigates(x.r.Header):
		x.redirect(http.StatusTemporaryRedirect, x.places.Origin(string(x.project.ID))+escape(path))
	case reading && !slash:
		x.redirect(http.StatusPermanentRedirect, x.root)
	default:
		x.serve(path)
	}
}
