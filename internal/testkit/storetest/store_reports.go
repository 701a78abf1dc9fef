package storetest

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
)

func reportCases() []storeCase {
	return []storeCase{
		{"AddReport/of three at once by three networks one holds the project, with one entry and one message of each kind", holdRace},
		{"AddReport/of reports of many projects at once no more than PerHour hold theirs", holdManyRace},
		{"AddReport/one message about a project is under way, and is due ReportMailWait after the one before", mailReports},
		{"HeldByReports/returns the project while reports hold it, with its open reports and their networks", heldByReports},
		{"AddReporter/records one under its token; a name in force is ErrExists", addReporter},
		{"UseReporter/returns the reporter of a token in force, and when it was used", useReporter},
		{"EndReporter/ends the token of a name; one without is ErrNotFound", endReporter},
		{"AnswerReports/enqueues one message to an address within the wait, with the numbers", answerReports},
	}
}

// dangerous is a report of a project from a network, with the rule.
func dangerous(p sandlot.ProjectID, n int, at time.Time) (operate.Report, operate.Filing) {
	r := operate.Report{
		Case: fmt.Sprintf("R-%s-%d", p, n), Project: p, Reason: "malware", Via: operate.ViaForm, Network: sum(fmt.Sprint("network ", n)), At: at,
	}
	mail := func(kind string, due time.Time) *sandlot.Job {
		return &sandlot.Job{Kind: kind, Address: "op@example.com", Due: due}
	}
	return r, operate.Filing{
		Form: sum(r.Case), Mail: mail(sandlot.MailReport, at),
		Hold: &operate.HoldRule{
			Networks: 3, PerHour: 2, Reasons: []string{"malware", "deceptive"}, Since: at.Add(-time.Hour), Verified: at.Add(-time.Hour),
			Entry: sandlot.LogEntry{At: at, Actor: sandlot.ActorRule, Action: sandlot.ActionHold, Target: string(p), Reason: "r"},
			Owner: mail(sandlot.MailHeld, at), Operator: mail(sandlot.MailHeld, at), Waiting: mail(sandlot.MailWaiting, at.Add(72*time.Hour)),
		},
	}
}

// jobsOf counts the jobs of each kind.
func jobsOf(t *testing.T, s Stores) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for kind, b := range s.totals(t).Mail {
		if kind != "verify" {
			out[kind] = b.Size
		}
	}
	return out
}

func holdRace(t *testing.T, s Stores) {
	for round := range 5 {
		p := s.mustProject(t, fmt.Sprintf("race-%d", round))
		at := base().Add(time.Duration(round) * 2 * time.Hour)
		held := make(chan bool, 3)
		before := jobsOf(t, s)
		atOnce(t, 3, nil, func(i int) error {
			filed, err := s.Operate.AddReport(background(), first(dangerous(p.ID, i, at)), second(dangerous(p.ID, i, at)))
			held <- filed.Held
			return err
		})
		n := 0
		for range 3 {
			if <-held {
				n++
			}
		}
		same(t, "reports that held it", n, 1)
		d := must(s.Operate.ProjectDetail(t.Context(), p.ID))(t)
		same(t, "the hold", d.Held, sandlot.Hold{Rule: sandlot.HeldReports, At: at})
		log := must(s.Operate.Log(t.Context(), operate.LogQuery{Target: string(p.ID), Limit: 9}))(t)
		same(t, "entries", len(log), 1)
		after := jobsOf(t, s)
		for _, kind := range []string{sandlot.MailHeld, sandlot.MailWaiting} { // the owner has no verified address
			same(t, kind+" messages", after[kind]-before[kind], 1)
		}
	}
}

func first[A, B any](a A, _ B) A  { return a }
func second[A, B any](_ A, b B) B { return b }

func holdManyRace(t *testing.T, s Stores) {
	at := base()
	var ids []sandlot.ProjectID
	for i := range 6 {
		id := s.mustProject(t, fmt.Sprintf("many-%d", i)).ID
		ids = append(ids, id)
		for n := range 2 {
			must(s.Operate.AddReport(t.Context(), first(dangerous(id, n, at)), second(dangerous(id, n, at))))(t)
		}
	}
	held := make(chan bool, len(ids))
	atOnce(t, len(ids), nil, func(i int) error {
		filed, err := s.Operate.AddReport(background(), first(dangerous(ids[i], 2, at)), second(dangerous(ids[i], 2, at)))
		held <- filed.Held
		return err
	})
	n := 0
	for range ids {
		if <-held {
			n++
		}
	}
	same(t, "projects that are held", n, 2)
}

