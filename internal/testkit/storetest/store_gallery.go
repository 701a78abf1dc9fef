package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

func galleryCases() []storeCase {
	return []storeCase{
		{"Listed/returns projects that may be listed, newest first", listedNewest},
		{"Listed/those of accounts whose address is verified", listedVerified},
		{"Listed/unless the owner does not want them listed", listedUnlisted},
		{"Listed/unless they or their account are suspended", listedSuspended},
		{"Listed/unless they or their account are deleted", listedDeleted},
		{"Listed/of an account", listedOfAccount},
		{"Listed/words that are parts of title or handle, whatever their case and accents", listedWords},
		{"Listed/words in every script", listedScripts},
		{"Listed/words as many and as long as may be", listedManyWords},
		{"Listed/words of projects far apart, in pages", listedFarApart},
		{"Listed/words are those of now", listedNewWords},
		{"Listed/words of the handle of now", listedNewHandle},
		{"Listed/words mean nothing but themselves", listedOddWords},
		{"Listed/those that have a tag", listedTagged},
		{"Listed/words are those of its tags, too", listedTagWords},
		{"ListUnverified/projects of accounts without a verified address may be listed, too", listUnverified},
		{"ListUnverified/from its return on no list has what may not be there", listVerifiedAgain},
		{"Waiting/counts the projects that would be listed were their account's address verified", waiting},
		{"ListedOf/returns those of the projects that may be listed", listedOf},
		{"MostPlayed/most plays first, newest first among equals", mostPlayed},
		{"Trending/those of the greatest weight first, newest first among equals", trending},
		{"AccountOfHandle/returns the account that has a handle", accountOfHandle},
	}
}

// verify proves the address of an account.
func (s Stores) verify(t *testing.T, a sandlot.AccountID) {
	t.Helper()
	address := fmt.Sprintf("owner-%d@example.com", a)
	ok(t, s.Publish.SetEmail(t.Context(), a, address, job(address, base())))
	v := account.Verification{Token: sum(address), Account: a, Email: address, ExpiresAt: base().Add(time.Hour)}
	must(s.Mail.AddVerification(t.Context(), v))(t)
	must(s.Accounts.UseVerification(t.Context(), v.Token, base()))(t)
}

// maker records an account with a verified address.
func (s Stores) maker(t *testing.T, handle string) sandlot.Account {
	t.Helper()
	a := s.mustAccount(t, newAccount(handle))
	s.verify(t, a.ID)
	return must(s.Publish.Account(t.Context(), a.ID))(t)
}

func (s Stores) titled(t *testing.T, id string, owner sandlot.AccountID, title string) sandlot.Project {
	t.Helper()
	np := newProject(id, owner)
	np.Title = title
	return must(s.Publish.CreateProject(t.Context(), np))(t)
}

// lists fails the test unless exactly these projects are found, in this order.
func (s Stores) lists(t *testing.T, what string, q gallery.ListedQuery, want ...sandlot.ProjectID) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 99
	}
	var got []sandlot.ProjectID
	for _, l := range must(s.Gallery.Listed(t.Context(), q))(t) {
		got = append(got, l.ID)
	}
	same(t, what, got, want)
}

func listedNewest(t *testing.T, s Stores) {
	kim, lee := s.maker(t, "kim"), s.maker(t, "lee")
	one := s.titled(t, "one", kim.ID, "One")
	s.titled(t, "two", lee.ID, "Two")
	s.titled(t, "three", kim.ID, "Three")
	s.mustPut(t, one, file("a.js", inline("abc"))) // the newest change, but the oldest project
	all := must(s.Gallery.Listed(t.Context(), gallery.ListedQuery{Limit: 9}))(t)
	same(t, "the oldest", all[2].Project, must(s.Publish.Project(t.Context(), "one"))(t))
	s.lists(t, "all", gallery.ListedQuery{}, "three", "two", "one")
	s.lists(t, "the first", gallery.ListedQuery{Limit: 1}, "three")
	s.lists(t, "those before it", gallery.ListedQuery{Before: all[0].Number}, "two", "one")
	s.lists(t, "those before the last", gallery.ListedQuery{Before: all[2].Number})
}

