package publish

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
)

// A LikeStore keeps who likes what, under the same promises as a Store. By is a
// visitor as the likes of one project know them: a hash that is another one for
// each project, so that nobody can tell what else a visitor likes.
type LikeStore interface {
	// Like records that a visitor likes a project, once however often, and returns the likes there are now. A new one counts in the project's Likes in the same step if counted is set.
	Like(ctx context.Context, id ProjectID, by Digest, counted bool) (likes int64, err error)
	// Unlike takes a visitor's like back, and its count if it was counted. Where there is none it changes nothing.
	Unlike(ctx context.Context, id ProjectID, by Digest) (likes int64, err error)
	// Liked reports whether a visitor likes a project.
	Liked(ctx context.Context, id ProjectID, by Digest) (bool, error)
}

// A visitor's token is so many random bytes, and as many of a hash that only this
// installation can make: a token that was made up is nobody's.
const visitorBytes = 16

// MintPlayerToken returns a token by which a browser can be told from others. There is
// nothing in it about whose it is, and none of it is kept until they like something.
func (s *Service) MintPlayerToken(_ context.Context, by Caller) (string, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return "", err
	}
	token := make([]byte, visitorBytes, 2*visitorBytes)
	if _, err := io.ReadFull(s.random, token); err != nil {
		return "", fmt.Errorf("mint visitor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(token, s.signature(token)...)), nil
}

// KnowsPlayerToken reports whether MintPlayerToken of this installation made the token.
func (s *Service) KnowsPlayerToken(_ context.Context, by Caller, token string) bool {
	return Authorize(by, ActLook, nil) == nil && s.minted(token)
}

// minted reports whether the token is one of this installation.
func (s *Service) minted(token string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return err == nil && len(b) == 2*visitorBytes && hmac.Equal(b[visitorBytes:], s.signature(b[:visitorBytes]))
}

func (s *Service) signature(token []byte) []byte {
	sum := s.keyed("visitor", string(token))
	return sum[:visitorBytes]
}

// Like records that the browser with a token likes a project, or takes that back,
// and returns the project's likes. Either can be said again without effect. A like
// from a network that has added enough is kept and not counted. A token that
// MintPlayerToken did not make is ErrNotFound.
func (s *Service) Like(ctx context.Context, by Caller, id ProjectID, token string, from netip.Addr, like bool) (int64, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return 0, err
	}
	if _, err := s.Site(ctx, by, id); err != nil {
		return 0, err
	}
	if !s.minted(token) {
		return 0, fmt.Errorf("visitor: %w", ErrNotFound)
	}
	liker := s.liker(id, token)
	if !like {
		return s.site.Unlike(ctx, id, liker)
	}
	liked, err := s.site.Liked(ctx, id, liker)
	if err != nil {
		return 0, err
	}
	// Who presses again uses up nothing.
	counted := !liked && (!s.Public || s.likes.take(id, from, s.now()))
	return s.site.Like(ctx, id, liker, counted)
}

// Liked reports whether the browser with a token likes a project.
func (s *Service) Liked(ctx context.Context, by Caller, id ProjectID, token string) (bool, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return false, err
	}
	if !s.minted(token) {
		return false, nil
	}
	return s.site.Liked(ctx, id, s.liker(id, token))
}

func (s *Service) liker(id ProjectID, token string) Digest {
	return s.keyed("likes", string(id)+"\x00"+token)
}

// Counts returns a project's public numbers, for those who watch them: cheaper than
// Stats, and as exact. A project that was taken down is CodeTakenDown.
func (s *Service) Counts(ctx context.Context, by Caller, id ProjectID) (Stats, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return Stats{}, err
	}
	p, err := s.Site(ctx, by, id)
	if err != nil {
		return Stats{}, err
	}
	return s.stats(ctx, p), nil
}
