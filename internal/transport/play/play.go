// Package play serves the files of published projects to their visitors.
//
// Each project has an origin of its own, {project_id}.{content host}, so that no project can read another's storage or
// the login of the website; each version has one, too, which only its owner learns. Where names cannot be resolved the
// path form {base}/~/{project_id}/ serves the same bytes inside a sandbox.
//
// read.go has the steps of a request: the project, a file of its version, a form of the file, conditions and ranges,
// the bytes. Lists and bytes are cached under keys under which they never change. Bytes are sent exactly as they were
// published, and never if they do not have their hash; a browser's own navigation to an HTML primary file gets one more
// script after the file, which reports that somebody is playing.
package play

import (
	"cmp"
	"context"
	"hash/maphash"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"

	"sandlot"
	"sandlot/internal/base/catalog"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/play/doors"
)

// A Service returns projects; *publish.Reader implements it. It fails with sandlot.CodeProjectNotFound or CodeTakenDown, or
// returns the project with CodeHeld.
type Service interface {
	// Current returns a project as the latest acknowledged write left it.
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	// AtVersion returns a project as of version n, if suffix is that of the version's address.
	AtVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int, suffix string) (sandlot.Project, error)
	// View lets the caller's network view a held project that AtVersion returned, or is CodeHeld.
	View(ctx context.Context, by sandlot.Caller, p sandlot.Project) error
}

// Contents opens the files of versions. *publish.Contents implements it.
type Contents interface {
	// Files returns the files of a version. A file that is not Squeezed may still get variants.
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
	// Open returns n verified bytes of a blob from off (n < 0: up to the end). A blob that is missing is
	// sandlot.ErrNotFound, a damaged one sandlot.ErrCorrupt.
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// A Gallery counts plays and players. *gallery.Service implements it.
type Gallery interface {
	// Play counts a load, unless the player was counted shortly before, or the network adds too many.
	Play(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, player gallery.Player)
	// Touch counts a player as present, unless too many of one network are.
	Touch(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p gallery.Player) error
	// Leave counts a player as gone.
	Leave(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, p gallery.Player) error
}

// A Config holds the parts and settings of a Handler, all called concurrently. Service, Contents, Gallery and Places are
// needed.
type Config struct {
	Service    Service
	Contents   Contents
	Gallery    Gallery
	Frames     Frames           // nil: the desk frames nothing
	Players    *players.Service // nil, as the two below: there is no runtime
	Boards     *boards.Service
	Faults     *faults.Service
	Places     sandlot.Places
	Visitors   *Visitors                    // nil: one of the Handler's own
	Token      func(r *http.Request) string // the browser's token on the website's origin, empty if none; nil: none
	Quarantine bool                         // whether projects of unverified accounts are isolated
	Contact    string                       // of the operator, a URI, for pages of refusals; empty: the form for reports alone
	Admission  *admission.Limits            // the limits of heartbeats; nil: none
	CacheBytes int64                        // the most bytes of lists and bodies in the cache; 0: 64 MiB
	Now        func() time.Time             // nil: time.Now
	Log        *slog.Logger                 // nil: nothing is logged
}

// defaultCacheBytes is room for the current files of some thousand small games, and the smallest machines can spare it.
const defaultCacheBytes = 64 << 20

// A Handler serves published files. Its methods may be called concurrently. One that fails after it has begun an answer
// panics with http.ErrAbortHandler, so that the client sees that the answer is incomplete.
type Handler struct {
	Config
	agents      *agents
	book        *catalog.Texts[said]
	cache       *cache
	bodyMax     int64          // the largest body that is cached
	script      *file          // /.sandlot/player.js
	sdk         sdk            // /.sandlot/sdk.js
	doors       *doors.Handler // of players; nil: there is no runtime
	ownIcon     *file          // of projects without one
	storagePage storagePage    // /.sandlot/storage
	previews    preview        // the answers on origins of previews
	shared      sharedLines    // header lines that answers share
	// siteConnections is the Connection-Allowlist of the service's own pages: their links lead to the website.
	siteConnections []string
	hosts           sandlot.Hosts
	prefix          string // of the path form: "/~/", after the base URL's path
}

// New returns a Handler. It panics if the texts that are built into the program are broken.
func New(c Config) *Handler {
	site := c.Places.Base.Scheme + "://" + c.Places.Base.Host
	c.CacheBytes = cmp.Or(c.CacheBytes, defaultCacheBytes)
	h := &Handler{
		Config: c, agents: &agents{seed: maphash.MakeSeed()}, book: openBook(),
		cache: newCache(c.CacheBytes), bodyMax: min(maxBody, c.CacheBytes/8),
		script: ownScript(c.Faults != nil), ownIcon: scriptFile("icon.svg", iconSVG),
		sdk: newSDK(site), storagePage: newStoragePage(site), previews: newPreview(site, c.Quarantine),
		siteConnections: []string{`(response-origin "` + site + `/*");webrtc=block`},
		hosts:           c.Places.Hosts(),
		prefix:          strings.TrimSuffix(c.Places.Base.Path, "/") + "/~/",
	}
	if h.Visitors == nil {
		h.Visitors = NewVisitors()
	}
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Log == nil {
		h.Log = slog.New(slog.DiscardHandler)
	}
	if c.Players != nil {
		h.doors = doors.New(doors.Config{
			Players: c.Players, Boards: c.Boards, Faults: c.Faults, Admission: c.Admission, Base: c.Places.Base.String(), Log: h.Log,
		})
	}
	return h
}

// Label returns the label of the project or version whose origin a request's Host names, in lower case. If ok, the request
// belongs to ServeOrigin and never to the website.
func (h *Handler) Label(host string) (label string, ok bool) {
	owner, label := h.hosts.Of(host)
	return label, owner == sandlot.OwnOrigin
}
