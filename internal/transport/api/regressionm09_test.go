package api

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// opens has the play-tester open what is due, and record what was seen.
func (w *world) opens(seen string) {
	w.t.Helper()
	due, err := w.DB.Trials().ClaimTrial(w.t.Context(), 2, 50, time.Minute)
	expect.OK(w.t, err)
	expect.OK(w.t, w.DB.Trials().EndTrial(w.t.Context(), due, trial.Done, []byte(seen)))
}

// warned returns the warnings of one code.
func (a answer) warnings(code string) (messages, hints []string) {
	list, _ := a.body["warnings"].([]any)
	for _, w := range list {
		if w := w.(obj); w["code"] == code {
			messages, hints = append(messages, w["message"].(string)), append(hints, w["hint"].(string))
		}
	}
	return messages, hints
}

func TestRegressionM09FindingsOfThePlayTesterReachTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.post("/v1/publish", "", obj{"email": someone, "text": "<!doctype html><title>A</title><p>1"}).wants(201)
	w.account, w.project, w.projectID = made.str("api_key"), made.str("project_api_key"), made.str("project_id")
	at := "/v1/project/" + w.projectID
	expect.Same(t, "the checks of a publish", made.body["checks"], any(obj{"state": "waiting", "url": "http://localhost:8080" + at + "/checks"}))
	expect.Same(t, "its place in the queue", w.get(at+"/checks", w.project).wants(200).body["ahead"], any(0.0))
	other := w.post("/v1/publish", "", obj{"email": someone, "text": "<!doctype html><title>B</title><p>2"}).wants(201)
	expect.Same(t, "the place of another", w.get("/v1/project/"+other.str("project_id")+"/checks", other.str("api_key")).wants(200).body["ahead"], any(1.0))

	w.opens(`{"errors":["ReferenceError: levels is not defined"],"first_paint":1000000}`)
	for name, got := range map[string]answer{ // made in this order
		"the project": w.get(at, w.project).wants(200), "the account": w.get("/v1/whoami", w.account).wants(200), "the project's key": w.get("/v1/whoami", w.project).wants(200),
		"the next update": w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "index.html", "text": "<!doctype html><title>A</title><p>2"}).wants(200),
	} {
		messages, hints := got.warnings("script_error")
		if len(messages) != 1 || !strings.Contains(messages[0], "version 1 of "+w.projectID) || !strings.Contains(messages[0], "levels is not defined") || !strings.Contains(hints[0], "/v1/update") {
			t.Errorf("%s warns %q, with the hint %q", name, messages, hints)
		}
	}
	messages, _ := w.get(at, "").wants(200).warnings("script_error")
	expect.Equal(t, "warnings for strangers", len(messages), 0)
	messages, _ = w.get(at, w.project).wants(200).warnings("script_error")
	expect.Equal(t, "warnings about a version that is not current any more", len(messages), 0)
}

func TestRegressionM09ChecksWaitForTheTrial(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := "/v1/project/" + w.projectID + "/checks"
	ended := make(chan answer, 1)
	go func() { ended <- w.get(at+"?wait=20", w.project) }()
	w.opens(`{"moved":true}`)
	expect.Equal(t, "the state in the end", (<-ended).wants(200).str("state"), "done")
	expect.Equal(t, "the state without anything to wait for", w.get(at+"?wait=20", w.project).wants(200).str("state"), "done")
	refused := w.get(at+"?wait=soon", w.project).refused(400, sandlot.CodeInvalidField)
	expect.Equal(t, "the hint", strings.Contains(refused.str("hint"), "wait=20"), true)
}
