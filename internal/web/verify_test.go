package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

func TestRegression07ThePageAsksWhetherItIsYours(t *testing.T) {
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	hostile := `"><script>alert(1)</script>` + strings.Repeat("W", 170)
	s := &service{token: "good", claimed: []publish.Project{{ID: "game-abc123", Title: hostile, CreatedAt: at}, {ID: "bare-abc123", CreatedAt: at}}}
	h := pages(s)
	for range 3 {
		resp := request(h, "GET", "/verify?token=good", "")
		body := text(t, resp)
		for _, want := range []string{
			"@", `dir="auto">&#34;&gt;&lt;script&gt;`, `dir="auto">bare-abc123</a>`, `href="/p/game-abc123"`, "9:30", "through the API", "without a login",
			`action="/verify"`, `action="/verify/no"`, `value="good"`, "There are more",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("the page has no %s", want)
			}
		}
		if strings.Contains(body, "<script>alert") || resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("the title acts, or the token leaves with the links: %v", resp.Header)
		}
	}
	if s.used {
		t.Error("looking at the page used the link up")
	}
	resp := request(h, "POST", "/verify/no", "token=good", "Sec-Fetch-Site", "same-origin")
	if body := text(t, resp); resp.StatusCode != http.StatusOK || !s.used || !strings.Contains(body, `action="/not-me"`) || !strings.Contains(body, `value="not-me"`) {
		t.Errorf("%d: %s", resp.StatusCode, body)
	}
	if resp := request(h, "POST", "/verify/no", "token=good", "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusGone {
		t.Errorf("again: %d", resp.StatusCode)
	}
	resp = request(pages(&service{token: "good"}), "POST", "/verify", "token=good", "Sec-Fetch-Site", "same-origin")
	if body := text(t, resp); !strings.Contains(body, `href="/account/keys"`) {
		t.Errorf("yes does not lead to the keys: %s", body)
	}
	body := text(t, asKim(h, "GET", "/account/keys", ""))
	if !strings.Contains(body, `action="/account/keys/replace"`) {
		t.Error("the page of the keys does not offer to replace the old ones")
	}
	if resp := asKim(h, "POST", "/account/keys/replace", "nonce=n"); resp.StatusCode != http.StatusOK || !strings.Contains(text(t, resp), "sl") {
		t.Errorf("replaced: %d", resp.StatusCode)
	}
}
