package oauth

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sandlot"
)

// Ask checks a request of the authorization endpoint, and returns the question for the caller, who must be logged in.
// Errors are *Refusal, and those of sandlot.Authorize.
func (s *Service) Ask(ctx context.Context, by sandlot.Caller, r Request) (Consent, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return Consent{}, err
	}
	c, err := s.read(ctx, by, r)
	if err != nil {
		return Consent{}, err
	}
	return Consent{Client: c, Place: c.place(r.RedirectURI), Wish: wish(r.Scope), Form: s.form(by, r)}, nil
}

// Check is Ask for a visitor without a login: nil if a login would lead to the question.
func (s *Service) Check(ctx context.Context, by sandlot.Caller, r Request) error {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return err
	}
	_, err := s.read(ctx, by, r)
	return err
}

// Approve records the consent, and returns the address to which the browser is sent: the redirect_uri with code, state
// and iss. The code is good for CodeLife, once. A project that is not the account's is sandlot.ErrNotFound, a Form of
// another session or request sandlot.CodeInvalidField.
func (s *Service) Approve(ctx context.Context, by sandlot.Caller, r Request, c Choice) (redirect string, err error) {
	asked, err := s.Ask(ctx, by, r)
	if err == nil {
		err = s.mayChoose(ctx, by, asked, c)
	}
	if err != nil {
		return "", err
	}
	code, err := s.seal(r, consented{by.Account(), c.Project, asked.Client.Name, s.Now().Add(CodeLife).UnixMicro()})
	if err != nil {
		return "", err
	}
	return s.answer(r, "code", code), nil
}

// Deny returns the address to which the browser is sent with access_denied.
func (s *Service) Deny(ctx context.Context, by sandlot.Caller, r Request) (redirect string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return "", err
	}
	if _, err := s.read(ctx, by, r); err != nil {
		return "", err
	}
	return s.refuse(r, "access_denied", "The owner of the account said no.").Redirect, nil
}

// read checks a request, and returns its client.
func (s *Service) read(ctx context.Context, by sandlot.Caller, r Request) (Client, error) {
	c, err := s.client(ctx, by, r.ClientID)
	if err != nil {
		return Client{}, err
	}
	if !c.allows(r.RedirectURI) {
		return Client{}, newRefusal("invalid_request", "redirect_uri is not one of this client's.")
	}
	challenge, err := base64.RawURLEncoding.DecodeString(r.Challenge)
	switch {
	case r.ResponseType == "":
		return Client{}, s.refuse(r, "invalid_request", "response_type is missing.")
	case r.ResponseType != "code":
		return Client{}, s.refuse(r, "unsupported_response_type", "response_type must be code.")
	case err != nil || len(challenge) != len(sandlot.Digest{}) || r.ChallengeMethod != "S256":
		return Client{}, s.refuse(r, "invalid_request",
			"PKCE is required: a code_challenge, the base64url of a SHA-256, with code_challenge_method S256.")
	}
	if err := s.checkResource(r.Resource); err != nil {
		return Client{}, s.refuse(r, err.Code, err.Description)
	}
	return c, nil
}

// checkResource refuses any resource but the one that there is.
func (s *Service) checkResource(resource string) *Refusal {
	if resource == "" || resource == Resource(s.Places) {
		return nil
	}
	return newRefusal("invalid_target", "resource must be "+Resource(s.Places)+".")
}

// wish returns the scope that a program asks for. Scopes that are unknown here are ignored.
func wish(scope string) string {
	if list := strings.Fields(scope); slices.Contains(list, ScopeProject) && !slices.Contains(list, ScopeAccount) {
		return ScopeProject
	}
	return ScopeAccount
}

func newRefusal(code, description string) *Refusal {
	return &Refusal{Code: code, Description: description}
}

// refuse returns a refusal that the browser takes to the client.
func (s *Service) refuse(r Request, code, description string) *Refusal {
	return &Refusal{code, description, s.answer(r, "error", code, "error_description", description)}
}

// answer returns the redirect_uri with state, iss and these parameters, after those that it has.
func (s *Service) answer(r Request, parameters ...string) string {
	add := url.Values{"iss": {Issuer(s.Places)}}
	if r.State != "" {
		add.Set("state", r.State)
	}
	for pair := range slices.Chunk(parameters, 2) {
		add.Set(pair[0], pair[1])
	}
	if strings.Contains(r.RedirectURI, "?") {
		return r.RedirectURI + "&" + add.Encode()
	}
	return r.RedirectURI + "?" + add.Encode()
}

// form returns the token of the form about a request in the session of the caller.
func (s *Service) form(by sandlot.Caller, about any) string {
	session, _, _ := by.Login()
	return s.Vault.Keyed("oauth form", fmt.Sprintf("%d %q", session.ID, about)).String()
}

// mayChoose refuses a choice that does not answer the question.
func (s *Service) mayChoose(ctx context.Context, by sandlot.Caller, asked Consent, c Choice) error {
	if err := asked.sent(c.Form); err != nil {
		return err
	}
	switch {
	case c.Project == "" && asked.Wish == ScopeProject:
		return sandlot.Refuse(sandlot.CodeInvalidField, "The program asks for one project, and none was chosen.").In("project")
	case c.Project == "":
		return nil
	}
	p, err := s.Store.Project(ctx, c.Project)
	if err != nil {
		return err
	}
	return sandlot.Authorize(by, sandlot.ActSeeOwn, &p)
}

// sent refuses any form but that of the question.
func (c Consent) sent(form string) error {
	if hmac.Equal([]byte(form), []byte(c.Form)) {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField, "The form belongs to another session, or to another request.").In("form_token")
}
