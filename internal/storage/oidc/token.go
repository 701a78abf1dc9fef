package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"sandlot/internal/domain/account"
)

// errToken marks a token that is not good.
var errToken = errors.New("the ID token is not good")

// verify checks an ID token: signed by a key of the issuer, for this client and this login, and made just now.
func (p *Provider) verify(ctx context.Context, known *oidc.Provider, raw string, r account.AuthRequest) (*oidc.IDToken, error) {
	now := p.Now()
	verifier := known.Verifier(&oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return now.Add(-skew) }})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	var parties struct {
		AuthorizedParty string `json:"azp"`
	}
	if err := token.Claims(&parties); err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	switch age := now.Sub(token.IssuedAt); {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(r.Nonce)) != 1:
		return nil, fmt.Errorf("%w: its nonce is another", errToken)
	case age > maxAge+skew || age < -skew:
		return nil, fmt.Errorf("%w: it was made at %s", errToken, token.IssuedAt.UTC().Format(time.RFC3339))
	case token.Subject == "" || len(token.Subject) > 255: // the longest that the standard permits
		return nil, fmt.Errorf("%w: its subject has %d characters", errToken, len(token.Subject))
	case len(token.Audience) > 1 && parties.AuthorizedParty == "" || parties.AuthorizedParty != "" && parties.AuthorizedParty != p.ClientID:
		return nil, fmt.Errorf("%w: it is for %q", errToken, parties.AuthorizedParty)
	}
	return token, nil
}

// profile holds the claims that count. Verified has any type, for only true is true: providers also send texts.
type profile struct {
	Email    string  `json:"email"`
	Verified any     `json:"email_verified"`
	AuthTime float64 `json:"auth_time"`
}

// assertion returns the statement of the token, with the address from the user info where the token has none.
func (p *Provider) assertion(
	ctx context.Context, known *oidc.Provider, tokens *oauth2.Token, token *oidc.IDToken,
) (out account.Assertion, err error) {
	var says profile
	if err := token.Claims(&says); err != nil {
		return out, classify(fmt.Errorf("%w: %w", errToken, err))
	}
	out.Issuer, out.Subject = token.Issuer, token.Subject
	if says.AuthTime > 0 {
		out.ProvedAt = time.Unix(int64(says.AuthTime), 0)
	}
	if says.Email == "" && known.UserInfoEndpoint() != "" {
		info, err := known.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		switch {
		case err != nil:
			return out, fmt.Errorf("%w: %w", account.ErrProviderAway, err)
		case info.Subject != token.Subject:
			return out, classify(fmt.Errorf("%w: the user info is about another person", errToken))
		}
		if err := info.Claims(&says); err != nil {
			return out, classify(fmt.Errorf("%w: %w", errToken, err))
		}
	}
	out.Email, out.EmailVerified = says.Email, says.Verified == true
	return out, nil
}
