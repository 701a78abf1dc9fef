package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	http_ "sandlot/internal/transport/oauth"
)

// A desk is a Service that records its calls, and answers err or good values.
type desk struct {
	asked []any
	err   error
}

var good = oauth.Tokens{Access: "slo_access", Refresh: "slr_refresh", Life: oauth.AccessLife, Scope: oauth.ScopeProject, Project: "sky-1"}

func (d *desk) Register(_ context.Context, _ sandlot.Caller, r oauth.Registration) (oauth.Client, error) {
	d.asked = append(d.asked, r)
	return oauth.Client{ID: "id", Name: r.Name, Redirects: r.RedirectURIs, Device: len(r.GrantTypes) == 3}, d.err
}

func (d *desk) Exchange(_ context.Context, _ sandlot.Caller, in oauth.CodeInput) (oauth.Tokens, error) {
	d.asked = append(d.asked, in)
	return good, d.err
}

func (d *desk) Refresh(_ context.Context, _ sandlot.Caller, in oauth.RefreshInput) (oauth.Tokens, error) {
	d.asked = append(d.asked, in)
	return good, d.err
}

func (d *desk) AskDevice(_ context.Context, _ sandlot.Caller, in oauth.DeviceInput) (oauth.Device, error) {
	d.asked = append(d.asked, in)
	return oauth.Device{Code: "sld_code", UserCode: "BCDF-GHJK", Life: oauth.DeviceLife, Interval: oauth.DeviceInterval}, d.err
}

func (d *desk) PollDevice(_ context.Context, _ sandlot.Caller, code sandlot.Secret, client string) (oauth.Tokens, error) {
	d.asked = append(d.asked, [2]string{code.Reveal(), client})
	return good, d.err
}

func (d *desk) Revoke(_ context.Context, _ sandlot.Caller, token sandlot.Secret, client string) error {
	d.asked = append(d.asked, [2]string{token.Reveal(), client})
	return d.err
}

// A front is a Handler before a desk.
type front struct {
	*desk
	t       *testing.T
	handler *http_.Handler
	logged  strings.Builder
}

