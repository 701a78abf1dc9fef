package night

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/trial"
	"sandlot/internal/format/lure"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/inbox"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/play"
	"sandlot/proof/night/corpus"
)

// places are those of a public instance with a host for its projects.
func places() sandlot.Places {
	return sandlot.Places{Base: &url.URL{Scheme: "https", Host: "play.example.com"}, Content: "example-games.net", Logins: true}
}

// clientLimits are the limits of clients on a public instance, as docs/book/limits.md has them.
func clientLimits(w *testworld.World) *admission.Limits {
	hourly := func(n, burst int64) admission.Rate { return admission.Rate{Count: n, Per: time.Hour, Burst: burst} }
	return admission.New(admission.Config{
		Accounts: hourly(60, 20), Writes: hourly(3600, 1000), Bytes: hourly(8<<30, 6<<30), Mails: hourly(20, 20), Reports: hourly(20, 10),
		Work: admission.Rate{Count: 2500, Per: time.Second, Burst: 50_000}, Bodies: 4, MaxBodies: 100, Public: true, Now: w.Now, Keys: w.Callers,
	})
}

// An instance is a public one, with the doors by which makers, visitors and reporters come.
type instance struct {
	*testworld.World
	operate *operate.Service
	tester  *trial.Status
	limits  *admission.Limits
	api     http.Handler
	play    *play.Handler
	mail    *inbox.Maildir
	token   sandlot.Secret // of a trusted reporter
}

// open opens an instance on the parts that an option of package testworld names.
func open(t testing.TB, parts testworld.Option) *instance {
	t.Helper()
	list := &blocks.Blocklist{Contact: "abuse@play.example.com"}
	networks := &blocks.Networks{}
	w := testworld.New(t, parts, testworld.With(func(c *publish.Config) {
		*c = publish.Config{
			Places: places(), Public: true, Quarantine: true, SMTP: true, Brands: lure.BuiltIn(), Blocklist: list, Networks: networks,
			UploadBytes: 2 << 30,
		}
	}))
	list.Store, list.Networks, list.Now, list.Log = w.Served.Operate().Blocks(), networks, w.Now, w.Log
	networks.Store, networks.Now = list.Store, w.Now
	expect.OK(t, list.Follow(t.Context()))
	x := &instance{World: w, tester: &trial.Status{}, limits: clientLimits(w)}
	var err error
	x.operate, err = operate.New(t.Context(), operate.Config{Holds: w.Served.Operate(), ReportMail: "abuse@play.example.com", AutoHold: true},
		w.Served.Operate(), operate.WithClock(w.Now))
	expect.OK(t, err)
	reporters := &operate.Reporters{Store: w.Served.Operate().Reporters(), Filing: x.operate}
	x.token, err = reporters.Add(t.Context(), sandlot.AsOperator("kay"), "a feed of phishing pages")
	expect.OK(t, err)
	x.api = api.New(api.Config{
		Service: w.Publish, Reader: w.Publish.Reader, Gallery: w.Gallery, Figures: w.Figures, Tickets: w.Tickets, Covers: w.Covers,
		Intake: intake.New(intake.Intake{Contents: w.Publish.Contents, Places: places()}), Reporters: reporters,
		Trials: trial.New(w.Served.Trials(), w.Publish.Reader, x.tester), Places: places(), Log: w.Log, Now: w.Now, Admission: x.limits,
	})
	x.play = play.New(play.Config{
		Service: w.Publish.Reader, Contents: w.Publish.Contents, Gallery: w.Gallery, Frames: w.Desk, Places: places(), Admission: x.limits,
		Quarantine: true, Now: w.Now, Log: w.Log,
	})
	x.mail = &inbox.Maildir{Folder: filepath.Join(w.Dir, "abuse"), Inbox: &inbox.Inbox{
		Taker: &operate.Mailed{Store: w.Served.Operate().Reporters(), Filing: x.operate, Answers: true}, Places: places(), Log: w.Log,
	}}
	expect.OK(t, x.mail.Prepare())
	return x
}

// answer is the body of an answer of the API.
type answer struct {
	ID    string `json:"project_id"`
	Key   string `json:"api_key"`
	Error string `json:"error"`
}

