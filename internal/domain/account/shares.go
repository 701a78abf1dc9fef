package account

import (
	"sandlot"
)

// MailsPerDay is the most messages that one mailbox gets from an installation within 24 hours. Reports are not counted,
// because the operator has asked for them. Further messages are dropped. A sender is refused only for messages that
// they themselves requested too often: a refusal for those of strangers would reveal that the address is known.
const MailsPerDay = 20

// Shares of MailsPerDay. Strangers have 9 in all and can use up no others. So there is always room for the rest: 3
// messages for an account's key, 6 for browsers that were logged in with the mailbox before, and 2 for the notice that
// an address was replaced.
const (
	mailsAsked       = MailsPerDay - 2 // all but notices
	mailsUnproved    = mailsAsked - 6  // those whose sender has never read the mailbox
	loginsByStranger = 5
	claimsByStranger = 4
	loginsByOne      = 3   // strangers in one network
	reportsMailed    = 100 // to the operator: more reports are read as a list
	reportsByOne     = 20  // of them by one network
	outcomesMailed   = 5   // to one reporter, whose address may be another's
)

// Share is the Share of package sandlot.
type Share = sandlot.Share

// sharesOf returns the shares that all need room for the message of a job when it is sent, beside the Asks that it was
// recorded with.
func sharesOf(j sandlot.Job) []Share {
	of := func(most int, what string, args ...any) Share { return sandlot.ShareOf(j.Address, most, what, args...) }
	all, asked, unproved := of(MailsPerDay, "all"), of(mailsAsked, "asked"), of(mailsUnproved, "unproved")
	switch {
	case j.Kind == sandlot.MailReport:
		return []Share{of(reportsMailed, "reports"), of(reportsByOne, "reports by %x", j.Asker.Network)}
	case j.Kind == sandlot.MailDecision:
		return []Share{all}
	case j.Kind == sandlot.MailOutcome:
		return []Share{all, asked, unproved, of(outcomesMailed, "outcomes")}
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

// loginAsks returns the Asks of the message of a login, whose limit is reported whether or not the address is known. A
// browser that was logged in with the mailbox has none.
func loginAsks(j sandlot.Job) []Share {
	if j.Asker.Kind == sandlot.AskedKnown {
		return nil
	}
	return []Share{sandlot.ShareOf(j.Address, loginsByOne, "logins by %x", j.Asker.Network)}
}
