package account

import (
	"context"
	"errors"
)

// A Mailer hands a message to the world. An error that wraps ErrRefused is
// final; any other may pass.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// ErrRefused: the mail server refuses this message or mailbox for good.
var ErrRefused = errors.New("mail refused")

// Mail is a message in words the Mailer finds by Kind and Lang.
type Mail struct {
	Kind   string // that of its Job
	To     string
	Lang   string // BCP 47; the Mailer falls back to English
	Handle string // empty in a login
	Case   string // of a report
	Link   string
	Code   string // of a login: what can be typed instead of opening the link
	NotMe  string // the link for those who did not ask; empty in a report
}
