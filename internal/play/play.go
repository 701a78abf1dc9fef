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
	"sandlot/internal/gallery"
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
	Play(ctx context.Context, by publish.Caller, id publish.ProjectID, player gallery.Player)
	// Touch counts a player as present, unless enough of one network are.
	Touch(ctx context.Context, by publish.Caller, id publish.ProjectID, p gallery.Player) error
	// Leave counts a player as gone.
	Leave(ctx context.Context, by publish.Caller, id publish.ProjectID, p gallery.Player) error
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
	shared      sharedLines // header lines that answers share
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
