package oauth

import (
	"cmp"
	"context"
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// Exchange makes the grant of a code, and returns its first tokens. A code that comes twice ends the grant.
func (s *Service) Exchange(ctx context.Context, by sandlot.Caller, in CodeInput) (Tokens, error) {
	if err := s.mayAsk(by, in.Resource); err != nil {
		return Tokens{}, err
	}
	now := s.Now().UTC()
	c, hash, err := s.open(in, now)
	if err != nil {
		// It may have been used before: then somebody else has it, too.
		err := sandlot.EvenFull(s.Spend, func() error { return s.Store.EndGrant(ctx, hash, now) })
		return Tokens{}, cmp.Or(err, badGrant("The code is unknown or over, or belongs to another client_id, redirect_uri or code_verifier."))
	}
	k := newKey(c.Account, c.Project, Client{ID: in.ClientID, Name: c.Name}, now)
	k.Hash = hash
	tokens, pair, err := s.mint(now)
	if err != nil {
		return Tokens{}, err
	}
	again, err := s.Store.AddGrant(ctx, Grant{k, pair})
	switch {
	case again:
		return Tokens{}, badGrant("The code was used before. What it gave has ended.")
	case errors.Is(err, sandlot.ErrSuspended):
		return Tokens{}, badGrant("The account is suspended.")
	case errors.Is(err, sandlot.ErrNotFound):
		return Tokens{}, badGrant("The account or the project is gone.")
	case err != nil:
		return Tokens{}, err
	}
	return tokens.of(k), nil
}

// Refresh replaces a refresh token. The replaced one works for RefreshGrace more, so that a client that lost the answer
// can ask again; after that it ends the grant.
func (s *Service) Refresh(ctx context.Context, by sandlot.Caller, in RefreshInput) (Tokens, error) {
	if err := s.mayAsk(by, in.Resource); err != nil {
		return Tokens{}, err
	}
	if !inspect.LooksLikeRefreshToken(in.Token.Reveal()) {
		return Tokens{}, badGrant("The refresh_token is mistyped or cut: it is slr_ and 36 characters.")
	}
	now := s.Now().UTC()
	tokens, pair, err := s.mint(now)
	if err != nil {
		return Tokens{}, err
	}
	k, again, err := s.Store.Renew(ctx, Renewal{in.Token.Hash(), cmp.Or(in.ClientID, Terminal), now, pair})
	switch {
	case again:
		return Tokens{}, badGrant("The refresh_token was replaced by another long ago. Somebody else may have it, so the grant has ended.")
	case errors.Is(err, sandlot.ErrNotFound):
		return Tokens{}, badGrant("The refresh_token is unknown, over, or another client's, or its grant has ended.")
	case err != nil:
		return Tokens{}, err
	}
	return tokens.of(k), nil
}

// Revoke ends the grant of an access or refresh token (RFC 7009). A token that is unknown, or another client's, changes
// nothing and is no error. An empty clientID is Terminal.
func (s *Service) Revoke(ctx context.Context, by sandlot.Caller, token sandlot.Secret, clientID string) error {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return err
	}
	return sandlot.EvenFull(s.Spend, func() error {
		return s.Store.EndGrantOf(ctx, token.Hash(), cmp.Or(clientID, Terminal), s.Now().UTC())
	})
}

// mayAsk decides whether a caller may ask for tokens of a resource.
func (s *Service) mayAsk(by sandlot.Caller, resource string) error {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return err
	}
	if refused := s.checkResource(resource); refused != nil {
		return refused
	}
	return nil
}

// badGrant returns the refusal of a code or token.
func badGrant(description string) error { return newRefusal("invalid_grant", description) }

// newKey returns the key of a grant, without its Hash.
func newKey(account sandlot.AccountID, project sandlot.ProjectID, c Client, now time.Time) sandlot.Key {
	k := sandlot.Key{Kind: sandlot.AccountKey, Account: account, Project: project, Client: c.ID, Name: c.Name, CreatedAt: now}
	if project != "" {
		k.Kind = sandlot.ProjectKey
	}
	return k
}

// mint draws an access and a refresh token, and returns them with their record.
func (s *Service) mint(now time.Time) (t Tokens, p Pair, err error) {
	if t.Access, err = s.Vault.MintToken(names.AccessPrefix); err != nil {
		return t, p, err
	}
	t.Refresh, err = s.Vault.MintToken(names.RefreshPrefix)
	t.Life = AccessLife
	return t, Pair{Token{t.Access.Hash(), now.Add(AccessLife)}, Token{t.Refresh.Hash(), now.Add(RefreshLife)}}, err
}

// of returns the tokens with the extent of their grant.
func (t Tokens) of(k sandlot.Key) Tokens {
	t.Scope = ScopeAccount
	if k.Project != "" {
		t.Scope, t.Project = ScopeProject, k.Project
	}
	return t
}
