package publish

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sandlot/internal/names"
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
	Stop  Stop // in force, if its Kind is set
}

// Logins reports whether the link stops logins, and not claims.
func (n NotMe) Logins() bool { return n.kind() == StopLogins }

// kind is that of the stop. A notice of another address cannot be stopped; who
// knows nothing of the account does not want to be claimed either.
func (n NotMe) kind() string {
	if n.Mail == loginMail {
		return StopLogins
	}
	return StopClaims
}

func (n NotMe) mailbox() Digest { return MailboxOf(n.Email) }

// MailboxOf is what is kept of the mailbox of an address where the address is not needed:
// the same for all addresses that reach it, and not to be turned back.
func MailboxOf(address string) Digest { return digest([]byte(names.EmailKey(address))) }

// NotMeToken is the token of a link in a message of a kind to an address. It is
// sealed under the installation's secret: nobody else can make one, or read in a
// log whom it is for; and nothing is kept of it.
func (s *Service) NotMeToken(mail, address string) (string, error) {
	plain := fmt.Sprintf("%s %d %s", mail, s.now().Add(notMeLife).Unix(), address) // none of them has a blank
	token, err := s.vault.Seal(notMePurpose, []byte(plain))
	return base64.RawURLEncoding.EncodeToString(token), err
}

// openNotMe reads a token. One that is not ours, or too old, is ErrNotFound.
func (s *Service) openNotMe(token string) (NotMe, error) {
	if len(token) > notMeMax {
		return NotMe{}, ErrNotFound
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return NotMe{}, ErrNotFound
	}
	plain, err := s.vault.Unseal(notMePurpose, data)
	if err != nil {
		return NotMe{}, ErrNotFound
	}
	mail, rest, _ := strings.Cut(string(plain), " ")
	until, address, _ := strings.Cut(rest, " ")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !s.now().Before(time.Unix(seconds, 0)) {
		return NotMe{}, ErrNotFound
	}
	return NotMe{Mail: mail, Email: address}, nil
}

// NotMe tells what a link "this was not me" is about, and changes nothing. A
// token that is not ours, or too old, is ErrNotFound.
func (s *Service) NotMe(ctx context.Context, token string) (NotMe, error) {
	n, err := s.openNotMe(token)
	if err != nil {
		return n, err
	}
	n.Stop, err = s.site.StopOf(ctx, n.mailbox(), n.kind(), s.now().UTC())
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return n, err
}

// StopMail stops the messages that a link is about, and ends what waits for one:
// claims of the address by accounts that have not verified it, and logins. To do
// it twice is to do it once. Logins are paused for a day. Accounts that have
// verified the address keep it. Errors are those of NotMe.
func (s *Service) StopMail(ctx context.Context, token string) (NotMe, error) {
	n, err := s.NotMe(ctx, token)
	if err != nil {
		return n, err
	}
	now := s.now().UTC()
	stop := Stop{Mailbox: n.mailbox(), Kind: n.kind(), At: now}
	if n.Logins() {
		stop.Until = now.Add(loginPause)
	}
	n.Stop = stop
	return n, s.site.StopMail(ctx, stop, names.EmailKey(n.Email))
}

// AllowMail takes StopMail back, but for what it has ended. Errors are those of
// NotMe.
func (s *Service) AllowMail(ctx context.Context, token string) (NotMe, error) {
	n, err := s.openNotMe(token)
	if err != nil {
		return n, err
	}
	return n, s.site.LiftStop(ctx, n.mailbox(), n.kind())
}

// stopped reports whether the mailbox of a job wants no such message.
func (c *Courier) stopped(ctx context.Context, j Job, now time.Time) (bool, error) {
	kind, ok := stopOf(j.Kind)
	if !ok {
		return false, nil
	}
	_, err := c.Stops.StopOf(ctx, MailboxOf(j.Address), kind, now)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// addNotMe gives a message the link for those who did not ask for it. An operator
// has asked for reports.
func (c *Courier) addNotMe(m *Mail) error {
	if m.Kind == MailReport {
		return nil
	}
	token, err := c.NotMeToken(m.Kind, m.To)
	m.NotMe = c.Places.Base.String() + "/not-me?token=" + token
	return err
}
