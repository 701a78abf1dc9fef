package operate_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func reported(t *testing.T, s *operate.Service, in operate.NewReport) string {
	t.Helper()
	number, err := s.Report(t.Context(), testworld.Nobody(), in)
	expect.OK(t, err)
	return number
}

func TestReports(t *testing.T) {
	t.Parallel()
	t.Run("a report has a number, and the operator reads it", func(t *testing.T) {
		w := testworld.New(t)
		p := w.PublishPage(testworld.Nobody(), page).Project
		w.Due()
		number := reported(t, w.Operate, operate.NewReport{Project: p.ID, Reason: "malware", Details: " one\r\ntwo\x1b[2J\u202e sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege", Contact: " ann@EXAMPLE.com ", FormToken: "form"})
		if !regexp.MustCompile(`^R-[0-9A-Z]{4}-[0-9A-Z]{4}$`).MatchString(number) {
			t.Errorf("the number is %q", number)
		}
		got, err := w.Operate.ReadReport(t.Context(), byOperator, strings.ToLower(number))
		want := operate.Report{Case: number, Project: p.ID, Reason: "malware", Details: "one\ntwo[2J <key>", Contact: "ann@example.com", Via: operate.ViaForm, Network: got.Network, At: got.At}
		if err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
		if mails := w.Due(); len(mails) != 0 {
			t.Errorf("%d messages, and nobody is to be told", len(mails))
		}
	})
	t.Run("the same form sent twice is one report, and one message", func(t *testing.T) {
		w := testworld.New(t)
		w.Operate = w.AnotherOperate(operate.Config{ReportMail: "operator@example.com"})
		p, other := w.PublishPage(testworld.Nobody(), page).Project, w.PublishPage(testworld.Nobody(), page).Project
		in := operate.NewReport{Project: p.ID, Reason: "other", FormToken: "form", Lang: "fr"}
		w.Due()
		number := reported(t, w.Operate, in)
		if again := reported(t, w.Operate, in); again != number {
			t.Errorf("%s, and then %s", number, again)
		}
		mails := w.Due()
		desk := testworld.Places().Base.String() + "/desk/" + string(p.ID)
		if len(mails) != 1 || mails[0] != (account.Mail{
			Kind: "report", To: "operator@example.com", Lang: "fr", Case: number, Reason: "other", Reports: 1, Networks: 1,
			Project: mails[0].Project, Link: desk, NotMe: desk + "?hold=1",
		}) || strings.Contains(mails[0].Project, "http") || !strings.Contains(mails[0].Project, string(p.ID)) {
			t.Errorf("messages %+v", mails)
		}
		if in.Project = other.ID; reported(t, w.Operate, in) == number {
			t.Error("a report of another project has the same number")
		}
	})
	t.Run("a project that was taken down can be reported", func(t *testing.T) {
		w := testworld.New(t)
		p := w.PublishPage(testworld.Nobody(), page).Project
		_, err := w.Operate.Suspend(t.Context(), byOperator, string(p.ID), "a report")
		expect.OK(t, err)
		reported(t, w.Operate, operate.NewReport{Project: p.ID, Reason: "illegal", FormToken: "form"})
	})
	t.Run("what cannot be is refused, and nothing is kept", func(t *testing.T) {
		w := testworld.New(t)
		w.Operate = w.AnotherOperate(operate.Config{ReportMail: "operator@example.com"})
		p := w.PublishPage(testworld.Nobody(), page).Project
		good := operate.NewReport{Project: p.ID, Reason: "other", Details: strings.Repeat("ü", operate.MaxDetails), FormToken: "form"}
		w.Due()
		for name, change := range map[string]struct {
			with func(*operate.NewReport)
			want error
		}{
			"no project":        {func(r *operate.NewReport) { r.Project = "other-abc123" }, sandlot.ErrNotFound},
			"no id at all":      {func(r *operate.NewReport) { r.Project = "../" }, sandlot.ErrNotFound},
			"another reason":    {func(r *operate.NewReport) { r.Reason = "<b>" }, sandlot.CodeInvalidField},
			"no form token":     {func(r *operate.NewReport) { r.FormToken = "" }, sandlot.CodeInvalidField},
			"a long form token": {func(r *operate.NewReport) { r.FormToken = strings.Repeat("x", 99) }, sandlot.CodeInvalidField},
			"long details":      {func(r *operate.NewReport) { r.Details += "x" }, sandlot.CodeInvalidField},
			"not UTF-8":         {func(r *operate.NewReport) { r.Details = "\xff" }, sandlot.CodeInvalidField},
			"no address":        {func(r *operate.NewReport) { r.Contact = "ann" }, sandlot.CodeInvalidEmail},
			"two in a header":   {func(r *operate.NewReport) { r.Contact = "a@example.com\r\nBcc: b@example.com" }, sandlot.CodeInvalidEmail},
		} {
			in := good
			change.with(&in)
			if _, err := w.Operate.Report(t.Context(), testworld.Nobody(), in); !errors.Is(err, change.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if list, err := w.Operate.Reports(t.Context(), byOperator, operate.ReportQuery{Limit: 9}); err != nil || len(list) > 0 || len(w.Due()) > 0 {
			t.Errorf("kept: %v, %v", list, err)
		}
		reported(t, w.Operate, good)
	})
}
