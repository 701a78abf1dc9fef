package account

import (
	"fmt"
	"time"

	"sandlot/internal/names"
	"sandlot/internal/publish"
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
	loginsByOne      = 3   // strangers in one network
	claimsByOne      = 2   // strangers in one network: two accounts of one agent
	claimsByKey      = 3   // one account, or accounts in one network
	reportsMailed    = 100 // to the operator: more reports than that are read as a list
	reportsByOne     = 20  // of them by one network
)

// Share is a count of messages, and how many there may be in a day.
type Share struct {
	Counter publish.Digest
	Most    int
}

// sharesOf are the counts that the message of a job needs room in.
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
