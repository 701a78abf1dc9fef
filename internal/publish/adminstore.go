package publish

import (
	"context"
	"time"
)

// Subject is what an operator acts on: an account with all it owns, or one
// project.
type Subject struct {
	Account AccountID // set for an account
	Project ProjectID // set for a project
}

// What an operator does, as the log names it.
const (
	ActionSuspend = "suspend"
	ActionRestore = "restore"
	ActionDelete  = "delete"
	ActionNewKey  = "new-key"

	ActionAllowMail   = "allow-mail"
	ActionCloseReport = "close-report"
)

// Actions are all that the log can tell of.
func Actions() []string {
	return []string{ActionSuspend, ActionRestore, ActionDelete, ActionNewKey, ActionCloseReport, ActionAllowMail}
}

// Operator is the actor of what is done at the machine itself.
const Operator = "operator"

// LogEntry is one line of the audit log, which nobody can change or take back.
type LogEntry struct {
	ID     int64 // grows with every entry; 0 while it is not recorded
	At     time.Time
	Actor  string // Operator or Owner
	Name   string // of the person that an operator was; empty if nobody said
	Action string
	Target string // "@handle", the id of a project, the number of a report, or a MailboxName
	Reason string
}

// AccountDetail is an account as its operator sees it.
type AccountDetail struct {
	Account
	SuspendedAt time.Time // zero if it is not suspended
	VerifiedAt  time.Time // when its address was; zero if it was not, or nobody knows
	Projects    int
	Bytes       int64 // of the current versions of its projects
}

// ProjectDetail is a project as its operator sees it. Project.Suspended also
// tells of a suspended account.
type ProjectDetail struct {
	Project
	Number      int64     // grows with every project that is made
	SuspendedAt time.Time // zero if it is not suspended itself
}

// ProjectQuery says which projects to list.
type ProjectQuery struct {
	Account   AccountID // of this account; 0: of all
	Suspended bool      // only those that are suspended themselves
	After     int64     // only those with a higher Number
	Limit     int
}

// LogQuery says which entries of the log to list.
type LogQuery struct {
	Target       string    // of this target; empty: of all
	Actor        string    // by this actor, or a person of this name; empty: by all
	Action       string    // of this action; empty: of all
	Since, Until time.Time // from the one on and before the other; zero: no bound
	Before       int64     // only those with an ID below; 0: all
	Limit        int
}

// Deletion is the end of an account or a project.
type Deletion struct {
	At     time.Time
	Target string   // whose it was, as the log names it: the account of a project that went with it
	Entry  LogEntry // that tells of it; with ID 0 if none does
}

// AdminStore keeps what operators do, under the same promises as a Store. What
// was deleted is ErrNotFound. The methods that list may read through everything:
// they are for people.
type AdminStore interface {
	// AccountByHandle returns the account that has this handle now.
	AccountByHandle(ctx context.Context, handle string) (AccountDetail, error)
	// AccountsByEmail returns accounts with this address, oldest first, at most limit.
	AccountsByEmail(ctx context.Context, address string, limit int) ([]AccountDetail, error)
	// ListAccounts returns accounts with an ID above after, oldest first, at most limit; only suspended ones if suspended.
	ListAccounts(ctx context.Context, after AccountID, suspended bool, limit int) ([]AccountDetail, error)
	// ProjectDetail returns a project.
	ProjectDetail(ctx context.Context, id ProjectID) (ProjectDetail, error)
	// ListProjects returns projects, oldest first.
	ListProjects(ctx context.Context, q ProjectQuery) ([]ProjectDetail, error)

	// What becomes of an account is true of all its projects at once, for whoever reads one; into lists they come by and by, the last of them before the method returns, or by Sweep if that is cut short.

	// Suspend marks the subject as suspended at e.At and records e. One that is suspended already is ErrExists.
	Suspend(ctx context.Context, s Subject, e LogEntry) error
	// Restore ends a suspension and records e. One that is not suspended is ErrMoved.
	Restore(ctx context.Context, s Subject, e LogEntry) error
	// Remove deletes the subject, an account with its projects, and records e. Handles and project ids are not used again, and stay; titles and descriptions, and of an account the names of its keys and what its calls left, are then in no file of the store, nor are details and contact of reports that give an address which it had proved, and no other account has; its addresses, once ForgetEmail was called for them. The files are left to Sweep.
	Remove(ctx context.Context, s Subject, e LogEntry) error
	// AddKey adds a key to an account and records e. If revoke, all its other account keys are revoked, and it tells how many.
	AddKey(ctx context.Context, id AccountID, k Key, revoke bool, e LogEntry) (revoked int, err error)

	// DeletedAccount tells of the deletion of the account that had this handle; one that is there, or never was, is ErrNotFound.
	DeletedAccount(ctx context.Context, handle string) (Deletion, error)
	// DeletedProject is DeletedAccount for a project.
	DeletedProject(ctx context.Context, id ProjectID) (Deletion, error)

	// Log returns entries of the log, newest first.
	Log(ctx context.Context, q LogQuery) ([]LogEntry, error)
	LogWatch
	ReportReader
	StopKeeper
	ForgetStore

	// What is shown of an account or a project; see KeyringStore, RecoveryStore, ManageStore and Store.

	Keys(ctx context.Context, id AccountID, before int64, limit int) ([]Key, error)
	ProposedEmail(ctx context.Context, id AccountID, now time.Time) (EmailMove, error)
	Versions(ctx context.Context, id ProjectID, before, limit int) ([]VersionChange, error)
	Files(ctx context.Context, id ProjectID, version int) ([]File, error)
}

// Who is who did it, in words.
func (e LogEntry) Who() string {
	if e.Name == "" {
		return e.Actor
	}
	return e.Name + " (" + e.Actor + ")"
}

// ForgottenEmail is an address of an account that was deleted.
type ForgottenEmail struct {
	Account AccountID
	Email   string
	Used    bool // whether another account has it
}

// A ForgetStore remembers the addresses of deleted accounts until their messages are
// deleted, too, under the same promises as a Store.
type ForgetStore interface {
	// Forgotten returns addresses of deleted accounts, and those that accounts no longer have, at most limit of those after one of them, in an order that stays. The zero value is before all.
	Forgotten(ctx context.Context, after ForgottenEmail, limit int) ([]ForgottenEmail, error)
	// ForgetEmail forgets one of them; one that is not there is not an error.
	ForgetEmail(ctx context.Context, f ForgottenEmail) error
}

// TrimStore forgets old versions, under the same promises as a Store.
type TrimStore interface {
	// Trim looks at some projects after the one with this Number and forgets those of their versions that have at least keep newer ones and were superseded before the time given, or, as a clock had it that was ahead, long after; their files are left to Sweep. A step of it changes at most limit records. It returns how far it came, and whether there is more; also with an error that is about one project, which is then the last.
	Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (last int64, more bool, err error)
}

// LogWatch tells whether an operator has done anything.
type LogWatch interface {
	// LastEntry returns the ID of the newest entry of the log, 0 if there is none.
	LastEntry(ctx context.Context) (int64, error)
}
