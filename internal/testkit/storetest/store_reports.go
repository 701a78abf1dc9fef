package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

func reportCases() []storeCase {
	return []storeCase{
		{"AddReport/of 20 at once by one form one is recorded", addReportRace},
		{"Reports/returns reports, newest first", listReports},
		{"CloseReport/marks a report as closed at e.At, but no earlier than it came, and records e", closeReport},
		{"Sweep/takes details and contact out of reports that were closed before ReportKept, and of no others", emptyReports},
	}
}

func report(number string) operate.Report {
	return operate.Report{Case: number, Project: "game-abc123", Reason: "other", Details: "It is\n<b>bad", Contact: "ann@example.com", At: base()}
}

func addReportRace(t *testing.T, s Stores) {
	numbers := make(chan string, 20)
	atOnce(t, 20, nil, func(i int) error {
		number, err := s.Operate.AddReport(background(), report(string(rune('a'+i))), sum("form"), nil)
		numbers <- number
		return err
	})
	first := <-numbers
	for range 19 {
		same(t, "the number", <-numbers, first)
	}
	same(t, "the reports", len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Limit: 99}))(t)), 1)
}

func listReports(t *testing.T, s Stores) {
	for _, number := range []string{"R-1", "R-2", "R-3"} {
		must(s.Operate.AddReport(t.Context(), report(number), sum(number), nil))(t)
	}
	list := must(s.Operate.Reports(t.Context(), operate.ReportQuery{Skip: 1, Limit: 1}))(t)
	same(t, "the middle", list, []operate.Report{must(s.Operate.Report(t.Context(), "R-2"))(t)})
	all := must(s.Operate.Reports(t.Context(), operate.ReportQuery{Limit: 9}))(t)
	same(t, "the newest of all three", all[0].Case+all[2].Case, "R-3R-1")
	ok(t, s.Operate.CloseReport(t.Context(), "R-2", entry(sandlot.ActionCloseReport, "R-2")))
	open := must(s.Operate.Reports(t.Context(), operate.ReportQuery{Open: true, Limit: 9}))(t)
	same(t, "the open ones", []int{len(open), len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Limit: 9}))(t))}, []int{2, 3})
	same(t, "of another project", len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Project: "other-abc123", Limit: 9}))(t)), 0)
	same(t, "of their project", len(must(s.Operate.Reports(t.Context(), operate.ReportQuery{Project: "game-abc123", Limit: 9}))(t)), 3)
}

// closed records a report and closes it at that time.
func (s Stores) closed(t *testing.T, number string, came, at time.Time) operate.Report {
	t.Helper()
	r := report(number)
	r.At = came
	must(s.Operate.AddReport(t.Context(), r, sum(number), nil))(t)
	e := entry(sandlot.ActionCloseReport, number)
	e.At = at
	ok(t, s.Operate.CloseReport(t.Context(), number, e))
	s.logged(t, e)
	return must(s.Operate.Report(t.Context(), number))(t)
}

func closeReport(t *testing.T, s Stores) {
	came := base().Add(-time.Hour)
	same(t, "closed", s.closed(t, "R-1", came, base().Add(-time.Minute)).ClosedAt, must(s.Operate.Log(t.Context(), operate.LogQuery{Limit: 1}))(t)[0].At)
	same(t, "by a clock that is behind", s.closed(t, "R-2", came, came.AddDate(-1, 0, 0)).ClosedAt, came)
	ok(t, s.Upkeep.RecordTime(t.Context(), base()))
	right := must(s.Upkeep.LastTime(t.Context()))(t)
	same(t, "by one that is behind the time known last", s.closed(t, "R-3", came, came).ClosedAt, right)
	wants(t, "none", s.Operate.CloseReport(t.Context(), "R-9", entry(sandlot.ActionCloseReport, "R-9")), sandlot.ErrNotFound)
}

func emptyReports(t *testing.T, s Stores) {
	now := base()
	old := s.closed(t, "R-1", now.AddDate(-1, 0, 0), now.Add(-operate.ReportKept))
	recent := s.closed(t, "R-2", now.AddDate(-1, 0, 0), now.Add(-operate.ReportKept+time.Minute))
	open := report("R-3")
	open.At = now.AddDate(-1, 0, 0)
	must(s.Operate.AddReport(t.Context(), open, sum("open"), nil))(t)
	s.sweep(t, now, now)
	same(t, "one that was closed more recently", must(s.Operate.Report(t.Context(), "R-2"))(t), recent)
	same(t, "an open one", must(s.Operate.Report(t.Context(), "R-3"))(t), open)
	old.Details, old.Contact = "", ""
	same(t, "the old one", must(s.Operate.Report(t.Context(), "R-1"))(t), old)
}
