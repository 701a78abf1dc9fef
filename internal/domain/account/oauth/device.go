package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// The form of a user_code: letters without vowels, so that no code is a word.
const (
	userLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userSize    = 8
)

// AskDevice records a request for a device_code.
func (s *Service) AskDevice(ctx context.Context, by sandlot.Caller, in DeviceInput) (Device, error) {
	if err := s.mayAsk(by, in.Resource); err != nil {
		return Device{}, err
	}
	c, err := s.client(ctx, by, cmp.Or(in.ClientID, Terminal))
	if err != nil {
		return Device{}, err
	}
	if !c.Device {
		return Device{}, newRefusal("unauthorized_client", "The client has not registered for the grant_type of devices.")
	}
	now := s.Now().UTC()
	w := Waiting{Client: c, Scope: wish(in.Scope), CreatedAt: now, ExpiresAt: now.Add(DeviceLife)}
	if in.Project != "" {
		w.Scope, w.Project = ScopeProject, s.Places.ProjectID(in.Project)
		if !names.ValidProjectID(string(w.Project)) {
			return Device{}, newRefusal("invalid_request", "project must be the id or an address of a project.")
		}
	}
	code, err := s.Vault.MintToken(names.DevicePrefix)
	if err != nil {
		return Device{}, err
	}
	user, err := s.Vault.Text(userLetters, userSize)
	if err != nil {
		return Device{}, err
	}
	w.Code, w.UserCode = code.Hash(), s.userCode(user)
	shown := user[:userSize/2] + "-" + user[userSize/2:]
	return Device{code, shown, DeviceLife, DeviceInterval}, s.Store.AddDevice(ctx, w)
}

// LooksLikeUserCode reports whether text has the form of a user_code, in any case, with or without the hyphen.
func LooksLikeUserCode(text string) bool {
	text = typed(text)
	return len(text) == userSize && strings.Trim(text, userLetters) == ""
}

// typed returns a user_code as it was drawn.
func typed(text string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(text))
}

func (s *Service) userCode(text string) sandlot.Digest {
	return s.Vault.Keyed("oauth user_code", typed(text))
}

// DeviceConsent returns the question of a user_code for the caller, who must be logged in. A code that is unknown, ended
// or decided is sandlot.ErrNotFound: transports count it as a guess.
func (s *Service) DeviceConsent(ctx context.Context, by sandlot.Caller, userCode string) (Consent, error) {
	_, c, err := s.waiting(ctx, by, userCode)
	return c, err
}

// waiting returns a device that waits, with the question.
func (s *Service) waiting(ctx context.Context, by sandlot.Caller, userCode string) (Waiting, Consent, error) {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return Waiting{}, Consent{}, err
	}
	if !LooksLikeUserCode(userCode) {
		return Waiting{}, Consent{}, sandlot.ErrNotFound
	}
	w, err := s.Store.Device(ctx, s.userCode(userCode), s.Now().UTC())
	if err != nil {
		return Waiting{}, Consent{}, err
	}
	if at, err := url.Parse(w.Client.ID); err == nil && at.Scheme == "https" {
		w.Client.Document = at.Host // it was fetched when the device asked
	}
	return w, Consent{
		Client: w.Client, Place: Place{Host: w.Client.Document}, Wish: w.Scope, Project: w.Project,
		Form: s.form(by, w.Code.String()), Asked: w.CreatedAt,
	}, nil
}

// ApproveDevice makes the grant of a device. Errors are those of DeviceConsent and Approve.
func (s *Service) ApproveDevice(ctx context.Context, by sandlot.Caller, userCode string, c Choice) error {
	w, asked, err := s.waiting(ctx, by, userCode)
	if err == nil {
		err = s.mayChoose(ctx, by, asked, c)
	}
	if err != nil {
		return err
	}
	now := s.Now().UTC()
	k := newKey(by.Account(), c.Project, w.Client, now)
	k.Hash = w.Code
	err = s.Store.Decide(ctx, w.UserCode, &k, now)
	if errors.Is(err, sandlot.ErrSuspended) {
		return sandlot.AccountSuspended()
	}
	return err
}

// DenyDevice refuses a device, which gets access_denied. form is that of the Consent.
func (s *Service) DenyDevice(ctx context.Context, by sandlot.Caller, userCode, form string) error {
	w, asked, err := s.waiting(ctx, by, userCode)
	if err == nil {
		err = asked.sent(form)
	}
	if err != nil {
		return err
	}
	return s.Store.Decide(ctx, w.UserCode, nil, s.Now().UTC())
}

// polls are the refusals of a device by its state.
var polls = map[State][2]string{
	Pending: {"authorization_pending", "The owner of the account has not decided yet."},
	Slow:    {"slow_down", "The device asks too often. Wait 5 seconds longer between two requests."},
	Denied:  {"access_denied", "The owner of the account said no."},
	Expired: {"expired_token", "The device_code is over. Ask for another one."},
}

// PollDevice returns the tokens of a device_code once, after ApproveDevice. Before that it is a *Refusal with
// authorization_pending, or slow_down for a device that asks more often than its interval, which then grows by 5 s. An
// empty clientID is Terminal.
func (s *Service) PollDevice(ctx context.Context, by sandlot.Caller, code sandlot.Secret, clientID string) (Tokens, error) {
	if err := s.mayAsk(by, ""); err != nil {
		return Tokens{}, err
	}
	if !inspect.LooksLikeDeviceCode(code.Reveal()) {
		return Tokens{}, badGrant("The device_code is mistyped or cut: it is sld_ and 36 characters.")
	}
	now := s.Now().UTC()
	tokens, pair, err := s.mint(now)
	if err != nil {
		return Tokens{}, err
	}
	state, k, err := s.Store.Poll(ctx, Poll{code.Hash(), cmp.Or(clientID, Terminal), now, pair})
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		return Tokens{}, badGrant("The device_code is unknown here, was used, or is another client's.")
	case err != nil:
		return Tokens{}, err
	case state != Granted:
		return Tokens{}, newRefusal(polls[state][0], polls[state][1])
	}
	return tokens.of(k), nil
}
