package cover

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Wish is an owner's choice of a cover. Stores keep the words, so they never change.
type Wish string

// The wishes.
const (
	Automatic Wish = ""       // the first that is found, in the order of Source
	Uploaded  Wish = "upload" // a picture that they sent
	OfFile    Wish = "file"   // one of the project's files
	None      Wish = "none"   // the title on a tile
)

// Source is the kind of picture that a cover was made of. Stores keep the words.
type Source string

// The sources, in the order of the search; the first two by the owner's wish alone.
const (
	FromUpload   Source = "upload"
	FromChosen   Source = "file"
	FromCover    Source = "cover"    // a file of that name
	FromDocument Source = "document" // the picture that the page names
	FromShot     Source = "shot"     // a screenshot of a trial
	FromNothing  Source = ""         // the title stands on a tile
)

// State is the record of a project's cover, beside the picture itself.
type State struct {
	Wish     Wish
	File     string            // of OfFile
	Upload   sandlot.PictureID // the last one sent, while it is wished
	Shot     sandlot.PictureID // of the last trial
	Source   Source
	Made     string // the source of the cover, with the way it was made
	Findings string // pictures that could not be used, as JSON
	Tries    int    // the number of times that a worker began, and did not finish
	Due      bool   // whether the cover is yet to be made for the current version
}

// Task is a project whose cover is to be made, with its number in the store.
type Task struct {
	Number  int64
	Project sandlot.Project
	State
}

// A Fresh picture is on its way into the records. Its blobs are staged, one for each width.
type Fresh struct {
	ID    sandlot.PictureID
	Sizes map[int]sandlot.Blob
	First bool // replaces no picture: if the owner has chosen before, it is ErrMoved
}

// Settled is the result of a search for a cover.
type Settled struct {
	Cover    sandlot.PictureID // empty: none; may be a recorded one
	Fresh    *Fresh            // the picture itself, if it is not recorded
	Source   Source
	Made     string
	Findings string
	Version  int // the version that was searched; 0: the current one
}

// Kept is a recorded picture, in one width.
type Kept struct {
	Project sandlot.ProjectID // the project of a cover, or
	Account sandlot.AccountID // the account of a portrait, which must be visible
	Blob    sandlot.Blob
	GoneAt  time.Time // zero while it is used
}

// A Store keeps pictures, and the sources of covers, under the same promises as a publish.Store. A missing or deleted
// project is ErrNotFound.
type Store interface {
	// Picture returns a picture in that width. A picture of a suspended or deleted account is ErrNotFound.
	Picture(ctx context.Context, id sandlot.PictureID, width int) (Kept, error)
	// Cover returns a project, and the state of its cover.
	Cover(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, State, error)
	// Sent returns the pictures in use that an account's owner sent: covers of its projects, also of suspended ones,
	// and its portrait, which has no project.
	Sent(ctx context.Context, id sandlot.AccountID) (map[sandlot.ProjectID]publish.SentPicture, error)
	// FilesFolded returns those current files of a project whose folded names are among folded, at most 200, without
	// variants.
	FilesFolded(ctx context.Context, id sandlot.ProjectID, folded []string) ([]sandlot.File, error)

	// Due returns projects whose cover is to be made and that are not leased: the numbers after the one given, in their
	// order, each with its account.
	Due(ctx context.Context, after int64, limit int) ([]Waiting, error)
	// Lease leases those of the projects that nobody has to its caller for length, by the clock that all users of the
	// store share, and returns them with the number of the lease.
	Lease(ctx context.Context, numbers []int64, length time.Duration) ([]Task, int64, error)
	// Begin counts one more try for a leased project, and returns the number of tries. If the lease is another one by
	// now it is ErrMoved.
	Begin(ctx context.Context, number, lease int64) (tries int, err error)
	// GiveBack ends leases; with forget their last try does not count.
	GiveBack(ctx context.Context, numbers []int64, lease int64, forget bool) error
	// Settle records the cover of a project for the version of the task, ends its lease, and releases the pictures that
	// it replaces. If the lease is another one by now, or the owner has chosen meanwhile, it is ErrMoved.
	Settle(ctx context.Context, t Task, lease int64, s Settled, now time.Time) error

	// Choose records an owner's wish. With s the cover is recorded at once as by Settle, and is due if s.Version is no
	// longer current; without, it is due. A suspended project is ErrSuspended.
	Choose(ctx context.Context, id sandlot.ProjectID, w Wish, file string, s *Settled, now time.Time) error
	// Shoot records the shot of a trial of a version, in the place of the former one; the cover is then due. It is
	// ErrMoved if the project has another version, and ErrSuspended if it is suspended.
	Shoot(ctx context.Context, id sandlot.ProjectID, version int, shot Fresh, now time.Time) error
	// Portray records the portrait of an account, or with nil takes it away. A suspended account is ErrSuspended.
	Portray(ctx context.Context, id sandlot.AccountID, portrait *Fresh, now time.Time) error
}

// Waiting is a project whose cover is to be made.
type Waiting struct {
	Number  int64
	Account sandlot.AccountID
}
