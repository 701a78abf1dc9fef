package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
)

func recoveryCases() []storeCase {
	return []storeCase{
		{"ProposeEmail/records a move to a new address, in place of one proposed before, and enqueues the job", proposeEmail},
		{"ProposeEmail/one more than limit proposals that have not expired is ErrTooOften", proposeTooOften},
		{"WithdrawEmail/ends all proposals of an account, which go on to count", withdrawEmail},
		{"AddEmailLink/returns the account's handle, and what is no move any more is ErrNotFound", addEmailLink},
		{"EmailLink/returns the move of a token, if it is an Undo or not as asked", emailLink},
		{"EmailLink/a proposal that is not the last is ErrNotFound", emailLinkReplaced},
		{"TakeEmail/the address is the account's, and verified", takeEmail},
		{"TakeEmail/consumes the token, with all proposals of the account", takeEmailOnce},
		{"TakeEmail/the address before can be taken back until undoUntil, and gets the job", takeEmailNotice},
		{"TakeEmail/an address before that was not verified gets nothing", takeEmailUnverified},
		{"TakeEmailBack/the address is the account's, and verified, and all sessions end", takeEmailBack},
		{"TakeEmailBack/ends all moves of the account that came after it, and no earlier one", takeEmailBackEnds},
		{"Sweep/forgets moves that have expired, with their links and the messages to their addresses", sweepMoves},
	}
}

const (
	moveLife = time.Hour
	undoLife = 5 * time.Hour
)

// propose records a proposal with a link.
func (s Stores) propose(t *testing.T, a sandlot.Account, address, link string) {
	t.Helper()
	m := account.EmailMove{Account: a.ID, Email: address, ExpiresAt: base().Add(moveLife)}
	ok(t, s.Accounts.ProposeEmail(t.Context(), m, sandlot.Job{Kind: "proposal", Address: address, Lang: "de", Due: base()}, base(), 3))
	must(s.Mail.AddEmailLink(t.Context(), token(link), m, base()))(t)
}

// take uses a link, which gives the address before a way back.
func (s Stores) take(t *testing.T, link string) sandlot.Account {
	t.Helper()
	return must(s.Accounts.TakeEmail(t.Context(), token(link), base(), base().Add(undoLife), sandlot.Job{Kind: "notice", Due: base()}))(t)
}

// move makes an address the account's, and gives the one before a link back.
func (s Stores) move(t *testing.T, a sandlot.Account, address, back string) sandlot.Account {
	t.Helper()
	s.propose(t, a, address, "to "+address)
	moved := s.take(t, "to "+address)
	must(s.Mail.AddEmailLink(t.Context(), token(back), account.EmailMove{Account: a.ID, Email: a.Email, Undo: true}, base()))(t)
	return moved
}

func withdrawEmail(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "kim@example.com"), s.verified(t, "lee", "lee@example.com")
	ok(t, s.Accounts.WithdrawEmail(t.Context(), kim.ID))
	s.move(t, kim, "second@example.com", "back")
	for n, address := range []string{"a@example.com", "b@example.com", "c@example.com"} {
		s.propose(t, kim, address, fmt.Sprint(n))
	}
	s.propose(t, lee, "other@example.com", "of lee")
	for range 2 {
		ok(t, s.Accounts.WithdrawEmail(t.Context(), kim.ID))
	}
	_, err := s.Accounts.ProposedEmail(t.Context(), kim.ID, base())
	wants(t, "proposed", err, sandlot.ErrNotFound)
	for n := range 3 {
		_, err = s.Accounts.EmailLink(t.Context(), token(fmt.Sprint(n)), false, base())
		wants(t, "its link", err, sandlot.ErrNotFound)
	}
	m := account.EmailMove{Account: kim.ID, Email: "c@example.com", ExpiresAt: base().Add(moveLife)}
	_, err = s.Mail.AddEmailLink(t.Context(), token("late"), m, base())
	wants(t, "a link that comes late", err, sandlot.ErrNotFound)
	wants(t, "one more", s.Accounts.ProposeEmail(t.Context(), m, sandlot.Job{Kind: "proposal", Due: base()}, base(), 3), account.ErrTooOften)
	same(t, "of another account", must(s.Accounts.ProposedEmail(t.Context(), lee.ID, base()))(t).Email, "other@example.com")
	same(t, "the way back", must(s.Accounts.TakeEmailBack(t.Context(), token("back"), base()))(t).Email, "kim@example.com")
}