func listedVerified(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	s.titled(t, "one", kim.ID, "Pong")
	s.lists(t, "before", gallery.ListedQuery{})
	s.lists(t, "by word before", gallery.ListedQuery{Words: []string{"pong"}})
	s.verify(t, kim.ID)
	s.titled(t, "two", kim.ID, "Pong")
	s.lists(t, "after", gallery.ListedQuery{}, "two", "one")
	s.lists(t, "by word after", gallery.ListedQuery{Words: []string{"pong"}}, "two", "one")
}

func listedUnlisted(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	s.titled(t, "one", kim.ID, "Pong")
	s.titled(t, "two", kim.ID, "Pong")
	s.Unlist(t, "one", true)
	same(t, "the project says so", must(s.Publish.Project(t.Context(), "one"))(t).Unlisted, true)
	s.lists(t, "listed", gallery.ListedQuery{}, "two")
	s.lists(t, "on the profile", gallery.ListedQuery{Account: kim.ID}, "two")
	s.lists(t, "found", gallery.ListedQuery{Words: []string{"pong"}}, "two")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionSuspend, "@kim")))
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionReinstate, "@kim")))
	s.lists(t, "when its account came back", gallery.ListedQuery{}, "two")
	s.Unlist(t, "one", false)
	s.lists(t, "listed again", gallery.ListedQuery{}, "two", "one")
	s.lists(t, "found again", gallery.ListedQuery{Words: []string{"pong"}}, "two", "one")
}

func listedSuspended(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	s.titled(t, "one", kim.ID, "Pong")
	s.titled(t, "two", kim.ID, "Pong")
	query := gallery.ListedQuery{Words: []string{"pong"}}
	for _, subject := range []sandlot.Subject{ofProject("one"), ofAccount(kim.ID)} {
		want := []sandlot.ProjectID{"two"}
		if subject.Account != 0 {
			want = nil
		}
		ok(t, s.Operate.Suspend(t.Context(), subject, entry(sandlot.ActionSuspend, "it")))
		s.lists(t, "suspended", gallery.ListedQuery{}, want...)
		s.lists(t, "suspended, by word", query, want...)
		ok(t, s.Operate.Reinstate(t.Context(), subject, entry(sandlot.ActionReinstate, "it")))
		s.lists(t, "reinstated", gallery.ListedQuery{}, "two", "one")
		s.lists(t, "reinstated, by word", query, "two", "one")
	}
	ok(t, s.Operate.Suspend(t.Context(), ofProject("one"), entry(sandlot.ActionSuspend, "one")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionSuspend, "@kim")))
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionReinstate, "@kim")))
	s.lists(t, "when its account alone was reinstated", gallery.ListedQuery{}, "two")
}

func listedDeleted(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	s.titled(t, "one", kim.ID, "Pong")
	s.titled(t, "two", kim.ID, "Pong")
	ok(t, s.Operate.Remove(t.Context(), ofProject("two"), entry(sandlot.ActionDelete, "two")))
	s.lists(t, "without it", gallery.ListedQuery{Words: []string{"pong"}}, "one")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionDelete, "@kim")))
	s.lists(t, "without its account", gallery.ListedQuery{})
	s.lists(t, "without its account, by word", gallery.ListedQuery{Words: []string{"pong"}})
}

