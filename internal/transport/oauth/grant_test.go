package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	http_ "sandlot/internal/transport/oauth"
)

const (
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	back     = "http://127.0.0.1:5555/back"
)

// A town is a world with an account, its project, and a Handler over the real Service.
type town struct {
	*front
	*testworld.World
	owner   sandlot.Caller // in a session
	project sandlot.ProjectID
}

func newTown(t *testing.T, on testworld.Option) *town {
	w := testworld.New(t, on)
	made, _, err := w.Publish.Publish(t.Context(), testworld.Nobody(), publish.PublishInput{Email: "kim@sandlot.dev", Title: "Sky", Content: w.Stage("<!doctype html>")})
	expect.OK(t, err)
	f := &front{desk: &desk{}, t: t}
	f.handler = http_.New(http_.Config{
		Service: w.OAuth, Places: w.Config.Places, Admission: admission.New(admission.Config{Keys: w.Callers}), Log: w.Log, Now: w.Clock.Now,
	})
	return &town{f, w, w.OwnerOf(made.Account.ID), made.Project.ID}
}

// register returns the client_id of a program that registers itself.
func (w *town) register() string {
	w.t.Helper()
	_, m := w.send("POST", "/oauth/register", jsonKind, `{"client_name":"Editor","redirect_uris":["http://127.0.0.1/back"]}`)
	id, _ := m["client_id"].(string)
	return id
}

// consented returns the code of a consent to a program.
func (w *town) consented(client string, of sandlot.ProjectID) string {
	w.t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	r := oauth.Request{
		ClientID: client, RedirectURI: back, ResponseType: "code", Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), ChallengeMethod: "S256", State: "s",
	}
	asked, err := w.OAuth.Ask(w.t.Context(), w.owner, r)
	expect.OK(w.t, err)
	to, err := w.OAuth.Approve(w.t.Context(), w.owner, r, oauth.Choice{Project: of, Form: asked.Form})
	expect.OK(w.t, err)
	u, err := url.Parse(to)
	expect.OK(w.t, err)
	return u.Query().Get("code")
}

// exchange sends a code, with these parameters in place of the right ones.
func (w *town) exchange(client, code string, change ...string) (status int, m map[string]any) {
	w.t.Helper()
	form := []string{"grant_type", "authorization_code", "code", code, "client_id", client, "redirect_uri", back, "code_verifier", verifier}
	for i := 0; i < len(change); i += 2 {
		for j := 0; j < len(form); j += 2 {
			if form[j] == change[i] {
				form[j+1] = change[i+1]
			}
		}
	}
	got, m := w.post("/oauth/token", form...)
	return got.StatusCode, m
}

func (w *town) refresh(client string, token any) (status int, m map[string]any) {
	w.t.Helper()
	got, m := w.post("/oauth/token", "grant_type", "refresh_token", "refresh_token", token.(string), "client_id", client)
	return got.StatusCode, m
}

// caller returns the caller of an access token, and the error of one that does not work.
func (w *town) caller(token any) (sandlot.Caller, error) {
	w.t.Helper()
	text, _ := token.(string)
	return w.Callers.Identify(w.t.Context(), sandlot.Presented{Key: sandlot.Secret(text)}, sandlot.Sender{})
}

// TestAProgramGetsTokensAndLosesThem over HTTP, with the real Service on each store.
func TestAProgramGetsTokensAndLosesThem(t *testing.T) {
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			w := newTown(t, on)
			client := w.register()
			code := w.consented(client, w.project)
			for name, value := range map[string]string{"client_id": w.register(), "redirect_uri": "http://127.0.0.1:5556/back", "code_verifier": verifier + "x", "code": code[1:]} {
				status, m := w.exchange(client, code, name, value)
				if status != 400 || m["error"] != "invalid_grant" {
					t.Errorf("another %s: %d %v", name, status, m)
				}
			}
			status, first := w.exchange(client, code)
			expect.Equal(t, "status", status, 200)
			expect.Equal(t, "scope", first["scope"], any("project"))
			by, err := w.caller(first["access_token"])
			expect.OK(t, err)
			expect.Equal(t, "the project of the token", by.Key().Project, w.project)

			status, second := w.refresh(client, first["refresh_token"])
			expect.Equal(t, "the refresh", status, 200)
			status, m := w.refresh(w.register(), second["refresh_token"])
			expect.Equal(t, "of another client", status, 400)
			expect.Equal(t, "its error", m["error"], any("invalid_grant"))
			got, _ := w.post("/oauth/revoke", "token", second["refresh_token"].(string), "client_id", client)
			expect.Equal(t, "the revocation", got.StatusCode, 200)
			for _, tokens := range []map[string]any{first, second} {
				_, err := w.caller(tokens["access_token"])
				expect.Is(t, "a token of the grant", err, sandlot.CodeInvalidKey)
			}
			status, _ = w.refresh(client, second["refresh_token"])
			expect.Equal(t, "a refresh after the end", status, 400)
		})
	}
}

