package sandlot

import (
	"fmt"
	"time"

	"sandlot/internal/format/names"
)

// The kinds of the messages other than those about logins.
const (
	MailVerify = "verify" // with the link that proves that somebody reads an address
	MailReport = "report" // to the operator
	// About a decision of a moderator: to the owner of the project, and to a reporter of it.
	MailDecision = "decision"
	MailOutcome  = "outcome"
)

// Job is a message to be sent after the answer. It is recorded in the same step as its cause, so that it is sent if and
// only if that step happened.
type Job struct {
	ID       int64
	Kind     string    // MailVerify or MailReport, or one of the kinds of package account
	Account  AccountID // 0 for a login: the account is looked up later
	Login    int64     // the login that the message is for; 0 for another kind
	Address  string
	Lang     string
	Attempts int
	Due      time.Time
	Asker    Asker
	Claim    int64 // the claim under which it was returned
	About    int64 // the record that the message is about, by its kind; 0: none
	// Asks are the counts of messages that its asker has requested, whether or not there is an account. A step that
	// records a job counts it in all of them; if one has no room, the step is ErrTooOften and has no effect. They are
	// not kept with the job.
	Asks []Share
}

// MailDay is the window in which messages are counted.
const MailDay = 24 * time.Hour

// Share is a count of messages that a job needs room in.
type Share struct {
	Counter Digest // the name of the count: a hash of the mailbox and of the kind of count
	Most    int    // the limit of messages within MailDay
}

// ShareOf returns the share that an address's mailbox has in the count of that name.
func ShareOf(address string, most int, what string, args ...any) Share {
	return Share{DigestOf([]byte(fmt.Sprintf(what, args...) + " " + names.EmailKey(address))), most} // no address has a blank
}

// The kinds of an Asker other than a stranger, which is the zero one.
const (
	AskedWithKey = "key"     // the account itself, by its key or a login
	AskedKnown   = "browser" // a browser that was logged in with the mailbox before
)

// Asker is the sender of a request for a message, as far as it is counted: strangers share the limits of a mailbox and
// a network, and cannot use up the share of the mailbox's owner.
type Asker struct {
	Kind    string // AskedWithKey, AskedKnown, or empty: a stranger
	Network Digest // hashed under the installation's secret; zero for a caller who is logged in
}

// The limits of messages with a link that verifies an address, to one mailbox within MailDay.
const (
	claimsByOne = 2 // for strangers in one network: two accounts of one agent
	claimsByKey = 3 // for one account, or for accounts in one network
)

// ClaimAsks returns the Asks of a message that verifies an address.
func ClaimAsks(j Job) []Share {
	of := func(most int, what string, args ...any) Share { return ShareOf(j.Address, most, what, args...) }
	if j.Asker.Kind == AskedWithKey {
		return []Share{of(claimsByKey, "claims of %d", j.Account), of(claimsByKey, "claims with keys by %x", j.Asker.Network)}
	}
	return []Share{of(claimsByOne, "claims by %x", j.Asker.Network)}
}

// The kinds of a Stop.
const (
	StopClaims = "claims" // no messages that verify the address for an account
	// StopSuspended stays while an account that has verified an address of the mailbox is suspended, or was deleted
	// while suspended: the mailbox verifies no other.
	StopSuspended = "suspended"
	StopLogins    = "logins" // no messages with a link to log in
)

// Stop says that a mailbox gets no more messages of a kind, because the person who reads it said that they had not
// asked for them.
type Stop struct {
	Mailbox Digest
	Kind    string // StopClaims, StopLogins or StopSuspended
	At      time.Time
	Until   time.Time // zero: until it is lifted
}

// MailboxOf returns the digest that stands for the mailbox of an address where the address is not needed: it is the
// same for all addresses that reach the mailbox, and the address cannot be read from it.
func MailboxOf(address string) Digest { return DigestOf([]byte(names.EmailKey(address))) }
