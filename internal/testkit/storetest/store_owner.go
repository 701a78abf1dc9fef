package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
)

func ownerCases() []storeCase {
	return []storeCase{
		{"Rename/of two at once to one handle one gets it", renameRace},
		{"Owner/a suspended account, and a suspended project, is ErrSuspended and stays as it was", ownerSuspended},
	}
}

func renameRace(t *testing.T, s Stores) {
	var racers []sandlot.Account
	for i := range 8 {
		racers = append(racers, s.mustAccount(t, newAccount(fmt.Sprint("racer-", i))))
	}
	same(t, "how many have it", atOnce(t, len(racers), sandlot.ErrExists, func(i int) error {
		return s.Accounts.Rename(background(), racers[i].ID, "kim", base(), base().Add(-time.Hour), 3)
	}), 1)
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

func (s Stores) rename(t *testing.T, a sandlot.Account, handle string) error {
	t.Helper()
	return s.Accounts.Rename(t.Context(), a.ID, handle, base(), base().Add(-time.Hour), 3)
}
