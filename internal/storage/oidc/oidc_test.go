package oidc_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"sandlot/internal/domain/account"
	"sandlot/internal/storage/oidc"
	"sandlot/internal/testkit/expect"
)

// A liar is an OpenID provider whose tokens a test changes.
type liar struct {
	*httptest.Server
	key    *rsa.PrivateKey
	id     string         // of the key
	claims map[string]any // of the next token
	info   map[string]any // of the user info
	signer func(claims map[string]any) string
	asked  atomic.Int64 // requests for the configuration
	broken atomic.Bool  // every answer is 500
	hangs  chan struct{}
	now    time.Time
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	l := &liar{now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	l.rotate(t, "one")
	mux := http.NewServeMux()
	answer := func(path string, of func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if l.hangs != nil {
				<-l.hangs
			}
			if l.broken.Load() {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(of())
		})
	}
	answer("/.well-known/openid-configuration", func() any {
		l.asked.Add(1)
		return map[string]any{
			"issuer": l.URL, "authorization_endpoint": l.URL + "/auth", "token_endpoint": l.URL + "/token", "jwks_uri": l.URL + "/keys",
			"userinfo_endpoint": l.URL + "/info", "id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"},
		}
	})
	answer("/keys", func() any {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: l.key.Public(), KeyID: l.id, Algorithm: "RS256", Use: "sig"}}}
	})
	answer("/token", func() any {
		return map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": l.signer(l.claims)}
	})
	answer("/info", func() any { return l.info })
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	l.signer = l.sign
	return l
}

// rotate replaces the key, and its name.
func (l *liar) rotate(t *testing.T, id string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	expect.OK(t, err)
	l.key, l.id = key, id
}

func (l *liar) sign(claims map[string]any) string {
	return signed(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: l.key, KeyID: l.id}}, claims)
}

