package connect_test

import (
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestWhoIsLetInToConnect calls every method of the Service as every kind of caller, with a code that is none: who holds
// a caller sees the projects that it takes, and takes them in a session.
func TestWhoIsLetInToConnect(t *testing.T) {
	t.Parallel()
	const code = "slc_000000000000000000000000000000000000"
	missing := func(testworld.Seen) error { return sandlot.ErrNotFound }
	testworld.CheckAccess(t, reflect.TypeFor[*connect.Service](), nil, map[string]testworld.Gate{
		"Offer": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := s.Connect.Offer(t.Context(), by, code)
			return err
		}, Want: missing},
		"AskLogin": {Call: func(s *testworld.Scene, by sandlot.Caller) error {
			_, err := s.Connect.AskLogin(t.Context(), by, code, account.LoginInput{Email: "max@example.org"})
			return err
		}, Want: missing},
		"Take": {Call: func(s *testworld.Scene, by sandlot.Caller) error { return s.Connect.Take(t.Context(), by, code) }, Want: func(seen testworld.Seen) error {
			switch {
			case seen.Who == "the owner's session" && seen.State == "account suspended":
				return sandlot.CodeAccountSuspended
			case seen.Who == "the owner's session" || seen.Who == "another's session":
				return sandlot.ErrNotFound
			}
			return sandlot.ErrLoginNeeded
		}},
	})
}

func TestEverybodySeesTheProjectsUnderTheirOwnerAtOnce(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := testworld.New(t, on)
			made, err := w.Publish.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Handle: "kim", Email: "kim@example.org"})
			expect.OK(t, err)
			_, err = w.Account.Verify(t.Context(), testworld.Nobody(), w.Token("/verify"))
			expect.OK(t, err)
			out, _, err := w.Publish.Publish(t.Context(), testworld.Nobody(), publish.PublishInput{Tool: true, Content: w.Stage("<!doctype html>")})
			expect.OK(t, err)
			read := func(s *publish.Service) sandlot.Project {
				v, err := s.Reader.Project(t.Context(), testworld.Nobody(), string(out.Project.ID))
				expect.OK(t, err)
				return v.Project
			}
			read(w.Publish)
			expect.OK(t, w.Connect.Take(t.Context(), w.OwnerOf(made.Account.ID), out.Keys.Connect.Reveal()))
			expect.Equal(t, "the owner on this node", read(w.Publish).Handle, "kim")
			_, err = w.Callers.Identify(t.Context(), sandlot.Presented{Key: out.Keys.Edit, Tool: true}, sandlot.Sender{})
			expect.Equal(t, "the edit_token", sandlot.AsError(err).Code, sandlot.CodeInvalidKey)
		})
	}
}
