package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A shelf has documents by address, and counts how often they are fetched.
type shelf struct {
	documents map[string]string
	fetched   atomic.Int32
	slow      time.Duration
}

func (s *shelf) Document(_ context.Context, url string) ([]byte, error) {
	s.fetched.Add(1)
	if s.slow > 0 {
		testenv.Pass(s.slow)
	}
	if d, ok := s.documents[url]; ok {
		return []byte(d), nil
	}
	return nil, errors.New("the answer is \x1b 404 Nöt Found")
}

func serviceWith(of *shelf) *Service {
	return &Service{Vault: sandlot.NewVault([]byte(strings.Repeat("s", 32)), rand.Reader), Documents: of, Now: time.Now}
}

// refusal returns the code of a refusal, and its description.
func refusal(t *testing.T, err error) (code, description string) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%v is no refusal", err)
	}
	if strings.ContainsFunc(r.Description, func(c rune) bool { return c < ' ' || c > '~' }) {
		t.Errorf("%q has characters that a description must not have", r.Description)
	}
	return r.Code, r.Description
}

func TestARegistrationIsItsOwnClientID(t *testing.T) {
	s := serviceWith(&shelf{})
	made, err := s.Register(t.Context(), sandlot.Caller{}, Registration{
		Name: "My\u202e editor\n", RedirectURIs: []string{"http://127.0.0.1/back", "cursor://sandlot/back"},
		GrantTypes: []string{"authorization_code", "refresh_token", deviceGrant}, AuthMethod: "client_secret_basic",
	})
	expect.OK(t, err)
	other := serviceWith(&shelf{}) // another node, which has the same secret
	found, err := other.client(t.Context(), sandlot.Caller{}, made.ID)
	expect.OK(t, err)
	expect.Same(t, "the client", found, Client{
		ID: made.ID, Name: "My editor", Redirects: []string{"http://127.0.0.1/back", "cursor://sandlot/back"}, Device: true,
	})
	for _, id := range []string{
		"", "x", made.ID + "A", made.ID[1:], strings.Repeat("A", 1<<20), made.ID + "=", made.ID + "\n", made.ID[:9] + "\r\n" + made.ID[9:], "terminal ", "http://example.org/client.json",
	} {
		_, err := other.client(t.Context(), sandlot.Caller{}, id)
		code, _ := refusal(t, err)
		expect.Equal(t, fmt.Sprintf("the refusal of %.20q", id), code, "invalid_client")
	}
	stranger := &Service{Vault: sandlot.NewVault([]byte("another installation"), rand.Reader), Now: time.Now}
	if _, err := stranger.client(t.Context(), sandlot.Caller{}, made.ID); err == nil {
		t.Error("another installation takes the client_id")
	}
}

// TestTheLargestRegistrationFitsIntoAnAddress: with it, the header of a request to the consent page stays below its limits.
func TestTheLargestRegistrationFitsIntoAnAddress(t *testing.T) {
	uri := "https://" + strings.Repeat("x", maxURIs-len("https://"))
	r := Registration{Name: strings.Repeat("🚀", 500), RedirectURIs: []string{uri}}
	made, err := serviceWith(nil).Register(t.Context(), sandlot.Caller{}, r)
	expect.OK(t, err)
	if n := len(made.ID); n > 2500 || n+3*maxURIs > http.DefaultMaxHeaderBytes {
		t.Errorf("the client_id has %d bytes", n)
	}
	expect.Equal(t, "the length of the name", len([]rune(made.Name)), maxName)
}

func TestBadRegistrationsAreRefused(t *testing.T) {
	back := "https://example.org/back"
	for name, c := range map[string]struct {
		r    Registration
		code string
	}{
		"no redirects":  {Registration{}, "invalid_redirect_uri"},
		"too many":      {Registration{RedirectURIs: strings.Split(strings.Repeat(back+" ", 10)+back, " ")}, "invalid_redirect_uri"},
		"too long":      {Registration{RedirectURIs: []string{back + strings.Repeat("x", maxURIs)}}, "invalid_redirect_uri"},
		"a bad one":     {Registration{RedirectURIs: []string{back, "javascript:alert(1)"}}, "invalid_redirect_uri"},
		"another grant": {Registration{RedirectURIs: []string{back}, GrantTypes: []string{"implicit"}}, "invalid_client_metadata"},
	} {
		_, err := serviceWith(nil).Register(t.Context(), sandlot.Caller{}, c.r)
		code, _ := refusal(t, err)
		expect.Equal(t, name, code, c.code)
	}
	_, err := serviceWith(nil).Register(t.Context(), sandlot.Caller{}, Registration{GrantTypes: []string{deviceGrant}})
	expect.OK(t, err, "a device without redirects")
}