func newFront(t *testing.T, limits admission.Config) *front {
	base, err := url.Parse("https://sandlot.example")
	expect.OK(t, err)
	f := &front{desk: &desk{}, t: t}
	f.handler = http_.New(http_.Config{
		Service: f.desk, Places: sandlot.Places{Base: base}, Admission: admission.New(limits), Log: slog.New(slog.NewTextHandler(&f.logged, nil)),
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	return f
}

// send makes a request, and returns the answer with its members.
func (f *front) send(method, path, kind, body string, headers ...string) (*http.Response, map[string]any) {
	f.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr = "203.0.113.1:1"
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	got := w.Result()
	text, err := io.ReadAll(got.Body)
	expect.OK(f.t, err)
	var members map[string]any
	if len(text) > 0 {
		expect.OK(f.t, json.Unmarshal(text, &members), string(text))
	}
	expect.Equal(f.t, "the origins that may read "+path, got.Header.Get("Access-Control-Allow-Origin"), "*")
	return got, members
}

const formKind, jsonKind = "application/x-www-form-urlencoded", "application/json"

// post sends a form to an address.
func (f *front) post(path string, params ...string) (*http.Response, map[string]any) {
	f.t.Helper()
	v := url.Values{}
	for i := 0; i < len(params); i += 2 {
		v.Add(params[i], params[i+1])
	}
	return f.send("POST", path, formKind, v.Encode())
}

// fails checks that an answer is an error, which nobody keeps.
func (f *front) fails(what string, got *http.Response, members map[string]any, status int, code string) {
	f.t.Helper()
	if got.StatusCode != status || members["error"] != code || members["error_description"] == "" || got.Header.Get("Cache-Control") != "no-store" {
		f.t.Errorf("%s: %d %v %v; want %d %s", what, got.StatusCode, members, got.Header, status, code)
	}
}

var codeForm = []string{"grant_type", "authorization_code", "code", "c", "client_id", "id", "redirect_uri", "http://localhost/", "code_verifier", "v"}

func TestTheMetadataOfTheServer(t *testing.T) {
	got, m := newFront(t, admission.Config{}).send("GET", http_.ServerMetadata, "", "")
	expect.Equal(t, "the type", got.Header.Get("Content-Type"), "application/json")
	expect.Same(t, "the metadata", m, map[string]any{
		"issuer":                           "https://sandlot.example/oauth",
		"authorization_endpoint":           "https://sandlot.example/oauth/authorize",
		"token_endpoint":                   "https://sandlot.example/oauth/token",
		"device_authorization_endpoint":    "https://sandlot.example/oauth/device",
		"registration_endpoint":            "https://sandlot.example/oauth/register",
		"revocation_endpoint":              "https://sandlot.example/oauth/revoke",
		"service_documentation":            "https://sandlot.example/docs/agents",
		"response_types_supported":         []any{"code"},
		"response_modes_supported":         []any{"query"},
		"grant_types_supported":            []any{"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"},
		"code_challenge_methods_supported": []any{"S256"}, "token_endpoint_auth_methods_supported": []any{"none"},
		"revocation_endpoint_auth_methods_supported": []any{"none"}, "scopes_supported": []any{"account", "project"},
		"authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": true,
	})
}

func TestTheMetadataOfTheResource(t *testing.T) {
	_, m := newFront(t, admission.Config{}).send("GET", http_.ResourceMetadata, "", "")
	expect.Same(t, "the metadata", m, map[string]any{
		"resource": "https://sandlot.example/mcp/account", "authorization_servers": []any{"https://sandlot.example/oauth"},
		"bearer_methods_supported": []any{"header"}, "scopes_supported": []any{"account", "project"}, "resource_documentation": "https://sandlot.example/docs/agents",
	})
}

func TestEachGrantIsPassedOnAndAnsweredByRFC6749(t *testing.T) {
	device := "urn:ietf:params:oauth:grant-type:device_code"
	for name, tc := range map[string]struct {
		form []string
		want any
	}{
		"a code": {append(codeForm, "resource", "r", "unknown", "x"), oauth.CodeInput{Code: "c", ClientID: "id", RedirectURI: "http://localhost/", Verifier: "v", Resource: "r"}},
		"a refresh token": {
			[]string{"grant_type", "refresh_token", "refresh_token", "slr_x", "client_id", "id", "client_secret", ""},
			oauth.RefreshInput{Token: "slr_x", ClientID: "id"},
		},
		"a refresh token of a terminal": {[]string{"grant_type", "refresh_token", "refresh_token", "slr_x"}, oauth.RefreshInput{Token: "slr_x"}},
		"a device_code":                 {[]string{"grant_type", device, "device_code", "sld_x", "client_id", "id"}, [2]string{"sld_x", "id"}},
		"a device_code of a terminal":   {[]string{"grant_type", device, "device_code", "sld_x"}, [2]string{"sld_x", ""}},
	} {
		f := newFront(t, admission.Config{})
		got, m := f.post("/oauth/token", tc.form...)
		expect.Equal(t, name+": status", got.StatusCode, 200)
		expect.Equal(t, name+": Cache-Control", got.Header.Get("Cache-Control"), "no-store")
		expect.Same(t, name, m, map[string]any{
			"access_token": "slo_access", "token_type": "Bearer", "expires_in": 3600.0, "refresh_token": "slr_refresh", "scope": "project", "project_id": "sky-1",
		})
		expect.Same(t, name+": the call", f.asked, []any{tc.want})
	}
}

func TestADeviceGetsACodeThatAPersonTypes(t *testing.T) {
	f := newFront(t, admission.Config{})
	got, m := f.post("/oauth/device", "project", "sky-1", "scope", "project")
	expect.Equal(t, "status", got.StatusCode, 200)
	expect.Same(t, "the answer", m, map[string]any{ // and nothing such as verification_uri_complete, which approves by a press
		"device_code": "sld_code", "user_code": "BCDF-GHJK", "verification_uri": "https://sandlot.example/connect", "expires_in": 600.0, "interval": 5.0,
	})
	expect.Same(t, "the call", f.asked, []any{oauth.DeviceInput{Project: "sky-1", Scope: "project"}})
}

func TestARegistrationIsAnsweredWithoutASecret(t *testing.T) {
	f := newFront(t, admission.Config{})
	got, m := f.send("POST", "/oauth/register", jsonKind+"; charset=utf-8", `{"client_name":"X","redirect_uris":["http://localhost/"],
		"token_endpoint_auth_method":"client_secret_basic","grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"contacts":[]}`)
	expect.Equal(t, "status", got.StatusCode, 201)
	expect.Same(t, "the answer", m, map[string]any{
		"client_id": "id", "client_id_issued_at": 1.8e9, "client_name": "X", "redirect_uris": []any{"http://localhost/"}, "response_types": []any{"code"},
		"grant_types": []any{"refresh_token", "authorization_code", "urn:ietf:params:oauth:grant-type:device_code"}, "token_endpoint_auth_method": "none",
	})
	_, m = f.send("POST", "/oauth/register", jsonKind, `{}`)
	expect.Same(t, "of a client without redirects", m["redirect_uris"], any([]any{}))
}

func TestARevocationIs200ForAnyToken(t *testing.T) {
	f := newFront(t, admission.Config{})
	got, _ := f.post("/oauth/revoke", "token", "slr_x", "client_id", "id", "token_type_hint", "refresh_token")
	expect.Equal(t, "status", got.StatusCode, 200)
	expect.Same(t, "the call", f.asked, []any{[2]string{"slr_x", "id"}})
}

// TestBadRequestsAreRefusedBeforeTheService, so that no code is used up by a client that tries another way to send it.
func TestBadRequestsAreRefusedBeforeTheService(t *testing.T) {
	without := func(name string) []string {
		i := slices.Index(codeForm, name)
		return slices.Concat(codeForm[:i], codeForm[i+2:])
	}
	f := newFront(t, admission.Config{})
	for what, form := range map[string][]string{
		"no grant_type": without("grant_type"), "no code": without("code"), "no client_id": without("client_id"), "no verifier": without("code_verifier"),
		"no redirect_uri": without("redirect_uri"), "an empty code": append(without("code"), "code", ""), "a repeated one": append(codeForm, "code", "c"),
		"a repeated unknown one": append(codeForm, "x", "1", "x", "2"), "no text": append(without("code"), "code", "\xff"), "a NUL": append(without("code"), "code", "a\x00"),
		"no refresh_token": {"grant_type", "refresh_token"}, "no device_code": {"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
	} {
		got, m := f.post("/oauth/token", form...)
		f.fails(what, got, m, 400, "invalid_request")
	}
	got, m := f.post("/oauth/token", "grant_type", "password", "username", "u", "password", "p")
	f.fails("another grant", got, m, 400, "unsupported_grant_type")
	got, m = f.post("/oauth/revoke")
	f.fails("a revocation of nothing", got, m, 400, "invalid_request")
	for what, c := range map[string]struct {
		path, kind, body string
		status           int
		code             string
	}{
		"a form in JSON":      {"/oauth/token", jsonKind, "{}", 400, "invalid_request"},
		"a form of parts":     {"/oauth/device", "multipart/form-data; boundary=x", "", 400, "invalid_request"},
		"a form of no type":   {"/oauth/token", "", "grant_type=refresh_token", 400, "invalid_request"},
		"a broken form":       {"/oauth/token", formKind, "grant_type=%zz", 400, "invalid_request"},
		"a query":             {"/oauth/token?grant_type=refresh_token&refresh_token=slr_x", formKind, "", 400, "invalid_request"},
		"a large form":        {"/oauth/token", formKind, "x=" + strings.Repeat("x", 8<<10), 413, "invalid_request"},
		"a form to register":  {"/oauth/register", formKind, "client_name=x", 400, "invalid_request"},
		"no JSON to register": {"/oauth/register", jsonKind, "{", 400, "invalid_client_metadata"},
		"another type":        {"/oauth/register", jsonKind, `{"redirect_uris":"x"}`, 400, "invalid_client_metadata"},
		"large metadata":      {"/oauth/register", jsonKind, `"` + strings.Repeat("x", 32<<10), 413, "invalid_request"},
	} {
		got, m := f.send("POST", c.path, c.kind, c.body)
		f.fails(what, got, m, c.status, c.code)
	}
	if len(f.asked) > 0 {
		t.Errorf("the service was asked: %v", f.asked)
	}
}

// TestClientsWithASecretAreRefused: some libraries try a header first, and then the form.
func TestClientsWithASecretAreRefused(t *testing.T) {
	f := newFront(t, admission.Config{})
	got, m := f.send("POST", "/oauth/token", formKind, "grant_type=authorization_code&code=c", "Authorization", "Basic aWQ6")
	f.fails("Basic", got, m, 401, "invalid_client")
	expect.Contains(t, "the scheme", got.Header.Get("WWW-Authenticate"), "Basic")
	got, m = f.post("/oauth/token", append(codeForm, "client_secret", "x")...)
	f.fails("a secret in the form", got, m, 401, "invalid_client")
	if len(f.asked) > 0 {
		t.Errorf("the service was asked: %v", f.asked)
	}
}

func TestRefusalsKeepTheirCodes(t *testing.T) {
	for _, tc := range []struct {
		err    error
		status int
		code   string
	}{
		{&oauth.Refusal{Code: "invalid_grant", Description: "d"}, 400, "invalid_grant"},
		{&oauth.Refusal{Code: "invalid_target", Description: "d"}, 400, "invalid_target"},
		{&oauth.Refusal{Code: "authorization_pending", Description: "d"}, 400, "authorization_pending"},
		{&oauth.Refusal{Code: "slow_down", Description: "d"}, 400, "slow_down"},
		{&oauth.Refusal{Code: "invalid_client", Description: "d"}, 401, "invalid_client"},
		{sandlot.Refuse(sandlot.CodeAccountSuspended, "m"), 400, "access_denied"},
		{sandlot.Refuse(sandlot.CodeInvalidField, "m"), 400, "invalid_request"},
		{sandlot.ErrUnavailable, 503, "temporarily_unavailable"},
		{sandlot.ErrFull, 503, "temporarily_unavailable"},
		{errors.New("a fault slr_x"), 500, "server_error"},
	} {
		f := newFront(t, admission.Config{})
		f.err = tc.err
		got, m := f.post("/oauth/token", codeForm...)
		f.fails(fmt.Sprint(tc.err), got, m, tc.status, tc.code)
		if tc.status == 503 && got.Header.Get("Retry-After") == "" || strings.Contains(fmt.Sprint(m), "fault slr") {
			t.Errorf("%v: %v %v", tc.err, got.Header, m)
		}
		expect.Equal(t, fmt.Sprint("whether ", tc.err, " is logged"), f.logged.Len() > 0, tc.status >= 500)
	}
}

func TestWrongCodesAndTokensAreCountedForTheAddress(t *testing.T) {
	one := admission.Config{WrongKeys: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}}
	for code, counted := range map[string]bool{
		"invalid_grant": true, "authorization_pending": false, "slow_down": false, "invalid_client": false, "invalid_target": false, "expired_token": false,
	} {
		f := newFront(t, one)
		f.err = &oauth.Refusal{Code: code, Description: "d"}
		f.post("/oauth/token", "grant_type", "refresh_token", "refresh_token", "slr_wrong")
		f.err = nil
		got, m := f.post("/oauth/token", "grant_type", "refresh_token", "refresh_token", "slr_other")
		if expect.Equal(t, "the status after "+code, got.StatusCode == 429, counted); counted {
			f.fails("the next", got, m, 429, "temporarily_unavailable")
			if got.Header.Get("Retry-After") == "" || len(f.asked) != 1 {
				t.Errorf("%v, %v", got.Header, f.asked)
			}
		}
	}
}

// TestADeviceThatWaitsIsNoStranger: its code is right, and is tried although others of the network guess.
func TestADeviceThatWaitsIsNoStranger(t *testing.T) {
	f := newFront(t, admission.Config{WrongKeys: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
	poll := func() (*http.Response, map[string]any) {
		return f.post("/oauth/token", "grant_type", "urn:ietf:params:oauth:grant-type:device_code", "device_code", "sld_right")
	}
	f.err = &oauth.Refusal{Code: "authorization_pending", Description: "d"}
	poll()
	f.err = &oauth.Refusal{Code: "invalid_grant", Description: "d"}
	f.post("/oauth/token", codeForm...)
	f.err = nil
	got, _ := poll()
	expect.Equal(t, "the status", got.StatusCode, 200)
}

// TestWhatChangesRowsIsLimitedByNetwork like other changes; a device that waits is not.
func TestWhatChangesRowsIsLimitedByNetwork(t *testing.T) {
	for path, form := range map[string][]string{
		"/oauth/device": nil, "/oauth/revoke": {"token", "slr_x"}, "/oauth/token": codeForm, "/oauth/token?": {"grant_type", "refresh_token", "refresh_token", "slr_x"},
	} {
		f := newFront(t, admission.Config{Writes: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
		got, _ := f.post(path, form...)
		expect.Equal(t, "the first of "+path, got.StatusCode, 200)
		got, m := f.post(path, form...)
		f.fails("the second of "+path, got, m, 429, "temporarily_unavailable")
		expect.Equal(t, "requests that came through", len(f.asked), 1)
		got, _ = f.post("/oauth/token", "grant_type", "urn:ietf:params:oauth:grant-type:device_code", "device_code", "sld_x")
		expect.Equal(t, "a poll of a device", got.StatusCode, 200)
	}
}

// TestEveryAddressIsCharged for the time of a processor.
func TestEveryAddressIsCharged(t *testing.T) {
	for _, path := range []string{"/oauth/token", "/oauth/device", "/oauth/register", "/oauth/revoke", http_.ServerMetadata, http_.ResourceMetadata} {
		f := newFront(t, admission.Config{Work: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
		method := "POST"
		if strings.HasPrefix(path, "/.well-known") {
			method = "GET"
		}
		f.send(method, path, "", "")
		got, m := f.send(method, path, "", "")
		f.fails("the second of "+path, got, m, 429, "temporarily_unavailable")
	}
}

func TestPagesOfOtherSitesMayCall(t *testing.T) {
	f := newFront(t, admission.Config{})
	for path, method := range map[string]string{"/oauth/token": "POST", "/oauth/register": "POST", http_.ServerMetadata: "GET, HEAD"} {
		got, _ := f.send("OPTIONS", path, "", "", "Origin", "https://client.example.org", "Access-Control-Request-Method", "POST")
		expect.Equal(t, "the status", got.StatusCode, 204)
		expect.Equal(t, "the methods of "+path, got.Header.Get("Access-Control-Allow-Methods"), method)
		for _, name := range []string{"Content-Type", "Mcp-Protocol-Version"} {
			expect.Contains(t, "the headers", got.Header.Get("Access-Control-Allow-Headers"), name)
		}
		if got.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Error("cookies are sent")
		}
	}
	for path, method := range map[string]string{"/oauth/token": "GET", "/oauth/revoke": "DELETE", http_.ResourceMetadata: "POST"} {
		got, m := f.send(method, path, "", "")
		f.fails(method+" "+path, got, m, 405, "invalid_request")
		expect.Contains(t, "Allow", got.Header.Get("Allow"), "OPTIONS")
	}
}
