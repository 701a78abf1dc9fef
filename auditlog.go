package sandlot

import (
	"time"
)

// Subject is the object of an operator's action: an account with all its projects, or one project.
type Subject struct {
	Account AccountID // set for an account
	Project ProjectID // set for a project
}

// Changed returns the account or project that a step on the subject changes.
func (s Subject) Changed() Changed {
	if s.Project != "" {
		return Changed{Projects: []ProjectID{s.Project}}
	}
	return Changed{Account: s.Account}
}

// The actions of an operator, as the audit log names them.
const (
	ActionSuspend   = "suspend"
	ActionReinstate = "reinstate"
	ActionDelete    = "delete"
	ActionTakeBack  = "take-back"
	ActionNewKey    = "new-key"
	ActionImport    = "import"
	ActionRecover   = "recover"

	ActionAllowMail   = "allow-mail"
	ActionCloseReport = "close-report"
	ActionDecide      = "decide" // a decision at the desk; the reason says which
	ActionUndo        = "undo"

	ActionGrant         = "grant"
	ActionInvite        = "invite"
	ActionEndInvitation = "end-invitation"
	ActionJoin          = "join"    // an account was opened with an invitation
	ActionConnect       = "connect" // projects were taken by a code; the reason is the account that had them
	ActionFeature       = "feature"

	ActionHold        = "hold"
	ActionAddReporter = "add-reporter"
	ActionEndReporter = "end-reporter"
	ActionTrust       = "trust"
	ActionEndTrust    = "end-trust"
	ActionRelease     = "release"
	ActionBlock       = "block"   // the target is the entry or the list; the reason begins with the kind
	ActionUnblock     = "unblock" // likewise
)

// Actions returns all actions of an operator.
func Actions() []string {
	return []string{
		ActionSuspend, ActionReinstate, ActionDelete, ActionTakeBack, ActionNewKey, ActionImport, ActionAllowMail, ActionCloseReport,
		ActionDecide, ActionUndo, ActionBlock, ActionUnblock,
	}
}

// The actors of the audit log.
const (
	ActorOperator  = "operator"  // an action at the machine itself
	ActorModerator = "moderator" // a decision at the desk, in a login
	ActorOwner     = "owner"     // an action of a person on their own account, on the website
	ActorRule      = "rule"      // an action of the service itself, by a rule
)

// LogEntry is one line of the audit log, which nobody can change or take back.
type LogEntry struct {
	ID     int64 // grows with every entry; 0 before it is recorded
	At     time.Time
	Actor  string // ActorOperator, ActorModerator, ActorOwner or ActorRule
	Name   string // of the person who acted as operator; empty if none was given
	Action string
	Target string // "@handle", the id of a project, the number of a report or an invitation, or the name of a mailbox
	Reason string
}

// Who returns the actor in words.
func (e LogEntry) Who() string {
	if e.Name == "" {
		return e.Actor
	}
	return e.Name + " (" + e.Actor + ")"
}
