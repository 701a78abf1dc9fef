package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// The kinds of a job whose message lets somebody confirm an address, and log in.
const (
	verifyMail = "verify"
	loginMail  = "login"
	// claimedMail is what a job of loginMail sends where nobody has verified the address; its link is that of verifyMail.
	claimedMail = "login-unverified"
)

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
	if errors.Is(err, ErrNotFound) {
		return c.writeClaimed(ctx, j, now)
	}
	if err != nil {
		return Mail{}, err
	}
	link := c.Places.Base.String() + "/login/link?token=" + url.QueryEscape(token)
	return Mail{Kind: j.Kind, To: to, Lang: j.Lang, Link: link, Code: code}, nil
}

// writeClaimed is the message to whoever asks to log in with an address that was given
// for an account and that nobody has verified: the link that does, once more. It counts
// as the login that was asked for, and is not for a mailbox that wants no such links.
// ErrNotFound: nobody gets a message.
func (c *Courier) writeClaimed(ctx context.Context, j Job, now time.Time) (Mail, error) {
	if stopped, err := c.stopped(ctx, Job{Kind: verifyMail, Address: j.Address}, now); stopped || err != nil {
		return Mail{}, cmp.Or(err, ErrNotFound)
	}
	a, err := c.Logins.Claimant(ctx, j.Login, now)
	if err != nil {
		return Mail{}, err
	}
	return c.writeVerify(ctx, Job{Kind: claimedMail, Account: a.ID, Address: a.Email, Lang: j.Lang}, now)
}
