package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestRegression07ThePageAsksWhetherItIsYours(t *testing.T) {
	t.Parallel()
	attack := `"><script>alert(1)</script>` + strings.Repeat("W", 170)
	h := house(t)
	token := h.claim("max", "max@example.com")
	maker := h.accountOf("max")
	for i := range account.ClaimShown - 1 {
		h.add(sandlot.ProjectID(fmt.Sprintf("more-%06d", i)), publish.NewProject{Account: maker})
	}
	h.add("bare-abc124", publish.NewProject{Account: maker})
	h.add("game-abc124", publish.NewProject{Account: maker, Title: attack})
	before := h.in.Rows()
	for range 3 {
		resp := request(h, "GET", "/verify?token="+token, "")
		body := text(t, resp)
		for _, want := range []string{
			"@", `dir="auto">&#34;&gt;&lt;script&gt;`, `dir="auto">bare-abc124</a>`, `href="/p/game-abc124"`, "12:00", "without a login",
			`action="/verify"`, `action="/verify/no"`, `value="` + token + `"`, "There are more",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("the page has no %s", want)
			}
		}
		if strings.Contains(body, "<script>alert") || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("the title acts, or the token leaves with the links: %v", resp.Header)
		}
	}
	expect.Same(t, "what is recorded when the page was looked at", h.in.Rows(), before)
	resp := request(h, "POST", "/verify/no", "token="+token, "Sec-Fetch-Site", "same-origin")
	body := text(t, resp)
	notMe := regexp.MustCompile(`action="/not-me">\s*<input type="hidden" name="token" value="([^"]+)"`).FindStringSubmatch(body)
	if resp.StatusCode != http.StatusOK || notMe == nil {
		t.Fatalf("%d: %s", resp.StatusCode, body)
	}
	if resp := press(h, "/not-me", notMe[1]); resp.StatusCode != http.StatusOK || h.in.Sizes()["stops"] != 1 {
		t.Errorf("all such messages are not stopped: %d", resp.StatusCode)
	}
	expect.Equal(t, "again", request(h, "POST", "/verify/no", "token="+token, "Sec-Fetch-Site", "same-origin").StatusCode, http.StatusGone)
}

func TestRegression07WhoSaysYesCanReplaceTheOldKeys(t *testing.T) {
	t.Parallel()
	h := house(t)
	resp := request(h, "POST", "/verify", "token="+h.claim("max", "max@example.com"), "Sec-Fetch-Site", "same-origin")
	expect.Contains(t, "where yes leads", text(t, resp), `href="/account/keys"`)
	h.later(-time.Hour)
	h.add("early-abc123", publish.NewProject{Account: h.kim.account.ID}) // with a key of before the address was verified
	h.later(time.Hour)
	body := text(t, asKim(h, "GET", "/account/keys", ""))
	if !strings.Contains(body, `action="/account/keys/replace"`) {
		t.Error("the page of the keys does not offer to replace the old ones")
	}
	if resp := asKim(h, "POST", "/account/keys/replace", "form_token=n"); resp.StatusCode != http.StatusOK || !sandlot.KeyPattern.MatchString(text(t, resp)) {
		t.Errorf("replaced: %d", resp.StatusCode)
	}
}
