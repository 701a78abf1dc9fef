package account

import (
	"sandlot"
)

// MailsPerDay is the most messages that one mailbox gets from an installation within 24 hours.
// Reports are not counted, for the operator has asked for them. Further messages are dropped.
// An asker is told of what they themselves asked for too often, and of nothing else: that
// strangers name an address would tell that it is known.
const MailsPerDay = 20

// Shares of MailsPerDay. Strangers have 9 in all and can use up no others. So there is always
// room for what others ask for: 3 messages for an account's key, 6 for browsers that were logged
// in with the mailbox before, and 2 for the notice that an address was replaced.
const (
	mailsAsked       = MailsPerDay - 2 // all but notices
	mailsUnproved    = mailsAsked - 6  // those whose asker has never read the mailbox
	loginsByStranger = 5
	claimsByStranger = 4
	loginsByOne      = 3   // strangers in one network
	reportsMailed    = 100 // to the operator: more reports than that are read as a list
	reportsByOne     = 20  // of them by one network
)

// Share is that of publish.
type Share = sandlot.Share

// sharesOf returns the counts in all of which the message of a job needs room when it is sent,
// beside the Asks that it was recorded with.
func sharesOf(j sandlot.Job) []Share {
	of := func(most int, what string, args ...any) Share { return sandlot.ShareOf(j.Address, most, what, args...) }
	all, asked, unproved := of(MailsPerDay, "all"), of(mailsAsked, "asked"), of(mailsUnproved, "unproved")
	switch {
	case j.Kind == sandlot.MailReport:
		return []Share{of(reportsMailed, "reports"), of(reportsByOne, "reports by %x", j.Asker.Network)}
	case j.Kind == MailEmailNotice:
		return []Share{all}
	case j.Kind == MailLogin && j.Asker.Kind == sandlot.AskedKnown:
		return []Share{all, asked}
	case j.Kind == MailLogin:
		return []Share{all, asked, unproved, of(loginsByStranger, "logins")}
	case j.Asker.Kind == sandlot.AskedWithKey:
		return []Share{all, asked, unproved}
	}
	return []Share{all, asked, unproved, of(claimsByStranger, "claims")}
}

// loginAsks are the Asks of the message of a login: they are told of, known address or not. A
// browser that was logged in with the mailbox has none.
func loginAsks(j sandlot.Job) []Share {
	if j.Asker.Kind == sandlot.AskedKnown {
		return nil
	}
	return []Share{sandlot.ShareOf(j.Address, loginsByOne, "logins by %x", j.Asker.Network)}
}