func mailReports(t *testing.T, s Stores) {
	at := base()
	id := s.mustProject(t, "one").ID
	add := func(n int, at time.Time) {
		r, f := dangerous(id, n, at)
		f.Hold = nil
		must(s.Operate.AddReport(t.Context(), r, f))(t)
	}
	due := func() operate.Backlog { return s.totals(t).Mail[sandlot.MailReport] }
	add(1, at)
	same(t, "the first", due(), operate.Backlog{Size: 1, Oldest: at})
	add(2, at.Add(time.Minute))
	same(t, "the second", due().Size, 2)
	add(3, at.Add(2*time.Minute))
	same(t, "a third while it waits", due().Size, 2)
	add(4, at.Add(operate.ReportMailWait+time.Second))
	same(t, "one after it was due", due().Size, 3)
}

func heldByReports(t *testing.T, s Stores) {
	at := base()
	p := s.mustProject(t, "one")
	var filed operate.Filed
	for n := range 3 {
		filed = must(s.Operate.AddReport(t.Context(), first(dangerous(p.ID, n, at)), second(dangerous(p.ID, n, at))))(t)
	}
	same(t, "that it is held", filed.Held, true)
	num := must(s.Operate.ProjectDetail(t.Context(), p.ID))(t).Number
	n := must(s.Mail.HeldByReports(t.Context(), num))(t)
	same(t, "it", []any{n.Project, n.Handle, n.At, n.Reports, n.Networks}, []any{p.ID, "one", at, 3, 3})
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "one")))
	_, err := s.Mail.HeldByReports(t.Context(), num)
	wants(t, "one that is suspended", err, sandlot.ErrNotFound)
}

func mustReporter(t *testing.T, s Stores, name string) {
	t.Helper()
	ok(t, s.Reporters.AddReporter(t.Context(), sum(name), operate.Reporter{Name: name, MadeAt: base()}, entry(sandlot.ActionAddReporter, name)))
}

func addReporter(t *testing.T, s Stores) {
	mustReporter(t, s, "a")
	mustReporter(t, s, "b")
	wants(t, "another a", s.Reporters.AddReporter(t.Context(), sum("c"), operate.Reporter{Name: "a", MadeAt: base()}, entry(sandlot.ActionAddReporter, "a")), sandlot.ErrExists)
	list := must(s.Reporters.Reporters(t.Context(), 0, 9))(t)
	same(t, "names", []string{list[0].Name, list[1].Name}, []string{"b", "a"})
	same(t, "those before", must(s.Reporters.Reporters(t.Context(), list[0].ID, 9))(t), list[1:])
}

func useReporter(t *testing.T, s Stores) {
	mustReporter(t, s, "a")
	at := base()
	r := must(s.Reporters.UseReporter(t.Context(), sum("a"), at))(t)
	same(t, "it", []any{r.Name, r.UsedAt}, []any{"a", at})
	_, err := s.Reporters.UseReporter(t.Context(), sum("b"), at)
	wants(t, "an unknown token", err, sandlot.ErrNotFound)
}

func endReporter(t *testing.T, s Stores) {
	mustReporter(t, s, "a")
	ok(t, s.Reporters.EndReporter(t.Context(), "a", entry(sandlot.ActionEndReporter, "a")))
	wants(t, "again", s.Reporters.EndReporter(t.Context(), "a", entry(sandlot.ActionEndReporter, "a")), sandlot.ErrNotFound)
	_, err := s.Reporters.UseReporter(t.Context(), sum("a"), base())
	wants(t, "its token", err, sandlot.ErrNotFound)
}

func answerReports(t *testing.T, s Stores) {
	at := base()
	for _, number := range []string{"R-1", "R-2", "R-3"} {
		must(s.Operate.AddReport(t.Context(), report(number), operate.Filing{Form: sum(number)}))(t)
	}
	j := sandlot.Job{Kind: sandlot.MailReceived, Address: "ann@example.com", Due: at}
	ok(t, s.Reporters.AnswerReports(t.Context(), []string{"R-1", "R-3"}, j, time.Hour))
	j.Due = at.Add(time.Hour - time.Second)
	wants(t, "another within the wait", s.Reporters.AnswerReports(t.Context(), nil, j, time.Hour), sandlot.ErrTooOften)
	j.Due = at.Add(time.Hour + time.Second)
	ok(t, s.Reporters.AnswerReports(t.Context(), nil, j, time.Hour))
	jobs := must(s.Mail.ClaimJobs(t.Context(), at.Add(2*time.Hour), at.Add(3*time.Hour), account.Busy{}, 9))(t)
	var answers [][]string
	for _, j := range jobs {
		answers = append(answers, must(s.Mail.AnsweredReports(t.Context(), j.About))(t))
	}
	same(t, "numbers", answers, [][]string{{"R-1", "R-3"}, nil})
}
