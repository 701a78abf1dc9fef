// Package oidc verifies logins at an OpenID provider, by OpenID Connect Core 1.0 with the code flow and PKCE. It keeps
// nothing but the provider's configuration and keys in memory.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"sandlot/internal/domain/account"
)

// Limits of the time and the memory that a provider may take.
const (
	answerTime = 5 * time.Second // of each request
	callTime   = 8 * time.Second // of all requests of a call
	maxAnswer  = 1 << 20         // bytes of an answer: the keys of the largest providers have some 10 KB
	freshFor   = time.Hour       // then the configuration is read again, with a new set of keys
	awayFor    = 3 * time.Second
)

// How far the clocks of provider and instance may differ, and how old a token may be: it was made for this answer.
const (
	skew   = 2 * time.Minute
	maxAge = 10 * time.Minute
)

// Config names the provider, and the instance as its client.
type Config struct {
	Issuer       string // exactly as the provider writes it
	ClientID     string
	ClientSecret string // empty for a public client
	Now          func() time.Time
}

// A Provider is an account.Provider. Its configuration is read when it is first needed, and again once an hour; while
// that fails the former one stays. For three seconds after a failure it gets no request.
type Provider struct {
	Config
	client *http.Client

	down atomic.Bool // whether the last reading failed: Up must not wait for one

	mu     sync.Mutex // held while the configuration is read
	known  *oidc.Provider
	readAt time.Time
	failed error // of the last reading
	again  time.Time
}

// New returns a Provider. It sends no request yet.
func New(c Config) *Provider {
	client := &http.Client{Timeout: answerTime, Transport: bounded{http.DefaultTransport}}
	return &Provider{Config: c, client: client}
}

// Up implements account.Provider.
func (p *Provider) Up() bool { return !p.down.Load() }

// AuthURL implements account.Provider.
func (p *Provider) AuthURL(ctx context.Context, r account.AuthRequest) (string, error) {
	ctx, cancel := p.call(ctx)
	defer cancel()
	known, err := p.provider(ctx)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(r.Verifier), oidc.Nonce(r.Nonce)}
	if r.MaxAge > 0 {
		options = append(options, oauth2.SetAuthURLParam("max_age", fmt.Sprint(int(r.MaxAge.Seconds()))))
	}
	return p.oauth(known, r).AuthCodeURL(r.State, options...), nil
}

// Exchange implements account.Provider.
func (p *Provider) Exchange(ctx context.Context, code string, r account.AuthRequest) (account.Assertion, error) {
	ctx, cancel := p.call(ctx)
	defer cancel()
	known, err := p.provider(ctx)
	if err != nil {
		return account.Assertion{}, err
	}
	tokens, err := p.oauth(known, r).Exchange(ctx, code, oauth2.VerifierOption(r.Verifier))
	if err != nil {
		return account.Assertion{}, classify(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := p.verify(ctx, known, raw, r)
	if err != nil {
		return account.Assertion{}, classify(err)
	}
	return p.assertion(ctx, known, tokens, token)
}

// call bounds the requests of a call, and has them made by the provider's client.
func (p *Provider) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(oidc.ClientContext(ctx, p.client), callTime)
}

// provider returns the configuration. One call at a time reads it; the others wait, as long as that may take.
func (p *Provider) provider(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	switch {
	case p.known != nil && now.Sub(p.readAt).Abs() < freshFor:
		return p.known, nil
	case now.Before(p.again):
		return p.known, p.away()
	}
	// The waiting calls need it, too: it does not end with this one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	known, err := oidc.NewProvider(ctx, p.Issuer)
	p.failed = err
	p.down.Store(err != nil)
	if err != nil {
		p.again = now.Add(awayFor)
		return p.known, p.away()
	}
	p.known, p.readAt = known, now
	return known, nil
}

// away returns the error while there is no configuration; a former one does.
func (p *Provider) away() error {
	if p.known != nil {
		return nil
	}
	return fmt.Errorf("%w: %w", account.ErrProviderAway, p.failed)
}

func (p *Provider) oauth(known *oidc.Provider, r account.AuthRequest) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: known.Endpoint(), RedirectURL: r.Redirect,
		Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

// classify distinguishes an unreachable provider from a refusal.
func classify(err error) error {
	var answer *oauth2.RetrieveError
	kind := account.ErrProviderAway
	if errors.As(err, &answer) && answer.Response.StatusCode < http.StatusInternalServerError || errors.Is(err, errToken) {
		kind = account.ErrProviderRefused
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// bounded limits the bytes of an answer.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}
