package sandlot

import (
	"time"
)

// Subject is what an operator acts on: an account with all it owns, or one
// project.
type Subject struct {
	Account AccountID // set for an account
	Project ProjectID // set for a project
}

// Changed is what a step on the subject changes.
func (s Subject) Changed() Changed {
	if s.Project != "" {
		return Changed{Projects: []ProjectID{s.Project}}
	}
	return Changed{Account: s.Account}
}

// What an operator does, as the log names it.
const (
	ActionSuspend   = "suspend"
	ActionReinstate = "reinstate"
	ActionDelete    = "delete"
	ActionTakeBack  = "take-back"
	ActionNewKey    = "new-key"
	ActionImport    = "import"

	ActionAllowMail   = "allow-mail"
	ActionCloseReport = "close-report"
)

// Actions are all that the log can tell of.
func Actions() []string {
	return []string{ActionSuspend, ActionReinstate, ActionDelete, ActionTakeBack, ActionNewKey, ActionImport, ActionCloseReport, ActionAllowMail}
}

// The actors of the audit log.
const (
	ActorOperator = "operator" // what is done at the machine itself
	ActorOwner    = "owner"    // what a person does to their own account on the website
)

// LogEntry is one line of the audit log, which nobody can change or take back.
type LogEntry struct {
	ID     int64 // grows with every entry; 0 while it is not recorded
	At     time.Time
	Actor  string // ActorOperator or ActorOwner
	Name   string // of the person that an operator was; empty if nobody said
	Action string
	Target string // "@handle", the id of a project, the number of a report, or the name of a mailbox
	Reason string
}

// Who is who did it, in words.
func (e LogEntry) Who() string {
	if e.Name == "" {
		return e.Actor
	}
	return e.Name + " (" + e.Actor + ")"
}
