package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

func stopCases() []storeCase {
	return []storeCase{
		{"StopMail/takes these addresses away from accounts that have not verified them, with all tokens", stopTakesClaims},
		{"StopMail/takes these addresses out of proposals, with all tokens, and none before counts again", stopTakesProposals},
		{"Stops/returns stops, newest first, at most limit, after the skip newest, or of one mailbox", listStops},
		{"LiftStops/forgets all stops of a mailbox and records e, and without any it is ErrNotFound", liftStops},
		{"Suspend/keeps the verified mailbox of an account from verifying another, until the last account with it is reinstated", reserveMailbox},
		{"Suspend/keeps it so when the account is deleted, until its stops are lifted", reserveMailboxOfDeleted},
	}
}

func stop(kind string) sandlot.Stop {
	return sandlot.Stop{Mailbox: sum("kim@example.com"), Kind: kind, At: base()}
}

// stop stops the mailbox of kim@example.com.
func (s Stores) stop(t *testing.T, kind string) {
	t.Helper()
	ok(t, s.Accounts.StopMail(t.Context(), stop(kind), "kim@example.com"))
}

// spellings are addresses of one mailbox, and others those of its neighbours.
func spellings() (same, others []string) {
	return []string{"kim@example.com", "Kim@example.com", "kim+@example.com", "KIM+a-tag@example.com"},
		[]string{"kim@example.org", "kim+tag@sub.example.com", "kima@example.com", "ki@example.com", "kim,@example.com", "kim-@example.com"}
}

