package play

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"sandlot"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/play/doors"
)

// A door is one name in the service's own folder, /.sandlot/.
type door struct {
	name      string
	operation admission.Operation
	methods   string
	serve     func(*exchange)
}

// ownDoors are all doors but those of package doors. It never changes. Files of projects are not among them: most come
// from memory, without admission.
var ownDoors = []door{
	{"about", admission.Fetch, allowed, func(x *exchange) { x.say(http.StatusOK, "about") }},
	{"heartbeat", admission.Heartbeat, posted, (*exchange).takeBeat},
	{"player.js", admission.Fetch, allowed, func(x *exchange) { x.send(x.script, x.script.form(x.r.Header), http.StatusOK) }},
	{sdkName, admission.Fetch, allowed, sendSDK},
	{"storage", admission.Fetch, allowed, (*exchange).storage},
}

// own answers for a name in the service's own folder. At the address of a version, which is its owner's preview, and for
// the play-tester it answers only names that store nothing.
func (x *exchange) own(name string) {
	list := ownDoors
	if x.previewing {
		list = previewDoors
	}
	i := slices.IndexFunc(list, func(d door) bool { return d.name == name })
	switch {
	case name != sdkName && (x.trial || x.place == onVersion && name != "about"):
		x.notFound()
	case i < 0 && !x.previewing && x.ofPlayers(name):
		x.headers(never)
		x.doors.Serve(x.w, x.r, doors.Call{Project: x.project, Name: name, Framed: x.place == onPath})
	case i < 0:
		if x.takes(allowed) {
			x.notFound()
		}
	case x.takes(list[i].methods):
		x.enter(list[i])
	}
}

// ofPlayers reports whether a name is one of package doors.
func (h *Handler) ofPlayers(name string) bool { return h.doors != nil && doors.Has(name) }

// enter serves a door, if admission allows its operation to the client. Otherwise it answers 429 with Retry-After.
func (x *exchange) enter(d door) {
	from := admission.Origin{Addr: admission.Peer(x.r.RemoteAddr)}
	grant, err := x.Admission.Admit(from, d.operation, admission.Body{Length: x.r.ContentLength})
	var denied *admission.Denied
	switch {
	case errors.As(err, &denied):
		x.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(denied.After.Seconds()))))
		x.refuse(http.StatusTooManyRequests, denied.Error())
	case err != nil:
		x.fail(err)
	default:
		defer grant.Done()
		d.serve(x)
	}
}

// iconPath is the path that browsers request by themselves. A 404 would put a message into the console of a game that
// did not request it.
const iconPath = "/favicon.ico"

//go:embed icon.svg
var iconSVG []byte

// icon answers for iconPath if the project has no file of that name: with its icon of another usual name, or with the
// default icon.
func (x *exchange) icon(l *list) {
	f := x.ownIcon
	for _, name := range [...]string{"favicon.png", "favicon.svg"} {
		if own := l.files[name]; own != nil {
			f = own
		}
	}
	x.send(f, f.form(x.r.Header), http.StatusOK)
}

// lastWorkerJS replaces the service worker of a project that was taken down, and deletes its caches.
//
//go:embed lastworker.js
var lastWorkerJS []byte

// noWorkerJS replaces any service worker of a project in quarantine, which could answer pages without their policy.
//
//go:embed noworker.js
var noWorkerJS []byte

// scriptType is the Content-Type of a worker.
var scriptType = []string{"text/javascript; charset=utf-8"}

// asksForWorker reports whether the browser requests the script of a service worker, to register it or to compare it.
func asksForWorker(r *http.Request) bool { return first(r.Header["Service-Worker"]) == "script" }

// worker answers with a service worker of the service, which removes itself: browsers drop one only for another.
func (x *exchange) worker(script []byte) {
	x.headers(never)
	x.write(http.StatusOK, scriptType, script)
}

// maxHeartbeat is the largest body of a heartbeat, in bytes. A player's id of 64 characters needs half of it.
const maxHeartbeat = 256

