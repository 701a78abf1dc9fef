package gallery

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/netip"

	"sandlot/internal/publish"
)

// A player's token is so many random bytes, and as many of a hash that only this
// installation can make: a token that was made up is nobody's.
const tokenBytes = 16

// MintPlayerToken returns a token by which a browser can be told from others. There is
// nothing in it about whose it is, and none of it is kept until they like something.
func (s *Service) MintPlayerToken(_ context.Context, by publish.Caller) (string, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return "", err
	}
	token := make([]byte, tokenBytes, 2*tokenBytes)
	if _, err := rand.Read(token); err != nil {
		return "", fmt.Errorf("mint a player's token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(token, s.signature(token)...)), nil
}

// KnowsPlayerToken reports whether MintPlayerToken of this installation made the token.
func (s *Service) KnowsPlayerToken(_ context.Context, by publish.Caller, token string) bool {
	return publish.Authorize(by, publish.ActLook, nil) == nil && s.minted(token)
}

func (s *Service) minted(token string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return err == nil && len(b) == 2*tokenBytes && hmac.Equal(b[tokenBytes:], s.signature(b[:tokenBytes]))
}

// signature has the purpose that the first tokens had: browsers keep theirs for a year.
func (s *Service) signature(token []byte) []byte {
	sum := s.vault.Keyed("visitor", string(token))
	return sum[:tokenBytes]
}

// Like records that the browser with a token likes a project, or takes that back,
// and returns the project's likes. Idempotent: a second call has no further effect. A like
// from a network that has added enough is kept and not counted. A token that
// MintPlayerToken did not make is publish.ErrNotFound.
func (s *Service) Like(ctx context.Context, by publish.Caller, id publish.ProjectID, token string, from netip.Addr, like bool) (int64, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return 0, err
	}
	if _, err := s.projects.Site(ctx, by, id); err != nil {
		return 0, err
	}
	if !s.minted(token) {
		return 0, fmt.Errorf("player's token: %w", publish.ErrNotFound)
	}
	player := s.liker(id, token)
	if !like {
		return s.store.Unlike(ctx, id, player)
	}
	liked, err := s.store.Liked(ctx, id, player)
	if err != nil {
		return 0, err
	}
	// Who presses again uses up nothing.
	counted := !liked && (!s.Public || s.likes.take(id, from, s.Now()))
	return s.store.Like(ctx, id, player, counted)
}

// Liked reports whether the browser with a token likes a project.
func (s *Service) Liked(ctx context.Context, by publish.Caller, id publish.ProjectID, token string) (bool, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return false, err
	}
	if !s.minted(token) {
		return false, nil
	}
	return s.store.Liked(ctx, id, s.liker(id, token))
}

func (s *Service) liker(id publish.ProjectID, token string) publish.Digest {
	return s.vault.Keyed("likes", string(id)+"\x00"+token)
}
