package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/intake"
	http_ "sandlot/internal/transport/oauth"
)

// A town is a desk, and the real service with an account and a project. Its owner is at a browser.
type town struct {
	*desk
	*testworld.World
	host
	t       *testing.T
	owner   sandlot.Caller
	project sandlot.ProjectID
	decides func(userCode string, asked oauth.Consent) error // before the second question of a login
	fault   func(*http.Request) error                        // of the network, after the server has answered
}

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{t: t, World: testworld.New(t), desk: newDesk(t, nil)}
	account, _, p := w.Owned("ada@mail.internal", "<!doctype html><title>Maze</title>")
	w.owner, w.project, w.decides = w.OwnerOf(account.ID), p.ID, w.approve(p.ID)
	places := testworld.Places()
	places.Logins = true
	limits := admission.New(admission.Config{Keys: w.Callers})
	calls := api.New(api.Config{
		Service: w.Publish, Reader: w.Publish.Reader, Intake: intake.New(intake.Intake{Contents: w.Publish.Contents, Places: places}),
		Gallery: w.Gallery, Figures: w.Figures, Tickets: w.Tickets, Covers: w.Covers,
		Trials: trial.New(w.DB.Trials(), w.Publish.Reader, &trial.Status{Off: true}),
		Places: places, Log: w.Log, Admission: limits,
	})
	programs := http_.New(http_.Config{Service: w.OAuth, Places: places, Admission: limits, Log: w.Log, Now: w.Clock.Now})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case programs.Takes(r.URL.Path):
			programs.ServeHTTP(rw, r)
		case r.URL.Path == "/sleep":
			w.err.WriteString(r.FormValue("said"))
			expect.OK(t, w.passes(r.Context(), 6*time.Second))
		default:
			calls.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(server.Close)
	w.host = host{Server: server.URL}
	w.desk.HTTP = roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if w.fault != nil && err == nil {
			if err = w.fault(r); err != nil {
				return nil, err
			}
		}
		return resp, err
	})
	w.desk.Wait = w.passes
	return w
}

// passes lets time pass. After the first question of a login its owner decides.
func (w *town) passes(ctx context.Context, after time.Duration) error {
	w.waited = append(w.waited, after)
	w.Clock.Move(after)
	if code := aUserCode.FindStringSubmatch(w.err.String()); code != nil && len(w.waited) == 2 {
		c, err := w.OAuth.DeviceConsent(w.t.Context(), w.owner, code[1])
		expect.OK(w.t, err)
		expect.OK(w.t, w.decides(code[1], c))
	}
	return ctx.Err()
}

var aUserCode = regexp.MustCompile(`code: ([A-Z-]+)`)

func (w *town) approve(project sandlot.ProjectID) func(string, oauth.Consent) error {
	return func(code string, asked oauth.Consent) error {
		return w.OAuth.ApproveDevice(w.t.Context(), w.owner, code, oauth.Choice{Project: project, Form: asked.Form})
	}
}

func (w *town) login(project string) error {
	w.waited = nil
	w.err.Reset()
	return (&loginCommand{host: w.host, Web: true, Project: project}).Run(w.t.Context(), w.Env)
}

func (w *town) update(text string) error {
	expect.OK(w.t, os.WriteFile("a.txt", []byte(text), 0o600))
	c := updateCommand{Path: "a.txt", As: "a.txt", target: target{host: w.host, ID: string(w.project)}}
	return c.Run(w.t.Context(), w.Env)
}

func TestALoginToOneProjectChangesItAlone(t *testing.T) {
	w := newTown(t)
	other := w.PublishPage(w.owner, "<!doctype html><title>Other</title>").Project
	expect.OK(t, w.login(string(w.project)))
	expect.Contains(t, "the output", w.out.String(), "of the project "+string(w.project))
	expect.OK(t, w.update("1"))
	expect.Equal(t, "the file", w.Text(w.project, 2, "a.txt"), "1")
	mine := w.project
	w.project = other.ID
	code, _ := ExitCode(w.update("2"))
	expect.Equal(t, "exit code for another project", code, exitKey)
	w.project = mine
	expect.Equal(t, "grants", len(w.Grants(w.owner)), 1)
}