func listUnverified(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	s.titled(t, "one", kim.ID, "Pong")
	ok(t, s.Gallery.ListUnverified(t.Context(), true))
	ok(t, s.Gallery.ListUnverified(t.Context(), true))
	s.verify(t, s.mustProject(t, "unlike").Account) // which does not wait for those of others
	s.mustRemove(t, "unlike")
	s.sweepAll(t)
	s.titled(t, "two", kim.ID, "Pong")
	s.titled(t, "three", kim.ID, "Pong")
	s.Unlist(t, "three", true)
	s.titled(t, "four", s.maker(t, "lee").ID, "Pong")
	query := gallery.ListedQuery{Words: []string{"pong"}}
	s.lists(t, "those before and after", gallery.ListedQuery{}, "four", "two", "one")
	s.lists(t, "by word", query, "four", "two", "one")
	s.lists(t, "of the account", gallery.ListedQuery{Account: kim.ID}, "two", "one")
	same(t, "ListedOf", len(must(s.Gallery.ListedOf(t.Context(), []sandlot.ProjectID{"one", "three"}))(t)), 1)
	s.Unlist(t, "three", false)
	ok(t, s.Operate.Suspend(t.Context(), ofProject("two"), entry(sandlot.ActionSuspend, "two")))
	s.lists(t, "listed again, and suspended", gallery.ListedQuery{}, "four", "three", "one")
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionSuspend, "@kim")))
	s.lists(t, "without a suspended account", query, "four")
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionReinstate, "@kim")))
	s.lists(t, "with it again", query, "four", "three", "one")
	s.verify(t, kim.ID)
	s.lists(t, "when it is verified", query, "four", "three", "one")
}

func listVerifiedAgain(t *testing.T, s Stores) {
	ok(t, s.Gallery.ListUnverified(t.Context(), true))
	kim := s.mustAccount(t, newAccount("kim"))
	s.titled(t, "one", kim.ID, "Pong")
	s.titled(t, "two", s.maker(t, "lee").ID, "Pong")
	ok(t, s.Gallery.ListUnverified(t.Context(), false))
	s.titled(t, "three", kim.ID, "Pong")
	s.lists(t, "of all", gallery.ListedQuery{}, "two")
	s.lists(t, "by word", gallery.ListedQuery{Words: []string{"pong"}}, "two")
	s.lists(t, "the first by word", gallery.ListedQuery{Words: []string{"pong"}, Limit: 1}, "two")
	s.lists(t, "of the account", gallery.ListedQuery{Account: kim.ID})
	same(t, "ListedOf", len(must(s.Gallery.ListedOf(t.Context(), []sandlot.ProjectID{"one", "three"}))(t)), 0)
	s.verify(t, kim.ID)
	s.lists(t, "when it is verified", gallery.ListedQuery{Words: []string{"pong"}}, "three", "two", "one")
}

func waiting(t *testing.T, s Stores) {
	count := func(what string, want int) {
		t.Helper()
		same(t, what, must(s.Gallery.Waiting(t.Context(), 99))(t), want)
	}
	count("of none", 0)
	kim := s.mustAccount(t, newAccount("kim"))
	for _, id := range []string{"one", "two", "three", "four"} {
		s.titled(t, id, kim.ID, id)
	}
	s.titled(t, "five", s.maker(t, "lee").ID, "Pong")
	count("of one account", 4)
	same(t, "of the last two", must(s.Gallery.Waiting(t.Context(), 2))(t), 1)
	s.Unlist(t, "one", true)
	ok(t, s.Operate.Suspend(t.Context(), ofProject("two"), entry(sandlot.ActionSuspend, "two")))
	ok(t, s.Operate.Remove(t.Context(), ofProject("three"), entry(sandlot.ActionDelete, "three")))
	count("without one that is unlisted, suspended, deleted", 1)
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionSuspend, "@kim")))
	count("without a suspended account", 0)
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionReinstate, "@kim")))
	ok(t, s.Gallery.ListUnverified(t.Context(), true))
	count("where all are listed", 0)
}

func listedOfAccount(t *testing.T, s Stores) {
	kim, lee := s.maker(t, "kim"), s.maker(t, "lee")
	s.titled(t, "one", kim.ID, "One")
	s.titled(t, "two", lee.ID, "Two")
	s.titled(t, "three", kim.ID, "Three")
	s.lists(t, "kim's", gallery.ListedQuery{Account: kim.ID}, "three", "one")
	s.lists(t, "kim's first", gallery.ListedQuery{Account: kim.ID, Limit: 1}, "three")
	s.lists(t, "nobody's", gallery.ListedQuery{Account: lee.ID + 1})
}

