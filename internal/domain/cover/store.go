package cover

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Wish is what an owner chose for a cover. Stores keep the words, so they never change.
type Wish string

// The wishes.
const (
	Automatic Wish = ""       // what is found, in the order of Source
	Uploaded  Wish = "upload" // a picture that they sent
	OfFile    Wish = "file"   // one of the project's files
	None      Wish = "none"   // the title on a tile
)

// Source is what a cover was made of. Stores keep the words.
type Source string

// The sources, in the order in which they are looked for; the first two by the owner's wish alone.
const (
	FromUpload   Source = "upload"
	FromChosen   Source = "file"
	FromCover    Source = "cover"    // a file that is called so
	FromDocument Source = "document" // what the page names as its picture
	FromShot     Source = "shot"     // how it looked in a trial
	FromIcon     Source = "icon"
	FromNothing  Source = "" // the title stands on a tile
)

// State is what is kept of a project's cover, beside the picture itself.
type State struct {
	Wish     Wish
	File     string            // of OfFile
	Upload   sandlot.PictureID // that was sent last, while it is wished
	Shot     sandlot.PictureID // of the last trial
	Source   Source
	Made     string // what the cover was made of, with the way it was made
	Findings string // what could not be used, as JSON
	Tries    int    // how often a worker began, and came to no end
	Due      bool   // whether the cover is yet to be made for the current version
}

// Task is a project whose cover is to be made, with the number that the store knows it by.
type Task struct {
	Number  int64
	Project sandlot.Project
	State
}

// A Fresh picture is one on its way into the records. Its blobs are staged, one for each width.
type Fresh struct {
	ID    sandlot.PictureID
	Sizes map[int]sandlot.Blob
	First bool // takes nobody's place: where the owner has chosen before, it is ErrMoved
}

// Settled is what a cover was found to be.
type Settled struct {
	Cover    sandlot.PictureID // empty: none; may be one that is recorded
	Fresh    *Fresh            // the same, where it is not
	Source   Source
	Made     string
	Findings string
	Version  int // that was looked at; 0: whichever is current
}

// Kept is a picture as it is recorded, in one width.
type Kept struct {
	Project sandlot.ProjectID // whose it is, or
	Account sandlot.AccountID // whose portrait it is: of an account that may be seen
	Blob    sandlot.Blob
	GoneAt  time.Time // zero while it is used
}

// A Store keeps pictures, and what covers are made of, under the same promises as a publish.Store. A project that is not
// there, or was deleted, is ErrNotFound.
type Store interface {
	// Picture returns a picture in that width. One of an account that is suspended or deleted is ErrNotFound.
	Picture(ctx context.Context, id sandlot.PictureID, width int) (Kept, error)
	// Cover returns a project, and what is kept of its cover.
	Cover(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, State, error)
	// Sent returns the pictures that an account's owner sent and that are used: covers of its projects, also of suspended
	// ones, and its portrait, which is of no project.
	Sent(ctx context.Context, id sandlot.AccountID) (map[sandlot.ProjectID]publish.SentPicture, error)
	// FilesFolded returns those current files of a project whose folded names are among folded, of which there are
	// at most 200, without variants.
	FilesFolded(ctx context.Context, id sandlot.ProjectID, folded []string) ([]sandlot.File, error)

	// Due returns projects whose cover is to be made and that nobody has leased: the numbers after the one given, in their order,
	// each with its account.
	Due(ctx context.Context, after int64, limit int) ([]Waiting, error)
	// Lease keeps those of the projects that nobody has to their caller for that long, by the clock that all users of the
	// store share, and returns them with what names the lease.
	Lease(ctx context.Context, numbers []int64, length time.Duration) ([]Task, int64, error)
	// Begin counts one more try for a project that is leased, and returns how many that makes. If the lease is another one by
	// now it is ErrMoved.
	Begin(ctx context.Context, number, lease int64) (tries int, err error)
	// GiveBack ends leases; forget says that their last try does not count.
	GiveBack(ctx context.Context, numbers []int64, lease int64, forget bool) error
	// Settle records the cover of a project for the version of the task, ends its lease, and lets go of the pictures that it
	// replaces. If the lease is another one by now, or the owner has chosen meanwhile, it is ErrMoved.
	Settle(ctx context.Context, t Task, lease int64, s Settled, now time.Time) (sandlot.Changed, error)

	// Choose records what an owner wishes. With s the cover is recorded at once as Settle does, and is due if s.Version is not the
	// current one any more; without, it is due. A suspended project is ErrSuspended.
	Choose(ctx context.Context, id sandlot.ProjectID, w Wish, file string, s *Settled, now time.Time) (sandlot.Changed, error)
	// Shoot records the shot of a trial of a version, in the place of the one before; the cover is then due. It is
	// ErrMoved if the project has another version, and ErrSuspended if it is suspended.
	Shoot(ctx context.Context, id sandlot.ProjectID, version int, shot Fresh, now time.Time) error
	// Portray records the portrait of an account, or with nil takes it away. A suspended account is ErrSuspended.
	Portray(ctx context.Context, id sandlot.AccountID, portrait *Fresh, now time.Time) (sandlot.Changed, error)
}

// Waiting is a project whose cover is to be made.
type Waiting struct {
	Number  int64
	Account sandlot.AccountID
}
