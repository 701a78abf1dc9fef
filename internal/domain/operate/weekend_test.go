package operate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// front is a world in which reports hold projects.
type front struct {
	*testworld.World
	t    *testing.T
	sent int
}

func newFront(t *testing.T) *front {
	t.Helper()
	w := testworld.New(t)
	w.Operate = w.AnotherOperate(operate.Config{ReportMail: "op@example.com", AutoHold: true})
	return &front{World: w, t: t}
}

// reports records a report from each address, with words of its own.
func (f *front) reports(id sandlot.ProjectID, reason string, from ...string) {
	f.t.Helper()
	for _, addr := range from {
		f.sent++
		in := operate.NewReport{Project: id, Reason: reason, FormToken: fmt.Sprint("form ", f.sent)}
		_, err := f.Operate.Report(f.t.Context(), sandlot.Caller{From: sandlot.Sender{Network: addr}}, in)
		expect.OK(f.t, err)
	}
}

// held returns the rule that holds a project.
func (f *front) held(id sandlot.ProjectID) sandlot.Rule {
	f.t.Helper()
	p, err := f.DB.Operate().ProjectDetail(f.t.Context(), id)
	expect.OK(f.t, err)
	return p.Held.Rule
}

// stranger publishes for an account without a verified address, and drops the messages that are due.
func (f *front) stranger() sandlot.ProjectID {
	f.t.Helper()
	id := f.PublishPage(testworld.Nobody(), page).Project.ID
	f.Due()
	return id
}

// sentTo returns the kinds of the messages that are due, by their recipient.
func (f *front) sentTo() map[string]string {
	f.t.Helper()
	out := map[string]string{}
	for _, m := range f.Due() {
		out[m.To] = strings.TrimSpace(out[m.To] + " " + m.Kind)
	}
	return out
}

var three = []string{"198.51.100.1", "203.0.113.7", "2001:db8:1:2::/64"}

