package account

import (
	"context"
	"errors"
)

// A Mailer hands messages over to a mail server or a folder. Send returns nil once the message
// is accepted. An error that wraps ErrRefused is final, and one that wraps ErrUnreachable is
// about the server and not the message; after any other the message may be sent again. Send may
// be called concurrently.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// ErrRefused says that the mail server refuses this message or its mailbox for good.
var ErrRefused = errors.New("mail refused")

// Mail is what a message says. The Mailer finds the words by Kind and Lang.
type Mail struct {
	Kind   string // one of the kinds of sandlot.Job, or the one for a login with an unverified address
	To     string // one plain address
	Lang   string // BCP 47; the Mailer falls back to English
	Handle string // of the account that the message is about; empty in a login
	// Project and Page name what was published with the account, and where it is seen; empty for nothing.
	Project, Page string
	Case          string // the number of a report; empty otherwise
	Link          string // a whole URL
	Code          string // of a login: six digits that can be typed instead of opening the link
	NotMe         string // the link for those who did not ask; empty in a report
}
