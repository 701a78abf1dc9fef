package publish

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/heads"
)

// An Around runs a step of the database and returns its error. blobs are those that the step may record. The step
// returns its changes, with an error, too, for it may have had its effect. Around returns before the step is
// acknowledged.
type Around func(step func() (sandlot.Changed, error), blobs []sandlot.Blob) error

// A Store keeps the records. Each method is one atomic, durable step: if it returns nil, its effect survives a crash
// and every later call on any node sees it. An error that is ErrNoEffect means that the step had no effect, and will
// have none after a crash; after any other error it may have had it. A refusal of the store
// is ErrNoEffect, and so is a step that was not begun. A missing record is ErrNotFound.
//
// Methods decide nothing: permissions, names and limits are the Service's business. A bound that must hold between
// processes, such as a quota or the version an edit expects, comes as an argument and is checked inside the step.
//
// All methods may be called concurrently. Reads see everything that was committed before they began. Package storetest
// has a case for each sentence here, and runs on every store.
type Store interface {
	heads.ChangeStore

	// Observe has all steps of the database, those of the stores of other rooms, too, go through around from now on. It
	// is called before the database is used by others.
	Observe(around Around)

	// CreateAccount records the account under the first of its handles that was never taken, and
	// its idempotency record.
	CreateAccount(ctx context.Context, a NewAccount) (sandlot.Account, error)
	// Account returns an account.
	Account(ctx context.Context, id sandlot.AccountID) (sandlot.Account, error)
	// SetEmail makes address the unverified address of an account, ends its verifications of other
	// addresses, and enqueues the job. An account that has a verified address is ErrVerified, here
	// and wherever a NewEmail is part of a step.
	SetEmail(ctx context.Context, id sandlot.AccountID, address string, job sandlot.Job, checked int64) error

	// CreateProject records an account (if new), a project, its version 1 and later ones, its keys and its idempotency
	// record, and closes the upload it came from. An ID that is or was in use is ErrExists; a version without its
	// primary file is ErrNoPrimary. An owner who would have more than p.Within, or has begun so many projects, is
	// ErrTooManyProjects or ErrTooManyBytes; see NewProject.By for the key. A project with many files may take a
	// while, in which others write: it is recorded whole or not at all.
	CreateProject(ctx context.Context, p NewProject) (sandlot.Project, error)
	// PutFile makes the version after at.Expect, in which the file of f's name is f and all others are as before. An
	// owner who would have more bytes than at.Within is ErrTooManyBytes.
	PutFile(ctx context.Context, id sandlot.ProjectID, f sandlot.File, at Edit) (sandlot.Project, error)
	// DeleteFile makes the version after at.Expect, which lacks one file. A missing file is ErrNotFound, the primary
	// file ErrNoPrimary.
	DeleteFile(ctx context.Context, id sandlot.ProjectID, name string, at Edit) (sandlot.Project, error)
	// Project returns a project as the latest commit left it.
	Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error)
	// Version returns one version of a project; an erased one is ErrNotFound.
	Version(ctx context.Context, id sandlot.ProjectID, n int) (sandlot.Version, error)
	// Files returns the files of a version by name, in byte order, with the variants made so far.
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
	// FilesWith is Files with the variants of one encoding alone ("": with none). It also has the files of a deleted
	// project until Sweep releases them.
	FilesWith(ctx context.Context, id sandlot.ProjectID, version int, encoding string) ([]sandlot.File, error)
	// FilesNear returns those current files whose folded name is folded, is one of its folders, or lies in it as a
	// folder; at most ten. A project that is not there has none.
	FilesNear(ctx context.Context, id sandlot.ProjectID, folded string) ([]sandlot.File, error)
	// Projects returns an account's projects with Seq below before (0: all), newest change first,
	// at most limit: one consistent snapshot.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
	// Content returns the bytes of a blob that is kept in its record, as they are: a store has no
	// checksums of its own.
	Content(ctx context.Context, blobID int64) ([]byte, error)
	// Checkpoints returns the checkpoints that a blob was recorded with, as they are, or "" if it has none. A blob of
	// more than 1 MiB that an earlier release recorded has none.
	Checkpoints(ctx context.Context, blobID int64) (string, error)

	// Upload returns an upload, and the part of that number if it has it. An upload that is past its ExpiresAt is
	// ErrNotFound.
	Upload(ctx context.Context, key sandlot.Digest, part int, now time.Time) (Upload, error)
	// UploadParts returns all parts of an open upload, by number; its generation must still be generation, else
	// ErrUploadMoved.
	UploadParts(ctx context.Context, key sandlot.Digest, generation int64) ([]Part, error)
	// SaveUpload records all of u but its Parts and Done, and adds or replaces part if it is not
	// nil; the generation must still be u.Generation (0: the upload does not exist yet), else
	// ErrUploadMoved. One upload more than within.Uploads is ErrTooManyUploads, and a part that
	// takes the owner or the account over its bytes is ErrTooManyBytes. It returns the next
	// generation.
	SaveUpload(ctx context.Context, u Upload, part *Part, within UploadQuota) (int64, error)

	// IdempotencyRecord returns the record of a step that was made under one of these keys, or that has one of them as
	// Elsewhere. A record past its ExpiresAt is ErrNotFound. There may be 1,001 keys.
	IdempotencyRecord(ctx context.Context, key sandlot.Digest, now time.Time, or ...sandlot.Digest) (IdempotencyRecord, error)

	sandlot.SecretStore
	// Ping returns nil while reads and writes can be expected to work.
	Ping(ctx context.Context) error
}

