package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// notMeFake knows the tokens "verify", "login" and "email-notice", each that of a
// message of its kind, and which of them were pressed.
type notMeFake struct {
	stopped map[string]bool
	pressed int
}

func (f *notMeFake) NotMe(_ context.Context, token string) (publish.NotMe, error) {
	n := publish.NotMe{Mail: token, Email: "<b>@example.com"}
	switch token {
	case "verify", "login", publish.MailEmailNotice:
	default:
		return n, publish.ErrNotFound
	}
	if f.stopped[token] {
		n.Stop = publish.Stop{Kind: publish.StopClaims, Until: time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC)}
	}
	return n, nil
}

func (f *notMeFake) StopMail(ctx context.Context, token string) (publish.NotMe, error) {
	if _, err := f.NotMe(ctx, token); err != nil {
		return publish.NotMe{}, err
	}
	f.pressed++
	f.stopped = map[string]bool{token: true}
	return f.NotMe(ctx, token)
}

func (f *notMeFake) AllowMail(ctx context.Context, token string) (publish.NotMe, error) {
	f.stopped = nil
	return f.NotMe(ctx, token)
}

func press(h http.Handler, path, token string) *http.Response {
	return request(h, "POST", path, "token="+token, "Sec-Fetch-Site", "same-origin")
}

func TestLookingAtANotMeLinkStopsNothing(t *testing.T) {
	s := &service{}
	h := pages(s)
	for token, want := range map[string]string{
		"verify": "Whoever entered it won’t be told", "login": "you can’t log in with your email either", publish.MailEmailNotice: "Take it back",
	} {
		for range 5 {
			for _, method := range []string{"GET", "HEAD"} {
				for _, path := range []string{"/not-me", "/not-me/undo"} {
					request(h, method, path+"?token="+token, "")
				}
			}
		}
		resp := request(h, "GET", "/not-me?token="+token, "")
		body := text(t, resp)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(body, want) || !strings.Contains(body, `action="/not-me"`) {
			t.Errorf("%s: %d %s", token, resp.StatusCode, body)
		}
		if strings.Contains(body, "<b>") || !strings.Contains(body, "&lt;b&gt;@example.com") || strings.Contains(body, "<script") {
			t.Errorf("%s is not escaped: %s", token, body)
		}
	}
	if s.pressed > 0 {
		t.Error("something was stopped")
	}
}

func TestTheButtonStopsAndAnotherTakesItBack(t *testing.T) {
	for token, want := range map[string][2]string{
		"verify": {"we won’t send anything", "needs it entered again"}, "login": {"04:05\u00a0UTC</time>", "You can log in with"},
	} {
		s := &service{}
		h := pages(s)
		for _, site := range []string{"cross-site", "same-site"} {
			if resp := request(h, "POST", "/not-me", "token="+token, "Sec-Fetch-Site", site); resp.StatusCode != http.StatusForbidden || s.pressed > 0 {
				t.Errorf("pressed from %s: %d", site, resp.StatusCode)
			}
		}
		first := text(t, press(h, "/not-me", token))
		if !strings.Contains(first, want[0]) || !strings.Contains(first, `action="/not-me/undo"`) || strings.Contains(first, `action="/not-me"`) {
			t.Errorf("%s: %s", token, first)
		}
		if again := text(t, press(h, "/not-me", token)); again != first {
			t.Errorf("pressed again: %s", again)
		}
		if looked := text(t, request(h, "GET", "/not-me?token="+token, "")); looked != first {
			t.Errorf("looked at again: %s", looked)
		}
		if body := text(t, press(h, "/not-me/undo", token)); !strings.Contains(body, want[1]) || s.stopped != nil {
			t.Errorf("taken back: %s", body)
		}
	}
}

func TestANotMeLinkThatIsNoneSaysSo(t *testing.T) {
	s := &service{}
	h := pages(s)
	for name, token := range map[string]string{"forged": "forged", "none": "", "of 3 KB": strings.Repeat("x", 3<<10), "an attack": "%3Cscript%3E"} {
		for _, resp := range []*http.Response{press(h, "/not-me", token), press(h, "/not-me/undo", token), request(h, "GET", "/not-me?token="+token, "")} {
			if body := text(t, resp); resp.StatusCode != http.StatusGone || !strings.Contains(body, "This link doesn’t work") || strings.Contains(body, "<script>") {
				t.Errorf("%s: %d", name, resp.StatusCode)
			}
		}
	}
	if resp := press(h, "/not-me", strings.Repeat("x", 1<<20)); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("of 1 MB: %d", resp.StatusCode)
	}
	if s.pressed > 0 {
		t.Error("something was stopped")
	}
}
