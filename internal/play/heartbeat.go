package play

import (
	"encoding/json"
	"io"
	"net/http"

	"sandlot/internal/publish"
)

// maxHeartbeat bounds the body of a heartbeat: a player of 64 characters in a small object needs half of it.
const maxHeartbeat = 256

// beat is the body of a heartbeat.
type beat struct {
	Player string `json:"player"` // a random id from the page's storage, or empty
	Gone   bool   `json:"gone"`   // the page is being left
}

// mayBeat reports whether the request is what player.js sends, and answers it if not.
func (v *visit) mayBeat() bool {
	const methods = "POST, OPTIONS"
	switch {
	case v.r.Method == http.MethodOptions:
		v.options(methods)
	case v.r.Method != http.MethodPost:
		v.notAllowed(methods)
	case !v.fromHere():
		v.refuse(http.StatusForbidden, "Only the project's own page can say who is playing it.")
	default:
		return true
	}
	return false
}

// takeBeat reads a heartbeat and passes it on. That a count was not to be had is no reason to fail.
func (v *visit) takeBeat() {
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, maxHeartbeat))
	var b beat
	switch {
	case err != nil:
		v.refuse(http.StatusRequestEntityTooLarge, "A heartbeat is smaller than that.")
		return
	case len(body) > 0 && json.Unmarshal(body, &b) != nil:
		v.refuse(http.StatusBadRequest, "This is no heartbeat.")
		return
	}
	player := v.visitor(v.now())
	if isPlayer(b.Player) {
		player.ID = publish.PlayerID(b.Player)
	}
	tell := v.gallery.Touch
	if b.Gone {
		tell = v.gallery.Leave
	}
	if err := tell(v.r.Context(), publish.Caller{}, v.project.ID, player); err != nil {
		v.log.WarnContext(v.r.Context(), "a heartbeat was not counted", "project", v.project.ID, "err", err)
	}
	v.headers(revalidate)
	v.w.WriteHeader(http.StatusNoContent)
}

// fromHere reports whether the request comes from the project's own page, as far as a browser tells. A page in the path
// form's sandbox has an opaque origin, and to itself is another site.
func (v *visit) fromHere() bool {
	if v.place == onPath && v.r.Header.Get("Origin") == "null" {
		return true
	}
	return new(http.CrossOriginProtection).Check(v.r) == nil
}

// isPlayer reports whether s can be a player's id: 1 to 64 letters, digits, hyphens and underscores.
func isPlayer(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_') {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}