func listedWords(t *testing.T, s Stores) {
	kim, lee := s.maker(t, "kim"), s.maker(t, "lee-the-2nd")
	s.titled(t, "cats", kim.ID, "Space Cats: Épée")
	s.titled(t, "mahjong", lee.ID, "麻雀ゲーム")
	s.titled(t, "bare", lee.ID, "")
	for query, want := range map[string][]sandlot.ProjectID{
		"space": {"cats"}, "SPACE": {"cats"}, "cat": {"cats"}, "epee": {"cats"}, "épée": {"cats"}, "麻雀": {"mahjong"},
		"kim": {"cats"}, "lee": {"bare", "mahjong"}, "2nd": {"bare", "mahjong"}, "mahjong": nil,
		"pace": {"cats"}, "ats": {"cats"}, "pee": {"cats"}, "m": {"cats"}, "ee": {"bare", "mahjong", "cats"}, "雀": {"mahjong"}, "雀ゲー": {"mahjong"}, "spacecats": nil, "catskim": nil, "s-c": nil,
		"ecap": nil, "spce": nil,
	} {
		s.lists(t, query, gallery.ListedQuery{Words: []string{query}}, want...)
	}
	s.lists(t, "a word of the title and the handle", gallery.ListedQuery{Words: []string{"cats", "kim"}}, "cats")
	s.lists(t, "words of two projects", gallery.ListedQuery{Words: []string{"cats", "lee"}})
	first := must(s.Gallery.Listed(t.Context(), gallery.ListedQuery{Words: []string{"lee"}, Limit: 1}))(t)
	s.lists(t, "the next", gallery.ListedQuery{Words: []string{"lee"}, Before: first[0].Number}, "mahjong")
}

// listedScripts finds each title by its words, and by no other's.
func listedScripts(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	titles := []struct {
		id, title string
		words     []string
	}{
		{"latin", "Jelly Tower", []string{"jelly", "elly", "TOWER", "owe", "ｊｅｌｌｙ"}},
		{"french", "Pâté & Bœuf", []string{"pate", "PÂTÉ", "âté", "pa\u0302te\u0301", "bœuf"}},
		{"german", "Große Straße", []string{"strasse", "STRASSE", "straße", "ſſe", "asse", "groß"}},
		{"turkish", "Işıklı İncir", []string{"ışık", "isik", "IŞIK", "incir", "INCIR", "i̇ncir"}},
		{"danish", "Grød på Ø", []string{"grød", "grod", "GRØD"}},
		{"vietnamese", "Đường phố", []string{"đường", "duong", "ĐƯỜNG", "pho"}},
		{"cyrillic", "Гонки на танках: Ёж", []string{"гонки", "ТАНК", "онк", "еж", "ё"}},
		{"greek", "Σίσυφος", []string{"σισυφος", "ΣΊΣΥΦΟΣ", "ίσυ", "ς"}},
		{"kirby", "星のカービィ", []string{"カービ", "星", "のカ", "かーび", "ｶｰﾋﾞ", "ィ"}},
		{"chess", "中国象棋大师", []string{"象棋", "象", "国象", "大师"}},
		{"korean", "태권도 게임", []string{"태권도", "권", "게임", "\u1110\u1162"}},
		{"thai", "เกมดีดลูกแก้ว", []string{"ดีด", "ลูก", "แก้ว"}},
		{"hindi", "शतरंज", []string{"शतरंज", "तरं"}},
		{"arabic", "لُعْبَة", []string{"لعبة", "عب"}},
		{"hebrew", "מִשְׂחָק", []string{"משחק", "שח"}},
		{"emoji", "🚀 👩‍🚒 ❤️ race", []string{"🚀", "👩‍🚒", "👩", "❤"}},
		{"symbols", "C++ 5€", []string{"c++", "++", "€"}},
		{"wide", "ＷＩＤＥ　１２３", []string{"wide", "123", "１２"}},
		{"marks", "Z\u0351\u036b\u0343\u036aa\u0334\u0321lgo", []string{"zalgo", "alg"}},
		{"quotes", "it's \"100%\" a_b\\c*", []string{"100", "it"}},
	}
	for _, p := range titles {
		s.titled(t, p.id, kim.ID, p.title)
	}
	for _, p := range titles {
		for _, w := range p.words {
			s.lists(t, p.id+" by "+w, gallery.ListedQuery{Words: []string{w}}, sandlot.ProjectID(p.id))
		}
	}
	for _, w := range []string{"%", "_", "\\", "'", `"`, "*", "\x00", "\xff", "\ufffd", " ", "\u0301", "\u200b", "", "%%", "j%y", "j_lly", "its"} {
		s.lists(t, fmt.Sprintf("by %q", w), gallery.ListedQuery{Words: []string{w}})
	}
	s.lists(t, "with what is no part of a word", gallery.ListedQuery{Words: []string{"jelly%", `"tower_`}}, "latin")
}

