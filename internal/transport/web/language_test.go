package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/base/catalog"
	"sandlot/internal/transport/web/texts"
)

// TestRegression42NoTextServesTwoPurposes: who was asked about a new address read the button "No, this is not
// mine" as a sentence, and who stopped logins read that messages were.
func TestRegression42NoTextServesTwoPurposes(t *testing.T) {
	t.Parallel()
	in := func(name string) string { return texts.Voice{Lang: catalog.Fallback}.T(name) }
	h := house(t)
	has := func(page, name string, others ...string) {
		t.Helper()
		if in(name) == "" || !strings.Contains(page, ">"+in(name)+"<") {
			t.Errorf("there is no %s", name)
		}
		for _, other := range others {
			if strings.Contains(page, ">"+in(other)+"<") {
				t.Errorf("there is %s beside %s", other, name)
			}
		}
	}
	get := func(target string) string { return text(t, request(h, "GET", target, "")) }
	has(get("/account/email?token="+h.propose()), "email.no", "verify.no", "undo.no")
	has(get("/account/undo?token="+h.moved()), "undo.no", "verify.no", "email.no")
	has(get("/verify?token="+h.claim("max", "max@example.com")), "verify.no", "email.no")
	for kind, mail := range map[string]string{"claims": "verify", "logins": "login"} {
		token := h.notAsked(mail, "max@example.com")
		name := func(rest string) string { return fmt.Sprintf("not-me.%s-%s", kind, rest) }
		stopped := text(t, press(h, "/not-me", token))
		has(stopped, name("stopped-title"))
		has(stopped, name("undo"))
		has(text(t, press(h, "/not-me/undo", token)), name("allowed-title"))
	}
	w := crowded(t, "")
	seen := func(target string) string { return text(t, request(w, "GET", target, "")) }
	has(seen(next(t, seen("/?sort=newest"))), "gallery.first")
	has(seen(next(t, seen("/@kim"))), "profile.first", "gallery.first")
	w = home(t)
	has(seen("/?sort=newest"), "gallery.none", "profile.none")
	has(seen("/@kim"), "profile.none", "gallery.none")
}

// TestRegression42PortugueseIsThatOfBrazil: the list of languages called it Portuguese. Browsers set to that of Portugal get it rather than English.
func TestRegression42PortugueseIsThatOfBrazil(t *testing.T) {
	t.Parallel()
	if body := text(t, asKim(house(t), "GET", "/account/settings", "")); !strings.Contains(body, ">Português (Brasil)</option>") {
		t.Error("it is not called so")
	}
	resp := request(house(t), "GET", "/", "", "Accept-Language", "pt-PT,pt;q=0.9,en;q=0.5")
	if body := text(t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(body, `<html lang="pt">`) {
		t.Errorf("a browser of Portugal gets %s", body)
	}
}
