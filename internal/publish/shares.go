package publish

import (
	"fmt"
	"net/netip"
	"time"

	"sandlot/internal/names"
)

// MailsPerDay is how many messages one mailbox gets from an installation in 24
// hours, of all kinds but reports, which an operator has asked for. The rest is
// dropped without telling.
const MailsPerDay = 20

// Shares of MailsPerDay. Strangers can use up theirs, and nothing else: 9 in all.
// So the others always find some room: 3 a key, then 6 a browser that was logged in
// before, and the last 2 are for the notice that an address was taken away.
const (
	mailDay          = 24 * time.Hour
	mailsAsked       = MailsPerDay - 2 // all but notices
	mailsUnproved    = mailsAsked - 6  // those whose asker has never read the mailbox
	loginsByStranger = 5
	claimsByStranger = 4
	loginsByOne      = 3 // strangers in one network
	claimsByOne      = 2 // strangers in one network: two accounts of one agent
	claimsByKey      = 3 // one account, or accounts in one network

	reportsMailed = 100 // messages about reports: more than that are read as a list
	reportsByOne  = 20  // of them by one network
)

// The kinds of an Asker beside a stranger, who is the zero one.
const (
	AskedWithKey = "key"     // the account itself, by its key or a login
	AskedKnown   = "browser" // a browser that was logged in with the mailbox before
)

// Asker is who has a message sent, as far as it is counted.
type Asker struct {
	Kind    string // AskedWithKey, AskedKnown, or empty: a stranger
	Network Digest // hashed under the installation's secret; zero for one that is logged in
}

// Share is a count of messages, and how many there may be in a day.
type Share struct {
	Counter Digest
	Most    int
}

// sharesOf are the counts that the message of a job needs room in.
func sharesOf(j Job) []Share {
	mailbox := names.EmailKey(j.Address)
	of := func(most int, what string, args ...any) Share {
		return Share{digest([]byte(fmt.Sprintf(what, args...) + " " + mailbox)), most} // no address has a blank
	}
	all, asked, unproved := of(MailsPerDay, "all"), of(mailsAsked, "asked"), of(mailsUnproved, "unproved")
	switch {
	case j.Kind == MailReport:
		return []Share{of(reportsMailed, "reports"), of(reportsByOne, "reports by %x", j.Asker.Network)}
	case j.Kind == MailEmailNotice:
		return []Share{all}
	case j.Kind == loginMail && j.Asker.Kind == AskedKnown:
		return []Share{all, asked}
	case j.Kind == loginMail:
		return []Share{all, asked, unproved, of(loginsByStranger, "logins"), of(loginsByOne, "logins by %x", j.Asker.Network)}
	case j.Asker.Kind == AskedWithKey:
		return []Share{all, asked, unproved, of(claimsByKey, "claims of %d", j.Account), of(claimsByKey, "claims with keys by %x", j.Asker.Network)}
	}
	return []Share{all, asked, unproved, of(claimsByStranger, "claims"), of(claimsByOne, "claims by %x", j.Asker.Network)}
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
