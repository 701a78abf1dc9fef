package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
)

func peopleCases() []storeCase {
	return []storeCase{
		{"SetWords/an account that is gone is ErrNotFound, and its words are deleted", wordsOfTheGone},
	}
}

func wordsOfTheGone(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	ok(t, s.People.SetWords(t.Context(), kim.ID, account.Words{Line: "hello"}))
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Account: kim.ID}, sandlot.LogEntry{At: base()}))
	same(t, "its words", must(s.People.Words(t.Context(), kim.ID))(t), account.Words{})
	wants(t, "of the gone", s.People.SetWords(t.Context(), kim.ID, account.Words{Line: "again"}), sandlot.ErrNotFound)
	wants(t, "nothing of the gone", s.People.SetWords(t.Context(), kim.ID, account.Words{}), sandlot.ErrNotFound)
}
