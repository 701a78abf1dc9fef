package web

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// TestExpensiveOperationsHaveALimit: the second of each in an hour is a page that says when to come again.
func TestExpensiveOperationsHaveALimit(t *testing.T) {
	t.Parallel()
	one := admission.Rate{Count: 1, Per: time.Hour, Burst: 1}
	for name, ask := range map[string]func(p *world) *http.Response{
		"a search":               func(p *world) *http.Response { return request(p, "GET", "/?q=pong", "") },
		"a project's archive":    func(p *world) *http.Response { return asKim(p, "GET", ownAt+"/download", "") },
		"an account's archive":   func(p *world) *http.Response { return asKim(p, "GET", "/account/export", "") },
		"an upload":              func(p *world) *http.Response { return uploadTo(p) },
		"an upload's many bytes": func(p *world) *http.Response { return uploadTo(p) },
	} {
		p := house(t)
		p.limits = admission.New(admission.Config{Searches: one, Downloads: one, Writes: one})
		if strings.HasSuffix(name, "bytes") {
			p.limits = admission.New(admission.Config{Bytes: admission.Rate{Count: 100, Per: time.Hour, Burst: 10_000}}) // the record of a file costs as much as 8 KiB
		}
		if resp := ask(p); resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusSeeOther {
			t.Errorf("the first of %s: %d", name, resp.StatusCode)
		}
		done := p.written()
		if resp := ask(p); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" || p.written() != done {
			t.Errorf("the second of %s: %d, Retry-After %q", name, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
		if resp := request(p, "GET", "/", ""); resp.StatusCode != http.StatusOK {
			t.Errorf("the first page after %s: %d", name, resp.StatusCode)
		}
	}
}

// TestRegression02AFormOfTheWebsiteCostsWhatItBrings also without a Content-Length: it ends where the limit does, and nothing of it is kept.
func TestRegression02AFormOfTheWebsiteCostsWhatItBrings(t *testing.T) {
	t.Parallel()
	p := house(t)
	before := p.in.Sizes()
	p.limits = admission.New(admission.Config{Bytes: admission.Rate{Count: 100, Per: time.Hour, Burst: 300_000}})
	body, kind := uploadOf("", "a.js", strings.Repeat("x", 200_000), "b.js", strings.Repeat("y", 200_000))
	if resp := sendTo(p, struct{ io.Reader }{body}, kind); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	expect.Same(t, "what is kept", p.in.Sizes(), before)
	expect.Equal(t, "a small one after it", uploadTo(p).StatusCode, http.StatusTooManyRequests)
}

func uploadTo(p http.Handler) *http.Response {
	body, kind := uploadOf("", "a.js", strings.Repeat("x", 500))
	return sendTo(p, body, kind)
}

// TestEveryRouteHasAnOperation by which admission knows it. What strangers may send to has a limit.
func TestEveryRouteHasAnOperation(t *testing.T) {
	t.Parallel()
	// These use up the token of a message or of an invitation, which nobody guesses, end the visitor's own session, give the browser a cookie, or
	// lead strangers to a login.
	free := []string{"/choices", "/verify", "/verify/no", "/not-me", "/not-me/undo", "/account/email", "/account/undo", "/login/link", "/login/choose", "/logout", invitePath, authorizePath}
	for _, r := range house(t).routes {
		open := r.access == anyone || r.access == stranger
		switch {
		case !r.operation.Known():
			t.Errorf("%s %s: %v", r.method, r.path, r.operation)
		case open && r.method == http.MethodPost && r.operation.Free() && r.operation != admission.EnterCode && !slices.Contains(free, r.path):
			t.Errorf("%s %s costs nothing", r.method, r.path)
		}
	}
}
