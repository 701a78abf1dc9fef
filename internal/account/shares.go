package account

import (
	"fmt"
	"time"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// MailsPerDay is the most messages that one mailbox gets from an installation within 24 hours.
// Reports are not counted, for the operator has asked for them. Further messages are dropped,
// and whoever asked for them is not told.
const MailsPerDay = 20

// Shares of MailsPerDay. Strangers have 9 in all and can use up no others. So there is always
// room for what others ask for: 3 messages for an account's key, 6 for browsers that were logged
// in with the mailbox before, and 2 for the notice that an address was replaced.
const (
	mailDay          = 24 * time.Hour
	mailsAsked       = MailsPerDay - 2 // all but notices
	mailsUnproved    = mailsAsked - 6  // those whose asker has never read the mailbox
	loginsByStranger = 5
	claimsByStranger = 4
	loginsByOne      = 3   // strangers in one network
	claimsByOne      = 2   // strangers in one network: two accounts of one agent
	claimsByKey      = 3   // one account, or accounts in one network
	reportsMailed    = 100 // to the operator: more reports than that are read as a list
	reportsByOne     = 20  // of them by one network
)

// Share is a count of messages that a job needs room in.
type Share struct {
	Counter publish.Digest // the name of the count: a hash of the mailbox and of what is counted
	Most    int            // how many messages there may be within 24 hours
}

// sharesOf returns the counts in all of which the message of a job needs room.
func sharesOf(j publish.Job) []Share {
	mailbox := names.EmailKey(j.Address)
	of := func(most int, what string, args ...any) Share {
		return Share{digest(fmt.Sprintf(what, args...) + " " + mailbox), most} // no address has a blank
	}
	all, asked, unproved := of(MailsPerDay, "all"), of(mailsAsked, "asked"), of(mailsUnproved, "unproved")
	switch {
	case j.Kind == publish.MailReport:
		return []Share{of(reportsMailed, "reports"), of(reportsByOne, "reports by %x", j.Asker.Network)}
	case j.Kind == MailEmailNotice:
		return []Share{all}
	case j.Kind == MailLogin && j.Asker.Kind == publish.AskedKnown:
		return []Share{all, asked}
	case j.Kind == MailLogin:
		return []Share{all, asked, unproved, of(loginsByStranger, "logins"), of(loginsByOne, "logins by %x", j.Asker.Network)}
	case j.Asker.Kind == publish.AskedWithKey:
		return []Share{all, asked, unproved, of(claimsByKey, "claims of %d", j.Account), of(claimsByKey, "claims with keys by %x", j.Asker.Network)}
	}
	return []Share{all, asked, unproved, of(claimsByStranger, "claims"), of(claimsByOne, "claims by %x", j.Asker.Network)}
}