func listedManyWords(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	ten := strings.Fields("one two three four five six seven eight nine ten")
	s.titled(t, "ten", kim.ID, strings.Join(ten, " "))
	s.titled(t, "nine", kim.ID, strings.Join(ten[:9], " "))
	long := strings.Repeat("abcdefghij", 20)
	s.titled(t, "long", kim.ID, long)
	s.lists(t, "ten words", gallery.ListedQuery{Words: ten}, "ten")
	s.lists(t, "nine words", gallery.ListedQuery{Words: ten[:9]}, "nine", "ten")
	s.lists(t, "the same word ten times", gallery.ListedQuery{Words: slices.Repeat([]string{"seven"}, 10)}, "nine", "ten")
	s.lists(t, "forty words", gallery.ListedQuery{Words: slices.Repeat(ten, 4)}, "ten")
	s.lists(t, "a long word", gallery.ListedQuery{Words: []string{long}}, "long")
	s.lists(t, "a part of it", gallery.ListedQuery{Words: []string{long[3:150]}}, "long")
	s.lists(t, "a longer one", gallery.ListedQuery{Words: []string{long + "a"}})
	s.lists(t, "letters of it in another order", gallery.ListedQuery{Words: []string{"jihgfedcba"}})
	s.lists(t, "pairs of it with another between", gallery.ListedQuery{Words: []string{"abxab"}})
	s.lists(t, "pairs of it, put together anew", gallery.ListedQuery{Words: []string{"abc", "efabcd"}})
}

// listedFarApart has so many projects between those that are found that they are in
// other rows of an index, and takes them one by one.
func listedFarApart(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	var want []sandlot.ProjectID
	for i := range 300 {
		id, title := fmt.Sprint("p", i), "Rabbit"
		if i%29 == 0 {
			title = "Porcupine"
			want = append([]sandlot.ProjectID{sandlot.ProjectID(id)}, want...)
		}
		s.titled(t, id, kim.ID, title)
	}
	s.lists(t, "all at once", gallery.ListedQuery{Words: []string{"orcup"}}, want...)
	q := gallery.ListedQuery{Words: []string{"p", "in"}, Limit: 1}
	for _, id := range want {
		list := must(s.Gallery.Listed(t.Context(), q))(t)
		if len(list) != 1 || list[0].ID != id {
			t.Fatalf("before %d there is %v, want %s", q.Before, list, id)
		}
		q.Before = list[0].Number
	}
	s.lists(t, "after the last", q)
}

func listedNewHandle(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	s.titled(t, "one", kim.ID, "Pong")
	s.titled(t, "two", kim.ID, "Pong")
	ok(t, s.Accounts.Rename(t.Context(), kim.ID, "toad-hall", base(), base().Add(-time.Hour), 9))
	s.lists(t, "by a part of the new one", gallery.ListedQuery{Words: []string{"adh", "all"}})
	s.lists(t, "by parts of the new one", gallery.ListedQuery{Words: []string{"oad", "hal"}}, "two", "one")
	s.lists(t, "by the old one", gallery.ListedQuery{Words: []string{"kim"}})
	s.titled(t, "three", kim.ID, "Ping")
	s.lists(t, "a later one", gallery.ListedQuery{Words: []string{"toad", "i"}}, "three")
}

