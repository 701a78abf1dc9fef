// Package engine says what the store's queries need of a database. Packages sqlite and
// postgres are such engines.
//
// Queries are written in SQL that both databases share: RETURNING, ON CONFLICT, partial
// indexes, times as numbers, parameters ? and ?1. What each database has its own words
// for a [Dialect] writes. In the answers a condition may come as a bool or as 0 and 1,
// and is read into a bool or a number alike; a bool may be given where a column holds
// 0 and 1.
//
// All errors are those that publish knows, or are faults of this program. No row where
// there has to be one is sandlot.ErrNotFound.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sandlot"
)

// Rows are what a query yields. They are closed before the next statement of their
// transaction; to close them again does nothing.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// A Querier runs a query.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (Rows, error)
}

// A Tx is a step's access to the transaction it is part of. It is used by that step
// alone, and not after it. Its statements are not interrupted.
type Tx interface {
	Querier
	// Exec runs a statement, and returns how many rows it changed.
	Exec(query string, args ...any) (int64, error)
	// Run runs statements one after another up to the first that fails, all of them in one
	// round trip where the database is on a server.
	Run(list ...Statement) error
}

// A Statement is run once with each of its rows of arguments. With several rows the query
// ends with the VALUES of one, whose parameters are all "?".
type Statement struct {
	Query string
	Rows  [][]any
	// ID is the column in which the database numbers the inserted rows, and IDs gets those numbers.
	ID  string
	IDs *[]int64
}

// An Engine is one database. All methods may be called concurrently.
type Engine interface {
	// Step runs what one method of a store does as one atomic and durable step: when it
	// returns nil the effect survives whatever happens. run may be called several times,
	// each time but the last without any effect. bytes says how much content it writes.
	//
	// If ctx ends before the step has begun it is dropped; after that it is not
	// interrupted. Any error but that of a commit is sandlot.ErrNoEffect. Where so many
	// steps wait that another had better come back it is ErrTooMany.
	Step(ctx context.Context, bytes int, run func(Tx) error) error
	// LongStep is Step for work of hours, such as a move.
	LongStep(ctx context.Context, run func(Tx) error) error
	// Read runs one query outside of any step, which sees one consistent state. Any
	// error is sandlot.ErrNoEffect.
	Read(ctx context.Context, read func(Querier) error) error
	// Snapshot runs several queries on one consistent state. Any error is
	// sandlot.ErrNoEffect. LongSnapshot is for reads of minutes.
	Snapshot(ctx context.Context, read func(Querier) error) error
	LongSnapshot(ctx context.Context, read func(Querier) error) error
	// Dialect writes the parts of queries that this database has its own words for.
	Dialect() Dialect
	// Now is what the clock of the database says, which all processes that use it
	// share: leases end by it.
	Now() time.Time

	// Ping fails when nothing can be read or written.
	Ping(ctx context.Context) error
	// CheckPlace returns sandlot.ErrUnavailable unless the database is the one that was
	// opened: another in its place has other records.
	CheckPlace() error
	// Wipe says that something was deleted that should leave no trace: the log is emptied soon.
	Wipe()
	// Unused tells how many bytes the database holds that are free for new records.
	Unused(ctx context.Context) (int64, error)
	// GiveBack gives some of the unused bytes back, and tells whether there are more;
	// while steps wait it does nothing.
	GiveBack(ctx context.Context) (more bool, err error)
	// CopyTo writes a copy of the database, as one moment left it, into a new file, has
	// clean take out of it what does not belong there, and syncs it. Of a database that
	// is no file it is errors.ErrUnsupported.
	CopyTo(ctx context.Context, path string, clean func(Tx) error) error
	// Damage has the database check itself, and tells what is wrong, at most limit
	// lines of each kind. References of the table except are left out.
	Damage(ctx context.Context, limit int, except string) ([]string, error)
	// Close lets the steps that wait finish and ends the connections. Every later call
	// is sandlot.ErrUnavailable. It may be called again.
	Close() error
}

// ErrTooMany: so many steps wait that another had better come back.
var ErrTooMany error = tooMany{errors.New("too many writes wait already")}

type tooMany struct{ error }

func (tooMany) Unwrap() error { return sandlot.ErrUnavailable }

// A Dialect writes the parts of queries that each database has its own words for.
type Dialect interface {
	// Numbers and Texts are a List of either as a table with the column value, for FROM,
	// under an alias.
	Numbers(parameter, alias string) string
	Texts(parameter, alias string) string
	// Among holds where an expression is one of the values of such a table.
	Among(expression, table string) string
	// Greatest is the largest of several values.
	Greatest(values ...string) string
	// EqualFold holds where two texts are the same but for the case of ASCII letters. The
	// indexes of addresses serve it if the column comes first.
	EqualFold(a, b string) string
	// DomainOf is the domain of an address, in small letters.
	DomainOf(address string) string
	// Locked ends a query of a step: it then waits for others that change the rows of
	// these tables (or aliases), sees them as those leave them, and keeps them until
	// the step ends.
	Locked(tables ...string) string
	// Alone is a statement by which a step waits for the end of others that ran it with
	// the same number before. It is empty where steps come one after the other anyway.
	Alone(parameter string) string
}

// List is the parameter of Numbers and Texts for a list.
func List[T ~int64 | ~string](list []T) string {
	text, _ := json.Marshal(append([]T{}, list...)) // numbers and strings always can
	return string(text)
}
