package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
)

func peopleCases() []storeCase {
	return []storeCase{
		{"Words/are what SetWords recorded, zero where that is nothing", wordsOfPeople},
		{"SetWords/an account that is gone is ErrNotFound, and its words are deleted", wordsOfTheGone},
		{"Totals/are those of what may be listed", totalsOfPeople},
	}
}

func wordsOfPeople(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	same(t, "before", must(s.People.Words(t.Context(), kim.ID))(t), account.Words{})
	for _, w := range []account.Words{{Line: "<b>1", Link: "https://example.com"}, {Line: "2"}, {}, {Link: "https://example.com"}} {
		ok(t, s.People.SetWords(t.Context(), kim.ID, w))
		same(t, "afterwards", must(s.People.Words(t.Context(), kim.ID))(t), w)
	}
	same(t, "another's", must(s.People.Words(t.Context(), lee.ID))(t), account.Words{})
}

func wordsOfTheGone(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	ok(t, s.People.SetWords(t.Context(), kim.ID, account.Words{Line: "hello"}))
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Account: kim.ID}, sandlot.LogEntry{At: base()}))
	same(t, "its words", must(s.People.Words(t.Context(), kim.ID))(t), account.Words{})
	wants(t, "of the gone", s.People.SetWords(t.Context(), kim.ID, account.Words{Line: "again"}), sandlot.ErrNotFound)
	wants(t, "nothing of the gone", s.People.SetWords(t.Context(), kim.ID, account.Words{}), sandlot.ErrNotFound)
}

func totalsOfPeople(t *testing.T, s Stores) {
	ok(t, s.Gallery.ListUnverified(t.Context(), true))
	p := s.mustProject(t, "pong")
	same(t, "of one", must(s.People.Totals(t.Context(), p.Account, 9))(t), account.Totals{Projects: 1})
	same(t, "of none", must(s.People.Totals(t.Context(), p.Account, 0))(t), account.Totals{})
	s.Unlist(t, p.ID, true)
	same(t, "unlisted", must(s.People.Totals(t.Context(), p.Account, 9))(t), account.Totals{})
}
