package gallery

import (
	"context"
	"net/netip"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/publish"
)

// A Store keeps what a gallery shows and who likes it, under the same promises as a publish.Store.
//
// The projects that may be listed are those of accounts whose address is verified, or of all accounts, unless the owner does not want them
// listed, and unless they or their account are suspended or deleted.
type Store interface {
	sandlot.SecretStore

	// ListUnverified says whether projects of accounts without a verified address may be listed, too; at first they may not. From its
	// return on no list has what may not be there; what may be there now comes in with Sweep at the latest.
	ListUnverified(ctx context.Context, yes bool) error
	// Waiting counts the projects that would be listed were their account's address verified, among the reach projects that were made last.
	Waiting(ctx context.Context, reach int) (int, error)
	// Listed returns projects that may be listed, newest first.
	Listed(ctx context.Context, q ListedQuery) ([]Listed, error)
	// Named returns what searches look through of the projects that may be listed and have a higher Number than after, by their Numbers, at
	// most limit.
	Named(ctx context.Context, after int64, limit int) ([]Named, error)
	// Relisted returns the same, with Listed as it is now, of the projects whose title, handle, tags or Listed changed since they were made,
	// those of the highest Relisting first, down to the least, at most limit. A change gets a higher Relisting than all that were committed
	// when it was made, so one that commits later may have a lower one than another.
	Relisted(ctx context.Context, least int64, limit int) ([]Named, error)
	// ListedOf returns those of the projects that may be listed, in no order.
	ListedOf(ctx context.Context, ids []sandlot.ProjectID) ([]sandlot.Project, error)
	// MostPlayed returns projects that may be listed and were played since the day of the time given, most plays first, newest first among
	// equals, at most limit.
	MostPlayed(ctx context.Context, since time.Time, limit int) ([]sandlot.ProjectID, error)
	// Trending returns projects that may be listed and were played or liked since the day of a time, those of the greatest weight first, newest
	// first among equals. A project weighs its plays and likes since then, divided by (age in days + q.Young)^q.Damping; likes that were taken
	// back beyond those that were given count as none.
	Trending(ctx context.Context, q TrendQuery) ([]sandlot.ProjectID, error)
	// PlaysByDay returns the plays of projects on each day, in UTC, from that of from to that of to: the day of from is the first. Projects
	// that were not played, or are deleted, are absent. AddCounts counts its plays for the day on which it is called; Sweep forgets days
	// that began 61 days ago or earlier.
	PlaysByDay(ctx context.Context, ids []sandlot.ProjectID, from, to time.Time) (map[sandlot.ProjectID][]int64, error)
	// AccountOfHandle returns the account that has a handle, or had it once.
	AccountOfHandle(ctx context.Context, handle string) (sandlot.Account, error)
	// Details returns what a project's owner says about it.
	Details(ctx context.Context, id sandlot.ProjectID) (publish.Details, error)

	// Like records that a player likes a project, once however often, and returns the likes there are now. A new one counts in the
	// project's Likes in the same step if counted is set. The player is a hash that is another one for each project, so that nobody can
	// tell what else a player likes.
	Like(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest, counted bool) (likes int64, err error)
	// Unlike takes a player's like back, and its count if it was counted. Where there is none it changes nothing.
	Unlike(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest) (likes int64, err error)
	// Liked reports whether a player likes a project.
	Liked(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest) (bool, error)
}

// A CountStore keeps the counts of projects, under the same promises as a publish.Store.
type CountStore interface {
	// Project returns a project as the latest commit left it.
	Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error)
	// AddCounts adds plays and likes. Projects that are gone are passed over. If they are of a Batch that was added already, whatever others were
	// added since, nothing is added. Each of the Loads adds a play, too, unless one of the same ID did less than PlayWindow before or after it,
	// whoever added that: then it is returned, with how long ago that one was. Loads of one ID that come together add one play. Sweep forgets
	// loads that are older. What is added is added to the project's figures in the same step, for the day on which AddCounts is called: see
	// figures.Store.
	AddCounts(ctx context.Context, counts map[sandlot.ProjectID]Counts) (again []Load, err error)
}

