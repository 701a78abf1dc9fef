package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/storage/oidc"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/transport/web"
)

// openIDSettings name the OpenID provider by which people log in to the website.
type openIDSettings struct {
	OIDCIssuer       string `name:"oidc-issuer" placeholder:"URL" help:"OpenID provider for logins, as it names itself. (default: none)"`
	OIDCClientID     string `name:"oidc-client-id" placeholder:"ID" help:"Name of this instance at --oidc-issuer. (default: none)"`
	OIDCClientSecret string `name:"oidc-client-secret" placeholder:"SECRET" secret:"" help:"Its secret there. (default: none)"`
	OIDCName         string `name:"oidc-name" placeholder:"NAME" help:"The provider on the login page. (default: its host)"`
	OIDCDomains      string `name:"oidc-domains" placeholder:"DOMAIN,..." help:"Mail domains that it vouches for. (default: all log in)"`
}

// maxProviderName is the longest name on the button, in characters.
const maxProviderName = 40

// check refuses settings that name no provider.
func (s openIDSettings) check() error {
	if s.OIDCIssuer == "" {
		if s.OIDCClientID+s.OIDCClientSecret+s.OIDCName+s.OIDCDomains != "" {
			return errors.New("--oidc-issuer is missing: set it to the URL of the OpenID provider, or leave the other oidc settings out")
		}
		return nil
	}
	u, err := url.Parse(s.OIDCIssuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !private(u.Hostname())):
		return fmt.Errorf("--oidc-issuer %q is not a URL such as https://id.example.com: https, without query and fragment", s.OIDCIssuer)
	case s.OIDCClientID == "":
		return errors.New("--oidc-client-id is missing: set it to the name of this instance at --oidc-issuer")
	case len([]rune(s.OIDCName)) > maxProviderName || strings.ContainsFunc(s.OIDCName, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("--oidc-name takes at most %d characters that can be printed", maxProviderName)
	}
	for _, domain := range s.domains() {
		if !isHost(domain) || !strings.Contains(domain, ".") {
			return fmt.Errorf("--oidc-domains: %q is not a domain such as school.example", domain)
		}
	}
	return nil
}

// domains returns the mail domains, in lower case.
func (s openIDSettings) domains() []string { return commaList(strings.ToLower(s.OIDCDomains)) }

// openID returns the logins with the provider, nil without one. It sends the provider no request.
func (s settings) openID(
	ctx context.Context, p sandlot.Places, store sqlstore.Identities, now func() time.Time,
) (*account.OpenID, error) {
	if s.OIDCIssuer == "" {
		return nil, nil
	}
	name := s.OIDCName
	if name == "" {
		issuer, _ := url.Parse(s.OIDCIssuer) // was checked at the start
		name = issuer.Hostname()
	}
	provider := oidc.New(oidc.Config{Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: s.OIDCClientSecret, Now: now})
	return account.NewOpenID(ctx, account.OpenIDConfig{
		Provider: provider, Name: name, Domains: s.domains(), Redirect: p.Base.String() + web.OpenIDBack,
		Opening: sandlot.Opening(s.Publish), Uncounted: !public(p),
	}, store, now)
}

// ready returns the state of the parts that an operator sets up.
func (a *app) ready() web.Ready {
	mode, _ := isolation(a.places)
	r := web.Ready{ContentHost: mode == "A" || mode == "local"}
	if a.settings.SMTPURL != "" {
		r.Mail = a.mails.Up
	}
	return r
}
