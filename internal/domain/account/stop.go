package account

import (
	"context"
	"time"

	"sandlot"
)

// A StopStore keeps the stops of mailboxes that want no messages, under the same promises as a publish.Store. It has
// none past its Until.
type StopStore interface {
	// StopMail records a stop in place of the mailbox's former one of the kind, and ends all logins with an address of
	// the mailbox: one for which names.EmailKey returns key. A stop of StopClaims also takes these addresses away from
	// accounts that have not verified them, and out of proposals, with all tokens for either.
	StopMail(ctx context.Context, s sandlot.Stop, key string) error
	// StopOf returns the stop of a mailbox. A stop that ends by itself and seems to begin in the future is over.
	StopOf(ctx context.Context, mailbox sandlot.Digest, kind string, now time.Time) (sandlot.Stop, error)
	// LiftStop forgets the stop of a mailbox; a missing one is not an error.
	LiftStop(ctx context.Context, mailbox sandlot.Digest, kind string) error
}

// stopOf returns the kind of stop that holds back messages of a kind. ok is false for messages that no stop holds back:
// reports, which the operator wants, and notices, since nobody must be able to keep an owner from hearing that an
// account was taken.
func stopOf(mail string) (kind string, ok bool) {
	switch mail {
	case sandlot.MailVerify, MailEmailChange:
		return sandlot.StopClaims, true
	case MailLogin:
		return sandlot.StopLogins, true
	}
	return "", false
}
