package storetest

import (
	"testing"

	"sandlot/internal/publish"
)

func reportCases() []storeCase {
	return []storeCase{
		{"AddReport/records a report that came by a form, and enqueues the job, if there is one", addReport},
		{"AddReport/the number of the report which came by the same form before, and then nothing is recorded", addReportTwice},
		{"AddReport/of 20 at once by one form one is recorded", addReportRace},
		{"AddReport/a number that another report has is ErrExists", addReportTaken},
		{"ReportOfJob/returns the report whose message a job sends", reportOfJob},
		{"Reports/returns reports, newest first, at most limit, after the skip newest", listReports},
	}
}

func report(number string) publish.Report {
	return publish.Report{Case: number, Project: "game-abc123", Reason: "other", Details: "It is\n<b>bad", Contact: "ann@example.com", At: base()}
}

func reportJob() *publish.Job {
	return &publish.Job{Kind: "report", Address: "operator@example.com", Due: base()}
}

func addReport(t *testing.T, s Stores) {
	want := report("R-1")
	same(t, "the number", must(s.AddReport(t.Context(), want, sum("one"), nil))(t), "R-1")
	same(t, "the report", must(s.Report(t.Context(), "R-1"))(t), want)
	wants(t, "another", drop(s.Report(t.Context(), "R-2")), publish.ErrNotFound)
	same(t, "jobs without one", len(must(s.ClaimJobs(t.Context(), base(), base(), publish.Busy{}, 9))(t)), 0)
	must(s.AddReport(t.Context(), report("R-2"), sum("two"), reportJob()))(t)
	jobs := must(s.ClaimJobs(t.Context(), base(), base(), publish.Busy{}, 9))(t)
	same(t, "the job's kind and address", jobs[0].Kind+" "+jobs[0].Address, "report operator@example.com")
}

func addReportTwice(t *testing.T, s Stores) {
	must(s.AddReport(t.Context(), report("R-1"), sum("form"), reportJob()))(t)
	same(t, "the second time", must(s.AddReport(t.Context(), report("R-2"), sum("form"), reportJob()))(t), "R-1")
	wants(t, "its own number", drop(s.Report(t.Context(), "R-2")), publish.ErrNotFound)
	same(t, "the jobs", len(must(s.ClaimJobs(t.Context(), base(), base(), publish.Busy{}, 9))(t)), 1)
}

func addReportRace(t *testing.T, s Stores) {
	numbers := make(chan string, 20)
	for i := range 20 {
		go func() {
			number, err := s.AddReport(background(), report(string(rune('a'+i))), sum("form"), nil)
			if err != nil {
				number = err.Error()
			}
			numbers <- number
		}()
	}
	first := <-numbers
	for range 19 {
		same(t, "the number", <-numbers, first)
	}
	same(t, "the reports", len(must(s.Reports(t.Context(), 0, 99))(t)), 1)
}

func addReportTaken(t *testing.T, s Stores) {
	must(s.AddReport(t.Context(), report("R-1"), sum("one"), nil))(t)
	wants(t, "by another form", drop(s.AddReport(t.Context(), report("R-1"), sum("two"), reportJob())), publish.ErrExists)
	same(t, "the jobs", len(must(s.ClaimJobs(t.Context(), base(), base(), publish.Busy{}, 9))(t)), 0)
}

func reportOfJob(t *testing.T, s Stores) {
	for _, number := range []string{"R-1", "R-2"} {
		must(s.AddReport(t.Context(), report(number), sum(number), reportJob()))(t)
		job := must(s.ClaimJobs(t.Context(), base(), base(), publish.Busy{}, 9))(t)[0]
		same(t, "the report", must(s.ReportOfJob(t.Context(), job.ID))(t).Case, number)
		ok(t, s.FinishJob(t.Context(), job.ID, true, base()))
	}
	wants(t, "of no job", drop(s.ReportOfJob(t.Context(), 99)), publish.ErrNotFound)
}

func listReports(t *testing.T, s Stores) {
	for _, number := range []string{"R-1", "R-2", "R-3"} {
		must(s.AddReport(t.Context(), report(number), sum(number), nil))(t)
	}
	list := must(s.Reports(t.Context(), 1, 1))(t)
	same(t, "the middle", list, []publish.Report{must(s.Report(t.Context(), "R-2"))(t)})
	all := must(s.Reports(t.Context(), 0, 9))(t)
	same(t, "the newest of all three", all[0].Case+all[2].Case, "R-3R-1")
}
