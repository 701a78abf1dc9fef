package oauth

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
)

// tokens is an answer of the token endpoint.
type tokens struct {
	Access  string            `json:"access_token"`
	Type    string            `json:"token_type"`
	Seconds int               `json:"expires_in"`
	Refresh string            `json:"refresh_token"`
	Scope   string            `json:"scope"`
	Project sandlot.ProjectID `json:"project_id,omitempty"`
}

// A grant is a way to get tokens.
type grant struct {
	secret string   // the parameter that could be guessed
	more   []string // others that it needs
	free   bool     // whether it leaves no rows that were not counted before
	get    func(h *Handler, c *call, f form) (oauth.Tokens, error)
}

// grants are those of the token endpoint, by grant_type.
var grants = map[string]grant{
	codeGrant:    {"code", []string{"client_id", "redirect_uri", "code_verifier"}, false, (*Handler).exchange},
	refreshGrant: {"refresh_token", nil, false, (*Handler).refresh},
	deviceGrant:  {"device_code", nil, true, (*Handler).poll},
}

func (h *Handler) exchange(c *call, f form) (oauth.Tokens, error) {
	return h.Service.Exchange(c.r.Context(), c.by, oauth.CodeInput{
		Code: f["code"], ClientID: f["client_id"], RedirectURI: f["redirect_uri"], Verifier: f["code_verifier"], Resource: f["resource"],
	})
}

func (h *Handler) refresh(c *call, f form) (oauth.Tokens, error) {
	return h.Service.Refresh(c.r.Context(), c.by, oauth.RefreshInput{
		Token: sandlot.Secret(f["refresh_token"]), ClientID: f["client_id"], Resource: f["resource"],
	})
}

func (h *Handler) poll(c *call, f form) (oauth.Tokens, error) {
	return h.Service.PollDevice(c.r.Context(), c.by, sandlot.Secret(f["device_code"]), f["client_id"])
}

// token answers POST /oauth/token. Each code and token that is wrong counts as a guess of the address.
func (h *Handler) token(c *call) error {
	f, err := c.form()
	if err == nil {
		err = f.needs("grant_type")
	}
	if err != nil {
		return err
	}
	g, known := grants[f["grant_type"]]
	if !known {
		return &oauth.Refusal{Code: "unsupported_grant_type", Description: "The grant types are " + codeGrant + ", " + refreshGrant + " and " + deviceGrant + "."}
	}
	if err = f.needs(append([]string{g.secret}, g.more...)...); err == nil && !g.free {
		err = c.grant.Also(admission.Tokens)
	}
	if err != nil {
		return err
	}
	got, err := h.guessed(c, f[g.secret], func() (oauth.Tokens, error) { return g.get(h, c, f) })
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, tokens{
		got.Access.Reveal(), "Bearer", int(got.Life / time.Second), got.Refresh.Reveal(), got.Scope, got.Project,
	})
}

// guessed calls try, and counts the secret for the address if it is wrong. A device that has to wait has a right one.
func (h *Handler) guessed(c *call, secret string, try func() (oauth.Tokens, error)) (got oauth.Tokens, err error) {
	denied := h.Admission.Guess(c.from, sandlot.DigestOf([]byte(secret)), func() (bool, error) {
		got, err = try()
		var r *oauth.Refusal
		switch {
		case !errors.As(err, &r):
			return err == nil, err
		case r.Code == "invalid_grant":
			return false, nil
		case r.Code == "authorization_pending" || r.Code == "slow_down":
			return true, nil
		}
		return false, err
	})
	return got, cmp.Or(err, denied)
}

// device answers POST /oauth/device (RFC 8628). There is no address in it that has the code: a person types it.
func (h *Handler) device(c *call) error {
	f, err := c.form()
	if err != nil {
		return err
	}
	d, err := h.Service.AskDevice(c.r.Context(), c.by, oauth.DeviceInput{
		ClientID: f["client_id"], Scope: f["scope"], Resource: f["resource"], Project: f["project"],
	})
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, struct {
		Code     string `json:"device_code"`
		UserCode string `json:"user_code"`
		Page     string `json:"verification_uri"`
		Seconds  int    `json:"expires_in"`
		Interval int    `json:"interval"`
	}{d.Code.Reveal(), d.UserCode, h.Places.Base.String() + devicePage, int(d.Life / time.Second), int(d.Interval / time.Second)})
}

// revoke answers POST /oauth/revoke (RFC 7009): 200 also for a token that is none.
func (h *Handler) revoke(c *call) error {
	f, err := c.form()
	if err != nil {
		return err
	}
	if err := f.needs("token"); err != nil {
		return err
	}
	if err := h.Service.Revoke(c.r.Context(), c.by, sandlot.Secret(f["token"]), f["client_id"]); err != nil {
		return err
	}
	return c.answer(http.StatusOK, struct{}{})
}

// register answers POST /oauth/register (RFC 7591).
func (h *Handler) register(c *call) error {
	var in oauth.Registration
	if err := c.json(&in); err != nil {
		return err
	}
	made, err := h.Service.Register(c.r.Context(), c.by, in)
	if err != nil {
		return err
	}
	out := struct {
		ID        string   `json:"client_id"`
		IssuedAt  int64    `json:"client_id_issued_at"`
		Name      string   `json:"client_name,omitempty"`
		Redirects []string `json:"redirect_uris"`
		Grants    []string `json:"grant_types"`
		Responses []string `json:"response_types"`
		Method    string   `json:"token_endpoint_auth_method"`
	}{made.ID, h.Now().Unix(), made.Name, append([]string{}, made.Redirects...), []string{refreshGrant}, []string{}, "none"}
	if len(made.Redirects) > 0 {
		out.Grants, out.Responses = append(out.Grants, codeGrant), []string{"code"}
	}
	if made.Device {
		out.Grants = append(out.Grants, deviceGrant)
	}
	return c.answer(http.StatusCreated, out)
}
