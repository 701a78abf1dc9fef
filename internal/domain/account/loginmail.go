package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"sandlot"
)

// The kinds of messages for a login.
const (
	MailLogin = "login"
	// mailClaimed is the kind of message that a job of MailLogin sends if nobody has verified the
	// address. Its link is like that of sandlot.MailVerify.
	mailClaimed = "login-unverified"
)

// writeLogin mints the token and the code of a login, keeps only their hashes, and writes the message.
// sandlot.ErrNotFound means that no message is sent.
func (c *Courier) writeLogin(ctx context.Context, j sandlot.Job, now time.Time) (Mail, error) {
	token, err := c.Vault.Text(base62, browserToken)
	if err != nil {
		return Mail{}, fmt.Errorf("mint token: %w", err)
	}
	code, err := c.Vault.Text("0123456789", 6)
	if err != nil {
		return Mail{}, fmt.Errorf("mint code: %w", err)
	}
	m := LoginMessage{Token: digest(token), Code: hashCode(c.Vault, j.Login, code), ExpiresAt: now.Add(loginLife)}
	to, err := c.Store.WriteLogin(ctx, j.Login, m, now)
	if errors.Is(err, sandlot.ErrNotFound) {
		return c.writeClaimed(ctx, j, now)
	}
	if err != nil {
		return Mail{}, err
	}
	link := c.Places.Base.String() + "/login/link?token=" + url.QueryEscape(token)
	return Mail{Kind: j.Kind, To: to, Lang: j.Lang, Link: link, Code: code}, nil
}

// writeClaimed writes the message for a login with an address that accounts have and none has verified: it has a new
// link that verifies the address. It counts as the message of the login. sandlot.ErrNotFound means that no message is
// sent: no account has the address, or its mailbox stopped claims.
func (c *Courier) writeClaimed(ctx context.Context, j sandlot.Job, now time.Time) (Mail, error) {
	if stopped, err := c.stopped(ctx, sandlot.Job{Kind: sandlot.MailVerify, Address: j.Address}, now); stopped || err != nil {
		return Mail{}, cmp.Or(err, sandlot.ErrNotFound)
	}
	a, err := c.Store.Claimant(ctx, j.Login, now)
	if err != nil {
		return Mail{}, err
	}
	return c.writeVerify(ctx, sandlot.Job{Kind: mailClaimed, Account: a.ID, Address: a.Email, Lang: j.Lang}, now)
}
