package publish_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/account"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
)

func (w *world) reported(in operate.NewReport) string {
	w.t.Helper()
	number, err := w.operator().Report(w.t.Context(), nobody(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return number
}

func TestReports(t *testing.T) {
	t.Parallel()
	t.Run("a report has a number, and the operator reads it", func(t *testing.T) {
		w := newWorld(t)
		p := w.publish(publish.Caller{}, page).Project
		w.postman()
		number := w.reported(operate.NewReport{Project: p.ID, Reason: "malware", Details: " one\r\ntwo\x1b[2J\u202e ", Contact: " ann@EXAMPLE.com ", FormToken: "form"})
		if !regexp.MustCompile(`^R-[0-9A-Z]{4}-[0-9A-Z]{4}$`).MatchString(number) {
			t.Errorf("the number is %q", number)
		}
		got, err := w.operator().ReadReport(t.Context(), byOperator, strings.ToLower(number))
		want := operate.Report{Case: number, Project: p.ID, Reason: "malware", Details: "one\ntwo[2J", Contact: "ann@example.com", At: got.At}
		if err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
		if mails := w.postman(); len(mails) != 0 {
			t.Errorf("%d messages, and nobody is to be told", len(mails))
		}
	})
	t.Run("the same form sent twice is one report, and one message", func(t *testing.T) {
		w := newWorld(t)
		w.reportMail = "operator@example.com"
		p, other := w.publish(publish.Caller{}, page).Project, w.publish(publish.Caller{}, page).Project
		in := operate.NewReport{Project: p.ID, Reason: "other", FormToken: "form", Lang: "fr"}
		w.postman()
		number := w.reported(in)
		if again := w.reported(in); again != number {
			t.Errorf("%s, and then %s", number, again)
		}
		mails := w.postman()
		if len(mails) != 1 || mails[0] != (account.Mail{Kind: "report", To: "operator@example.com", Lang: "fr", Case: number, Link: local().Base.String() + "/p/" + string(p.ID)}) {
			t.Errorf("messages %+v", mails)
		}
		if in.Project = other.ID; w.reported(in) == number {
			t.Error("a report of another project has the same number")
		}
	})
	t.Run("a project that was taken down can be reported", func(t *testing.T) {
		w := newWorld(t)
		p := w.publish(publish.Caller{}, page).Project
		if _, err := w.operator().Suspend(t.Context(), byOperator, string(p.ID), "a report"); err != nil {
			t.Fatal(err)
		}
		w.reported(operate.NewReport{Project: p.ID, Reason: "illegal", FormToken: "form"})
	})
	t.Run("what cannot be is refused, and nothing is kept", func(t *testing.T) {
		w := newWorld(t)
		w.reportMail = "operator@example.com"
		p := w.publish(publish.Caller{}, page).Project
		good := operate.NewReport{Project: p.ID, Reason: "other", Details: strings.Repeat("ü", operate.MaxDetails), FormToken: "form"}
		w.postman()
		for name, change := range map[string]struct {
			with func(*operate.NewReport)
			want error
		}{
			"no project":      {func(r *operate.NewReport) { r.Project = "other-abc123" }, publish.ErrNotFound},
			"no id at all":    {func(r *operate.NewReport) { r.Project = "../" }, publish.ErrNotFound},
			"another reason":  {func(r *operate.NewReport) { r.Reason = "<b>" }, publish.CodeInvalidField},
			"no nonce":        {func(r *operate.NewReport) { r.FormToken = "" }, publish.CodeInvalidField},
			"a long nonce":    {func(r *operate.NewReport) { r.FormToken = strings.Repeat("x", 99) }, publish.CodeInvalidField},
			"long details":    {func(r *operate.NewReport) { r.Details += "x" }, publish.CodeInvalidField},
			"not UTF-8":       {func(r *operate.NewReport) { r.Details = "\xff" }, publish.CodeInvalidField},
			"no address":      {func(r *operate.NewReport) { r.Contact = "ann" }, publish.CodeInvalidEmail},
			"two in a header": {func(r *operate.NewReport) { r.Contact = "a@example.com\r\nBcc: b@example.com" }, publish.CodeInvalidEmail},
		} {
			in := good
			change.with(&in)
			if _, err := w.operator().Report(t.Context(), nobody(), in); !errors.Is(err, change.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if list, err := w.operator().Reports(t.Context(), byOperator, operate.ReportQuery{Limit: 9}); err != nil || len(list) > 0 || len(w.postman()) > 0 {
			t.Errorf("kept: %v, %v", list, err)
		}
		w.reported(good)
	})
}
