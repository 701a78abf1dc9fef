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

func (f failing) Signup(context.Context, publish.SignupInput) (publish.SignedUp, error) {
	return publish.SignedUp{}, f.err
}
