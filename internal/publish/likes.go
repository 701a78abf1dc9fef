package publish

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"io"
)

// Liker is a visitor as the likes of one project know them: hashes that are others
// for each project, so that nobody can tell what else a visitor likes.
type Liker struct {
	Visitor Digest // of the token that the visitor's browser keeps
	Today   Digest // of what tells the visitors of a day apart without it
}

// A LikeStore keeps who likes what, under the same promises as a Store. Whoever has
// one of a Liker's hashes is the same visitor.
type LikeStore interface {
	// Like records that a visitor likes a project, and counts it in the project's Likes in the same step: once, however often and under whichever hash. It returns the likes there are now.
	Like(ctx context.Context, id ProjectID, by Liker) (likes int64, err error)
	// Unlike takes a like back: the one under Visitor, or where there is none, that under Today. Where there is neither it changes nothing.
	Unlike(ctx context.Context, id ProjectID, by Liker) (likes int64, err error)
	// Liked reports whether a visitor likes a project.
	Liked(ctx context.Context, id ProjectID, by Liker) (bool, error)
}

// A visitor's token is so many random bytes, and as many of a hash that only this
// installation can make: who makes up tokens likes once a day, not a thousand times.
const visitorBytes = 16

// MintVisitor returns a token by which a browser can be told from others. There is
// nothing in it about whose it is, and none of it is kept until they like something.
func (s *Service) MintVisitor() (string, error) {
	token := make([]byte, visitorBytes, 2*visitorBytes)
	if _, err := io.ReadFull(s.random, token); err != nil {
		return "", fmt.Errorf("mint visitor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(token, s.signature(token)...)), nil
}

// KnowsVisitor reports whether MintVisitor of this installation made the token.
func (s *Service) KnowsVisitor(token string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	return err == nil && len(b) == 2*visitorBytes && hmac.Equal(b[visitorBytes:], s.signature(b[:visitorBytes]))
}

func (s *Service) signature(token []byte) []byte {
	sum := s.keyed("visitor", string(token))
	return sum[:visitorBytes]
}

// Like records that a visitor likes a project, or takes that back, and returns the
// project's likes. Either can be said again without effect. today tells the visitors
// of a day apart; the token may be empty or made up, and counts for nothing then.
func (s *Service) Like(ctx context.Context, id ProjectID, token string, today PlayerID, like bool) (int64, error) {
	if _, err := s.Site(ctx, id); err != nil {
		return 0, err
	}
	change := s.site.Like
	if !like {
		change = s.site.Unlike
	}
	return change(ctx, id, s.liker(id, token, today))
}

// Liked reports whether a visitor likes a project.
func (s *Service) Liked(ctx context.Context, id ProjectID, token string, today PlayerID) (bool, error) {
	return s.site.Liked(ctx, id, s.liker(id, token, today))
}

func (s *Service) liker(id ProjectID, token string, today PlayerID) Liker {
	day := s.keyed("likes today", string(id)+"\x00"+string(today))
	if !s.KnowsVisitor(token) {
		return Liker{Visitor: day, Today: day}
	}
	return Liker{Visitor: s.keyed("likes", string(id)+"\x00"+token), Today: day}
}

// Counts returns a project's public numbers, for those who watch them: cheaper than
// Stats, and as exact. A project that was taken down is CodeTakenDown.
func (s *Service) Counts(ctx context.Context, id ProjectID) (Stats, error) {
	p, err := s.Site(ctx, id)
	if err != nil {
		return Stats{}, err
	}
	return s.stats(ctx, p), nil
}
