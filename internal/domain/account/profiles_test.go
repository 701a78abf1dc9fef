package account_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestWordsAreBroughtIntoFormOrRefusedAndShownOfVerifiedAccountsAlone(t *testing.T) {
	t.Parallel()
	w, ctx := testworld.New(t), t.Context()
	s := account.NewProfiles(w.DB.People())
	made, err := w.Publish.Signup(ctx, testworld.Nobody(), publish.SignupInput{Handle: "kim"})
	expect.OK(t, err)
	me := w.OwnerOf(w.CallerOf(made.Key).Account())
	kept, err := s.Describe(ctx, me, account.Words{Line: " Small <b>games\u202e\x07\nfor  rainy days ", Link: "example.com/me"})
	expect.OK(t, err)
	expect.Equal(t, "kept", kept, account.Words{Line: "Small <b>games for rainy days", Link: "https://example.com/me"})
	for field, bad := range map[string]account.Words{"line": {Line: strings.Repeat("é", account.MaxLine+1)}, "link": {Link: "javascript:alert(1)"}} {
		_, err := s.Describe(ctx, me, bad)
		expect.Is(t, field, err, sandlot.CodeInvalidField)
		expect.Equal(t, "the field", sandlot.AsError(err).Field, field)
	}
	own, err := s.Own(ctx, me)
	expect.OK(t, err)
	expect.Equal(t, "after refusals", own, kept)
	p, err := s.Person(ctx, testworld.Nobody(), "kim")
	expect.OK(t, err)
	expect.Equal(t, "of an address that is not verified", p.Words, account.Words{})
	_, err = s.Person(ctx, testworld.Nobody(), "never-was")
	expect.Is(t, "of nobody", err, sandlot.ErrNotFound)
}
