package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// terminal is the client_id of programs in a terminal.
const terminal = "terminal"

// deviceGrant is the type of a device grant (RFC 8628).
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// A Device is a program that waits until its owner types UserCode at Address.
type Device struct {
	Code     string `json:"device_code"` // a secret
	UserCode string `json:"user_code"`
	Address  string `json:"verification_uri"`
	Seconds  int    `json:"expires_in"` // until the codes end
	Interval int    `json:"interval"`   // seconds before each PollDevice; 0: 5
}

// Tokens are the secrets of a grant.
type Tokens struct {
	Access  string `json:"access_token"`  // a Client's Key
	Refresh string `json:"refresh_token"` // replaces both of them
	Seconds int    `json:"expires_in"`    // until Access ends
}

// ExpiresAt returns the time when an access token that came at now ends.
func (t Tokens) ExpiresAt(now time.Time) time.Time {
	return now.Add(time.Duration(t.Seconds) * time.Second).Truncate(time.Second)
}

// AskDevice begins a login of this program; with a project, by its id or any of its addresses, to that project alone.
func (c *Client) AskDevice(ctx context.Context, project string) (d Device, err error) {
	form := url.Values{}
	if project != "" {
		form.Set("project", project)
	}
	return d, c.oauth(ctx, "device", form, &d)
}

// PollDevice returns the tokens of a login, once, after its owner has consented. Until then it is an *Error with one of
// the codes of RFC 8628, section 3.5, such as authorization_pending.
func (c *Client) PollDevice(ctx context.Context, code string) (t Tokens, err error) {
	return t, c.oauth(ctx, "token", url.Values{"grant_type": {deviceGrant}, "device_code": {code}}, &t)
}

// Refresh replaces the tokens of a grant. A grant that has ended is an *Error with the code invalid_grant. The same
// token works for a minute more, for callers that got no answer.
func (c *Client) Refresh(ctx context.Context, token string) (t Tokens, err error) {
	return t, c.oauth(ctx, "token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}, &t)
}

// Revoke ends the grant of a token. A token that is unknown, or has ended, is no error.
func (c *Client) Revoke(ctx context.Context, token string) error {
	return c.oauth(ctx, "revoke", url.Values{"token": {token}}, nil)
}

// oauth makes a call of the authorization server. Its refusals are *Errors, with the codes of OAuth and without a Text,
// for they are no answers of the API.
func (c *Client) oauth(ctx context.Context, call string, form url.Values, into any) error {
	form.Set("client_id", terminal)
	address := c.Base.JoinPath("oauth", call).String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if into != nil {
		_, err = c.decode(req, into)
	} else if resp, failed := c.do(req); failed == nil {
		err = resp.Body.Close()
	} else {
		err = failed
	}
	var refused *Error
	if errors.As(err, &refused) {
		refused.Text = nil
	}
	return err
}
