package api

import (
	"context"

	"sandlot/internal/publish"
)

// failing is a Service whose signup fails.
type failing struct {
	Service
	err error
}

func (f failing) Signup(context.Context, publish.Caller, publish.SignupInput) (publish.SignedUp, error) {
	return publish.SignedUp{}, f.err
}

// switched is a failing Service that works while there is no error.
type switched struct{ failing }

func (s *switched) Signup(ctx context.Context, by publish.Caller, in publish.SignupInput) (publish.SignedUp, error) {
	if s.err == nil {
		return s.Service.Signup(ctx, by, in)
	}
	return s.failing.Signup(ctx, by, in)
}
