package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
)

// reportFake knows one project, and takes what the domain would.
type reportFake struct {
	sent []operate.NewReport
	from []publish.Sender
}

func (f *reportFake) Reportable(_ context.Context, _ publish.Caller, id publish.ProjectID) (publish.Project, string, error) {
	if id != "game-abc123" {
		return publish.Project{}, "", publish.ErrNotFound
	}
	return publish.Project{ID: id, Title: `<script>"pong"`, Lang: "zh-Hans", Suspended: true}, "nonce", nil
}

func (f *reportFake) Report(ctx context.Context, by publish.Caller, in operate.NewReport) (string, error) {
	if _, _, err := f.Reportable(ctx, by, in.Project); err != nil {
		return "", err
	}
	switch {
	case in.Reason == "":
		return "", publish.Refuse(publish.CodeInvalidField, "no").In("reason")
	case in.Details == "long":
		return "", publish.Refuse(publish.CodeInvalidField, "no").In("details")
	case in.Contact == "none":
		return "", publish.Refuse(publish.CodeInvalidEmail, "no").In("email")
	}
	f.sent, f.from = append(f.sent, in), append(f.from, by.From)
	return "R-7K3M-9Q2D", nil
}

func sendReport(h http.Handler, form url.Values) *http.Response {
	return request(h, "POST", "/report", form.Encode(), "Sec-Fetch-Site", "same-origin")
}

func TestAReportIsAskedForAndItsNumberShown(t *testing.T) {
	s := &service{}
	h := pages(s)
	body := text(t, request(h, "GET", "/report?project=game-abc123", ""))
	for _, want := range []string{`value="game-abc123"`, `value="nonce"`, `value="copyright"`, "&lt;script&gt;", "4,000"} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	resp := sendReport(h, url.Values{"project": {"game-abc123"}, "reason": {"other"}, "details": {"bad"}, "contact": {"a@example.com"}, "nonce": {"n"}})
	want := operate.NewReport{Project: "game-abc123", Reason: "other", Details: "bad", Contact: "a@example.com", Nonce: "n", Lang: "en"}
	if !strings.Contains(text(t, resp), "R-7K3M-9Q2D") || resp.StatusCode != http.StatusOK || len(s.sent) != 1 || s.sent[0] != want || s.from[0] != (publish.Sender{Network: "192.0.2.1"}) {
		t.Errorf("%d, sent %v", resp.StatusCode, s.sent)
	}
}

func TestAReportAgainstNothingIsNotFound(t *testing.T) {
	h := pages(&service{})
	for _, resp := range []*http.Response{
		request(h, "GET", "/report", ""), request(h, "GET", "/report?project=other-abc123", ""), sendReport(h, url.Values{"project": {"other-abc123"}, "reason": {"other"}}),
	} {
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("got %d", resp.StatusCode)
		}
	}
}

func TestWhatWasTypedIsKeptWhenAReportCannotBe(t *testing.T) {
	h := pages(&service{})
	for field, form := range map[string]url.Values{
		"reason-bad":  {"details": {"<b>kept"}},
		"details-bad": {"details": {"long"}, "reason": {"malware"}, "contact": {"<b>kept"}},
		"contact-bad": {"contact": {"none"}, "reason": {"malware"}, "details": {"<b>kept"}},
	} {
		form.Set("project", "game-abc123")
		resp := sendReport(h, form)
		body := text(t, resp)
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `id="`+field) || !strings.Contains(body, "&lt;b&gt;kept") {
			t.Errorf("%s: %d %s", field, resp.StatusCode, body)
		}
		if form.Get("reason") != "" && !strings.Contains(body, `value="malware" required checked`) {
			t.Errorf("%s: the reason is not kept", field)
		}
	}
}

func TestAReportFromElsewhereOrTooLongIsRefused(t *testing.T) {
	s := &service{}
	h := pages(s)
	form := url.Values{"project": {"game-abc123"}, "reason": {"other"}}
	if resp := request(h, "POST", "/report", form.Encode(), "Sec-Fetch-Site", "same-site"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from elsewhere: %d", resp.StatusCode)
	}
	form.Set("details", strings.Repeat("x", 1<<20))
	if resp := sendReport(h, form); resp.StatusCode != http.StatusRequestEntityTooLarge || len(s.sent) > 0 {
		t.Errorf("of 1 MB: %d", resp.StatusCode)
	}
}

func TestReportsOfAnAddressAreLimited(t *testing.T) {
	s := &service{}
	h := pages(s)
	h.Admission = admission.New(admission.Config{Reports: admission.Rate{Count: 1, Per: time.Hour, Burst: 2}})
	form := url.Values{"project": {"game-abc123"}, "reason": {"other"}}
	for range 2 {
		if resp := sendReport(h, form); resp.StatusCode != http.StatusOK {
			t.Errorf("got %d", resp.StatusCode)
		}
	}
	if resp := sendReport(h, form); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" || len(s.sent) != 2 {
		t.Errorf("the third: %d, %d sent", resp.StatusCode, len(s.sent))
	}
}

func TestAProjectsPageLeadsToTheFormAgainstIt(t *testing.T) {
	if body := text(t, request(pages(&service{}), "GET", "/p/game-abc123", "")); !strings.Contains(body, `href="/report?project=game-abc123"`) {
		t.Error("there is no way to report it")
	}
}
