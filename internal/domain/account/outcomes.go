package account

import (
	"sandlot"
	"sandlot/internal/base/meter"
)

// A MailTry is the end of a try at a message of a kind.
type MailTry struct{ Kind, Outcome string }

// The outcomes of tries.
const (
	MailSent    = "sent"    // the mail server took the message
	MailPutOff  = "retried" // it is tried again later
	MailFailed  = "failed"  // it was given up
	MailDropped = "dropped" // it is not wanted any more, or its mailbox has had enough
)

// MailKinds returns the kinds of all messages.
func MailKinds() []string {
	return []string{MailLogin, sandlot.MailVerify, sandlot.MailReport, MailEmailChange, MailEmailNotice, sandlot.MailDecision, sandlot.MailOutcome}
}

// NewMailOutcomes returns counts of all kinds and outcomes.
func NewMailOutcomes() *meter.Counts[MailTry] {
	var all []MailTry
	for _, kind := range MailKinds() {
		for _, outcome := range []string{MailSent, MailPutOff, MailFailed, MailDropped} {
			all = append(all, MailTry{kind, outcome})
		}
	}
	return meter.NewCounts(all...)
}
