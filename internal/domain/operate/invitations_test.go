package operate_test

import (
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func invitationsOf(t *testing.T, w *testworld.World) *operate.Invitations {
	t.Helper()
	s, err := operate.NewInvitations(t.Context(), w.DB.Operate().Invitations(), nil, w.Now)
	expect.OK(t, err)
	return s
}

func TestAnInvitationOpensOneAccountWithItsLimit(t *testing.T) {
	t.Parallel()
	w := testworld.New(t, testworld.With(func(c *publish.Config) { c.Opening = sandlot.OpenToKeys }))
	s := invitationsOf(t, w)
	join := func(token string) (publish.SignedUp, error) {
		return w.Publish.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Handle: "kim", Invitation: token})
	}
	if _, err := join(""); !errors.Is(err, sandlot.CodePublishClosed) {
		t.Errorf("without one: %v", err)
	}
	i, token, err := s.Invite(t.Context(), byOperator, operate.InviteInput{Projects: 1, Days: 2})
	expect.OK(t, err)
	expect.Equal(t, "its life", i.ExpiresAt.Sub(i.MadeAt), 48*time.Hour)
	out, err := join(token)
	expect.OK(t, err)
	by, err := w.Callers.Identify(t.Context(), sandlot.Presented{Key: out.Key}, sandlot.Sender{})
	expect.OK(t, err)
	for n, want := range []error{nil, sandlot.CodeQuotaExceeded} {
		_, _, dry := w.Publish.Publish(t.Context(), by, publish.PublishInput{Content: w.Stage(page), DryRun: true})
		_, _, err := w.Publish.Publish(t.Context(), by, publish.PublishInput{Content: w.Stage(page)})
		if !errors.Is(err, want) || !errors.Is(dry, want) {
			t.Errorf("project %d: %v, tried: %v", n+1, err, dry)
		}
		var e *sandlot.Error
		if errors.As(err, &e) {
			expect.Equal(t, "the message", e.Message, "The account has 1 projects, which is the limit.")
		}
	}
	_, late, err := s.Invite(t.Context(), byOperator, operate.InviteInput{})
	expect.OK(t, err)
	w.Clock.Move(operate.InvitationDays * 24 * time.Hour)
	for what, token := range map[string]string{"a used one": token, "one that has ended": late, "an unknown one": "x"} {
		if _, err := join(token); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAClosedInstanceOpensNoAccountByAnInvitation(t *testing.T) {
	t.Parallel()
	w := testworld.New(t, testworld.With(func(c *publish.Config) { c.Opening = sandlot.Closed }))
	_, token, err := invitationsOf(t, w).Invite(t.Context(), byOperator, operate.InviteInput{})
	expect.OK(t, err)
	if _, err := w.Publish.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Invitation: token}); !errors.Is(err, sandlot.CodePublishClosed) {
		t.Error(err)
	}
}

func TestOnlyOperatorsInvite(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	s := invitationsOf(t, w)
	kim := w.NewAccount()
	a, err := w.DB.Publish().Account(t.Context(), kim.Account())
	expect.OK(t, err)
	me := func() sandlot.Caller { return w.OwnerOf(kim.Account()) }
	call := func(by sandlot.Caller) error {
		i, token, err := s.Invite(t.Context(), by, operate.InviteInput{Form: "form"})
		if err != nil {
			return err
		}
		_, again, err := s.Invite(t.Context(), by, operate.InviteInput{Form: "form"})
		expect.OK(t, err)
		expect.Equal(t, "the link of the form again", again, token)
		list, err := s.List(t.Context(), by, 0, 9)
		expect.OK(t, err)
		expect.Equal(t, "invitations", len(list), 1)
		expect.Equal(t, "its maker", list[0].By, by.OperatorName())
		return s.End(t.Context(), by, i.ID)
	}
	grant := func(off bool) {
		_, err := w.Operate.Grant(t.Context(), byOperator, "@"+a.Handle, sandlot.OperatorRole, off, "")
		expect.OK(t, err)
	}
	for _, by := range []sandlot.Caller{testworld.Nobody(), kim, me()} {
		if err := call(by); !errors.Is(err, sandlot.ErrOperatorNeeded) {
			t.Errorf("%+v: %v", by, err)
		}
		if _, err := s.List(t.Context(), by, 0, 9); !errors.Is(err, sandlot.ErrOperatorNeeded) {
			t.Error(err)
		}
		if err := s.End(t.Context(), by, 1); !errors.Is(err, sandlot.ErrOperatorNeeded) {
			t.Error(err)
		}
	}
	grant(false)
	expect.OK(t, call(me()))
	if err := call(kim); !errors.Is(err, sandlot.ErrOperatorNeeded) {
		t.Errorf("the key of an operator's account: %v", err)
	}
	if _, err := w.Operate.Grant(t.Context(), byOperator, "@"+a.Handle, sandlot.OperatorRole, false, ""); err == nil {
		t.Error("the role was granted twice")
	}
	log, err := w.Operate.Log(t.Context(), byOperator, operate.LogQuery{Limit: 9})
	expect.OK(t, err)
	var acts []string
	for _, e := range log {
		acts = append(acts, e.Who()+" "+e.Action+" "+e.Target)
	}
	as := "@" + a.Handle + " (operator) "
	expect.Same(t, "the log", acts, []string{as + "end-invitation invitation:1", as + "invite invitation:1", "operator grant @" + a.Handle})
	grant(true)
	if err := call(me()); !errors.Is(err, sandlot.ErrOperatorNeeded) {
		t.Errorf("after the role has ended: %v", err)
	}
}

// TestOneOfManyNodesOpensAnInvitation on both engines: three nodes get the same link at once.
func TestOneOfManyNodesOpensAnInvitation(t *testing.T) {
	t.Parallel()
	for name, on := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := testworld.New(t, on, testworld.With(func(c *publish.Config) { c.Opening = sandlot.OpenToKeys }))
			nodes := []*testworld.World{w, w.Node(t), w.Node(t)}
			_, token, err := invitationsOf(t, w).Invite(t.Context(), byOperator, operate.InviteInput{})
			expect.OK(t, err)
			answers := make(chan error, 12)
			for i := range cap(answers) {
				go func() {
					_, err := nodes[i%len(nodes)].Publish.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Invitation: token})
					answers <- err
				}()
			}
			opened := 0
			for range cap(answers) {
				switch err := <-answers; {
				case err == nil:
					opened++
				case !errors.Is(err, sandlot.ErrNotFound):
					t.Error(err)
				}
			}
			expect.Equal(t, "accounts that it opened", opened, 1)
		})
	}
}
