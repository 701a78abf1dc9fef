package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/transport/web/watch"
)

// numbers serves the moving numbers of a project's page to its scripts. It may be used concurrently.
type numbers struct {
	gallery  *gallery.Service
	visitors visitors
	watchers *watch.Watchers
}

func (n *numbers) routes() []route {
	return []route{
		{"GET", "/p/{id}/live", stranger, admission.Watch, n.live},
		{"GET", "/p/{id}/counts", stranger, admission.Fetch, n.counts},
		{"POST", "/p/{id}/heartbeat", stranger, admission.Heartbeat, n.heartbeat},
	}
}

// counts sends the counts to browsers that cannot stream them.
func (n *numbers) counts(v *visit) error {
	stats, err := n.gallery.Counts(v.r.Context(), v.by, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	return sendJSON(v, watch.CountsOf(stats))
}

// live streams the counts as they change, as server-sent events.
func (n *numbers) live(v *visit) error {
	if fromElsewhere(v) {
		return v.problem(http.StatusForbidden, "error.elsewhere")
	}
	id := sandlot.ProjectID(v.r.PathValue("id"))
	stats, err := n.gallery.Counts(v.r.Context(), v.by, id)
	if err != nil || v.r.Method == http.MethodHead {
		return err
	}
	place, denied := n.watchers.Reserve(v.origin().Addr)
	if denied != nil {
		return v.limits.Refuse(denied)
	}
	// The connection is taken from net/http, which keeps two buffers and more for each.
	conn, _, err := http.NewResponseController(v.w).Hijack()
	if err != nil {
		place.Leave()
		return fmt.Errorf("%w: %w", sandlot.ErrUnavailable, err)
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Connection", "close")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer the events
	place.Begin(id, conn, h, watch.CountsOf(stats))
	return nil
}

// fromElsewhere reports whether the request comes from another site, as far as the browser reports that.
func fromElsewhere(v *visit) bool {
	site, origin := v.r.Header.Get("Sec-Fetch-Site"), v.r.Header.Get("Origin")
	return site != "" && site != "same-origin" && site != "none" || origin != "" && origin != v.places.Base.String()
}

// maxHeartbeat bounds the body of a heartbeat in bytes: a player of 64 characters and a host of 253 in a small object
// need two thirds of it.
const maxHeartbeat = 512

// isPlayer matches the ids that play accepts for a player, too.
var isPlayer = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// heartbeat registers the player while the page's frame is open. Heartbeats of the project's own address count with
// them.
func (n *numbers) heartbeat(v *visit) error {
	var beat struct {
		Player string `json:"player"` // a random id from the page's storage, or empty
		Gone   bool   `json:"gone"`   // the frame is being closed
		From   string `json:"from"`   // the host of the page that led to this one, with the first heartbeat alone
	}
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, maxHeartbeat))
	if err != nil || json.Unmarshal(body, &beat) != nil {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	player := n.visitors.today(v)
	if isPlayer.MatchString(beat.Player) {
		player.ID = gallery.PlayerID(beat.Player)
	}
	if beat.From != "" {
		player.Source = figures.Source(v.places, "https://"+beat.From)
	}
	tell := n.gallery.Touch
	if beat.Gone {
		tell = n.gallery.Leave
	}
	if err := tell(v.r.Context(), v.by, sandlot.ProjectID(v.r.PathValue("id")), player); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}
