package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

// Limits of the link for a reader who did not ask for a message.
const (
	notMeLife  = 30 * 24 * time.Hour // of the link: as long as the laws on unsubscribing want one to work
	notMeMax   = 600                 // characters of a token: one for the longest address has fewer
	loginPause = 24 * time.Hour      // long enough to tire a pest out, and it ends by itself: an owner who forgot it is not locked out
)

// notMePurpose keeps these tokens apart from others that are sealed under the same secret.
const notMePurpose = "not me"

// NotMe is the content of a link "this was not me".
type NotMe struct {
	Mail  string       // the kind of the message that the link was in
	Email string       // the address that the message went to
	Stop  sandlot.Stop // the stop in force; its Kind is empty if there is none
}

// Logins reports whether the link stops logins. Otherwise it stops claims.
func (n NotMe) Logins() bool { return n.kind() == sandlot.StopLogins }

// kind returns the kind of stop that the link sets. A notice that an address was replaced cannot be stopped, so its
// link stops claims: a reader who knows nothing of the account does not want those.
func (n NotMe) kind() string {
	if n.Mail == MailLogin {
		return sandlot.StopLogins
	}
	return sandlot.StopClaims
}

// mailbox returns the hash under which the stop of the address is kept.
func (n NotMe) mailbox() sandlot.Digest { return sandlot.MailboxOf(n.Email) }

// NotMeToken returns the token of the link "this was not me" for a message of a kind to an address. It works for 30
// days from now. It is sealed under the installation's secret, so nobody else can make one, and nobody who finds one in
// a log can read the address. No record of it is kept.
func NotMeToken(vault *sandlot.Vault, now time.Time, mail, address string) (string, error) {
	plain := fmt.Sprintf("%s %d %s", mail, now.Add(notMeLife).Unix(), address) // none of them has a blank
	token, err := vault.SealFor(sandlot.Seal{What: notMePurpose}, []byte(plain))
	return base64.RawURLEncoding.EncodeToString(token), err
}

// openNotMe reads a token. A token that NotMeToken did not make, or that has expired, is sandlot.ErrNotFound. It does
// not set Stop.
func openNotMe(vault *sandlot.Vault, now time.Time, token string) (NotMe, error) {
	if len(token) > notMeMax {
		return NotMe{}, sandlot.ErrNotFound
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return NotMe{}, sandlot.ErrNotFound
	}
	plain, err := vault.UnsealFor(sandlot.Seal{What: notMePurpose}, data)
	if err != nil {
		return NotMe{}, sandlot.ErrNotFound
	}
	mail, rest, _ := strings.Cut(string(plain), " ")
	until, address, _ := strings.Cut(rest, " ")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !now.Before(time.Unix(seconds, 0)) {
		return NotMe{}, sandlot.ErrNotFound
	}
	return NotMe{Mail: mail, Email: address}, nil
}

// NotMe returns the content of a link "this was not me", with the stop in force. It changes nothing. A token that is
// not one of ours, or older than 30 days, is sandlot.ErrNotFound.
func (s *Service) NotMe(ctx context.Context, by sandlot.Caller, token string) (NotMe, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return NotMe{}, err
	}
	n, err := openNotMe(s.vault, s.now(), token)
	if err != nil {
		return n, err
	}
	n.Stop, err = s.store.Stops.StopOf(ctx, n.mailbox(), n.kind(), s.now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		err = nil
	}
	return n, err
}

// StopMail stops messages of the link's kind to the mailbox of its address: claims for good, logins for 24 hours. It
// also ends everything that waits for such messages. A stop of claims takes the address away from accounts that have
// not verified it, and out of proposals; either stop ends pending logins. Accounts that have verified the address keep
// it. A second call has no further effect, but that a pause of logins begins anew. Errors are those of NotMe.
func (s *Service) StopMail(ctx context.Context, by sandlot.Caller, token string) (NotMe, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return NotMe{}, err
	}
	n, err := s.NotMe(ctx, by, token)
	if err != nil {
		return n, err
	}
	now := s.now().UTC()
	stop := sandlot.Stop{Mailbox: n.mailbox(), Kind: n.kind(), At: now}
	if n.Logins() {
		stop.Until = now.Add(loginPause)
	}
	n.Stop = stop
	return n, s.evenFull(func() error { return s.store.Stops.StopMail(ctx, stop, names.EmailKey(n.Email)) })
}

// AllowMail lifts the stop of StopMail. Logins and claims that StopMail has ended stay ended. Errors are those of
// NotMe.
func (s *Service) AllowMail(ctx context.Context, by sandlot.Caller, token string) (NotMe, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return NotMe{}, err
	}
	n, err := openNotMe(s.vault, s.now(), token)
	if err != nil {
		return n, err
	}
	return n, s.store.Stops.LiftStop(ctx, n.mailbox(), n.kind())
}

// stopped reports whether a stop holds back the message of a job.
func (c *Courier) stopped(ctx context.Context, j sandlot.Job, now time.Time) (bool, error) {
	kind, ok := stopOf(j.Kind)
	if !ok {
		return false, nil
	}
	_, err := c.Store.StopOf(ctx, sandlot.MailboxOf(j.Address), kind, now)
	if errors.Is(err, sandlot.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// addNotMe gives a message the link for a reader who did not ask for it. Messages about reports have none, because the
// operator has asked for them.
func (c *Courier) addNotMe(j sandlot.Job, m *Mail) error {
	if m.Kind == sandlot.MailReport || aboutDecisions(j.Kind) {
		return nil
	}
	token, err := NotMeToken(c.Vault, c.Now(), m.Kind, m.To)
	m.NotMe = c.Places.Base.String() + "/not-me?token=" + token
	return err
}