// Live counts who is playing now. It may forget everything at any moment, and an error from it never fails a request. All methods may be
// called concurrently.
type Live interface {
	// Touch counts the player as present for Presence from now. The player belongs to each Crowd in of: if Most others of one of them are
	// present in the project, the player is not counted.
	Touch(ctx context.Context, id sandlot.ProjectID, p PlayerID, now time.Time, of ...Crowd) error
	// Leave counts the player as gone.
	Leave(ctx context.Context, id sandlot.ProjectID, p PlayerID, now time.Time) error
	// Players returns how many players are present.
	Players(ctx context.Context, id sandlot.ProjectID, now time.Time) (int, error)
	// Busiest returns the projects that have players present, most players first, by their IDs among equals, at most limit.
	Busiest(ctx context.Context, limit int, now time.Time) ([]sandlot.ProjectID, error)
}

// Presence is how long a player counts as present after a heartbeat: 45 s, so
// that two of the heartbeats, 20 s apart, may be lost.
const Presence = 45 * time.Second

// A PlayerID tells one player of a project from another: a name that the page in their browser drew, or a hash of where they come from.
type PlayerID string

// A Player is whoever loads or plays a project.
type Player struct {
	ID PlayerID
	// From is the address of the request. It is bounded together with its network, and never kept. All invalid addresses are one network.
	From netip.Addr
	// Version is the one that is loaded; 0 is the current one.
	Version int
	// Source is the host of another site that led the player here, as figures.Source tells it; empty if none did.
	Source string
}

// A Crowd is a network whose players of one project are bounded.
type Crowd struct {
	Network netip.Prefix
	Most    int // players of one project that count at once
}

// Counts are additions to a project's counters. A Batch other than 0 is kept with the project as Counted, in the same step. Whoever reads
// the project can tell by it whether these counts are included, unless another process has added some since.
type Counts struct {
	Plays, Likes, Batch int64
	Loads               []Load
	Figures             figures.Added // what the plays, without those of Loads, add to the figures, and the players of both
}

// A Load is a visitor's load of a project, of which no more is told: ID is a hash of both. A play of it counts for a version and a source.
type Load struct {
	ID      int64
	Ago     time.Duration
	Version int
	Source  string
}

// BatchesOfProcess is how many numbers of batches a process has: those with the same quotient are of one, and it adds them in their order.
const BatchesOfProcess = 1 << 24

// ListedQuery says which projects to list.
type ListedQuery struct {
	Account sandlot.AccountID // only those of this account; 0: of all accounts
	// Tag, if there is one, is a tag that the projects have. Account is not looked at then.
	Tag    string
	Before int64 // only those with a lower Number; 0: all
	Limit  int   // the most projects
	// Numbers, if there are any, are those of the projects. Nothing else is looked at then.
	Numbers []int64
}

// A Named is what searches look through of a project.
type Named struct {
	Number    int64 // as in Listed
	Relisting int64 // see Store.Relisted; 0: nothing changed since it was made
	Listed    bool  // it may be listed
	Title     string
	Handle    string
	Tags      sandlot.Tags
}

// A TrendQuery says which projects trend.
type TrendQuery struct {
	Since, Now time.Time
	Account    sandlot.AccountID // only those of this account, of its newest as many as Limit says; 0: of all accounts
	LikeWorth  int               // how many plays a like weighs
	Young      float64           // days that are added to each age, over 0
	Damping    float64           // the power of an age
	OfOne      int               // the most projects of one account
	Limit      int               // the most projects
}

// Listed is a project in a list that everybody sees.
type Listed struct {
	sandlot.Project
	Number int64 // higher than that of every project that was made before
}

// daysKept is how many days plays are kept by day: twice what an overview shows, so that a month can be compared with the one before.
const daysKept = 60

// DaysKept returns the beginning of the oldest day, in UTC, whose plays are still kept at a time.
func DaysKept(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -daysKept)
}
