package web

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestThePageOfAHeldProjectSaysWhyAndWhereToObject(t *testing.T) {
	t.Parallel()
	h := house(t)
	p := h.in.PublishPage(testworld.Nobody(), "<!doctype html><title>Bank of Sand</title><p>").Project
	p = testworld.HoldFields(h.in, p.ID)
	resp := request(h, "GET", "/p/"+string(p.ID), "")
	body := text(t, resp)
	expect.Equal(t, "the status", resp.StatusCode, http.StatusUnavailableForLegalReasons)
	for _, want := range []string{"password", "confirmed their email", `href="https://example.com/appeal/` + string(p.ID) + `"`} {
		expect.Contains(t, "the page", body, want)
	}
	for _, path := range []string{"/report?project=", "/appeal/"} {
		page := text(t, request(h, "GET", path+string(p.ID), ""))
		if !strings.Contains(page, string(p.ID)) || strings.Contains(page, "Bank of Sand") {
			t.Errorf("%s shows strangers the title of a held project, or not its id", path)
		}
	}
	h.session(p.Account, "guest", "curl")
	asGuest := func(target string) string {
		return text(t, request(h, "GET", target, "", "Cookie", cookieName+"=guest", "Sec-Fetch-Site", "same-origin"))
	}
	version := "--v2-" + p.Suffix
	expect.Contains(t, "its owner's page", asGuest("/p/"+string(p.ID)), version)
	own := asGuest("/account/projects/" + string(p.ID))
	for _, want := range []string{"On hold since", version, "/account/settings#address"} {
		expect.Contains(t, "the page of its owner", own, want)
	}
	_, err := h.account.Verify(t.Context(), testworld.Nobody(), h.token("/verify"))
	expect.OK(t, err)
	own = asGuest("/account/projects/" + string(p.ID))
	expect.Contains(t, "afterwards", own, "The hold ended on")
	if strings.Contains(own, "On hold since") {
		t.Error("it is held still")
	}
}
