package web

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
)

// claimants is what the first page of the account asks about others that its address was given for.
type claimants interface {
	Claimants(ctx context.Context, by sandlot.Caller) ([]account.LoginChoice, error)
	TakeOver(ctx context.Context, by sandlot.Caller, handle string) error
	Disown(ctx context.Context, by sandlot.Caller, handle string) error
}

// claimed are the forms of what was published with one's address and never confirmed.
type claimed struct{ *Pages }

func (c claimed) routes() []route {
	return []route{
		{"POST", "/account/claimed", recent, admission.Look, form(maxForm, c.takeOver, "handle")},
		{"POST", "/account/claimed/no", recent, admission.Look, form(maxForm, c.disown, "handle")},
	}
}

func (c claimed) takeOver(v *visit) error {
	return c.settle(v, c.Account.TakeOver, "said.taken-over")
}

func (c claimed) disown(v *visit) error { return c.settle(v, c.Account.Disown, "said.disowned") }

// settle takes a step about the account of a handle. A form that is sent twice leads to the same page.
func (c claimed) settle(v *visit, step func(context.Context, sandlot.Caller, string) error, said string) error {
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