// call sends a call of the API from a network.
func (x *instance) call(t testing.TB, from, path, key string, body map[string]any) answer {
	t.Helper()
	text, err := json.Marshal(body)
	expect.OK(t, err)
	r := httptest.NewRequest(http.MethodPost, places().Base.String()+path, bytes.NewReader(text))
	r.RemoteAddr = from + ":4711"
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	x.api.ServeHTTP(w, r)
	var a answer
	expect.OK(t, json.Unmarshal(w.Body.Bytes(), &a))
	if w.Code >= 500 {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return a
}

// shows reports whether a visitor from a network sees the page of a project: it is 200, with content.
func (x *instance) shows(t testing.TB, id, from string) bool {
	t.Helper()
	path := "/"
	for range 2 {
		r := httptest.NewRequest(http.MethodGet, "https://"+id+"."+places().Content+path, http.NoBody)
		r.RemoteAddr = from + ":4711"
		r.Header.Set("Accept", "text/html")
		r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0")
		w := httptest.NewRecorder()
		x.play.ServeOrigin(w, r, id)
		switch {
		case w.Code == http.StatusOK && w.Body.Len() > 0:
			return true
		case w.Code == http.StatusUnavailableForLegalReasons:
			return false
		case w.Code/100 == 3: // to the primary file
			path = w.Header().Get("Location")
		default:
			t.Fatalf("%s: %d %s", id, w.Code, w.Body)
		}
	}
	t.Fatalf("%s leads on and on", id)
	return false
}

// ServeTrial answers the play-tester as the server does.
func (x *instance) ServeTrial(w http.ResponseWriter, r *http.Request, due trial.Due) {
	x.play.ServeTrial(w, r, due.Project, due.Version, due.Suffix)
}

// byForm reports a project by the form of the website. It reports whether the limit of the sender's address left room for it.
func (x *instance) byForm(t testing.TB, id, from, reason, words string) bool {
	t.Helper()
	at := admission.From(from+":4711", sandlot.Caller{})
	grant, err := x.limits.Admit(at, admission.Report, admission.Body{})
	if err != nil {
		return false
	}
	defer grant.Done()
	by := sandlot.Caller{From: x.limits.Sender(at)}
	_, form, err := x.operate.Reportable(t.Context(), by, sandlot.ProjectID(id))
	expect.OK(t, err)
	_, err = x.operate.Report(t.Context(), by, operate.NewReport{Project: sandlot.ProjectID(id), Reason: reason, Details: words, FormToken: form})
	expect.OK(t, err)
	return true
}

// byMail reports a project by a message to the address for abuse.
func (x *instance) byMail(t testing.TB, id string, n int, words string) {
	t.Helper()
	text := fmt.Sprintf("From: reader%d@mail.internal\r\nTo: abuse@play.example.com\r\nSubject: phishing\r\n\r\n%s\r\nhxxps://%s[.]%s/\r\n",
		n, words, id, places().Content)
	expect.OK(t, os.WriteFile(filepath.Join(x.mail.Folder, "new", fmt.Sprintf("%06d", n)), []byte(text), 0o600))
	expect.OK(t, x.mail.Take(t.Context()))
}

// byToken reports a project as the trusted reporter. It reports whether the limit of the reporter's address left room for it.
func (x *instance) byToken(t testing.TB, id, reason, words string) bool {
	t.Helper()
	a := x.call(t, "198.51.100.9", "/v1/report", string(x.token), map[string]any{"project": id, "reason": reason, "details": words})
	if a.Error != "" {
		expect.Equal(t, "the refusal of a report by token", a.Error, string(sandlot.CodeRateLimited))
	}
	return a.Error == ""
}

// rule returns the rule by which a project is held.
func (x *instance) rule(t testing.TB, id string) sandlot.Rule {
	t.Helper()
	p, err := x.Served.Publish().Project(t.Context(), sandlot.ProjectID(id))
	expect.OK(t, err)
	return p.Held.Rule
}

// files writes the files of a page as calls have them.
func files(p corpus.Page) []map[string]any {
	var list []map[string]any
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		list = append(list, map[string]any{"filename": name, "content": p.Files[name]}) // JSON has bytes in base64
	}
	return list
}
