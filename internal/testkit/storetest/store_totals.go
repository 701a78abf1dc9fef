package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

func (s Stores) totals(t *testing.T) operate.Totals {
	t.Helper()
	return must(s.Totals.Totals(t.Context(), time.Now().Add(48*time.Hour)))(t)
}

func totalStates(t *testing.T, s Stores) {
	s.verified(t, "vera", "vera@example.com")
	one, two := s.mustProject(t, "one"), s.mustProject(t, "two")
	s.mustProject(t, "three")
	mustTrash(t, s, two.ID, base())
	same(t, "accounts", s.totals(t).Accounts, operate.AccountTotals{Verified: 1, Unverified: 3})
	same(t, "projects", s.totals(t).Projects, operate.ProjectTotals{Live: 2, Trash: 1})
	ok(t, s.Operate.Suspend(t.Context(), ofProject(one.ID), entry(sandlot.ActionSuspend, "one")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(one.Account), entry(sandlot.ActionSuspend, "@one")))
	same(t, "accounts, of which one is suspended", s.totals(t).Accounts, operate.AccountTotals{Verified: 1, Unverified: 2, Suspended: 1})
	same(t, "projects, of which one is suspended", s.totals(t).Projects, operate.ProjectTotals{Live: 1, Suspended: 1, Trash: 1})
	ok(t, s.Operate.Remove(t.Context(), ofAccount(one.Account), entry(sandlot.ActionDelete, "@one")))
	same(t, "accounts without a deleted one", s.totals(t).Accounts, operate.AccountTotals{Verified: 1, Unverified: 2})
	same(t, "projects without one of a deleted account", s.totals(t).Projects, operate.ProjectTotals{Live: 1, Trash: 1})
}

func totalBytes(t *testing.T, s Stores) {
	before := s.totals(t)
	p := s.mustProject(t, "one")
	made := s.totals(t).Stored
	s.mustPut(t, p, file("a.js", inline("abc")))
	big := named("large")
	p = must(s.Publish.Project(t.Context(), p.ID))(t)
	s.mustPut(t, p, file("b.wasm", big))
	same(t, "bytes", s.totals(t).Stored, operate.StoredTotals{Inline: made.Inline + 3, Files: made.Files + big.Size})
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "one")))
	ok(t, s.Operate.Reinstate(t.Context(), ofProject(p.ID), entry(sandlot.ActionReinstate, "one")))
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "one")))
	same(t, "acts", s.totals(t).Acts, map[string]int64{sandlot.ActionSuspend: 2, sandlot.ActionReinstate: 1})
	same(t, "acts at first", len(before.Acts), 0)
	mustRemove(t, s, p.ID)
	same(t, "what may be deleted", s.totals(t).Deleted.Size > 0, true)
	s.sweepAll(t)
	same(t, "bytes after all is forgotten", s.totals(t).Stored, before.Stored)
}

func totalBacklogs(t *testing.T, s Stores) {
	p := s.mustProject(t, "one")
	got := s.totals(t)
	same(t, "sizes", []int64{got.Covers.Size, got.Variants.Size, got.Trials.Size, got.Reports.Size}, []int64{1, 1, 1, 0})
	same(t, "since when a version waits", got.Trials.Oldest, p.UpdatedAt)
	at := base()
	r := operate.Report{Case: "R-1", Project: p.ID, Reason: "other", At: at}
	job := sandlot.Job{Kind: sandlot.MailReport, Address: "op@example.com", Due: at}
	must(s.Operate.AddReport(t.Context(), r, operate.Filing{Form: sum("form"), Mail: &job}))(t)
	got = s.totals(t)
	same(t, "reports", got.Reports, operate.Backlog{Size: 1, Oldest: at})
	same(t, "mail", got.Mail[sandlot.MailReport], operate.Backlog{Size: 1, Oldest: at})
	ok(t, s.Operate.CloseReport(t.Context(), "R-1", entry(sandlot.ActionCloseReport, "R-1")))
	same(t, "reports that are closed", s.totals(t).Reports, operate.Backlog{})
}
