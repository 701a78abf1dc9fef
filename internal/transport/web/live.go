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
)

// numbers serves the moving numbers of a project's page to its scripts. It may be used concurrently.
type numbers struct {
	gallery  *gallery.Service
	visitors visitors
}

func (n numbers) routes() []route {
	return []route{
		{"GET", "/p/{id}/counts", stranger, admission.Fetch, n.counts},
		{"POST", "/p/{id}/heartbeat", stranger, admission.Heartbeat, n.heartbeat},
	}
}

// projectCounts holds the moving numbers of a project for its page.
type projectCounts struct {
	Players int   `json:"player_count"`
	Plays   int64 `json:"plays"`
	Likes   int64 `json:"likes"`
}

// counts sends the counts, which a page fetches again every few seconds.
func (n numbers) counts(v *visit) error {
	stats, err := n.gallery.Counts(v.r.Context(), v.by, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	return sendJSON(v, projectCounts{stats.Players, stats.Plays, stats.Likes})
}

// maxHeartbeat bounds the body of a heartbeat in bytes: a player of 64 characters and a host of 253 in a small object
// need two thirds of it.
const maxHeartbeat = 512

// isPlayer matches the ids that play accepts for a player, too.
var isPlayer = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// heartbeat registers the player while the page's frame is open. Heartbeats of the project's own address count with
// them.
func (n numbers) heartbeat(v *visit) error {
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
