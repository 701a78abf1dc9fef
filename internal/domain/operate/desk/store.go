package desk

import (
	"context"
	"time"

	"sandlot"
)

// A Store keeps decisions, under the same promises as a publish.Store. A project that is deleted for good is
// sandlot.ErrNotFound; one that is suspended, held or in the trash is not.
type Store interface {
	sandlot.SecretStore
	// Queue returns items that wait, by their Since, oldest first. None is in the trash.
	Queue(ctx context.Context, skip, limit int) ([]Item, error)
	// Case returns a case without Sends.
	Case(ctx context.Context, id sandlot.ProjectID) (Case, error)
	// Shown returns a project, and ShownFile a file of its current version.
	Shown(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error)
	ShownFile(ctx context.Context, id sandlot.ProjectID, name string) (sandlot.File, error)

	// Waiting returns the number of items of the whole queue.
	Waiting(ctx context.Context) (int, error)
	// Screenshot returns the play-tester's last screenshot of a project, of 640 pixels; without one sandlot.ErrNotFound.
	Screenshot(ctx context.Context, id sandlot.ProjectID) (sandlot.PictureID, sandlot.Blob, error)

	// Each of the next three is one step that first calls a.Allow with the records that it then finds, and has no effect if that
	// returns an error.

	// Decide records one decision about each target of o, with its effects: all open reports of the target are closed,
	// and its owner and its reporters get messages. A target in a state other than its State is a MovedError.
	Decide(ctx context.Context, a Act, o Order) ([]Decision, error)
	// Undo brings back the state before the decisions of a batch, but for closed reports. Reports do not hold a project that
	// it reinstates for operate.Immunity, and its owner gets a message if the one about the decision has left. A later
	// decision about one of the projects is a MovedError, and so are a later suspension by the operator and a decision that
	// is undone already.
	Undo(ctx context.Context, a Act, decision int64) error
	// AddNote records a note, once within NoteTwice.
	AddNote(ctx context.Context, a Act, id sandlot.ProjectID, text string) error

	// Contested returns the decision with the code, as long as it is in force and has no objection; else it is
	// sandlot.ErrNotFound.
	Contested(ctx context.Context, code sandlot.Digest) (Decision, error)
	// Object records the objection to the decision that Contested returns.
	Object(ctx context.Context, code sandlot.Digest, text string, at time.Time) error
}

// An Act is something that a moderator does.
type Act struct {
	At      time.Time
	Name    string            // for the log
	Account sandlot.AccountID // of the moderator; 0: the operator at the machine
	Session int64             // of the moderator
	// Allow returns an error if the moderator may not do it to these targets. The step calls it once it has locked the
	// accounts of all.
	Allow func(Moderator, []Standing) error
}

// Moderator is the person of an Act as the step finds them. Without their account or session it is zero.
type Moderator struct {
	Machine   bool // the operator at the machine
	Account   sandlot.AccountID
	Role      sandlot.Role
	Suspended bool
	ProvedAt  time.Time // when the login was proved
}

// Standing is a target as the step finds it.
type Standing struct {
	Project sandlot.ProjectID
	Account sandlot.AccountID // of its owner
	Role    sandlot.Role      // of its owner
	// Suspended: the account is, with all its projects.
	Suspended bool
}
