package api

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// limitedWorld is one whose client comes from a public address.
func limitedWorld(t *testing.T, cfg admission.Config) *world {
	return newWorld(t, func(s *settings) { s.limits, s.addr = cfg, "203.0.113.1:4711" })
}

func TestRefusalsOfAdmission(t *testing.T) {
	t.Parallel()
	limits := func(t *testing.T, a answer) {
		t.Helper()
		a.refused(429, sandlot.CodeRateLimited)
		if a.header.Get("Retry-After") == "" || a.body["retry_after"] == nil || !strings.Contains(a.header.Get("RateLimit"), ";r=0;t=") {
			t.Errorf("it does not tell when to try again: %v %s", a.header, a.text)
		}
	}
	t.Run("before a byte of the body", func(t *testing.T) {
		w := limitedWorld(t, admission.Config{Writes: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
		w.post("/v1/signup", "", obj{}).wants(201)
		w.unchanged(func() { limits(t, w.post("/v1/publish", "", "this is not even JSON")) })
	})
	t.Run("what is refused makes no account and uses none", func(t *testing.T) {
		w := limitedWorld(t, admission.Config{Accounts: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
		for range 3 {
			w.post("/v1/publish", "", obj{"content": page64}).refused(400, sandlot.CodeEmailRequired)
			w.post("/v1/publish", "", obj{"content": page64, "email": someone, "upload_id": "0123456789012345678901", "part": 1}).wants(202)
		}
		w.post("/v1/publish", "", obj{"content": page64, "email": someone}).wants(201)
		w.unchanged(func() { limits(t, w.post("/v1/signup", "", obj{})) })
	})
	t.Run("a mail too many changes nothing", func(t *testing.T) {
		w := limitedWorld(t, admission.Config{Mails: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
		w.post("/v1/signup", "", obj{"email": someone}).wants(201)
		w.unchanged(func() { limits(t, w.post("/v1/publish", "", obj{"content": b64(noise(20_000)), "email": someone})) })
		w.post("/v1/signup", "", obj{}).wants(201)
	})
	t.Run("a key that is not looked up", func(t *testing.T) {
		w := limitedWorld(t, admission.Config{WrongKeys: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
		unknown := unknownKey(t)
		w.get("/v1/whoami", unknown).refused(401, sandlot.CodeInvalidKey)
		limits(t, w.get("/v1/whoami", unknown))
	})
	t.Run("reading is no write", func(t *testing.T) {
		w := limitedWorld(t, admission.Config{Writes: admission.Rate{Count: 1, Per: time.Hour, Burst: 2}})
		key := w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
		for range 5 {
			w.get("/v1/whoami", key).wants(200)
		}
	})
	t.Run("the service's own limit is unavailable", func(t *testing.T) {
		w := newWorld(t, func(s *settings) { s.limits.MaxBodies = 1 })
		other, err := w.api.Admission.Admit(admission.Origin{}, admission.Signup, admission.Body{})
		expect.OK(t, err)
		if a := w.post("/v1/signup", "", obj{}).refused(503, sandlot.CodeUnavailable); a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		other.Done()
		w.post("/v1/signup", "", obj{}).wants(201)
	})
}

// TestEveryRouteHasAnOperation by which admission knows it: what changes something takes a body's slot.
func TestEveryRouteHasAnOperation(t *testing.T) {
	t.Parallel()
	for _, r := range routes() {
		cost := admission.Named(cmp.Or(r.op.Row().Cost, "look"))
		switch {
		case !cost.Known():
			t.Errorf("%s %s: %v", r.method, r.pattern, cost)
		case r.method == http.MethodPost && cost.Free():
			t.Errorf("%s %s takes a body, and costs nothing", r.method, r.pattern)
		}
	}
}

// TestRegressionM32AListOfFilesIsPaidFor by each who has it made, with HEAD as with GET.
func TestRegressionM32AListOfFilesIsPaidFor(t *testing.T) {
	t.Parallel()
	var files []obj
	for i := range 200 {
		files = append(files, obj{"filename": fmt.Sprintf("%d.js", i), "text": "1"})
	}
	w := limitedWorld(t, admission.Config{Work: admission.Rate{Count: 1, Per: time.Hour, Burst: 281}})
	made := w.post("/v1/publish", "", obj{"email": someone, "primary_file": "index.html", "files": append(files, obj{"filename": "index.html", "text": page})}).wants(201)
	at, key := "/v1/project/"+made.str("project_id"), made.str("api_key")
	for _, want := range []int{200, 200, 429} { // 241 for the publish with its message and its files, and 30 for each
		w.send("HEAD", at, key, nil).wants(want)
	}
}
