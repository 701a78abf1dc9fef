package cover

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/picture"
)

// The reasons why an import leaves a picture out.
const (
	hasPortrait = "The account has one, which stays."
	nowGone     = "What it was for was deleted or suspended meanwhile."
)

// Bring takes a picture of an import, as if its owner had sent it: into the caller's account or, if the operator
// imports, into b.Account. The owner's own choice stays. A picture that cannot be shown changes nothing; left is the
// reason for people why it was left out.
func (s *Service) Bring(ctx context.Context, by sandlot.Caller, b publish.Brought) (left string, err error) {
	if b.Account, err = bringsInto(by, b.Account); err != nil {
		return "", err
	}
	stays, err := s.stays(ctx, b)
	if err == nil && !stays {
		err = s.bring(ctx, b)
	}
	var problem *picture.Problem
	switch {
	case errors.As(err, &problem):
		return problem.Error(), nil
	case b.Portrait && (stays || errors.Is(err, sandlot.ErrMoved)):
		return hasPortrait, nil
	case errors.Is(err, sandlot.ErrMoved): // its owner chose meanwhile
		return "", nil
	case errors.Is(err, sandlot.ErrNotFound), errors.Is(err, sandlot.ErrSuspended):
		return nowGone, nil
	}
	return "", err
}

// bringsInto returns the account whose pictures by may bring.
func bringsInto(by sandlot.Caller, asked sandlot.AccountID) (sandlot.AccountID, error) {
	if sandlot.Authorize(by, sandlot.ActOperate, nil) == nil {
		return asked, nil
	}
	return by.Account(), sandlot.Authorize(by, sandlot.ActImport, nil)
}

// stays reports whether the owner has chosen a picture already.
func (s *Service) stays(ctx context.Context, b publish.Brought) (bool, error) {
	switch {
	case b.Portrait:
		sent, err := s.Store.Sent(ctx, b.Account)
		_, has := sent[""]
		return has, err
	case b.DryRun:
		return false, nil
	}
	p, state, err := s.Store.Cover(ctx, b.Project)
	if err == nil && p.Account != b.Account {
		err = sandlot.ErrNotFound
	}
	return state.Wish != Automatic, err
}

// bring makes the picture and, except in a dry run, records it.
func (s *Service) bring(ctx context.Context, b publish.Brought) error {
	shape := picture.Cover()
	if b.Portrait {
		shape = picture.Portrait()
	}
	var made picture.Made
	err := s.held(b.Bytes, func(src picture.Source) (err error) {
		made, err = s.inTurn(ctx, b.Account, src, shape)
		return err
	})
	if err != nil || b.DryRun {
		return err
	}
	return s.record(ctx, made, func(n *Fresh) error {
		n.First = true
		if b.Portrait {
			return s.Store.Portray(ctx, b.Account, n, s.Now())
		}
		return s.choose(ctx, b.Project, Uploaded, "", &Settled{Cover: n.ID, Fresh: n, Source: FromUpload, Made: string(FromUpload)})
	})
}
