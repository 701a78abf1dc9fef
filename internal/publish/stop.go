package publish

import (
	"time"

	"sandlot/internal/names"
)

// The kinds of a Stop.
const (
	StopClaims = "claims" // no messages with which somebody wants the address for an account
	StopLogins = "logins" // no messages with which somebody wants to log in
)

// Stop says that a mailbox gets no more messages of a kind.
type Stop struct {
	Mailbox Digest
	Kind    string // StopClaims or StopLogins
	At      time.Time
	Until   time.Time // zero: until it is lifted
}

// MailboxOf is what is kept of the mailbox of an address where the address is not needed:
// the same for all addresses that reach it, and not to be turned back.
func MailboxOf(address string) Digest { return digest([]byte(names.EmailKey(address))) }
