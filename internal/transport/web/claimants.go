package web

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/account"
)

// claimants is what the first page of the account asks about others that its address was given for.
type claimants interface {
	Claimants(ctx context.Context, by sandlot.Caller) ([]account.LoginChoice, error)
	TakeOver(ctx context.Context, by sandlot.Caller, handle string) error
	Disown(ctx context.Context, by sandlot.Caller, handle string) error
}

func (o overviews) takeOver(v *visit) error {
	return o.settle(v, o.account.TakeOver, "said.taken-over")
}

func (o overviews) disown(v *visit) error { return o.settle(v, o.account.Disown, "said.disowned") }

// settle takes a step about the account of a handle. A form that is sent twice leads to the same page.
func (o overviews) settle(v *visit, step func(context.Context, sandlot.Caller, string) error, said string) error {
	handle := v.r.PostForm.Get("handle")
	err := step(v.r.Context(), v.by, handle)
	if errors.Is(err, sandlot.ErrNotFound) {
		return v.redirect("/account")
	}
	if err != nil {
		return err
	}
	return v.done("/account", said, "handle", handle)
}