func TestReportsOfThreeNetworksHoldAProject(t *testing.T) {
	t.Parallel()
	proofs := map[string]func(t *testing.T, f *front){
		"the third holds it, and says so in the log and to the operator": func(t *testing.T, f *front) {
			id := f.stranger()
			f.reports(id, "deceptive", three[:2]...)
			expect.Equal(t, "after two", f.held(id), sandlot.NotHeld)
			f.reports(id, "malware", three[2])
			expect.Equal(t, "after three", f.held(id), sandlot.HeldReports)
			log, err := f.Operate.Log(t.Context(), byOperator, operate.LogQuery{Target: string(id), Limit: 9})
			expect.OK(t, err)
			expect.Same(t, "the log", []string{log[0].Actor, log[0].Action, log[0].Target}, []string{"rule", "hold", string(id)})
			expect.Same(t, "messages", f.sentTo(), map[string]string{"op@example.com": "report held"})
			f.reports(id, "deceptive", "192.0.2.9")
			expect.Same(t, "messages after another", f.sentTo(), map[string]string{})
		},
		"addresses of one /24 and one /48 are one network each, and a thrice reporting one is one": func(t *testing.T, f *front) {
			id := f.stranger()
			f.reports(id, "deceptive", "198.51.100.1", "198.51.100.200", "198.51.100.1", "2001:db8:1:2::/64", "2001:db8:1:ffff::/64", "::ffff:198.51.100.9")
			expect.Equal(t, "the rule", f.held(id), sandlot.NotHeld)
		},
		"senders whose network proves nothing are one network": func(t *testing.T, f *front) {
			id := f.stranger()
			for i, addr := range []string{"10.0.0.1", "172.16.0.1", "192.168.0.1"} {
				in := operate.NewReport{Project: id, Reason: "deceptive", FormToken: fmt.Sprint(i)}
				_, err := f.Operate.Report(t.Context(), sandlot.Caller{From: sandlot.Sender{Network: addr, Shared: true}}, in)
				expect.OK(t, err)
			}
			expect.Equal(t, "the rule", f.held(id), sandlot.NotHeld)
		},
		"other reasons hold nothing": func(t *testing.T, f *front) {
			id := f.stranger()
			for _, reason := range []string{"illegal", "copyright", "harassment", "other"} {
				f.reports(id, reason, three...)
			}
			expect.Equal(t, "the rule", f.held(id), sandlot.NotHeld)
		},
		"reports of more than a day hold nothing": func(t *testing.T, f *front) {
			id := f.stranger()
			f.reports(id, "deceptive", three[:2]...)
			f.Clock.Move(operate.HoldWithin + time.Minute)
			f.reports(id, "deceptive", three[2])
			expect.Equal(t, "the rule", f.held(id), sandlot.NotHeld)
		},
		"reports that were closed hold nothing": func(t *testing.T, f *front) {
			id := f.stranger()
			f.reports(id, "deceptive", three[:2]...)
			list, err := f.Operate.Reports(t.Context(), byOperator, operate.ReportQuery{Limit: 1})
			expect.OK(t, err)
			_, err = f.Operate.CloseReport(t.Context(), byOperator, list[0].Case, "a game")
			expect.OK(t, err)
			f.reports(id, "deceptive", three[2])
			expect.Equal(t, "the rule", f.held(id), sandlot.NotHeld)
		},
		"reports as a weapon: nothing happens to an account that verified its address a month ago": func(t *testing.T, f *front) {
			_, _, p := f.Owned("ada@example.com", page)
			f.Clock.Move(operate.HoldUnproved)
			f.Due()
			for net := range 200 {
				f.reports(p.ID, "deceptive", fmt.Sprintf("198.51.%d.1", net))
			}
			expect.Equal(t, "the rule", f.held(p.ID), sandlot.NotHeld)
			expect.Same(t, "messages", f.sentTo(), map[string]string{"op@example.com": "report"})
		},
		"an account that verified its address since then is held, and its owner hears of it": func(t *testing.T, f *front) {
			_, _, p := f.Owned("ada@example.com", page)
			f.Clock.Move(operate.HoldUnproved - time.Minute)
			f.Due()
			f.reports(p.ID, "malware", three...)
			expect.Equal(t, "the rule", f.held(p.ID), sandlot.HeldReports)
			for _, m := range f.Due() {
				if m.To != "ada@example.com" {
					continue
				}
				expect.Equal(t, "the owner's message", m, account.Mail{
					Kind: "held-owner", To: "ada@example.com", Lang: m.Lang, Handle: m.Handle, Reports: 3, Networks: 3, Project: string(p.ID),
					Link: testworld.Places().Base.String() + "/appeal/" + string(p.ID),
				})
				return
			}
			t.Error("the owner got nothing")
		},
		"a trusted, immune, suspended or otherwise held project stays as it is": func(t *testing.T, f *front) {
			for name, change := range map[string]string{
				"trusted": "UPDATE accounts SET trusted_at = 1 WHERE id = (SELECT account FROM projects WHERE id = ?)",
				"immune":  fmt.Sprintf("UPDATE projects SET immune_until = %d WHERE id = ?", f.Now().Add(time.Minute).UnixMicro()),
				"held":    "UPDATE projects SET hold = 'moderator', hold_at = 1 WHERE id = ?", "suspended": "UPDATE projects SET suspended_at = 1 WHERE id = ?",
				"of an account that is suspended": "UPDATE accounts SET suspended_at = 1 WHERE id = (SELECT account FROM projects WHERE id = ?)",
			} {
				id := f.stranger()
				f.Exec(change, string(id))
				f.reports(id, "deceptive", three...)
				if rule := f.held(id); rule == sandlot.HeldReports {
					t.Errorf("a project that is %s is held", name)
				}
			}
		},
		"a hold that ended long ago lets it be held again": func(t *testing.T, f *front) {
			id := f.stranger()
			f.Exec("UPDATE projects SET hold = 'moderator', hold_at = 1, hold_end = 2, immune_until = 3 WHERE id = ?", string(id))
			f.reports(id, "deceptive", three...)
			expect.Equal(t, "the rule", f.held(id), sandlot.HeldReports)
		},
		"of 21 projects in an hour 20 are held, and the next hour holds again": func(t *testing.T, f *front) {
			held := 0
			hold := func() {
				id := f.stranger()
				f.reports(id, "deceptive", three...)
				if f.held(id) == sandlot.HeldReports {
					held++
				}
			}
			for range operate.HoldsPerHour + 1 {
				hold()
			}
			expect.Equal(t, "held within an hour", held, operate.HoldsPerHour)
			f.Clock.Move(time.Hour + time.Second)
			hold()
			expect.Equal(t, "held then", held, operate.HoldsPerHour+1)
		},
		"the operator is reminded after 72 hours, once, and not of a hold that ended": func(t *testing.T, f *front) {
			id, other := f.stranger(), f.stranger()
			f.reports(id, "deceptive", three...)
			f.reports(other, "deceptive", three...)
			f.Due()
			f.Exec("UPDATE projects SET hold_end = 1 WHERE id = ?", string(other))
			f.Exec("UPDATE reports SET closed_at = 1 WHERE project = ?", string(other))
			f.Clock.Move(operate.HoldReminded - 2*time.Hour)
			expect.Same(t, "messages before", f.sentTo(), map[string]string{"op@example.com": "report"})
			f.Clock.Move(2 * time.Hour)
			got := f.Due()
			expect.Equal(t, "messages then", len(got), 1)
			expect.Same(t, "the reminder", []string{got[0].Kind, got[0].To, got[0].Link}, []string{"waiting", "op@example.com", testworld.Places().Base.String() + "/desk/" + string(id)})
			f.Clock.Move(30 * 24 * time.Hour)
			expect.Same(t, "messages later", f.sentTo(), map[string]string{})
		},
		"without the rule nothing is held": func(t *testing.T, f *front) {
			f.Operate = f.AnotherOperate(operate.Config{ReportMail: "op@example.com"})
			id := f.stranger()
			f.reports(id, "deceptive", three...)
			expect.Equal(t, "the rule", f.held(id), sandlot.NotHeld)
		},
		"a form, mail and a trusted reporter are three, however often each reports": func(t *testing.T, f *front) {
			id := f.stranger()
			r := f.reporters()
			token, err := r.Add(t.Context(), byOperator, "registrar")
			expect.OK(t, err)
			who, err := r.Present(t.Context(), testworld.Nobody(), token)
			expect.OK(t, err)
			for i := range 3 {
				f.reports(id, "deceptive", "198.51.100.1")
				_, err = f.mailed().Take(t.Context(), testworld.Nobody(), operate.Message{From: "a@example.com", Text: fmt.Sprint("phish ", i), Reason: "deceptive", Projects: []sandlot.ProjectID{id}})
				expect.OK(t, err)
			}
			expect.Equal(t, "before", f.held(id), sandlot.NotHeld)
			_, err = r.Report(t.Context(), testworld.Nobody(), who, operate.NewReport{Project: id, Reason: "malware"})
			expect.OK(t, err)
			expect.Equal(t, "after", f.held(id), sandlot.HeldReports)
		},
	}
	for name, prove := range proofs {
		t.Run(name, func(t *testing.T) { prove(t, newFront(t)) })
	}
}

