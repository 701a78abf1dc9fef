package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

func recoveryCases() []storeCase {
	return []storeCase{
		{"TakeEmailBack/the address is the account's, and verified, and all sessions end", takeEmailBack},
		{"TakeEmailBack/ends all moves of the account that came after it, and no earlier one", takeEmailBackEnds},
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
