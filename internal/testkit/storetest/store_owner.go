package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

func ownerCases() []storeCase {
	return []storeCase{
		{"Rename/gives an account a handle that was never given out before", rename},
		{"Rename/one that was given out before is ErrExists", renameTaken},
		{"HandleGiven/reports whether a handle was ever given out", handleGiven},
		{"Rename/one more than limit renames after since is ErrTooOften", renameTooOften},
		{"Rename/of two at once to one handle one gets it", renameRace},
		{"Rename/an account that was deleted is ErrNotFound", renameGone},
		{"Owner/a suspended account, and a suspended project, is ErrSuspended and stays as it was", ownerSuspended},
		{"SetLang/records the language of an account", setLang},
		{"Remove/ends the account's sessions and moves", removeEnds},
	}
}

func (s Stores) rename(t *testing.T, a sandlot.Account, handle string) error {
	t.Helper()
	return s.Accounts.Rename(t.Context(), a.ID, handle, base(), base().Add(-time.Hour), 3)
}

func rename(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	must(s.Publish.CreateProject(t.Context(), newProject("pong", kim.ID)))(t)
	ok(t, s.rename(t, kim, "kimberly"))
	kim.Handle = "kimberly"
	same(t, "the account", must(s.Publish.Account(t.Context(), kim.ID))(t), kim)
	same(t, "its project's owner", must(s.Publish.Project(t.Context(), "pong"))(t).Handle, "kimberly")
	_, err := s.Operate.AccountByHandle(t.Context(), "kim")
	wants(t, "the account that has the old handle", err, sandlot.ErrNotFound)
	mistakes, _, _, err := s.Upkeep.AccountMistakes(t.Context(), 0, 10)
	ok(t, err)
	same(t, "mistakes", mistakes, nil)
}

func handleGiven(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	ok(t, s.rename(t, kim, "kim-b"))
	ok(t, s.Operate.Remove(t.Context(), ofAccount(lee.ID), entry(sandlot.ActionDelete, "@lee")))
	for handle, want := range map[string]bool{"kim": true, "kim-b": true, "lee": true, "ada": false, "": false} {
		same(t, handle, must(s.Accounts.HandleGiven(t.Context(), handle))(t), want)
	}
}

func renameTaken(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	wants(t, "to another's", s.rename(t, kim, "lee"), sandlot.ErrExists)
	ok(t, s.rename(t, kim, "kimberly"))
	wants(t, "to one that was given up", s.rename(t, lee, "kim"), sandlot.ErrExists)
	wants(t, "back", s.rename(t, kim, "kim"), sandlot.ErrExists)
	_, err := s.Publish.CreateAccount(t.Context(), newAccount("kim"))
	wants(t, "a new account with one that was given up", err, sandlot.ErrExists)
	same(t, "the handle", must(s.Publish.Account(t.Context(), lee.ID))(t).Handle, "lee")
}

func renameTooOften(t *testing.T, s Stores) {
	kim, lee := s.mustAccount(t, newAccount("kim")), s.mustAccount(t, newAccount("lee"))
	for i := range 3 {
		ok(t, s.rename(t, kim, fmt.Sprint("kim-", i)))
	}
	wants(t, "the fourth", s.rename(t, kim, "kim-4"), account.ErrTooOften)
	same(t, "the handle", must(s.Publish.Account(t.Context(), kim.ID))(t).Handle, "kim-2")
	ok(t, s.rename(t, lee, "kim-4"))
	ok(t, s.Accounts.Rename(t.Context(), kim.ID, "kim-5", base().Add(time.Hour), base().Add(time.Minute), 3))
}

func renameRace(t *testing.T, s Stores) {
	const racers = 8
	errs := make([]error, racers)
	var wg sync.WaitGroup
	for i := range racers {
		a := s.mustAccount(t, newAccount(fmt.Sprint("racer-", i)))
		wg.Go(func() {
			errs[i] = s.Accounts.Rename(background(), a.ID, "kim", base(), base().Add(-time.Hour), 3)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		wants(t, "one of the others", err, sandlot.ErrExists)
	}
	same(t, "how many have it", won, 1)
}

func renameGone(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Account: kim.ID}, entry(sandlot.ActionDelete, "@kim")))
	wants(t, "of a deleted account", s.rename(t, kim, "other"), sandlot.ErrNotFound)
	s.mustAccount(t, newAccount("other"))
}

func setLang(t *testing.T, s Stores) {
	kim := s.mustAccount(t, newAccount("kim"))
	ok(t, s.Accounts.SetLang(t.Context(), kim.ID, "ja"))
	same(t, "the language", must(s.Publish.Account(t.Context(), kim.ID))(t).Lang, "ja")
	wants(t, "of no account", s.Accounts.SetLang(t.Context(), kim.ID+1, "ja"), sandlot.ErrNotFound)
}

func removeEnds(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	s.session(t, kim, "one")
	s.propose(t, kim, "new@example.com", "link")
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Account: kim.ID}, entry(sandlot.ActionDelete, "@kim")))
	same(t, "sessions", len(must(s.Accounts.Sessions(t.Context(), kim.ID, base()))(t)), 0)
	_, err := s.Accounts.TakeEmail(t.Context(), token("link"), base(), base(), sandlot.Job{})
	wants(t, "its link", err, sandlot.ErrNotFound)
}

func ownerSuspended(t *testing.T, s Stores) {
	kim := s.verified(t, "kim", "kim@example.com")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", kim.ID)))(t)
	s.mustPut(t, p, file("a.js", inline("abc")))
	mint := key("minted")
	mint.Project = p.ID
	move := account.EmailMove{Account: kim.ID, Email: "new@example.com", ExpiresAt: base().Add(time.Hour)}
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionSuspend, "@kim")))
	before := must(s.Publish.Project(t.Context(), p.ID))(t)
	for what, err := range map[string]error{
		"another handle": s.rename(t, kim, "other"), "a key": s.Management.MintKey(t.Context(), kim.ID, mint, 9, formRecord("mint")),
		"another account key": s.Management.RotateKey(t.Context(), kim.ID, key("rotated"), formRecord("rotate")), "a key for old ones": s.Management.ReplaceOldKeys(t.Context(), kim.ID, key("replaced"), formRecord("replace")),
		"another address": s.Accounts.ProposeEmail(t.Context(), move, sandlot.Job{Kind: "proposal", Due: base()}, base(), 3),
		"details":         s.Management.SetDetails(t.Context(), p.ID, publish.Details{Title: "Other"}.Change()), "a version erased": s.Management.EraseVersion(t.Context(), p.ID, 1, base()),
	} {
		wants(t, what, err, sandlot.ErrSuspended)
	}
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), before)
	for _, made := range []string{"minted", "rotated", "replaced"} {
		wants(t, made, drop(s.Credentials.KeyByHash(t.Context(), sum(made))), sandlot.ErrNotFound)
	}
	must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	must(s.Publish.Version(t.Context(), p.ID, 1))(t)
	wants(t, "a proposal", drop(s.Accounts.ProposedEmail(t.Context(), kim.ID, base())), sandlot.ErrNotFound)
}