const documentAt = "https://client.example.org/oauth/client.json"

func TestAMetadataDocumentIsAClient(t *testing.T) {
	s := serviceWith(&shelf{documents: map[string]string{documentAt: `{"client_id":"` + documentAt + `","client_name":"Client",
		"redirect_uris":["https://client.example.org/back","http://evil.example.org/","http://localhost/back"],
		"token_endpoint_auth_method":"none","logo_uri":"https://client.example.org/logo.png"}`}})
	c, err := s.client(t.Context(), sandlot.Caller{}, documentAt)
	expect.OK(t, err)
	expect.Same(t, "the client", c, Client{
		ID: documentAt, Name: "Client", Document: "client.example.org", Redirects: []string{"https://client.example.org/back", "http://localhost/back"},
	})
}

func TestBadMetadataDocumentsAreRefused(t *testing.T) {
	with := func(more string) string {
		return `{"client_id":"` + documentAt + `","redirect_uris":["https://client.example.org/back"]` + more + `}`
	}
	for name, text := range map[string]string{
		"another address": strings.Replace(with(""), "client.json", "other.json", 1),
		"no address":      `{"redirect_uris":["https://client.example.org/back"]}`,
		"no redirects":    `{"client_id":"` + documentAt + `"}`,
		"bad redirects":   `{"client_id":"` + documentAt + `","redirect_uris":["data:text/html,x"]}`,
		"a secret":        with(`,"client_secret":"x"`),
		"a shared secret": with(`,"token_endpoint_auth_method":"client_secret_jwt"`),
		"no JSON":         "<!doctype html>",
		"a list":          "[]",
		"other types":     `{"client_id":"` + documentAt + `","redirect_uris":"https://client.example.org/back"}`,
	} {
		_, err := serviceWith(&shelf{documents: map[string]string{documentAt: text}}).client(t.Context(), sandlot.Caller{}, documentAt)
		code, _ := refusal(t, err)
		expect.Equal(t, name, code, "invalid_client")
	}
	of := &shelf{}
	for _, id := range []string{
		"https://", "https://example.org", "https://example.org/", "https://u:p@example.org/c", "https://u@example.org/c", "https://example.org/c#f",
		"https://example.org/c#", "https://example.org/a/../c", "https://example.org/./c", "https://example.org/%2e%2e/c", "https://example.org/a b",
		"https://exämple.org/c", "https://example.org\\@evil.example.org/c", "https://example.org/" + strings.Repeat("c", 2000), "https://:443/c",
	} {
		_, err := serviceWith(of).client(t.Context(), sandlot.Caller{}, id)
		code, _ := refusal(t, err)
		expect.Equal(t, id, code, "invalid_client")
	}
	expect.Equal(t, "fetches of bad addresses", of.fetched.Load(), 0)
}

func TestADocumentIsFetchedOnceADayAndOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := &shelf{slow: time.Second}
		s := serviceWith(of)
		ask := func() {
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() { _, _ = s.client(t.Context(), sandlot.Caller{}, documentAt) })
			}
			all.Wait()
		}
		fetches := func(what string, want int32) {
			t.Helper()
			ask()
			expect.Equal(t, "fetches "+what, of.fetched.Load(), want)
		}
		fetches("of one that is not there", 1)
		_, err := s.client(t.Context(), sandlot.Caller{}, documentAt)
		_, why := refusal(t, err)
		expect.Contains(t, "the reason", why, "404 N")
		of.documents = map[string]string{documentAt: `{"client_id":"` + documentAt + `","redirect_uris":["https://client.example.org/back"]}`}
		fetches("at once", 1)
		testenv.Pass(mistakeAge)
		fetches("a minute later", 2)
		testenv.Pass(documentAge - time.Minute)
		fetches("on the same day", 2)
		testenv.Pass(time.Minute)
		fetches("a day later", 3)

		of.documents = nil
		testenv.Pass(documentAge)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err = s.client(ctx, sandlot.Caller{}, documentAt)
		expect.Is(t, "a call that ends", err, context.DeadlineExceeded)
		synctest.Wait()
		fetches("for a call that has ended", 4)
	})
}

