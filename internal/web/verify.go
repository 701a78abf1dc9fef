package web

import (
	"errors"
	"net/http"

	"sandlot/internal/publish"
)

func (p *Pages) verifyRoutes() []route {
	return []route{
		{"GET", "/verify", anyone, p.askVerify},
		{"POST", "/verify", anyone, form(maxForm, p.verify, "token")},
		{"POST", "/verify/no", anyone, form(maxForm, p.refuseClaim, "token")},
	}
}

// claimPage is what the page of a link shows: what whoever says yes vouches for.
type claimPage struct {
	Token string
	publish.Claim
}

// Shown is how many projects the page shows.
func (p claimPage) Shown() int { return len(p.Projects) }

// askVerify shows what a link would do, and does nothing: programs that look at
// links in messages before people do must not use them up.
func (p *Pages) askVerify(v *visit) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	token := v.r.URL.Query().Get("token")
	found, err := p.Service.Claim(v.r.Context(), token)
	if err != nil {
		return v.linkUsedUp(err)
	}
	return v.show(http.StatusOK, "verify.html", v.T("verify.title"), claimPage{token, found})
}

// refuseClaim uses the link up: the address is taken away from the account.
func (p *Pages) refuseClaim(v *visit) error {
	a, notMe, err := p.Service.RefuseClaim(v.r.Context(), v.token())
	if err != nil {
		return v.linkUsedUp(err)
	}
	return v.show(http.StatusOK, "refused.html", v.T("refused.title"), struct {
		publish.Account
		Token string
	}{a, notMe})
}

// verify uses the link up.
func (p *Pages) verify(v *visit) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	a, err := p.Service.Verify(v.r.Context(), v.r.PostForm.Get("token"))
	if err != nil {
		return v.linkUsedUp(err)
	}
	return v.show(http.StatusOK, "verified.html", v.T("verified.title"), a)
}

// linkUsedUp shows where another link is to be had, or that none is needed.
func (v *visit) linkUsedUp(err error) error {
	if !errors.Is(err, publish.ErrNotFound) {
		return err
	}
	return v.show(http.StatusGone, "used_up.html", v.T("used-up.title"), v.r.URL.Path == "/account/email")
}