type beat struct {
	Player string `json:"player"` // a random id from the page's storage, or empty
	Gone   bool   `json:"gone"`   // the page is being left
}

// takeBeat reads a heartbeat and counts its player as present or gone. The answer is 204 even if counting failed, which
// is logged. A player without an id of its own counts by the hash of its visitor.
func (x *exchange) takeBeat() {
	if !fromHere(x.r, x.place) {
		x.refuse(http.StatusForbidden, "Only the project's own page can say who is playing it.")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxHeartbeat))
	var b beat
	switch {
	case err != nil:
		x.refuse(http.StatusRequestEntityTooLarge, "A heartbeat is smaller than that.")
		return
	case len(body) > 0 && json.Unmarshal(body, &b) != nil:
		x.refuse(http.StatusBadRequest, "This is no heartbeat.")
		return
	}
	player := x.visitor()
	player.Source = "" // the load had it
	if playerPattern.MatchString(b.Player) {
		player.ID = presenceOf(x.project.ID, b.Player)
	}
	count := x.Gallery.Touch
	if b.Gone {
		count = x.Gallery.Leave
	}
	if err := count(x.r.Context(), sandlot.Caller{}, x.project.ID, player); err != nil {
		x.Log.WarnContext(x.r.Context(), "a heartbeat was not counted", "project", x.project.ID, "err", err)
	}
	x.headers(revalidate)
	x.w.WriteHeader(http.StatusNoContent)
}

// presenceOf returns a hash of a player's id: the id is the token of the player's saves, so that only hashes of it are
// counted, sent to other nodes and logged.
func presenceOf(project sandlot.ProjectID, id string) gallery.PlayerID {
	sum := sha256.Sum256([]byte("presence\x00" + string(project) + "\x00" + id))
	return gallery.PlayerID(hex.EncodeToString(sum[:16]))
}

// fromHere reports whether the request comes from the project's own page, as far as the browser reports it. The requests
// of a page in the sandbox of the path form are recognized by the Origin "null".
func fromHere(r *http.Request, at place) bool {
	if at == onPath && r.Header.Get("Origin") == "null" {
		return true
	}
	return new(http.CrossOriginProtection).Check(r) == nil
}

// playerPattern matches a player's id.
var playerPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// A storagePage is a small page on each project's own origin. The website frames it to find out whether scripts of that
// origin have storage in a frame, which some browsers deny: a game that reads it first thing would then stay blank. The
// page reports only to the website's origin.
type storagePage struct {
	body     []byte
	policy   []string // its Content-Security-Policy: the website alone may frame it
	embedded []string // the policy if another site frames the website's page
}

// embeddedQuery is the query of a request by /embed. Any site may frame the page around that, so any may frame this
// one.
const embeddedQuery = "embedded"

// newStoragePage returns the page for a website at an origin.
func newStoragePage(site string) storagePage {
	origin, _ := json.Marshal(site) // with < and > escaped; a text always encodes
	// A read reveals as much as a write would, and other tabs of the project get no event from it.
	script := `let storage=true;try{localStorage.length}catch{storage=false}parent.postMessage({storage},` +
		string(origin) + `)`
	sum := sha256.Sum256([]byte(script))
	policy := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors "
	return storagePage{
		body: []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Storage</title><script>` + script +
			"</script></html>\n"),
		policy:   []string{policy + site},
		embedded: []string{policy + "*"},
	}
}

// storage answers with the page. Only a project's own origin has it.
func (x *exchange) storage() {
	if x.place != onProject {
		x.notFound()
		return
	}
	h := x.headers(revalidate)
	h["Content-Security-Policy"] = x.storagePage.policy
	if x.r.URL.RawQuery == embeddedQuery {
		h["Content-Security-Policy"] = x.storagePage.embedded
	}
	x.write(http.StatusOK, pageType, x.storagePage.body)
}