// TestOneNetworkHoldsUpNoOther with slow documents, and a refusal for that is not kept.
func TestOneNetworkHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := &shelf{slow: 5 * time.Second, documents: map[string]string{
			documentAt: `{"client_id":"` + documentAt + `","redirect_uris":["https://client.example.org/back"]}`,
		}}
		s := serviceWith(of)
		from := func(network string) sandlot.Caller { return sandlot.Caller{From: sandlot.Sender{Network: network}} }
		var busy atomic.Int32
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				_, err := s.client(t.Context(), from("203.0.113.7"), fmt.Sprintf("https://client.example.org/slow/%d.json", i))
				if errors.Is(err, sandlot.CodeUnavailable) {
					busy.Add(1)
				}
			})
		}
		synctest.Wait()
		_, err := s.client(t.Context(), from("203.0.113.7"), documentAt)
		expect.Is(t, "one more of the network", err, sandlot.CodeUnavailable)
		_, err = s.client(t.Context(), from("203.0.113.8"), documentAt)
		expect.OK(t, err, "of another network")
		all.Wait()
		expect.Equal(t, "refused", busy.Load(), 100-mostOfEach)
	})
}

func TestRedirects(t *testing.T) {
	for _, good := range []string{
		"https://example.org/back", "https://example.org", "https://example.org:8443/back?x=1", "https://[2606:4700::1]/back", "http://127.0.0.1/",
		"http://127.0.0.1:33418/", "http://[::1]:1/back", "http://localhost", "http://localhost:3000/cb?x=y", "cursor://anysphere.cursor-mcp/oauth/callback",
		"vscode://kilocode/back", "com.example.app:/oauth2redirect", "com.example.app:back",
	} {
		expect.Equal(t, "the refusal of "+good, refusedRedirect(good), "")
	}
	for _, bad := range []string{
		"", "/back", "back", "//example.org/back", "https://", "https:///back", "https://u@example.org/", "https://u:p@example.org/", "https://example.org/#",
		"https://example.org/#f", "https://example.org/ back", "https://example.org/\r\nX: y", "https://exämple.org/", "https://example.org\\@evil.example.org/",
		"HTTPS://example.org/", "http://example.org/back", "http://127.0.0.1.example.org/", "http://localhost.example.org/", "http://localhost@example.org/",
		"http://localhost:80@example.org/", "http://127.0.0.2/", "http://127.1/", "http://0.0.0.0/", "http://[::ffff:127.0.0.1]/", "http://LOCALHOST/",
		"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "blob:https://example.org/x", "about:blank",
		"vbscript:x", "view-source:https://example.org", "intent://x#Intent;end", "1a:b", "app://u:p@host/back", "app:/back#f", "https://example.org/%zz",
	} {
		if refusedRedirect(bad) == "" {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestRedirectsAreComparedAsCharactersButForThePortOfLoopback(t *testing.T) {
	c := Client{Redirects: []string{"https://example.org/back", "http://127.0.0.1/back", "http://localhost:3000/", "http://[::1]", "cursor://x/back"}}
	for _, good := range []string{
		"https://example.org/back", "http://127.0.0.1/back", "http://127.0.0.1:1/back", "http://127.0.0.1:65535/back", "http://localhost:4000/", "http://localhost/",
		"http://[::1]:9", "http://[::1]", "cursor://x/back",
	} {
		if !c.allows(good) {
			t.Errorf("%s is not allowed", good)
		}
	}
	for _, bad := range []string{
		"", "https://example.org/back/", "https://example.org/back?x=1", "https://example.org/a/../back", "https://example.org:443/back", "https://EXAMPLE.org/back",
		"https://example.org:8443/back", "https://evil.example.org/back", "https://example.org/Back", "https://example.org/%62ack", "http://example.org/back",
		"http://127.0.0.1/", "http://127.0.0.1:1/back/..", "http://127.0.0.1:1/other", "http://localhost:1/back", "http://[::1]/back", "http://127.0.0.1:x/back",
		"http://127.0.0.1:1@example.org/back", "http://127.0.0.1.example.org/back", "https://127.0.0.1/back", "cursor://x/back?y", "cursor://x:1/back",
		"http://127.0.0.1:1:2/back", "http://127.0.0.1:1/back#f",
	} {
		if c.allows(bad) {
			t.Errorf("%s is allowed", bad)
		}
	}
	if (Client{}).allows("") || (Client{ID: Terminal, Device: true}).allows("http://127.0.0.1/") {
		t.Error("a client without redirects is sent somewhere")
	}
}

func TestThePlaceOfAClient(t *testing.T) {
	registered, documented := Client{}, Client{Document: "client.example.org"}
	for redirect, want := range map[string][2]Place{
		"https://example.org:8443/back": {{Host: "example.org:8443"}, {Host: "client.example.org"}},
		"http://127.0.0.1:5/back":       {{Machine: true}, {Host: "client.example.org", Machine: true}},
		"cursor://x/back":               {{Machine: true}, {Host: "client.example.org", Machine: true}},
		"":                              {{}, {Host: "client.example.org"}},
	} {
		expect.Equal(t, "the place of a registered client with "+redirect, registered.place(redirect), want[0])
		expect.Equal(t, "the place of a documented client with "+redirect, documented.place(redirect), want[1])
	}
}