func signed(key jose.SigningKey, claims map[string]any) string {
	signer, err := jose.NewSigner(key, nil)
	if err != nil {
		panic(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		panic(err)
	}
	return text
}

// login is the one that a browser has begun.
var login = account.AuthRequest{
	State: "state", Nonce: "nonce", Verifier: strings.Repeat("v", 43), Redirect: "https://example.com/openid/callback",
}

// honest are the claims of a good token.
func (l *liar) honest() map[string]any {
	return map[string]any{
		"iss": l.URL, "aud": "sandlot", "sub": "1", "nonce": "nonce", "iat": l.now.Unix(), "exp": l.now.Add(time.Hour).Unix(),
		"email": "kim@school.example", "email_verified": true, "auth_time": l.now.Add(-time.Minute).Unix(),
	}
}

func (l *liar) provider() *oidc.Provider {
	return oidc.New(oidc.Config{Issuer: l.URL, ClientID: "sandlot", ClientSecret: "secret", Now: func() time.Time { return l.now }})
}

func TestATokenCountsAsFarAsItIsSignedForThisLogin(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	p := l.provider()
	l.claims = l.honest()
	got, err := p.Exchange(t.Context(), "code", login)
	expect.OK(t, err)
	expect.Same(t, "the person", got, account.Assertion{
		Identity: account.Identity{Issuer: l.URL, Subject: "1"}, Email: "kim@school.example", EmailVerified: true,
		ProvedAt: time.Unix(l.now.Add(-time.Minute).Unix(), 0),
	})
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	expect.OK(t, err)
	for name, change := range map[string]func(map[string]any){
		"another issuer":        func(c map[string]any) { c["iss"] = "https://elsewhere.example" },
		"another client":        func(c map[string]any) { c["aud"] = "another" },
		"two clients":           func(c map[string]any) { c["aud"] = []string{"sandlot", "another"} },
		"another party":         func(c map[string]any) { c["azp"] = "another" },
		"another nonce":         func(c map[string]any) { c["nonce"] = "other" },
		"no nonce":              func(c map[string]any) { delete(c, "nonce") },
		"no subject":            func(c map[string]any) { c["sub"] = "" },
		"a subject without end": func(c map[string]any) { c["sub"] = strings.Repeat("x", 256) },
		"one that has ended":    func(c map[string]any) { c["exp"] = l.now.Add(-3 * time.Minute).Unix() },
		"one of a time to come": func(c map[string]any) { c["iat"] = l.now.Add(3 * time.Minute).Unix() },
		"an old one":            func(c map[string]any) { c["iat"] = l.now.Add(-13 * time.Minute).Unix() },
		"a key of somebody else": func(map[string]any) {
			l.signer = func(c map[string]any) string {
				return signed(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: other, KeyID: "one"}}, c)
			}
		},
		"signed with the secret": func(map[string]any) {
			l.signer = func(c map[string]any) string {
				return signed(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat("secret", 6))}, c)
			}
		},
		"signed by nobody": func(map[string]any) { l.signer = func(map[string]any) string { return "eyJhbGciOiJub25lIn0.e30." } },
		"no token":         func(map[string]any) { l.signer = func(map[string]any) string { return "" } },
		"a user info of another": func(c map[string]any) {
			delete(c, "email")
			l.info = map[string]any{"sub": "2", "email": "lee@school.example", "email_verified": true}
		},
	} {
		l.claims, l.signer = l.honest(), l.sign
		change(l.claims)
		if got, err := p.Exchange(t.Context(), "code", login); !errors.Is(err, account.ErrProviderRefused) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAnAddressIsVerifiedOnlyIfTheProviderSaysTrue(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	p := l.provider()
	for _, says := range []any{nil, false, "true", "yes", 1, []bool{true}} {
		l.claims = l.honest()
		if l.claims["email_verified"] = says; says == nil {
			delete(l.claims, "email_verified")
		}
		got, err := p.Exchange(t.Context(), "code", login)
		expect.OK(t, err)
		expect.Equal(t, "verified", got.EmailVerified, false)
	}
	l.claims = l.honest()
	delete(l.claims, "email")
	delete(l.claims, "email_verified")
	l.info = map[string]any{"sub": "1", "email": "kim@school.example", "email_verified": true}
	got, err := p.Exchange(t.Context(), "code", login)
	expect.OK(t, err)
	expect.Equal(t, "the address of the user info", got.Email, "kim@school.example")
	expect.Equal(t, "verified", got.EmailVerified, true)
}

func TestKeysMayChange(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	p := l.provider()
	for _, id := range []string{"one", "two", "three"} {
		l.rotate(t, id)
		l.claims = l.honest()
		_, err := p.Exchange(t.Context(), "code", login)
		expect.OK(t, err)
	}
	expect.Equal(t, "readings of the configuration", l.asked.Load(), 1)
	l.now = l.now.Add(time.Hour)
	l.claims = l.honest()
	_, err := p.Exchange(t.Context(), "code", login)
	expect.OK(t, err)
	expect.Equal(t, "readings an hour later", l.asked.Load(), 2)
}

func TestAProviderMayBeAway(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	p := l.provider()
	expect.Equal(t, "up before it was asked", p.Up(), true)
	l.broken.Store(true)
	if _, err := p.AuthURL(t.Context(), login); !errors.Is(err, account.ErrProviderAway) {
		t.Error(err)
	}
	expect.Equal(t, "up", p.Up(), false)
	l.broken.Store(false)
	if _, err := p.AuthURL(t.Context(), login); !errors.Is(err, account.ErrProviderAway) {
		t.Errorf("asked again at once: %v", err)
	}
	l.now = l.now.Add(3 * time.Second)
	address, err := p.AuthURL(t.Context(), login)
	expect.OK(t, err)
	for _, part := range []string{"code_challenge_method=S256", "code_challenge=", "nonce=nonce", "state=state", "scope=openid+email", "response_type=code"} {
		if !strings.Contains(address, part) {
			t.Errorf("%s lacks %s", address, part)
		}
	}
	if strings.Contains(address, login.Verifier) || strings.Contains(address, "max_age") {
		t.Errorf("the address is %s", address)
	}
	// It goes on with the former configuration.
	l.broken.Store(true)
	l.now = l.now.Add(2 * time.Hour)
	_, err = p.AuthURL(t.Context(), login)
	expect.OK(t, err)
	expect.Equal(t, "up", p.Up(), false)
	if _, err := p.Exchange(t.Context(), "code", login); !errors.Is(err, account.ErrProviderAway) {
		t.Errorf("a code: %v", err)
	}
}

func TestAnAnswerThatDoesNotComeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	p := l.provider()
	_, err := p.AuthURL(t.Context(), login)
	expect.OK(t, err)
	l.hangs = make(chan struct{})
	defer close(l.hangs)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // the caller's; its own is 8 s
	defer cancel()
	if _, err := p.Exchange(ctx, "code", login); !errors.Is(err, account.ErrProviderAway) {
		t.Error(err)
	}
}

func TestAnotherIssuerIsNotTaken(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	p := oidc.New(oidc.Config{Issuer: l.URL + "/", ClientID: "sandlot", Now: func() time.Time { return l.now }})
	if _, err := p.AuthURL(t.Context(), login); !errors.Is(err, account.ErrProviderAway) {
		t.Error(err)
	}
}
