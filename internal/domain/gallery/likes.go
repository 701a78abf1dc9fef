package gallery

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/netip"

	"sandlot"
)

// tokenBytes is the size of each half of a player's token: random bytes, and a keyed hash of them that only this
// installation can make. The hash exposes a made-up token.
const tokenBytes = 16

// MintPlayerToken returns a token that distinguishes a browser from others. It does not identify the person. Nothing of
// it is stored until its browser likes a project, and then only a hash that differs from project to project.
func (s *Service) MintPlayerToken(_ context.Context, by sandlot.Caller) (string, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", err
	}
	token := make([]byte, tokenBytes, 2*tokenBytes)
	if _, err := rand.Read(token); err != nil {
		return "", fmt.Errorf("mint a player's token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(token, s.signature(token)...)), nil
}

// KnowsPlayerToken reports whether MintPlayerToken of this installation made the token.
func (s *Service) KnowsPlayerToken(_ context.Context, by sandlot.Caller, token string) bool {
	return sandlot.Authorize(by, sandlot.ActLook, nil) == nil && s.minted(token)
}

// minted reports whether MintPlayerToken of this installation made the token.
func (s *Service) minted(token string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return err == nil && len(b) == 2*tokenBytes && hmac.Equal(b[tokenBytes:], s.signature(b[:tokenBytes]))
}

// signature returns the second half of a token, made from the first. Its purpose keeps the old name "visitor", since
// browsers keep their tokens for a year.
func (s *Service) signature(token []byte) []byte {
	sum := s.vault.Keyed("visitor", string(token))
	return sum[:tokenBytes]
}

// Like records that the browser with a token likes a project, or removes that like, and returns the project's current
// likes. It is idempotent: a second call has no further effect. from is the address of the request. A like from a
// network that has reached its limit is recorded but not counted. A token that MintPlayerToken did not make is
// sandlot.ErrNotFound; a project that does not exist or was taken down is refused as by publish.Reader.Current.
func (s *Service) Like(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string, from netip.Addr, like bool) (int64, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return 0, err
	}
	if _, err := s.projects.Current(ctx, by, id); err != nil {
		return 0, err
	}
	if !s.minted(token) {
		return 0, fmt.Errorf("player's token: %w", sandlot.ErrNotFound)
	}
	player := s.liker(id, token)
	if !like {
		return s.store.Unlike(ctx, id, player)
	}
	liked, err := s.store.Liked(ctx, id, player)
	if err != nil {
		return 0, err
	}
	if liked { // nothing to do; an unlike that came in between counts as the later call
		p, err := s.projects.Find(ctx, by, string(id))
		return p.Likes, err
	}
	return s.store.Like(ctx, id, player, !s.Public || s.likes.take(id, from, s.Now()))
}

// Liked reports whether the browser with a token likes a project. It returns false for a token that MintPlayerToken did
// not make.
func (s *Service) Liked(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, token string) (bool, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return false, err
	}
	if !s.minted(token) {
		return false, nil
	}
	return s.store.Liked(ctx, id, s.liker(id, token))
}

// liker returns the hash under which a like is stored. It differs between projects, so that nobody can find out which
// other projects a browser likes.
func (s *Service) liker(id sandlot.ProjectID, token string) sandlot.Digest {
	return s.vault.Keyed("likes", string(id)+"\x00"+token)
}
