package api

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// TestChecksWithoutAPlayTesterHaveTheStaticCheck: the answer comes at once, says that nothing is opened, and has what can be found by reading.
func TestChecksWithoutAPlayTesterHaveTheStaticCheck(t *testing.T) {
	t.Parallel()
	away := &trial.Status{}
	away.Set("The play-tester of this service cannot start a browser; its operator finds the reason in the log.")
	for state, status := range map[trial.State]*trial.Status{trial.Off: {Off: true}, trial.Unavailable: away} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w := settled(t)
			w.api.Trials = trial.New(w.DB.Trials(), w.Publish.Reader, status)
			files := []obj{{"filename": "index.html", "text": `<!doctype html><title>A</title><p>1<script src="js/gone.js"></script>`}, {"filename": "a.css", "text": "a {}"}}
			made := w.post("/v1/publish", w.account, obj{"files": files}).wants(201)
			told := made.body["checks"].(obj)
			expect.Same(t, "the state after a publish", told["state"], any(string(state)))
			expect.Equal(t, "that no wait is proposed", strings.Contains(told["message"].(string), "wait="), false)

			id, began := made.str("project_id"), time.Now()
			w.post("/v1/update", w.account, obj{"project_id": id, "filename": "b.css", "text": "b {}"}).wants(200)
			got := w.get("/v1/project/"+id+"/checks?wait=25", w.account).wants(200)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it waited %v", took)
			}
			expect.Equal(t, "the state", got.str("state"), string(state))
			expect.Equal(t, "that there is a reason", got.str("reason") != "", true)
			messages, hints := got.warnings("missing_file")
			if len(messages) != 1 || !strings.Contains(messages[0], "js/gone.js") || !strings.Contains(hints[0], "curl ") {
				t.Errorf("the static check warns %q, with the hint %q", messages, hints)
			}
			other := w.post("/v1/publish", "", obj{"email": someone, "text": page}).wants(201)
			w.get("/v1/project/"+id+"/checks", other.str("api_key")).refused(403, sandlot.CodeWrongProject)
		})
	}
}

// TestADryRunLeadsToTheCheck in one sentence, where the play-tester is on, and so does the answer of an update.
func TestADryRunLeadsToTheCheck(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		status := &trial.Status{Off: off}
		w := settled(t)
		w.api.Trials, w.api.Requests.Status = trial.New(w.DB.Trials(), w.Publish.Reader, status), status
		to := func(id string) any {
			if off {
				return nil
			}
			return "POST http://localhost:8080/v1/project/" + id + "/checks plays the version once it is made."
		}
		update := obj{"project_id": w.projectID, "filename": "b.css", "text": "b {}"}
		updated := w.post("/v1/update", w.account, update).wants(200).body["checks"].(obj)
		expect.Equal(t, "that an update names it", strings.Contains(updated["message"].(string), "POST http://localhost:8080/v1/project/"+w.projectID+"/checks "), !off)
		update["dry_run"], update["text"] = true, "b { color: red }"
		expect.Same(t, "a dry update", w.post("/v1/update", w.account, update).wants(200).body["next"], to(w.projectID))
		dry := w.post("/v1/publish", w.account, obj{"text": page, "dry_run": true}).wants(200)
		expect.Same(t, "a dry publish", dry.body["next"], to("{id}"))
	}
}

// TestChecksOfAVersionThatWillBeOpenedHaveNoStaticCheck: publish and update have returned it.
func TestChecksOfAVersionThatWillBeOpenedHaveNoStaticCheck(t *testing.T) {
	t.Parallel()
	w := settled(t)
	made := w.post("/v1/publish", w.account, obj{"text": `<!doctype html><title>A</title><p>1<script src="js/gone.js"></script>`}).wants(201)
	got := w.get("/v1/project/"+made.str("project_id")+"/checks", w.account).wants(200)
	expect.Equal(t, "the state", got.str("state"), "waiting")
	expect.Equal(t, "that it warns", got.body["warnings"] != nil, false)
}

// TestTheStaticCheckIsPaidFor by each who has it made: it reads and parses up to 8 MiB, and nothing keeps its findings.
func TestTheStaticCheckIsPaidFor(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t, admission.Config{Work: admission.Rate{Count: 1, Per: time.Hour, Burst: 150}})
	w.api.Trials = trial.New(w.DB.Trials(), w.Publish.Reader, &trial.Status{Off: true})
	made := w.post("/v1/publish", "", obj{"email": someone, "text": "<!doctype html><title>A</title><p>" + strings.Repeat("a", 200<<10)}).wants(201)
	for _, want := range []int{200, 200, 429} { // 60 each, of which 50 are for the bytes
		w.get("/v1/project/"+made.str("project_id")+"/checks", made.str("api_key")).wants(want)
	}
}
