package publish

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// The kinds of a job whose message lets somebody confirm an address, and log in.
const (
	verifyMail = "verify"
	loginMail  = "login"
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
	if err != nil {
		return Mail{}, err
	}
	link := c.Places.Base.String() + "/login/link?token=" + url.QueryEscape(token)
	return Mail{Kind: j.Kind, To: to, Lang: j.Lang, Link: link, Code: code}, nil
}
