package account

import (
	"context"
	"errors"
)

// A Mailer hands messages over to a mail server or a folder. Send returns nil once the message is accepted. An error
// that wraps ErrRefused is final, and one that wraps ErrUnreachable is about the server and not the message; after any
// other error the message may be sent again. Send may be called concurrently.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// ErrRefused means that the mail server refuses this message or its mailbox for good.
var ErrRefused = errors.New("mail refused")

// Mail holds the parts of a message. The Mailer finds the words by Kind and Lang.
type Mail struct {
	Kind   string // one of the kinds of sandlot.Job, or the one for a login with an unverified address
	To     string // one plain address
	Lang   string // BCP 47; the Mailer falls back to English
	Handle string // of the account that the message is about; empty in a login
	// Project and Page are the name and the page of a project of the account; empty for none.
	Project, Page string
	Case          string // the number of a report, or the numbers of reports; empty otherwise
	Reason        string // of the report, one of operate.Reasons; empty otherwise
	// Reports and Networks count the open reports of the project that the message is about.
	Reports, Networks int
	Words             string // of a moderator to the owner; may be empty
	Link              string // a whole URL
	Code              string // of a login: six digits that can be typed instead of opening the link
	// NotMe is the link for a reader who did not ask for the message; in one about a report, the link that holds its
	// project. It is empty in other messages about reports.
	NotMe string
}
