package publish

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"sandlot/internal/names"
)

// The kinds of a job whose message lets somebody confirm an address, and log in.
const (
	verifyMail = "verify"
	loginMail  = "login"
)

// LoginMailsPerDay is how many messages with a login one mailbox gets in 24
// hours. They have a count of their own: what strangers publish under an address must not keep its owner out.
const LoginMailsPerDay = 10

// allowance is the mailbox that a job counts for, and how many messages of its
// kind that gets in a day.
func allowance(j Job) (mailbox Digest, most int) {
	key := names.EmailKey(j.Address)
	switch j.Kind {
	case loginMail:
		return digest([]byte("login " + key)), LoginMailsPerDay // no address has a blank
	case MailEmailNotice:
		return digest([]byte("notice " + key)), noticesPerDay
	}
	if j.Kind == reportMail {
		return digest([]byte("report " + key)), reportsMailed
	}
	return digest([]byte(key)), MailsPerDay
}

// writeLogin mints the token and the code of a login, of which only hashes are
// kept. ErrNotFound: nobody gets a message.
func (c *Courier) writeLogin(ctx context.Context, j Job, now time.Time) (Mail, error) {
	token, err := randomText(c.Random, base62, browserToken)
	if err != nil {
		return Mail{}, fmt.Errorf("mint token: %w", err)
	}
	code, err := randomText(c.Random, "0123456789", 6)
	if err != nil {
		return Mail{}, fmt.Errorf("mint code: %w", err)
	}
	m := LoginMessage{Token: digest([]byte(token)), Code: c.HashCode(j.Login, code), ExpiresAt: now.Add(loginLife)}
	to, err := c.Logins.WriteLogin(ctx, j.Login, m, now)
	if err != nil {
		return Mail{}, err
	}
	link := c.Places.Base.String() + "/login/link?token=" + url.QueryEscape(token)
	return Mail{Kind: j.Kind, To: to, Lang: j.Lang, Link: link, Code: code}, nil
}
