package sandlot

import (
	"fmt"
	"time"

	"sandlot/internal/format/names"
)

// The kinds of the messages that are not about who logs in.
const (
	MailVerify = "verify" // with the link that proves that somebody reads an address
	MailReport = "report" // to the operator
)

// Job is a message to be sent after the answer. It is recorded in the step that it is about, so
// that it is sent if that step happened, and only then.
type Job struct {
	ID       int64
	Kind     string    // MailVerify or MailReport, or one of the kinds of package account
	Account  AccountID // 0 for a login: whether there is an account is found out later
	Login    int64     // whose message it is; 0 for another kind
	Address  string
	Lang     string
	Attempts int
	Due      time.Time
	Asker    Asker
	Claim    int64 // names the claim that it was returned by
	// Asks are counts of what its asker has asked for, whether or not there is an account. A step
	// that records a job, which counts in all of them, is ErrTooOften where one has no room, and has
	// no effect. They are not kept with the job.
	Asks []Share
}

// MailDay is the time in which messages are counted.
const MailDay = 24 * time.Hour

// Share is a count of messages that a job needs room in.
type Share struct {
	Counter Digest // the name of the count: a hash of the mailbox and of what is counted
	Most    int    // how many messages there may be within MailDay
}

// ShareOf is the share of the mailbox of an address that is called so.
func ShareOf(address string, most int, what string, args ...any) Share {
	return Share{DigestOf([]byte(fmt.Sprintf(what, args...) + " " + names.EmailKey(address))), most} // no address has a blank
}

// The kinds of an Asker other than a stranger, who is the zero one.
const (
	AskedWithKey = "key"     // the account itself, by its key or a login
	AskedKnown   = "browser" // a browser that was logged in with the mailbox before
)

// Asker is who has a message sent, as far as it is counted: strangers share what a mailbox and
// a network may get, and cannot use up what its owner may ask for.
type Asker struct {
	Kind    string // AskedWithKey, AskedKnown, or empty: a stranger
	Network Digest // hashed under the installation's secret; zero for one that is logged in
}

// The messages with a link that verifies an address, to one mailbox within MailDay.
const (
	claimsByOne = 2 // for strangers in one network: two accounts of one agent
	claimsByKey = 3 // for one account, or for accounts in one network
)

// ClaimAsks are the Asks of a message that verifies an address.
func ClaimAsks(j Job) []Share {
	of := func(most int, what string, args ...any) Share { return ShareOf(j.Address, most, what, args...) }
	if j.Asker.Kind == AskedWithKey {
		return []Share{of(claimsByKey, "claims of %d", j.Account), of(claimsByKey, "claims with keys by %x", j.Asker.Network)}
	}
	return []Share{of(claimsByOne, "claims by %x", j.Asker.Network)}
}

// The kinds of a Stop.
const (
	StopClaims = "claims" // no messages with which somebody wants the address for an account
	// StopSuspended stays while an account that has verified an address of the mailbox is suspended or was deleted so: the mailbox verifies no other.
	StopSuspended = "suspended"
	StopLogins    = "logins" // no messages with which somebody wants to log in
)

// Stop says that a mailbox gets no more messages of a kind, because the person who reads it
// said that they had not asked.
type Stop struct {
	Mailbox Digest
	Kind    string // StopClaims, StopLogins or StopSuspended
	At      time.Time
	Until   time.Time // zero: until it is lifted
}

// MailboxOf is what is kept of the mailbox of an address where the address is not needed: the
// same for all addresses that reach it, and not to be turned back into one by reading it.
func MailboxOf(address string) Digest { return DigestOf([]byte(names.EmailKey(address))) }