func proposeEmail(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Hour), account.Busy{}, 100))(t)
	_, err := s.Accounts.ProposedEmail(t.Context(), kim.ID, base())
	wants(t, "before", err, sandlot.ErrNotFound)
	s.propose(t, kim, "wrong@example.com", "one")
	s.propose(t, kim, "right@example.com", "two")
	got := must(s.Accounts.ProposedEmail(t.Context(), kim.ID, base()))(t)
	same(t, "proposed", []string{got.Email, got.Handle}, []string{"right@example.com", "kim"})
	same(t, "the account", must(s.Publish.Account(t.Context(), kim.ID))(t), kim)
	var addresses []string
	for _, j := range must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Hour), account.Busy{}, 100))(t) {
		addresses = append(addresses, j.Kind+" "+j.Address+" "+j.Lang)
	}
	same(t, "jobs", addresses, []string{"proposal wrong@example.com de", "proposal right@example.com de"})
	_, err = s.Accounts.ProposedEmail(t.Context(), kim.ID, base().Add(2*moveLife))
	wants(t, "expired", err, sandlot.ErrNotFound)
	wants(t, "of no account", s.Accounts.ProposeEmail(t.Context(), account.EmailMove{Account: kim.ID + 1}, sandlot.Job{}, base(), 3), sandlot.ErrNotFound)
}

func proposeTooOften(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	for i := range 3 {
		s.propose(t, kim, fmt.Sprintf("kim-%d@example.com", i), fmt.Sprint(i))
	}
	m := account.EmailMove{Account: kim.ID, Email: "more@example.com", ExpiresAt: base().Add(2 * moveLife)}
	wants(t, "the fourth", s.Accounts.ProposeEmail(t.Context(), m, sandlot.Job{}, base(), 3), account.ErrTooOften)
	ok(t, s.Accounts.ProposeEmail(t.Context(), m, sandlot.Job{Kind: "proposal", Due: base()}, base().Add(moveLife+time.Minute), 3))
}

func addEmailLink(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "old@example.com", "one")
	m := account.EmailMove{Account: kim.ID, Email: "new@example.com", ExpiresAt: base().Add(moveLife)}
	ok(t, s.Accounts.ProposeEmail(t.Context(), m, sandlot.Job{Kind: "proposal", Due: base()}, base(), 3))
	same(t, "the handle", must(s.Mail.AddEmailLink(t.Context(), token("two"), m, base()))(t), "kim")
	for what, m := range map[string]account.EmailMove{
		"a replaced one": {Account: kim.ID, Email: "old@example.com"},
		"another way":    {Account: kim.ID, Email: "new@example.com", Undo: true},
		"another's":      {Account: kim.ID + 1, Email: "new@example.com"},
	} {
		_, err := s.Mail.AddEmailLink(t.Context(), token(what), m, base())
		wants(t, what, err, sandlot.ErrNotFound)
	}
	_, err := s.Mail.AddEmailLink(t.Context(), token("late"), m, base().Add(2*moveLife))
	wants(t, "an expired one", err, sandlot.ErrNotFound)
	ok(t, s.Operate.Suspend(t.Context(), sandlot.Subject{Account: kim.ID}, entry(sandlot.ActionSuspend, "@kim")))
	_, err = s.Mail.AddEmailLink(t.Context(), token("three"), m, base())
	wants(t, "that of a suspended account", err, sandlot.ErrNotFound)
}

func emailLink(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "new@example.com", "link")
	got := must(s.Accounts.EmailLink(t.Context(), token("link"), false, base()))(t)
	same(t, "the move", []any{got.Account, got.Handle, got.Email, got.Undo}, []any{kim.ID, "kim", "new@example.com", false})
	_, err := s.Accounts.EmailLink(t.Context(), token("link"), true, base())
	wants(t, "as an undo", err, sandlot.ErrNotFound)
	_, err = s.Accounts.EmailLink(t.Context(), token("link"), false, got.ExpiresAt)
	wants(t, "expired", err, sandlot.ErrNotFound)
	_, err = s.Accounts.EmailLink(t.Context(), token("other"), false, base())
	wants(t, "another token", err, sandlot.ErrNotFound)
}