// NewAccount is an account to be recorded with its first key. Handles are tried in order; one of the last is random
// enough to be free.
type NewAccount struct {
	Handles     []string // in order of preference; at least one will be free
	Email       string
	Lang        string
	CreatedAt   time.Time
	Key         sandlot.Key  // none if it has no Hash
	Connect     Connecting   // none if it has no Hash
	Job         *sandlot.Job // the verification mail, if there is an address
	Join        *Joining     // the invitation that it uses up in the same step, if any
	Idempotency *IdempotencyRecord
	Blocks      int64 // as in Screened; not used for the account of a NewProject, which has its own
}

// ConnectLife is how long the code of a connect_url is valid: a person may read an agent's answer weeks later.
const ConnectLife = 30 * 24 * time.Hour

// A Connecting is the record of a code that takes the projects of an account into another one: see package account/connect.
type Connecting struct {
	Hash      sandlot.Digest // of the code itself, which is not kept
	ExpiresAt time.Time
}

// Joining is the use of an invitation by a new account, which gets the limit of the invitation. An invitation that was
// used or ended, or has expired at the account's CreatedAt, is ErrNotFound, and there is no account.
type Joining struct {
	Invitation sandlot.Digest   // the hash of its token
	Entry      sandlot.LogEntry // without Target and Reason, which the step fills in: the handle, and the invitation
}

// NewProject is a project to be recorded with its version 1, and all that belongs to the same
// step.
type NewProject struct {
	ID      sandlot.ProjectID
	Account sandlot.AccountID // the owner, unless New is set; a suspended one is ErrSuspended, for any caller
	New     *NewAccount       // recorded in the same step, and then the owner
	// the ID of the caller's key, 0 for none; a revoked key is ErrRevoked, a key of a suspended account ErrSuspended
	By        int64
	Email     *NewEmail // set pending in the same step
	Title     string
	Files     []sandlot.File // of version 1, no two of one folded name; a Blob with an ID is recorded already
	Primary   string         // the name of the primary file
	Wrapper   string
	Suffix    string
	Key       sandlot.Key // scoped to this project; none if it has no Hash
	CreatedAt time.Time   // of version 1
	Within    Quota       // of the owner
	Described
	Records
	History
}

// Described holds the owner's choices for a new project, beside its title.
type Described struct {
	Lang        string
	Description string
	Tags        sandlot.Tags
	Unlisted    bool
	Threads     bool
}

// Records are the records of the call that makes a project.
type Records struct {
	Upload      *Completion
	Idempotency *IdempotencyRecord // a step under its Key is ErrAlreadyDone if there was one before
	Screened
}

// History holds the rest of a project that is recorded with its history.
type History struct {
	Begun time.Time         // when the project was begun, if that was before version 1
	Later []LaterVersion    // the versions after version 1, in their order; the last one is the current one
	Log   *sandlot.LogEntry // recorded in the same step; nil: none
}

// A LaterVersion is a version after the first of a project that is recorded with its history.
type LaterVersion struct {
	Change Change // against the version before; dropped files count by their names alone
	Title  string
	Suffix string // of its address
	At     time.Time

	RestoredFrom int // the version whose files it has again; 0: it was not restored
}

// NewEmail is an unverified address for an existing account, with its verification mail.
type NewEmail struct {
	Address string
	Job     sandlot.Job
}

// Edit holds the version that an update was computed against, and the other effects of the same step.
type Edit struct {
	At          time.Time
	Expect      int    // the current version; the step fails with ErrMoved if it is another
	Suffix      string // of the new version's address
	By          int64  // the ID of the caller's key, 0 for none; a revoked key is ErrRevoked, a suspended project ErrSuspended
	Title       *string
	Wrapper     string // empty: as before
	Email       *NewEmail
	Upload      *Completion
	Idempotency *IdempotencyRecord // a step under its Key is ErrAlreadyDone if there was one before, even if the step would fail otherwise
	Within      Quota              // of the owner

	Details      DetailsChange // recorded in the same step; its Title, By and Expect are ignored
	RestoredFrom int           // the version whose files the new one has again; 0 for none
	Screened
}

// HeldKept is how long the networks that viewed a held version are remembered.
const HeldKept = 30 * 24 * time.Hour

// A HeldView is a view of a version of a held project at the version's address, by a network that does not own it.
type HeldView struct {
	Project sandlot.ProjectID
	Version int
	Network sandlot.Digest // the keyed hash of the network
	Most    int            // networks that may view it
	At      time.Time
}

// An EndedHold is the last hold of a project, which has ended.
type EndedHold struct {
	sandlot.Hold
	Ended time.Time
}

// A HoldStore keeps the traces of holds, under the same promises as a Store. The steps that make a version and those that
// verify an address begin and end holds.
type HoldStore interface {
	// LastHold returns the last hold of a project, if it has ended; a project that was never held, or is held, is
	// ErrNotFound.
	LastHold(ctx context.Context, id sandlot.ProjectID) (EndedHold, error)
	// ViewHeld records a view. If v.Most other networks have viewed the version it is ErrTooOften. Sweep forgets views
	// after HeldKept.
	ViewHeld(ctx context.Context, v HeldView) error
}

// Completion closes an upload in the step that consumes it: ErrUploadMoved unless the upload is open and still at
// Generation. Its parts are then unreferenced; its Meta stays with Done.
type Completion struct {
	Key        sandlot.Digest
	Generation int64
	ExpiresAt  time.Time
	Done       UploadDone
}
