// Package desk is the place where moderators decide about reported, held and contested projects.
package desk

import (
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// LoginAge is the longest time since a moderator proved their login: an older session sees nothing of the desk.
const LoginAge = 12 * time.Hour

// NoteTwice is the time in which the same words of one person about a project are one note: a form that was sent twice.
const NoteTwice = time.Hour

// MaxObjection is the most characters of an objection.
const MaxObjection = 2000

// Action is a kind of decision.
type Action string

// The four decisions.
const (
	Dismiss         Action = "dismiss"           // close the reports, end a hold or a suspension; reports hold it no more for operate.Immunity
	Hold            Action = "hold"              // keep it from others until somebody decides again
	TakeDown        Action = "take-down"         // suspend the project
	TakeDownAccount Action = "take-down-account" // suspend its account, with all projects
)

// The reasons for which a project waits for a decision.
const (
	WaitsReports   = "reports"
	WaitsHeld      = "held"
	WaitsVerdict   = "verdict"
	WaitsObjection = "objection"
)

// Item is a project that waits for a decision.
type Item struct {
	Project  sandlot.Project
	State    int64     // the state that a decision is about: another one after each report, decision and version of the project
	Since    time.Time // of the oldest record that waits
	Waits    []string  // WaitsReports and so on
	Reports  int       // open ones
	Networks int       // from which they came
	Reasons  []string  // of the open reports, each once
	Owner    Owner
	Same     Same
}

// Owner is the account of a project, as far as a moderator sees it.
type Owner struct {
	Handle                        string
	CreatedAt                     time.Time
	Verified, Suspended, Operator bool // Operator: nobody decides about it at the desk
	Projects                      int
}

// Same counts further projects that share something with one.
type Same struct{ Hash, Account, Network int }

// Case is everything that a moderator sees of a project.
type Case struct {
	Item
	Description string
	Open        []operate.Report
	Closed      []operate.Report // the newest ones
	Notes       []Note
	Decisions   []Decision // newest first
	Files       []sandlot.File
	Sends       []string            // hosts to which its pages send or lead, as the check finds them
	Screenshot  sandlot.PictureID   // of the play-tester; may be empty
	Verdict     string              // of the judge, with its reason; may be empty
	Others      []Other             // those of Same, at most 100
	SameAs      map[string][]string // ids of Others by "hash", "account" and "network"
}

// Other is a project that shares something with that of a case.
type Other struct {
	sandlot.Project
	State int64 // as in Item
}

// Note is a text of a moderator about a project.
type Note struct {
	At        time.Time
	Who, Text string
}

// Decision is a decision about one project.
type Decision struct {
	ID, Batch    int64
	Project      sandlot.ProjectID
	At           time.Time
	Who          string
	Action       Action
	Reason, Text string // one of operate.Reasons; the words to the owner
	Objection    string
	ObjectedAt   time.Time
	UndoneAt     time.Time
	UndoneBy     string
}

// Target is a project with the state in which a moderator saw it.
type Target struct {
	Project sandlot.ProjectID
	State   int64 // 0: any
}

// Order is a decision that a moderator makes about one project or many.
type Order struct {
	Action  Action
	Targets []Target // at most 500
	Reason  string   // one of operate.Reasons
	Text    string   // to the owner, in the moderator's words; may be empty
	Block   bool     // whether the hashes of their files are added to the blocklist
	Lang    string
}

// A MovedError means that the state of a project has changed since a moderator saw it.
type MovedError struct {
	Project sandlot.ProjectID
	Last    Decision // zero if it was no decision that changed it
}

// Error implements error.
func (e MovedError) Error() string {
	return "the project " + string(e.Project) + " has changed meanwhile"
}
