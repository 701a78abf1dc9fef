package play

import (
	"encoding/json"
	"io"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// maxHeartbeat is the largest body of a heartbeat, in bytes. A player's id of 64 characters needs
// half of it.
const maxHeartbeat = 256

// A beat is the body of a heartbeat.
type beat struct {
	Player string `json:"player"` // a random id from the page's storage, or empty
	Gone   bool   `json:"gone"`   // the page is being left
}

// mayBeat reports whether the request can be a heartbeat of player.js. It answers any other.
func (x *exchange) mayBeat() bool {
	const methods = "POST, OPTIONS"
	switch {
	case x.r.Method == http.MethodOptions:
		x.options(methods)
	case x.r.Method != http.MethodPost:
		x.notAllowed(methods)
	case !x.fromHere():
		x.refuse(http.StatusForbidden, "Only the project's own page can say who is playing it.")
	default:
		return true
	}
	return false
}

// takeBeat reads a heartbeat and counts its player as present or gone. The answer is 204 even if counting failed, which
// is logged. A player without an id of its own counts by the hash of its visitor.
func (x *exchange) takeBeat() {
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
	player := x.visitor(x.now())
	player.Source = "" // the load had it
	if isPlayer(b.Player) {
		player.ID = gallery.PlayerID(b.Player)
	}
	tell := x.gallery.Touch
	if b.Gone {
		tell = x.gallery.Leave
	}
	if err := tell(x.r.Context(), sandlot.Caller{}, x.project.ID, player); err != nil {
		x.log.WarnContext(x.r.Context(), "a heartbeat was not counted", "project", x.project.ID, "err", err)
	}
	x.headers(revalidate)
	x.w.WriteHeader(http.StatusNoContent)
}

// fromHere reports whether the request comes from the project's own page, as far as the browser reports it. A page in
// the sandbox of the path form has an opaque origin: its own requests count as cross-origin, and are recognized by the
// Origin "null".
func (x *exchange) fromHere() bool {
	if x.place == onPath && x.r.Header.Get("Origin") == "null" {
		return true
	}
	return new(http.CrossOriginProtection).Check(x.r) == nil
}

// isPlayer reports whether s can be a player's id: 1 to 64 ASCII letters, digits, hyphens and
// underscores.
func isPlayer(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_') {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}
