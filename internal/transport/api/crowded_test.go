package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/domain/players"
	"sandlot/internal/testkit/expect"
)

func TestAnOwnerIsWarnedWhenPlayersHaveUsedTheirRoom(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.api.Players = w.Runtime.Players
	answers := func() map[string]answer {
		return map[string]answer{
			"project": w.get("/v1/project/"+w.projectID+"?content=none", w.project).wants(200),
			"whoami":  w.get("/v1/whoami", w.account).wants(200),
			"update":  w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "b.js", "text": "let b"}).wants(200),
			"nobody":  w.get("/v1/project/"+w.projectID, "").wants(200),
		}
	}
	for _, c := range []struct {
		used   int64
		warned bool
	}{{0, false}, {players.MaxBytes * 8 / 10, false}, {players.MaxBytes*8/10 + 1, true}} {
		w.Exec(fmt.Sprintf(`INSERT INTO player_totals (project, players, held) SELECT num, 1, %[1]d FROM projects WHERE id = '%[2]s'
			ON CONFLICT (project) DO UPDATE SET held = %[1]d`, c.used, w.projectID))
		for what, got := range answers() {
			expect.Equal(t, fmt.Sprint(what, " warns of ", c.used), strings.Contains(got.text, `"players_full"`), c.warned && what != "nobody")
		}
	}
	w.send("PATCH", "/v1/project/"+w.projectID, w.project, obj{"runtime": "read"}).wants(200)
	got := w.get("/v1/project/"+w.projectID+"?content=none", w.project).wants(200)
	expect.Equal(t, "runtime", got.str("runtime"), "read")
	expect.Contains(t, "the hint", got.text, `{\"runtime\": \"read\"}`)
}
