package publish

import (
	"net/netip"
	"time"

	"sandlot/internal/names"
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

// customer is what one customer of a provider may have: an IPv4 address, or the 48
// bits that some get of IPv6. Who shares it with a stranger loses a share only for
// mailboxes that the stranger asks for, too.
func customer(network string) string {
	p, err := netip.ParsePrefix(network)
	if ip, single := netip.ParseAddr(network); single == nil {
		p, err = netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	if err != nil || p.Addr().Is4() || p.Bits() < 48 {
		return network
	}
	return netip.PrefixFrom(p.Addr(), 48).Masked().String()
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
func MailboxOf(address string) Digest { return digest([]byte(names.EmailKey(address))) }