func TestALoginToTheAccountPublishes(t *testing.T) {
	w := newTown(t)
	w.decides = w.approve("")
	expect.OK(t, w.login(""))
	expect.Contains(t, "the output", w.out.String(), "of the account")
	expect.OK(t, os.WriteFile("page.html", []byte("<!doctype html><title>Kites</title>"), 0o600))
	expect.OK(t, (&publishCommand{Path: "page.html", target: target{host: w.host}}).Run(t.Context(), w.Env))
	w.out.Reset()
	expect.OK(t, (&whoamiCommand{target: target{host: host{w.Server, true}}, Limit: 9}).Run(t.Context(), w.Env))
	expect.Equal(t, "projects", strings.Count(w.out.String(), `"project_id":`), 2)
	expect.Equal(t, "the file has an account's key", strings.Contains(w.kept(t), "sla_"), false)
}

// TestALoginLastsWhileItIsUsed, through many access tokens, with several commands at once.
func TestALoginLastsWhileItIsUsed(t *testing.T) {
	w := newTown(t)
	expect.OK(t, w.login(string(w.project)))
	for range 3 {
		w.Clock.Move(20 * 24 * time.Hour)
		all := [3]error{}
		var wg sync.WaitGroup
		for n := range all {
			one := &desk{}
			one.Env = &Env{Out: &one.out, Err: &one.err, HTTP: w.HTTP, Lookup: w.Lookup, Config: w.desk.Config, Wait: wait}
			wg.Go(func() { all[n] = one.whoami(t.Context(), w.host) })
		}
		wg.Wait()
		expect.OK(t, errors.Join(all[:]...))
	}
	w.Clock.Move(31 * 24 * time.Hour)
	expect.Contains(t, "the error after 31 days without use", fmt.Sprint(w.whoami(t.Context(), w.host)), "has ended")
}

// TestALostAnswerDoesNotEndTheLogin: the same token is sent again within the minute of grace.
func TestALostAnswerDoesNotEndTheLogin(t *testing.T) {
	w := newTown(t)
	expect.OK(t, w.login(string(w.project)))
	lost := 0
	w.fault = func(r *http.Request) error {
		if r.URL.Path == "/oauth/token" && lost == 0 {
			lost++
			return errors.New("connection reset by peer")
		}
		return nil
	}
	for range 2 {
		w.Clock.Move(2 * time.Hour)
		expect.OK(t, w.whoami(t.Context(), w.host))
	}
	expect.Equal(t, "lost answers", lost, 1)
}

func TestALoginThatTheOwnerEndsIsOneSentence(t *testing.T) {
	w := newTown(t)
	expect.OK(t, w.login(string(w.project)))
	expect.OK(t, w.Publish.Keyring.RevokeKey(t.Context(), w.owner, w.Grants(w.owner)[0].ID))
	err := w.update("1")
	code, _ := ExitCode(err)
	expect.Equal(t, "exit code", code, exitKey)
	expect.Contains(t, "the error", fmt.Sprint(err), "has ended\n  Log in again:\n    sandlot login --server "+w.Server)
}

func TestALoginThatTheOwnerRefusesOrForgets(t *testing.T) {
	w := newTown(t)
	w.decides = func(code string, asked oauth.Consent) error {
		return w.OAuth.DenyDevice(t.Context(), w.owner, code, asked.Form)
	}
	expect.Contains(t, "refused", fmt.Sprint(w.login("")), "the login was refused in the browser")
	w.decides = func(string, oauth.Consent) error { return nil }
	expect.Contains(t, "forgotten", fmt.Sprint(w.login("")), "the code was not typed in time")
	expect.Equal(t, "questions", len(w.waited), 120)
	expect.Equal(t, "grants", len(w.Grants(w.owner)), 0)
}

