package play

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// maxHeartbeat is the largest body of a heartbeat, in bytes. A player's id of 64 characters needs half of it.
const maxHeartbeat = 256

// A beat is the body of a heartbeat.
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
		player.ID = gallery.PlayerID(b.Player)
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
