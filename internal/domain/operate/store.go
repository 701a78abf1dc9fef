package operate

import (
	"context"
	"time"

	"sandlot"
)

// AccountDetail is an account as its operator sees it.
type AccountDetail struct {
	sandlot.Account
	SuspendedAt time.Time // zero if it is not suspended
	VerifiedAt  time.Time // when its address was verified; zero if it was not, or if that was not recorded
	TrustedAt   time.Time // since when the operator vouches for it; zero if they do not
	Projects    int       // the number of its projects
	Bytes       int64     // of the current versions of its projects
}

// ProjectDetail is a project as its operator sees it. Project.Suspended is also true if the
// project's account is suspended.
type ProjectDetail struct {
	sandlot.Project
	Number      int64     // higher than that of every older project
	SuspendedAt time.Time // zero if it is not suspended itself
	DeletedAt   time.Time // since when its owner can take it back; zero if it is not deleted
}

// ProjectQuery selects the projects to list.
type ProjectQuery struct {
	Account   sandlot.AccountID // of this account; 0: of all
	Suspended bool              // only those that are suspended themselves
	Held      bool              // only those that are held
	After     int64             // only those with a higher Number
	Limit     int
}

// LogQuery selects the entries of the log to list.
type LogQuery struct {
	Target string // of this target; empty: of all
	Before int64  // only those with an ID below; 0: all
	Limit  int
}

// Deletion is the end of an account or a project.
type Deletion struct {
	At     time.Time
	Target string           // the account or project in the log's words: the account of a project that went with it
	Entry  sandlot.LogEntry // the entry of the audit log; its ID is 0 if there is none
}

// AdminStore keeps the acts of operators, under the same promises as a publish.Store. A deleted account or project is
// sandlot.ErrNotFound. Methods that list may read all records: they are for people.
type AdminStore interface {
	// AccountByHandle returns the account that has this handle now.
	AccountByHandle(ctx context.Context, handle string) (AccountDetail, error)
	// AccountsByEmail returns accounts with this address, oldest first, at most limit.
	AccountsByEmail(ctx context.Context, address string, limit int) ([]AccountDetail, error)
	// ListAccounts returns accounts with an ID above after, oldest first, at most limit; only
	// suspended ones if suspended.
	ListAccounts(ctx context.Context, after sandlot.AccountID, suspended bool, limit int) ([]AccountDetail, error)
	// ProjectDetail returns a project, also one that its owner can take back.
	ProjectDetail(ctx context.Context, id sandlot.ProjectID) (ProjectDetail, error)
	// ListProjects returns projects that are not deleted, oldest first.
	ListProjects(ctx context.Context, q ProjectQuery) ([]ProjectDetail, error)

	// A change of an account holds for all its projects at once, for a reader of one; lists show it by and by, the last
	// of them before the method returns, or by Sweep if that is cut short.

	// Suspend marks the subject as suspended at e.At and records e. A suspended one is ErrExists. It also finds a
	// project that its owner can take back, and so do Reinstate and Remove, after which the owner cannot.
	Suspend(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error
	// Reinstate ends a suspension and records e. One that is not suspended is ErrMoved.
	Reinstate(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error
	// Remove deletes the subject, an account with its projects, and records e. Handles and project ids are not used
	// again, and stay. Titles and descriptions, and of an account the names of its keys and the records of its calls,
	// are then in no file of the store, nor are details and contact of reports that give an address which it had
	// proved, and no other account has; its addresses, once ForgetEmail was called for them. The files are left to
	// Sweep.
	Remove(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error
	// AddKey adds a key to an account and records e. If revoke, it revokes all its other account keys, and returns
	// their number.
	AddKey(ctx context.Context, id sandlot.AccountID, k sandlot.Key, revoke bool, e sandlot.LogEntry) (revoked int, err error)

	// SetRole sets the role of an account and records e. The role that it has already is ErrExists.
	SetRole(ctx context.Context, id sandlot.AccountID, role sandlot.Role, e sandlot.LogEntry) error
	// Feature pins a project to the home page in place of a former one, or none for "", and records e. A project that is
	// pinned already, and none where none is, is ErrExists.
	Feature(ctx context.Context, id sandlot.ProjectID, e sandlot.LogEntry) error

	// DeletedAccount returns the deletion of the account that had this handle; an account that exists, or never did, is
	// ErrNotFound.
	DeletedAccount(ctx context.Context, handle string) (Deletion, error)
	// DeletedProject is DeletedAccount for a project.
	DeletedProject(ctx context.Context, id sandlot.ProjectID) (Deletion, error)

	// Log returns entries of the log, newest first. An entry of "restore", the name in earlier releases, is one of
	// ActionReinstate.
	Log(ctx context.Context, q LogQuery) ([]sandlot.LogEntry, error)
}

// A HoldStore keeps the operator's acts on holds and the trust of accounts, under the same promises as AdminStore.
type HoldStore interface {
	// Trust makes an account count as verified, or ends that, and records e. A trusted one is ErrExists, and with end one
	// that is not trusted ErrMoved. Trust ends the holds of the rule fields of its projects in the same step.
	Trust(ctx context.Context, id sandlot.AccountID, end bool, e sandlot.LogEntry) error
	// Release ends the hold of a project, records e, and keeps reports from holding it until immune. One that is not
	// held is ErrMoved.
	Release(ctx context.Context, id sandlot.ProjectID, immune time.Time, e sandlot.LogEntry) error
}

// A PartStore reads the records of an account or a project, as the stores of their owners do: see publish.KeyringStore,
// RecoveryStore, ProjectStore and Store.
type PartStore interface {
	Keys(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Key, error)
	Versions(ctx context.Context, id sandlot.ProjectID, before, limit int) ([]sandlot.VersionChange, error)
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
}

// A SaltStore keeps the salt of each day, by which its visitors are distinguished, under the same promises as a
// publish.Store.
type SaltStore interface {
	// DaySalt returns the salt of a day, counted from 1970: fresh at the first call, and the same afterwards. It
	// forgets those of days that are over by the store's clock. No copy of the store has any.
	DaySalt(ctx context.Context, day int64, fresh [32]byte) ([32]byte, error)
}

// A LeaseStore gives work to one process at a time, under the same promises as a
// publish.Store.
type LeaseStore interface {
	// LeaseWork leases the work of that name to its caller for length, by the store's clock, and returns the number of
	// the lease. If somebody else has it it is sandlot.ErrLeased. held is the lease that the caller has, 0 for none: it
	// is renewed, or ended if length is 0.
	LeaseWork(ctx context.Context, work string, held int64, length time.Duration) (int64, error)
}

// WorkLeaseMax is the longest lease of work. A lease that seems longer got its time from a wrong clock.
const WorkLeaseMax = 10 * time.Minute