func stopTakesClaims(t *testing.T, s Stores) {
	mine, others := spellings()
	owner := s.verified(t, "owner", "kim@example.com")
	var claims, kept []sandlot.Account
	for _, email := range mine {
		claims = append(claims, s.claimant(t, email))
	}
	for _, email := range others {
		kept = append(kept, s.claimant(t, email))
	}
	s.stop(t, sandlot.StopClaims)
	for _, a := range claims {
		wants(t, "the token of "+a.Email, drop(s.Accounts.Verification(t.Context(), sum("claim of "+a.Email), base())), sandlot.ErrNotFound)
		a.Email = ""
		same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	}
	for _, a := range append(kept, owner) {
		same(t, "another account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	}
	for _, a := range kept {
		must(s.Accounts.Verification(t.Context(), sum("claim of "+a.Email), base()))(t)
	}
}

func stopTakesProposals(t *testing.T, s Stores) {
	lee, max := s.verified(t, "lee", "lee@example.com"), s.verified(t, "max", "kim@example.com")
	s.propose(t, lee, "wrong@example.com", "first")
	s.propose(t, lee, "Kim+x@example.com", "second")
	s.move(t, max, "max@example.com", "back")
	s.stop(t, sandlot.StopClaims)
	wants(t, "its link", drop(s.Accounts.EmailLink(t.Context(), token("second"), false, base())), sandlot.ErrNotFound)
	wants(t, "taken", drop(s.Accounts.TakeEmail(t.Context(), token("second"), base(), base(), sandlot.Job{})), sandlot.ErrNotFound)
	wants(t, "the proposal before", drop(s.Accounts.EmailLink(t.Context(), token("first"), false, base())), sandlot.ErrNotFound)
	_, err := s.Accounts.ProposedEmail(t.Context(), lee.ID, base())
	wants(t, "what is proposed", err, sandlot.ErrNotFound)
	must(s.Accounts.EmailLink(t.Context(), token("back"), true, base()))(t)
}

func listStops(t *testing.T, s Stores) {
	var all []sandlot.Stop
	for _, name := range []string{"a", "b", "c"} {
		one := sandlot.Stop{Mailbox: sum(name), Kind: sandlot.StopClaims, At: base()}
		ok(t, s.Accounts.StopMail(t.Context(), one, name+"@example.com"))
		all = append([]sandlot.Stop{one}, all...)
	}
	same(t, "all", must(s.Operate.Stops(t.Context(), nil, base(), 0, 9))(t), all)
	same(t, "the middle", must(s.Operate.Stops(t.Context(), nil, base(), 1, 1))(t), all[1:2])
	same(t, "of one", must(s.Operate.Stops(t.Context(), &all[2].Mailbox, base(), 0, 9))(t), all[2:])
}

func liftStops(t *testing.T, s Stores) {
	e := entry(sandlot.ActionAllowMail, "mailbox:123")
	wants(t, "without any", s.Operate.LiftStops(t.Context(), sum("kim@example.com"), e), sandlot.ErrNotFound)
	same(t, "the log then", len(must(s.Operate.Log(t.Context(), operate.LogQuery{Limit: 9}))(t)), 0)
	s.stop(t, sandlot.StopClaims)
	s.stop(t, sandlot.StopLogins)
	ok(t, s.Operate.LiftStops(t.Context(), sum("kim@example.com"), e))
	same(t, "the list", len(must(s.Operate.Stops(t.Context(), nil, base(), 0, 9))(t)), 0)
	same(t, "the log", must(s.Operate.Log(t.Context(), operate.LogQuery{Limit: 9}))(t)[0].Target, e.Target)
}

// provedBy records an account that wants to verify an address, and returns the step that does.
func (s Stores) provedBy(t *testing.T, handle, email string) func() error {
	t.Helper()
	na := newAccount(handle)
	na.Email = email
	s.mustVerification(t, s.mustAccount(t, na), "token of "+handle, base().Add(time.Hour))
	return func() error { return drop(s.Accounts.UseVerification(t.Context(), sum("token of "+handle), base())) }
}

func reserveMailbox(t *testing.T, s Stores) {
	lee, max := s.verified(t, "lee", "kim@example.com"), s.verified(t, "max", "kim+2@example.com")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(lee.ID), entry(sandlot.ActionSuspend, "@lee")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(max.ID), entry(sandlot.ActionSuspend, "@max")))
	again, ada := s.provedBy(t, "again", "KIM+x@example.com"), s.verified(t, "ada", "ada@example.com")
	s.propose(t, ada, "kim@example.com", "link")
	taken := func() error {
		return drop(s.Accounts.TakeEmail(t.Context(), token("link"), base(), base(), sandlot.Job{Kind: "notice", Due: base()}))
	}
	wants(t, "another account", again(), sandlot.ErrSuspended)
	wants(t, "a new address of an account", taken(), sandlot.ErrSuspended)
	ok(t, s.provedBy(t, "other", "kim@example.org")())
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(lee.ID), entry(sandlot.ActionReinstate, "@lee")))
	wants(t, "another account, while one is suspended", again(), sandlot.ErrSuspended)
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(max.ID), entry(sandlot.ActionReinstate, "@max")))
	ok(t, again())
	ok(t, taken())
}

func reserveMailboxOfDeleted(t *testing.T, s Stores) {
	lee := s.verified(t, "lee", "kim@example.com")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(lee.ID), entry(sandlot.ActionSuspend, "@lee")))
	ok(t, s.Operate.Remove(t.Context(), ofAccount(lee.ID), entry(sandlot.ActionDelete, "@lee")))
	again := s.provedBy(t, "again", "kim@example.com")
	wants(t, "another account", again(), sandlot.ErrSuspended)
	ok(t, s.Operate.LiftStops(t.Context(), sum("kim@example.com"), entry(sandlot.ActionReinstate, "kim")))
	ok(t, again())
}

// claimant is an account that has not verified its address, with a token.
func (s Stores) claimant(t *testing.T, email string) sandlot.Account {
	t.Helper()
	na := newAccount("claims " + email)
	na.Email = email
	a := s.mustAccount(t, na)
	s.mustVerification(t, a, "claim of "+email, base().Add(time.Hour))
	return a
}