func TestReportsOfOneProjectAreOneMessageAnHour(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	id, other := f.stranger(), f.stranger()
	for i := range 12 {
		f.reports(id, "other", fmt.Sprintf("198.51.%d.1", i))
	}
	f.reports(other, "other", three[0])
	expect.Same(t, "messages at once", f.sentTo(), map[string]string{"op@example.com": "report report"})
	f.Clock.Move(operate.ReportMailWait - time.Second)
	f.reports(id, "other", "203.0.113.1")
	expect.Same(t, "messages within the hour", f.sentTo(), map[string]string{})
	f.Clock.Move(time.Second)
	got := f.Due()
	expect.Equal(t, "messages after the hour", len(got), 1)
	expect.Same(t, "their counts", []int{got[0].Reports, got[0].Networks}, []int{13, 13})
	f.Clock.Move(3 * operate.ReportMailWait)
	expect.Same(t, "messages without a report", f.sentTo(), map[string]string{})
	f.reports(id, "other", "203.0.113.2")
	expect.Same(t, "messages later", f.sentTo(), map[string]string{"op@example.com": "report"})
}

// TestTheMessageAboutAReportHasNoWordsOfItsSender: other people may read that mailbox.
func TestTheMessageAboutAReportHasNoWordsOfItsSender(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	id := f.stranger()
	in := operate.NewReport{Project: id, Reason: "other", Details: "my neighbour Bob", Contact: "ann@example.com", FormToken: "form"}
	_, err := f.Operate.Report(t.Context(), sandlot.Caller{From: sandlot.Sender{Network: "198.51.100.1"}}, in)
	expect.OK(t, err)
	got := fmt.Sprintf("%+v", f.Due())
	for _, words := range []string{"Bob", "ann@", "198.51"} {
		if strings.Contains(got, words) {
			t.Errorf("it has %q: %s", words, got)
		}
	}
}

// TestTheNetworkOfAReportIsAnotherForEachProject, so that nobody follows a person through reports.
func TestTheNetworkOfAReportIsAnotherForEachProject(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	a, b := f.stranger(), f.stranger()
	f.reports(a, "other", "198.51.100.1", "198.51.100.77")
	f.reports(b, "other", "198.51.100.1")
	list, err := f.Operate.Reports(t.Context(), byOperator, operate.ReportQuery{Limit: 9})
	expect.OK(t, err)
	seen := map[sandlot.Digest]int{}
	for _, r := range list {
		seen[r.Network]++
	}
	expect.Equal(t, "networks", len(seen), 2)
	expect.Equal(t, "none", seen[sandlot.Digest{}], 0)
}

func (f *front) reporters() *operate.Reporters {
	return &operate.Reporters{Store: f.DB.Operate().Reporters(), Filing: f.Operate}
}

func (f *front) mailed() *operate.Mailed {
	return &operate.Mailed{Store: f.DB.Operate().Reporters(), Filing: f.Operate, Answers: true, Own: "sandlot@example.com"}
}
