package publish

import (
	"context"
	"time"
)

// A GalleryStore finds the projects that may be listed, under the same promises as
// a Store: those of accounts whose address is verified, or of all accounts, unless the
// owner does not want them listed, and unless they or their account are suspended or
// deleted.
type GalleryStore interface {
	// ListUnverified says whether projects of accounts without a verified address may be listed, too; at first they may not. From its return on no list has what may not be there.
	ListUnverified(ctx context.Context, yes bool) error
	// Waiting counts the projects that would be listed were their account's address verified, among the reach projects that were made last.
	Waiting(ctx context.Context, reach int) (int, error)
	// Listed returns projects that may be listed, newest first.
	Listed(ctx context.Context, q ListedQuery) ([]Listed, error)
	// ListedOf returns those of the projects that may be listed, in no order.
	ListedOf(ctx context.Context, ids []ProjectID) ([]Project, error)
	// MostPlayed returns projects that may be listed and were played since the day of the time given, most plays first, newest first among equals, at most limit.
	MostPlayed(ctx context.Context, since time.Time, limit int) ([]ProjectID, error)
	// AccountOfHandle returns the account that has a handle, or had it once.
	AccountOfHandle(ctx context.Context, handle string) (Account, error)
}

// ListedQuery says which projects to list.
type ListedQuery struct {
	Account AccountID // of this account; 0: of all
	Words   []string  // with words in title and handle that begin with each of these, whatever their case and accents; then of all accounts
	Before  int64     // only those with a lower Number; 0: all
	Limit   int
}

// Listed is a project in a list that everybody sees. Its Number grows with every
// project that is made.
type Listed struct {
	Project
	Number int64
}

// Sort is an order of the gallery.
type Sort string

// The orders of the gallery.
const (
	SortNewest Sort = "newest"
	SortPlayed Sort = "played" // most plays in seven days
	SortLive   Sort = "live"   // most players now
)

// Card is a project in a list.
type Card struct {
	Project Project
	Stats   Stats
}

// Page is a part of a list. Next is the cursor of the part after it, empty on the
// last. Where nothing at all is listed, Waiting is how many projects would be if
// somebody confirmed their account's address, of the MostWaiting made last.
type Page struct {
	Cards   []Card
	Next    string
	Waiting int
}

// MostWaiting is how many projects are looked at for those that wait to be listed: it
// bounds the look, and what an empty gallery tells.
const MostWaiting = 1_000
