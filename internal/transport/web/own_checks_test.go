package web

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// everythingWrong is what a trial kept of a page with which all is wrong that can be at once.
var everythingWrong = `{"first_paint":430000000,"blank":true,"hangs":true,"memory":true,
	"errors":["<b>Uncaught</b> ReferenceError: nope is not defined (:5)","` + longName + `","it failed","it failed again"],
	"failed":[{"path":"/missing.js","status":404},{"path":"/` + longName + `","status":404},{"path":"/big.wasm","status":500}],"elsewhere":["cdn.example.com"]}`

// claims claims trials up to that of a project.
func (w *world) claims(id sandlot.ProjectID) (due trial.Due) {
	w.t.Helper()
	for due.Project != id {
		due = must(w.db.Trials().ClaimTrial(w.t.Context(), 2, 50, time.Minute))(w.t)
	}
	return due
}

// tried records what a trial of a project saw.
func (w *world) tried(id sandlot.ProjectID, seen string) {
	w.t.Helper()
	expect.OK(w.t, w.db.Trials().EndTrial(w.t.Context(), w.claims(id), trial.Done, []byte(seen)))
}

// TestTheOwnerIsToldHowFarTheTrialOfAProjectIs: and of the version before, as long as there is nothing of the one that is current.
func TestTheOwnerIsToldHowFarTheTrialOfAProjectIs(t *testing.T) {
	t.Parallel()
	h := house(t)
	says := func(when string, wants ...string) {
		t.Helper()
		body := text(t, asKim(h, "GET", ownAt, ""))
		for _, want := range append(wants, `id="checks"`) {
			if !strings.Contains(body, want) {
				t.Errorf("%s, the page has no %q", when, want)
			}
		}
	}
	says("before the trial", "La version 3 sera bientôt ouverte.")
	due := h.claims(gameID)
	says("meanwhile", "La version 3 est ouverte en ce moment.")
	expect.OK(t, h.db.Trials().EndTrial(t.Context(), due, trial.Done, []byte(everythingWrong)))
	says("afterwards", "Version 3, ouverte le", "Première image après 0,5", "&lt;b&gt;Uncaught&lt;/b&gt;", "404 /missing.js", "500 /big.wasm", "cdn.example.com", "trop de mémoire", "cessé de répondre", "est restée vide")
	h.put(gameID, 3, "c.js", "c")
	says("with the next version", "La version 4 sera bientôt ouverte.", "Version 3, ouverte le", "404 /missing.js")
	h.tried(gameID, `{"first_paint":1000000,"moved":true}`)
	says("where all is well", "Version 4, ouverte le", "Quelque chose a bougé", "rien remarqué")
	h.put(gameID, 4, "c.js", "d")
	_, err := h.db.Trials().ClaimTrial(t.Context(), 2, 1, time.Minute) // one a day
	expect.Equal(t, "that nothing is left to be opened", errors.Is(err, sandlot.ErrNotFound), true)
	says("of one too many", "La version 5 n’a pas été ouverte")
	h.suspend(gameID)
	if body := text(t, asKim(h, "GET", ownAt, "")); strings.Contains(body, `id="checks"`) {
		t.Error("a project that was taken down has checks")
	}
	h.change(func(c *Config) { c.Trials = trial.New(h.db.Trials(), h.service.Reader, nil) })
	if body := text(t, asKim(h, "GET", "/account/projects/"+string(h.fill(1, "pong")[0]), "")); strings.Contains(body, `id="checks"`) {
		t.Error("a service that opens nothing has checks")
	}
}
