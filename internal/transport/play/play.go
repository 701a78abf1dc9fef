// Package play serves the files of published projects to their visitors.
//
// # Addresses
//
// Each project has an origin of its own, {project_id}.{content host}, so that no project can read
// another's storage or the login of the website. Each version of it has one, too, which only its
// owner learns. Where names cannot be resolved the path form {base}/~/{project_id}/ serves the same
// bytes inside a sandbox.
//
// # A request
//
// A request takes these steps, all of which are in read.go:
//
//   - Which project? The Service returns it every time, so that an acknowledged write is seen at once.
//   - Which file? It is looked up in the list of the project's version.
//   - Which form of it? Plain, compressed, or with the heartbeat's script.
//   - Conditions and ranges of HTTP are applied.
//   - The bytes are sent: from the cache if they are few, streamed if they are many.
//
// Lists and bytes are cached under keys under which they never change, so nothing in the cache is
// ever out of date.
//
// # Bytes
//
// Bytes are sent exactly as they were published, and never if they do not have their hash. The one exception is a
// browser's own top-level navigation to an HTML primary file: it gets one more script after the file, with which the
// page reports every 20 seconds that somebody is playing.
//
// # Visitors
//
// A load of the primary file is a play, and a heartbeat counts a player as present. Visitors are distinguished by a
// hash that cannot be traced back after midnight UTC: see [Visitors].
package play

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/catalog"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
)

// A Service returns projects. *publish.Reader implements it. A project that does not exist is
// sandlot.CodeProjectNotFound, and one that was taken down is sandlot.CodeTakenDown.
type Service interface {
	// Current returns a project as the latest acknowledged write left it.
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	// AtVersion returns a project as of version n, if suffix is that of the version's address.
	AtVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int, suffix string) (sandlot.Project, error)
}

// Contents opens the files of versions. *publish.Contents implements it.
type Contents interface {
	// Files returns the files of a version. A file that is not Squeezed may still get variants.
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
	// Open returns n verified bytes of a blob from off (n < 0: up to the end). A blob that is
	// missing is sandlot.ErrNotFound, a damaged one sandlot.ErrCorrupt.
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// A Gallery counts plays and players. *gallery.Service implements it.
type Gallery interface {
	// Play counts a load, unless one by the same player was counted shortly before, or the network
	// adds too many.
	Play(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, player gallery.Player)
	// Touch counts a player as present, unless too many of one network are.
	Touch(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p gallery.Player) error
	// Leave counts a player as gone.
	Leave(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p gallery.Player) error
}

// A Config holds the parts and settings of a Handler. Only Service, Contents, Gallery and Places are needed. Everything
// in it is called concurrently.
type Config struct {
	Service    Service
	Contents   Contents
	Gallery    Gallery
	Places     sandlot.Places
	Visitors   *Visitors                    // nil: one of the Handler's own
	Token      func(r *http.Request) string // the browser's token on the website's origin, empty if none; nil: none
	Quarantine bool                         // whether projects of unverified accounts are isolated
	Admission  *admission.Limits            // the limits of heartbeats; nil: none
	CacheBytes int64                        // the most bytes of lists and bodies in the cache; 0: 64 MiB
	Now        func() time.Time             // nil: time.Now
	Log        *slog.Logger                 // nil: nothing is logged
}

// defaultCacheBytes is room for the current files of some thousand small games, and the smallest machines can spare it.
const defaultCacheBytes = 64 << 20

// A Handler serves published files. Its methods may be called concurrently. A handler that fails after it has begun an
// answer panics with http.ErrAbortHandler, so that the client sees that the answer is incomplete.
type Handler struct {
	service     Service
	contents    Contents
	gallery     Gallery
	places      sandlot.Places
	visitors    *Visitors
	token       func(*http.Request) string
	agents      *agents
	book        *catalog.Texts[said]
	quarantine  bool
	admission   *admission.Limits
	cache       *cache
	bodyMax     int64 // the largest body that is cached
	now         func() time.Time
	log         *slog.Logger
	script      *file       // /.sandlot/player.js
	ownIcon     *file       // of projects without one
	storagePage storagePage // /.sandlot/storage
	previews    preview     // the answers on origins of previews
	shared      sharedLines // header lines that answers share
	// siteConnections is the Connection-Allowlist of the service's own pages: their links lead to the website.
	siteConnections []string
	suffix          string // "." and the name of the content host, without a port; empty if there is none
	prefix          string // of the path form: "/~/", after the base URL's path
}

// New returns a Handler. It panics if the texts that are built into the program are broken.
func New(c Config) *Handler {
	h := &Handler{
		service: c.Service, contents: c.Contents, gallery: c.Gallery, places: c.Places, visitors: c.Visitors, token: c.Token, agents: newAgents(), book: openBook(), now: c.Now, log: c.Log, script: scriptFile("player.js", playerJS), ownIcon: iconFile(), storagePage: newStoragePage(c.Places.Base), previews: newPreview(c.Places.Base.Scheme+"://"+c.Places.Base.Host, c.Quarantine), quarantine: c.Quarantine, admission: c.Admission,
		siteConnections: []string{`(response-origin "` + c.Places.Base.Scheme + "://" + c.Places.Base.Host + `/*");webrtc=block`},
		prefix:          strings.TrimSuffix(c.Places.Base.Path, "/") + "/~/",
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

// Label returns the part of a request's Host before the content host, in lower case. ok reports whether the Host is
// under the content host at all. If so, the request belongs to ServeOrigin whatever the label is, and never to the
// website. Ports are not compared: a request that came through a tunnel must not reach the website either.
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