func TestLogoutAndAnotherLoginEndTheGrant(t *testing.T) {
	w := newTown(t)
	expect.OK(t, w.login(string(w.project)))
	first := w.Grants(w.owner)[0].ID
	expect.OK(t, w.login(string(w.project)))
	if left := w.Grants(w.owner); len(left) != 1 || left[0].ID == first {
		t.Errorf("after another login: %+v", left)
	}
	expect.OK(t, (&logoutCommand{host: w.host}).Run(t.Context(), w.Env))
	expect.Equal(t, "grants after a logout", len(w.Grants(w.owner)), 0)
}

// TestTheLinesForAShellGetAToken as the documents have them: pasted into a plain shell without jq, where sleep lets the time of the service pass
// and its owner type the code.
func TestTheLinesForAShellGetAToken(t *testing.T) {
	testenv.Need(t, "curl")
	for name, shell := range map[string]string{"sh": "sh", "bash": "bash"} {
		t.Run(name, func(t *testing.T) {
			w := newTown(t)
			base, err := url.Parse(w.Server)
			expect.OK(t, err)
			g := guide.New(guide.Config{OpenAPI: api.Document(), Places: sandlot.Places{Base: base, Logins: true}})
			rec := httptest.NewRecorder()
			g.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/llms-full.txt", nil))
			_, section, _ := strings.Cut(rec.Body.String(), "## Without a key")
			_, lines, _ := strings.Cut(section, "```sh\n")
			lines, _, _ = strings.Cut(lines, "```")
			sleeps := "sleep() { command curl -sS --data-urlencode \"said=code: $(sed -n 's/.*\"user_code\":\"\\([^\"]*\\)\".*/\\1/p' .sandlot-device.json)\" " + w.Server + "/sleep; }\n"
			cmd := exec.CommandContext(t.Context(), shell, "-c", "ID="+string(w.project)+"\n"+sleeps+lines)
			said, err := cmd.CombinedOutput()
			expect.OK(t, err, string(said))
			expect.Equal(t, "lines", strings.Count(lines, "\n"), 3)
			expect.Contains(t, "the output", string(said), `"user_code":"`)
			expect.Contains(t, "the output", string(said), `"project_id":"`+string(w.project)+`"`)
			expect.Equal(t, "secrets in the output", regexp.MustCompile(`sl[dor]_\w{8}`).FindString(string(said)), "")
			info, err := os.Stat(".sandlot-login.json")
			expect.OK(t, err)
			expect.Equal(t, "mode of the tokens", info.Mode().Perm(), 0o600)
			expect.Equal(t, "sleeps", len(w.waited), 2)
		})
	}
}

// TestTheCallsInAHintGetAToken for the project of the call that was refused.
func TestTheCallsInAHintGetAToken(t *testing.T) {
	testenv.Need(t, "curl")
	w := newTown(t)
	sh := func(line string) (answer map[string]any) {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "http://localhost:8080", w.Server)).Output()
		expect.OK(t, err)
		expect.OK(t, json.Unmarshal(out, &answer))
		return answer
	}
	refused := sh("curl -sS http://localhost:8080/v1/project/" + string(w.project) + "/versions")
	hint, _ := refused["hint"].(string)
	calls := regexp.MustCompile(`(?m)^curl .*$`).FindAllString(hint, -1)
	if refused["error"] != "key_required" || len(calls) != 3 {
		t.Fatalf("%v", refused)
	}
	asked := sh(calls[1])
	user, _ := asked["user_code"].(string)
	c, err := w.OAuth.DeviceConsent(t.Context(), w.owner, user)
	expect.OK(t, err)
	expect.Equal(t, "the project asked for", c.Project, w.project)
	expect.OK(t, w.decides(user, c))
	got := sh(strings.Replace(calls[2], "<device_code>", asked["device_code"].(string), 1))
	list := sh(strings.Replace(calls[0], "<api_key>", got["access_token"].(string), 1))
	expect.Equal(t, "versions", len(list["versions"].([]any)), 1)
}