func listedNewWords(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	p := s.titled(t, "one", kim.ID, "Old name")
	at, title := edit(p), "New name"
	at.Title = &title
	must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at))(t)
	s.lists(t, "by the old word", gallery.ListedQuery{Words: []string{"old"}})
	s.lists(t, "by the new one", gallery.ListedQuery{Words: []string{"new"}}, "one")
}

// tag has the owner of a project file it under other tags.
func (s Stores) tag(t *testing.T, id sandlot.ProjectID, tags sandlot.Tags) {
	t.Helper()
	ok(t, s.Management.SetDetails(t.Context(), id, publish.DetailsChange{Tags: &tags}))
	same(t, "the tags", must(s.Publish.Project(t.Context(), id))(t).Tags, tags)
}

func listedTagged(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	for _, id := range []string{"one", "two"} {
		np := newProject(id, kim.ID)
		np.Tags = "puzzle cats"
		must(s.Publish.CreateProject(t.Context(), np))(t)
	}
	long := newProject("long", kim.ID)
	long.Files, long.Tags = append(long.Files, manyFiles("a", several, inline)...), "cats"
	must(s.Publish.CreateProject(t.Context(), long))(t)
	puzzle, cats := gallery.ListedQuery{Tag: "puzzle"}, gallery.ListedQuery{Tag: "cats"}
	list := must(s.Gallery.Listed(t.Context(), gallery.ListedQuery{Tag: "cats", Limit: 1}))(t)
	same(t, "the first", list[0].Project, must(s.Publish.Project(t.Context(), "long"))(t))
	s.lists(t, "those before it", gallery.ListedQuery{Tag: "cats", Before: list[0].Number}, "two", "one")
	s.lists(t, "a part of a tag", gallery.ListedQuery{Tag: "cat"})
	s.tag(t, "one", "cats rätsel 猫")
	s.lists(t, "when one has it no more", puzzle, "two")
	s.lists(t, "which it still has", cats, "long", "two", "one")
	s.lists(t, "of any script", gallery.ListedQuery{Tag: "猫"}, "one")
	s.Unlist(t, "one", true)
	s.lists(t, "when it is not listed", cats, "long", "two")
	s.tag(t, "one", "puzzle cats")
	s.lists(t, "nor then", puzzle, "two")
	s.Unlist(t, "one", false)
	s.lists(t, "when it is listed again", puzzle, "two", "one")
	yes, none := true, sandlot.Tags("")
	ok(t, s.Management.SetDetails(t.Context(), "one", publish.DetailsChange{Tags: &none, Unlisted: &yes}))
	no, some := false, sandlot.Tags("puzzle")
	ok(t, s.Management.SetDetails(t.Context(), "one", publish.DetailsChange{Tags: &some, Unlisted: &no}))
	s.lists(t, "when both were changed at once", puzzle, "two", "one")
	s.lists(t, "what it had before", cats, "long", "two")
	for _, subject := range []sandlot.Subject{ofProject("two"), ofAccount(kim.ID)} {
		want := []sandlot.ProjectID{"one"}
		if subject.Account != 0 {
			want = nil
		}
		ok(t, s.Operate.Suspend(t.Context(), subject, entry(sandlot.ActionSuspend, "it")))
		s.lists(t, "suspended", puzzle, want...)
		ok(t, s.Operate.Reinstate(t.Context(), subject, entry(sandlot.ActionReinstate, "it")))
		s.lists(t, "reinstated", puzzle, "two", "one")
	}
	ok(t, s.Operate.Remove(t.Context(), ofProject("two"), entry(sandlot.ActionDelete, "two")))
	s.lists(t, "when one is deleted", puzzle, "one")
	unverified := newProject("waits", s.mustAccount(t, newAccount("lee")).ID)
	unverified.Tags = "puzzle"
	must(s.Publish.CreateProject(t.Context(), unverified))(t)
	s.lists(t, "without an account that is verified", puzzle, "one")
	s.verify(t, unverified.Account)
	s.lists(t, "with it", puzzle, "waits", "one")
}

