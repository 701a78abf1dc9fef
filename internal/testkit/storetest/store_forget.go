package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// provedAddress makes an address the account's, which its owner has shown to read.
func (s Stores) provedAddress(t *testing.T, a sandlot.Account, address string) {
	t.Helper()
	ok(t, s.Publish.SetEmail(t.Context(), a.ID, address, job(address, base())))
	a.Email = address
	s.mustVerification(t, a, "token of "+address, base().Add(time.Hour))
	must(s.Accounts.UseVerification(t.Context(), sum("token of "+address), base()))(t)
}

func removeReported(t *testing.T, s Stores) {
	kim, lee, ann, bob := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee")), s.mustAccount(t, newAccount("ann")), s.mustAccount(t, newAccount("bob"))
	s.provedAddress(t, kim, "kim@example.com")
	ok(t, s.Publish.SetEmail(t.Context(), lee.ID, "lee@example.com", job("lee@example.com", base())))
	s.provedAddress(t, ann, "ann@example.com")
	ok(t, s.Publish.SetEmail(t.Context(), bob.ID, "ann@example.com", job("ann@example.com", base())))
	for number, contact := range map[string]string{"R-1": "KIM@example.com", "R-2": "lee@example.com", "R-3": "ann@example.com", "R-4": ""} {
		r := report(number)
		r.Contact = contact
		must(s.Operate.AddReport(t.Context(), r, sum(number), nil))(t)
	}
	for handle, a := range map[string]sandlot.Account{"@kim": kim, "@lee": lee, "@ann": ann} {
		ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), entry(sandlot.ActionDelete, handle)))
	}
	for number, kept := range map[string]bool{"R-1": false, "R-2": true, "R-3": true, "R-4": true} {
		got := must(s.Operate.Report(t.Context(), number))(t)
		same(t, "what is said in "+number, []bool{got.Details != "", got.Reason != ""}, []bool{kept, true})
	}
	same(t, "the contact", must(s.Operate.Report(t.Context(), "R-1"))(t).Contact, "")
}

func forgotten(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	for address, a := range map[string]sandlot.Account{"kim@example.com": kim, "lee@example.com": lee} {
		ok(t, s.Publish.SetEmail(t.Context(), a.ID, address, job(address, base())))
	}
	other := s.mustAccount(t, newAccount("other"))
	ok(t, s.Publish.SetEmail(t.Context(), other.ID, "LEE@example.com", job("LEE@example.com", base())))
	same(t, "while they are there", len(must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{}, 9))(t)), 0)
	for handle, a := range map[string]sandlot.Account{"@kim": kim, "@lee": lee} {
		ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), entry(sandlot.ActionDelete, handle)))
	}
	same(t, "one", len(must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{}, 1))(t)), 1)
	same(t, "all", must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{}, 9))(t), []operate.ForgottenEmail{
		{Account: kim.ID, Email: "kim@example.com"}, {Account: lee.ID, Email: "lee@example.com", Used: true},
	})
	same(t, "after the first", must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{Account: kim.ID, Email: "kim@example.com"}, 9))(t)[0].Account, lee.ID)
	same(t, "after the last", len(must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{Account: lee.ID, Email: "lee@example.com"}, 9))(t)), 0)
	ok(t, s.Upkeep.ForgetEmail(t.Context(), operate.ForgottenEmail{Account: kim.ID, Email: "kim@example.com"}))
	ok(t, s.Upkeep.ForgetEmail(t.Context(), operate.ForgottenEmail{Account: kim.ID, Email: "kim@example.com"}))
	same(t, "what is left", must(s.Upkeep.Forgotten(t.Context(), operate.ForgottenEmail{}, 9))(t)[0].Account, lee.ID)
}

func deletedAccount(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	for _, handle := range []string{"kim", "nobody"} {
		wants(t, "of "+handle, drop(s.Operate.DeletedAccount(t.Context(), handle)), sandlot.ErrNotFound)
	}
	ok(t, s.Accounts.Rename(t.Context(), a.ID, "kimberly", base(), base().Add(-time.Hour), 9))
	e := entry(sandlot.ActionDelete, "@kimberly")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), e))
	for _, handle := range []string{"kim", "kimberly"} {
		got := must(s.Operate.DeletedAccount(t.Context(), handle))(t)
		e.ID = got.Entry.ID
		same(t, "of "+handle, got, operate.Deletion{At: e.At, Target: "@kimberly", Entry: e})
	}
}