func TestWhatIsUsedTwiceEndsItsGrant(t *testing.T) {
	w := newTown(t, testworld.Embedded())
	client := w.register()
	code := w.consented(client, "")
	_, tokens := w.exchange(client, code)
	status, m := w.exchange(client, code)
	expect.Equal(t, "the code again", status, 400)
	expect.Equal(t, "its error", m["error"], any("invalid_grant"))
	_, err := w.caller(tokens["access_token"])
	expect.Is(t, "what it gave", err, sandlot.CodeInvalidKey)

	_, first := w.exchange(client, w.consented(client, ""))
	w.refresh(client, first["refresh_token"])
	status, second := w.refresh(client, first["refresh_token"])
	expect.Equal(t, "a lost answer, asked for again", status, 200)
	w.Clock.Move(oauth.RefreshGrace)
	status, _ = w.refresh(client, first["refresh_token"])
	expect.Equal(t, "a stolen one", status, 400)
	_, err = w.caller(second["access_token"])
	expect.Is(t, "what it gave", err, sandlot.CodeInvalidKey)
}

func TestADeviceWaitsForItsOwner(t *testing.T) {
	w := newTown(t, testworld.Embedded())
	_, device := w.post("/oauth/device", "project", w.Config.Places.Project(w.project, 0, "").Page)
	poll := func(want string) map[string]any {
		t.Helper()
		w.Clock.Move(time.Minute)
		_, m := w.post("/oauth/token", "grant_type", "urn:ietf:params:oauth:grant-type:device_code", "device_code", device["device_code"].(string))
		code, _ := m["error"].(string)
		expect.Equal(t, "the answer to a poll", code, want)
		return m
	}
	poll("authorization_pending")
	user := strings.ToLower(device["user_code"].(string))
	asked, err := w.OAuth.DeviceConsent(t.Context(), w.owner, user)
	expect.OK(t, err)
	expect.Equal(t, "the project", asked.Project, w.project)
	expect.OK(t, w.OAuth.ApproveDevice(t.Context(), w.owner, user, oauth.Choice{Project: asked.Project, Form: asked.Form}))
	tokens := poll("")
	by, err := w.caller(tokens["access_token"])
	expect.OK(t, err)
	expect.Equal(t, "the project of the token", by.Key().Project, w.project)
	poll("invalid_grant")

	got, m := w.post("/oauth/device", "client_id", w.register())
	expect.Equal(t, "a client that did not register for it", got.StatusCode, 400)
	expect.Equal(t, "its error", m["error"], any("unauthorized_client"))
	got, m = w.post("/oauth/device", "project", "no/project")
	expect.Equal(t, "of no project", got.StatusCode, 400)
	expect.Equal(t, "its error", m["error"], any("invalid_request"))
}

// TestAnotherResourceIsRefused, and the one that there is may be left out.
func TestAnotherResourceIsRefused(t *testing.T) {
	w := newTown(t, testworld.Embedded())
	for resource, want := range map[string]int{"": 200, "http://localhost:8080/mcp/account": 200, "http://localhost:8080/mcp": 400, "https://evil.example.org/": 400} {
		got, m := w.post("/oauth/device", "resource", resource)
		if got.StatusCode != want || want == 400 && m["error"] != "invalid_target" {
			t.Errorf("%q: %d %v", resource, got.StatusCode, m)
		}
	}
}

// TestTheClientIsAskedForByItsDocument, which the Service fetches.
func TestTheClientIsAskedForByItsDocument(t *testing.T) {
	w := newTown(t, testworld.Embedded())
	w.OAuth.Documents = shelf(`{"client_id":"https://client.example.org/c.json","redirect_uris":["http://127.0.0.1/back"],"client_name":"Editor"}`)
	const client = "https://client.example.org/c.json"
	status, tokens := w.exchange(client, w.consented(client, ""))
	expect.Equal(t, "status", status, 200)
	by, err := w.caller(tokens["access_token"])
	expect.OK(t, err)
	expect.Equal(t, "the client", by.Key().Client, client)
	expect.Equal(t, "the scope", tokens["scope"], any("account"))
}

// A shelf has one document.
type shelf string

func (s shelf) Document(context.Context, string) ([]byte, error) { return []byte(s), nil }
