package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// Limits of what whoever gets a message can do who did not ask for it.
const (
	notMeLife  = 30 * 24 * time.Hour // of the link: as long as the laws on unsubscribing want one to work
	notMeMax   = 600                 // characters of a token: one for the longest address has fewer
	loginPause = 24 * time.Hour      // long enough to tire a pest out, and it ends by itself: an owner who forgot it is not locked out
)

// notMePurpose is what tokens of these links are sealed for.
const notMePurpose = "not me"

// NotMe is what a link "this was not me" is about.
type NotMe struct {
	Mail  string // the kind of message it came with
	Email string
	Stop  publish.Stop // in force, if its Kind is set
}

// Logins reports whether the link stops logins, and not claims.
func (n NotMe) Logins() bool { return n.kind() == publish.StopLogins }

// kind is that of the stop. A notice of another address cannot be stopped; who
// knows nothing of the account does not want to be claimed either.
func (n NotMe) kind() string {
	if n.Mail == MailLogin {
		return publish.StopLogins
	}
	return publish.StopClaims
}

func (n NotMe) mailbox() publish.Digest { return publish.MailboxOf(n.Email) }

// NotMeToken is the token of a link in a message of a kind to an address. It is
// sealed under the installation's secret: nobody else can make one, or read in a
// log whom it is for; and nothing is kept of it.
func NotMeToken(vault *publish.Vault, now time.Time, mail, address string) (string, error) {
	plain := fmt.Sprintf("%s %d %s", mail, now.Add(notMeLife).Unix(), address) // none of them has a blank
	token, err := vault.Seal(notMePurpose, []byte(plain))
	return base64.RawURLEncoding.EncodeToString(token), err
}

// openNotMe reads a token. One that is not ours, or too old, is publish.ErrNotFound.
func openNotMe(vault *publish.Vault, now time.Time, token string) (NotMe, error) {
	if len(token) > notMeMax {
		return NotMe{}, publish.ErrNotFound
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return NotMe{}, publish.ErrNotFound
	}
	plain, err := vault.Unseal(notMePurpose, data)
	if err != nil {
		return NotMe{}, publish.ErrNotFound
	}
	mail, rest, _ := strings.Cut(string(plain), " ")
	until, address, _ := strings.Cut(rest, " ")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !now.Before(time.Unix(seconds, 0)) {
		return NotMe{}, publish.ErrNotFound
	}
	return NotMe{Mail: mail, Email: address}, nil
}

// NotMe tells what a link "this was not me" is about, and changes nothing. A
// token that is not ours, or too old, is publish.ErrNotFound.
func (s *Service) NotMe(ctx context.Context, by publish.Caller, token string) (NotMe, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return NotMe{}, err
	}
	n, err := openNotMe(s.vault, s.now(), token)
	if err != nil {
		return n, err
	}
	n.Stop, err = s.store.Stops.StopOf(ctx, n.mailbox(), n.kind(), s.now().UTC())
	if errors.Is(err, publish.ErrNotFound) {
		err = nil
	}
	return n, err
}

// StopMail stops the messages that a link is about, and ends what waits for one:
// claims of the address by accounts that have not verified it, and logins. To do
// it twice is to do it once. Logins are paused for a day. Accounts that have
// verified the address keep it. Errors are those of NotMe.
func (s *Service) StopMail(ctx context.Context, by publish.Caller, token string) (NotMe, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return NotMe{}, err
	}
	n, err := s.NotMe(ctx, by, token)
	if err != nil {
		return n, err
	}
	now := s.now().UTC()
	stop := publish.Stop{Mailbox: n.mailbox(), Kind: n.kind(), At: now}
	if n.Logins() {
		stop.Until = now.Add(loginPause)
	}
	n.Stop = stop
	return n, s.store.Stops.StopMail(ctx, stop, names.EmailKey(n.Email))
}

// AllowMail takes StopMail back, but for what it has ended. Errors are those of
// NotMe.
func (s *Service) AllowMail(ctx context.Context, by publish.Caller, token string) (NotMe, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return NotMe{}, err
	}
	n, err := openNotMe(s.vault, s.now(), token)
	if err != nil {
		return n, err
	}
	return n, s.store.Stops.LiftStop(ctx, n.mailbox(), n.kind())
}

// stopped reports whether the mailbox of a job wants no such message.
func (c *Courier) stopped(ctx context.Context, j publish.Job, now time.Time) (bool, error) {
	kind, ok := stopOf(j.Kind)
	if !ok {
		return false, nil
	}
	_, err := c.Store.StopOf(ctx, publish.MailboxOf(j.Address), kind, now)
	if errors.Is(err, publish.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// addNotMe gives a message the link for those who did not ask for it. An operator
// has asked for reports.
func (c *Courier) addNotMe(m *Mail) error {
	if m.Kind == publish.MailReport {
		return nil
	}
	token, err := NotMeToken(c.Vault, c.Now(), m.Kind, m.To)
	m.NotMe = c.Places.Base.String() + "/not-me?token=" + token
	return err
}