func emailLinkReplaced(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "wrong@example.com", "one")
	s.propose(t, kim, "right@example.com", "two")
	_, err := s.Accounts.EmailLink(t.Context(), token("one"), false, base())
	wants(t, "the replaced one", err, sandlot.ErrNotFound)
	_, err = s.Accounts.TakeEmail(t.Context(), token("one"), base(), base(), sandlot.Job{})
	wants(t, "taken", err, sandlot.ErrNotFound)
	same(t, "the account", must(s.Publish.Account(t.Context(), kim.ID))(t), kim)
	must(s.Accounts.EmailLink(t.Context(), token("two"), false, base()))(t)
}

func takeEmail(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "new@example.com", "link")
	got := s.take(t, "link")
	kim.Email = "new@example.com"
	same(t, "the account", got, kim)
	same(t, "the account, read again", must(s.Publish.Account(t.Context(), kim.ID))(t), kim)
}

func takeEmailOnce(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "new@example.com", "link")
	s.take(t, "link")
	_, err := s.Accounts.TakeEmail(t.Context(), token("link"), base(), base(), sandlot.Job{})
	wants(t, "again", err, sandlot.ErrNotFound)
	_, err = s.Accounts.ProposedEmail(t.Context(), kim.ID, base())
	wants(t, "what is proposed", err, sandlot.ErrNotFound)
}

func takeEmailNotice(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Hour), account.Busy{}, 100))(t)
	s.move(t, kim, "new@example.com", "back")
	jobs := must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Hour), account.Busy{}, 100))(t)
	last := jobs[len(jobs)-1]
	same(t, "the job", []any{last.Kind, last.Account, last.Address, last.Lang}, []any{"notice", kim.ID, "kim@example.com", kim.Lang})
	must(s.Accounts.EmailLink(t.Context(), token("back"), true, base().Add(undoLife-time.Minute)))(t)
	_, err := s.Accounts.TakeEmailBack(t.Context(), token("back"), base().Add(undoLife+time.Minute))
	wants(t, "too late", err, sandlot.ErrNotFound)
}

func takeEmailUnverified(t *testing.T, s Stores) {
	kim := s.withEmail(t, "kim")
	s.propose(t, kim, "new@example.com", "link")
	s.take(t, "link")
	_, err := s.Mail.AddEmailLink(t.Context(), token("back"), account.EmailMove{Account: kim.ID, Email: kim.Email, Undo: true}, base())
	wants(t, "a link back", err, sandlot.ErrNotFound)
}

func takeEmailBack(t *testing.T, s Stores) {
	kim, lee := s.verified(t, "kim", "kim@example.com"), s.mustAccount(t, newAccount("lee"))
	s.move(t, kim, "new@example.com", "back")
	s.session(t, kim, "one")
	s.session(t, lee, "two")
	same(t, "the account", must(s.Accounts.TakeEmailBack(t.Context(), token("back"), base()))(t), kim)
	same(t, "its sessions", len(must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t)), 0)
	same(t, "another's", len(must(s.Accounts.Sessions(t.Context(), lee.ID, base()))(t)), 1)
	_, err := s.Accounts.TakeEmailBack(t.Context(), token("back"), base())
	wants(t, "again", err, sandlot.ErrNotFound)
}

func takeEmailBackEnds(t *testing.T, s Stores) {
	first := s.verified(t, "kim", "first@example.com")
	second := s.move(t, first, "second@example.com", "to first")
	third := s.move(t, second, "third@example.com", "to second")
	s.move(t, third, "fourth@example.com", "to third")
	s.propose(t, third, "fifth@example.com", "to fifth")
	must(s.Accounts.TakeEmailBack(t.Context(), token("to second"), base()))(t)
	_, err := s.Accounts.TakeEmailBack(t.Context(), token("to third"), base())
	wants(t, "a later one", err, sandlot.ErrNotFound)
	_, err = s.Accounts.TakeEmail(t.Context(), token("to fifth"), base(), base(), sandlot.Job{})
	wants(t, "a proposal", err, sandlot.ErrNotFound)
	same(t, "an earlier one", must(s.Accounts.TakeEmailBack(t.Context(), token("to first"), base()))(t), first)
}

func sweepMoves(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.propose(t, kim, "new@example.com", "link")
	_, _, err := s.Upkeep.Sweep(t.Context(), base().Add(2*moveLife), base(), 1000)
	ok(t, err)
	_, err = s.Accounts.EmailLink(t.Context(), token("link"), false, base())
	wants(t, "the link, read as of before", err, sandlot.ErrNotFound)
	same(t, "whose messages go", must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{}, 9))(t), []operate.ForgottenEmail{{Account: kim.ID, Email: "new@example.com"}})
}
