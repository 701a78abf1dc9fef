package account

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"sandlot"
)

// writeMove mints the token of a move to another address and writes its message. If the move is over, the error is
// sandlot.ErrNotFound.
func (c *Courier) writeMove(ctx context.Context, j sandlot.Job, now time.Time) (Mail, error) {
	token, err := c.Vault.Text(base62, 43) // 256 bits
	if err != nil {
		return Mail{}, fmt.Errorf("mint token: %w", err)
	}
	m, path := EmailMove{Account: j.Account, Email: j.Address}, "/account/email?token="
	if j.Kind == MailEmailNotice {
		m.Undo, path = true, "/account/undo?token="
	}
	handle, err := c.Store.AddEmailLink(ctx, digest(token), m, now)
	if err != nil {
		return Mail{}, err
	}
	return Mail{
		Kind: j.Kind, To: j.Address, Lang: j.Lang, Handle: handle,
		Link: c.Places.Base.String() + path + url.QueryEscape(token),
	}, nil
}
