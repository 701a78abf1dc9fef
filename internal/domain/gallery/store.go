package gallery

import (
	"context"
	"net/netip"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/publish"
)

// A Store holds the records of the gallery and the likes of players, with the same guarantees as a publish.Store.
//
// A project may be listed if its account has a verified address or ListUnverified permits others, unless its owner
// hides it, and unless the project or its account is suspended or deleted.
type Store interface {
	sandlot.SecretStore

	// ListUnverified sets whether projects of accounts without a verified address may be listed, too; initially they
	// may not. Once it has returned, no list contains a project that may not be listed; projects that may be listed now
	// appear after the next Sweep at the latest.
	ListUnverified(ctx context.Context, yes bool) error
	// Waiting counts the projects among the newest reach that would be listed if their account were verified.
	Waiting(ctx context.Context, reach int) (int, error)
	// Listed returns projects that may be listed, newest first.
	Listed(ctx context.Context, q ListedQuery) ([]Listed, error)
	// Named returns the searchable texts of at most limit projects that may be listed and have a Number above after, in
	// the order of their Numbers.
	Named(ctx context.Context, after int64, limit int) ([]Named, error)
	// Relisted returns the same of projects whose title, handle, tags or Listed changed since they were made, with the
	// current Listed: at most limit, in descending order of Relisting, none below least. A change gets a higher
	// Relisting than all changes committed when it was made, so a change that commits later may have a lower one.
	Relisted(ctx context.Context, least int64, limit int) ([]Named, error)
	// ListedOf returns the given projects that may be listed, in no order.
	ListedOf(ctx context.Context, ids []sandlot.ProjectID) ([]sandlot.Project, error)
	// Featured returns the project that the operator pinned to the home page. It is ErrNotFound if there is none, or if
	// it may not be listed.
	Featured(ctx context.Context) (sandlot.ProjectID, error)
	// MostPlayed returns at most limit projects that may be listed and were played since the day of the given time,
	// most plays first, newest first among equals.
	MostPlayed(ctx context.Context, since time.Time, limit int) ([]sandlot.ProjectID, error)
	// Trending returns projects that may be listed and were played or liked since the day of q.Since, in descending
	// order of weight, newest first among equals. The weight is the plays and likes since then, divided by (age in days
	// + q.Young)^q.Damping; if more likes were taken back than given, likes count as 0.
	Trending(ctx context.Context, q TrendQuery) ([]sandlot.ProjectID, error)
	// PlaysByDay returns the plays of projects on each day, in UTC, from the day of from, which is first, to the day of
	// to. Projects without plays and deleted projects are absent.
	PlaysByDay(ctx context.Context, ids []sandlot.ProjectID, from, to time.Time) (map[sandlot.ProjectID][]int64, error)
	// AccountOfHandle returns the account that has a handle, or once had it.
	AccountOfHandle(ctx context.Context, handle string) (sandlot.Account, error)
	// Details returns the owner's description of a project.
	Details(ctx context.Context, id sandlot.ProjectID) (publish.Details, error)

	// Like records that a player, a hash, likes a project, once however often it is called, and returns the current
	// likes. If counted is set, a new like is added to the project's Likes in the same step.
	Like(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest, counted bool) (likes int64, err error)
	// Unlike removes a player's like, and its count if it was counted. Without a like it changes nothing.
	Unlike(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest) (likes int64, err error)
	// Liked reports whether a player likes a project.
	Liked(ctx context.Context, id sandlot.ProjectID, player sandlot.Digest) (bool, error)
}

// A CountStore holds the counts of projects, with the same guarantees as a publish.Store.
type CountStore interface {
	// Project returns a project as the latest commit left it.
	Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error)
	// AddCounts adds plays and likes, and skips projects that are gone. It adds nothing to a project for a Batch that
	// was added before, even if other batches were added since. Each of the Loads also adds a play, unless any process
	// added one of the same ID less than PlayWindow before or after it: such a Load is returned, with the Ago of the
	// earlier one. Loads of one ID in the same call add one play. Sweep removes loads older than that. The same step
	// adds the counts to the project's figures, for the day of the call: see figures.Store.
	AddCounts(ctx context.Context, counts map[sandlot.ProjectID]Counts) (again []Load, err error)
}

// Live counts the current players. It may lose all its state at any moment, and its errors never fail a request. All
// methods may be called concurrently.
type Live interface {
	// Touch counts the player as present for Presence from now. The player belongs to each Crowd in of: if Most other
	// players of one of them are present in the project, the player is not counted.
	Touch(ctx context.Context, id sandlot.ProjectID, p PlayerID, now time.Time, of ...Crowd) error
	// Leave counts the player as gone.
	Leave(ctx context.Context, id sandlot.ProjectID, p PlayerID, now time.Time) error
	// Players returns how many players are present.
	Players(ctx context.Context, id sandlot.ProjectID, now time.Time) (int, error)
	// Busiest returns at most limit projects with players present, most players first, by ID among equals.
	Busiest(ctx context.Context, limit int, now time.Time) ([]sandlot.ProjectID, error)
}

// Presence is how long a player counts as present after a heartbeat: 45 s, so that two heartbeats, sent every 20 s, may
// be lost.
const Presence = 45 * time.Second

// A PlayerID distinguishes the players of a project: a random name made by the page in the player's browser, or a hash
// of the address.
type PlayerID string

// A Player loads or plays a project.
type Player struct {
	ID      PlayerID
	From    netip.Addr // of the request: limited together with its network, and never stored. All invalid ones are one
	Version int        // the loaded version; 0 is the current one
	Source  string     // the host of the other site that led the player here, as figures.Source returns it
}

// A Crowd is a network with a limit on its players of one project.
type Crowd struct {
	Network netip.Prefix
	Most    int // players of one project that count at once
}

// Counts are additions to a project's counters. A Batch other than 0 is stored with the project as Counted, in the same
// step. It shows a reader of the project whether these counts are included, unless another process has added some
// since.
type Counts struct {
	Plays, Likes, Batch int64
	Loads               []Load
	Figures             figures.Added // added to the figures: the plays except those of Loads, and all players
}

// A Load is a visitor's load of a project. ID is a hash of both, so that neither can be read from it. A play from it
// counts for a version and a source.
type Load struct {
	ID      int64
	Ago     time.Duration
	Version int
	Source  string
}

// BatchesOfProcess is the number of batch numbers per process: numbers with the same quotient belong to one process,
// which adds them in order.
const BatchesOfProcess = 1 << 24

// A ListedQuery selects projects for a list: those with Numbers, or with a Tag, or of an Account, if one is set.
type ListedQuery struct {
	Account sandlot.AccountID
	Tag     string
	Before  int64 // only those with a lower Number; 0: all
	Limit   int   // the most projects
	Numbers []int64
}

// A Named holds the searchable texts of a project.
type Named struct {
	Number    int64 // as in Listed
	Relisting int64 // see Store.Relisted; 0: nothing changed since it was made
	Listed    bool  // whether the project may be listed
	Title     string
	Handle    string
	Tags      sandlot.Tags
}

// A TrendQuery selects the projects that trend.
type TrendQuery struct {
	Since, Now time.Time
	LikeWorth  int     // how many plays a like weighs
	Young      float64 // days that are added to each age, over 0
	Damping    float64 // the power of an age
	OfOne      int     // the most projects of one account
	Limit      int     // the most projects
}

// Listed is a project in a public list.
type Listed struct {
	sandlot.Project
	Number int64 // higher than that of every project that was made before
}