func listedTagWords(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	np := newProject("one", kim.ID)
	np.Tags = "puzzle"
	must(s.Publish.CreateProject(t.Context(), np))(t)
	s.lists(t, "a tag", gallery.ListedQuery{Words: []string{"puzzle"}}, "one")
	s.tag(t, "one", "role-playing rätsel")
	s.lists(t, "one that it has no more", gallery.ListedQuery{Words: []string{"puzzle"}})
	s.lists(t, "parts of two", gallery.ListedQuery{Words: []string{"play", "ratsel"}}, "one")
}

func listedOddWords(t *testing.T, s Stores) {
	s.titled(t, "one", s.maker(t, "kim").ID, "Or near not")
	for _, word := range []string{`"`, `""`, `*`, `kim" OR "x`, "title:one", "^one", "-", "'", "", "(", "zz*"} {
		s.lists(t, word, gallery.ListedQuery{Words: []string{word}})
	}
	s.lists(t, "an operator", gallery.ListedQuery{Words: []string{"OR", "NOT", "NEAR"}}, "one")
}

func listedOf(t *testing.T, s Stores) {
	kim := s.maker(t, "kim")
	s.titled(t, "one", kim.ID, "One")
	s.titled(t, "two", kim.ID, "Two")
	s.titled(t, "three", kim.ID, "Three")
	s.mustProject(t, "unverified")
	s.Unlist(t, "three", true)
	found := must(s.Gallery.ListedOf(t.Context(), []sandlot.ProjectID{"two", "one", "three", "unverified", `"`, "", "two"}))(t)
	slices.SortFunc(found, func(a, b sandlot.Project) int { return int(a.Seq - b.Seq) })
	same(t, "of some", found, []sandlot.Project{must(s.Publish.Project(t.Context(), "one"))(t), must(s.Publish.Project(t.Context(), "two"))(t)})
	same(t, "of none", len(must(s.Gallery.ListedOf(t.Context(), nil))(t)), 0)
}

func mostPlayed(t *testing.T, s Stores) {
	now := today(t)
	kim := s.maker(t, "kim")
	for _, id := range []string{"one", "two", "three", "four", "unplayed"} {
		s.titled(t, id, kim.ID, id)
	}
	s.mustProject(t, "unverified")
	s.play(t, map[sandlot.ProjectID]int64{"one": 2, "two": 2, "three": 9, "four": 1, "unverified": 50})
	s.play(t, map[sandlot.ProjectID]int64{"four": 7})
	s.Unlist(t, "three", true)
	want := []sandlot.ProjectID{"four", "two", "one"}
	same(t, "of today", must(s.Gallery.MostPlayed(t.Context(), now, 9))(t), want)
	same(t, "of a week", must(s.Gallery.MostPlayed(t.Context(), now.Add(-6*aDay), 9))(t), want)
	same(t, "the first", must(s.Gallery.MostPlayed(t.Context(), now, 1))(t), want[:1])
	same(t, "from tomorrow", len(must(s.Gallery.MostPlayed(t.Context(), now.Add(aDay), 9))(t)), 0)
}

func accountOfHandle(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	same(t, "the account", must(s.Gallery.AccountOfHandle(t.Context(), "kim"))(t), a)
	_, err := s.Gallery.AccountOfHandle(t.Context(), "lee")
	wants(t, "nobody's", err, sandlot.ErrNotFound)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), entry(sandlot.ActionDelete, "@kim")))
	_, err = s.Gallery.AccountOfHandle(t.Context(), "kim")
	wants(t, "of one that is gone", err, sandlot.ErrNotFound)
}
