// Package engine defines the interface of databases for the store's queries: sqlite and postgres are engines.
//
// Queries are written in SQL that both databases share, with the parameters ? and ?1; a [Dialect] writes the parts in
// which they differ. A condition can be read into a bool or a number. Errors are those of package sandlot, or faults of
// this program; a missing row is sandlot.ErrNotFound.
package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sandlot"
)

// Rows are closed before the next statement of their transaction; to close them again does nothing.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

type Querier interface {
	Query(ctx context.Context, query string, args ...any) (Rows, error)
}

// A Tx is a step's access to its transaction, for that step alone. Its statements are not interrupted.
type Tx interface {
	Querier
	// Exec runs a statement, and returns how many rows it changed.
	Exec(query string, args ...any) (int64, error)
	// Run runs statements up to the first that fails, in one round trip where the database is on a server.
	Run(list ...Statement) error
}

// A Statement is run once with each of its rows of arguments. With several rows the query ends with the VALUES of
// one, whose parameters are all "?".
type Statement struct {
	Query string
	Rows  [][]any
	// ID is the column in which the database numbers the inserted rows, and IDs gets those numbers.
	ID  string
	IDs *[]int64
	// None is the error of a SELECT that finds no row; nil: it is none.
	None error
}

// An Engine is one database. All methods may be called concurrently.
type Engine interface {
	// Step runs a method of a store as one atomic and durable step, which writes that many bytes of content.
	// run may be called several times, each time but the last without any effect. If ctx ends before the step has
	// begun it is dropped; after that it is not interrupted. Any error but that of a commit is sandlot.ErrNoEffect.
	Step(ctx context.Context, bytes int, run func(Tx) error) error
	// LongStep is Step for work of hours, such as a move.
	LongStep(ctx context.Context, run func(Tx) error) error
	// Read runs one query outside of any step, Snapshot several on one consistent state, and LongSnapshot is for
	// reads of minutes. Any error is sandlot.ErrNoEffect.
	Read(ctx context.Context, read func(Querier) error) error
	Snapshot(ctx context.Context, read func(Querier) error) error
	LongSnapshot(ctx context.Context, read func(Querier) error) error
	// Dialect returns the dialect of this database.
	Dialect() Dialect
	// Now returns the time of the database's clock, which all processes share: leases end by it.
	Now() time.Time

	// Ping fails when nothing can be read or written.
	Ping(ctx context.Context) error
	// CheckPlace returns sandlot.ErrUnavailable unless the database is the one that was opened.
	CheckPlace() error
	// Wipe requests that the log is emptied soon, after a deletion that should leave no trace.
	Wipe()
	// Meters returns the measurements of the writes, Pool the state of the connections, and Skew by how much this
	// machine's clock is ahead of the database's. They cost next to nothing.
	Meters() *Meters
	Pool() Pool
	Skew() time.Duration
	// Size returns the room that the database takes now.
	Size(ctx context.Context) (Size, error)
	// Unused returns how many bytes of the database are free for new records.
	Unused(ctx context.Context) (int64, error)
	// GiveBack gives some of the unused bytes back, and reports whether there are more; while steps wait it does
	// nothing.
	GiveBack(ctx context.Context) (more bool, err error)
	// CopyTo writes a copy of the database, as of one moment, into a new file, calls clean to remove records that do
	// not belong there, and syncs it. A database that is no file returns errors.ErrUnsupported.
	CopyTo(ctx context.Context, path string, clean func(Tx) error) error
	// Damage checks the database, and returns at most limit faults of each kind, without the references of one table.
	Damage(ctx context.Context, limit int, except string) ([]string, error)
	// Close lets the steps that wait finish. Every later call is sandlot.ErrUnavailable. It may be called again.
	Close() error
}

// ErrTooMany refuses a step because too many wait.
var ErrTooMany = fmt.Errorf("too many writes wait already: %w", sandlot.ErrUnavailable)

// A Dialect writes the parts of queries in which the databases differ.
type Dialect interface {
	// Numbers and Texts write a List of either as a table with the column value, for FROM, under an alias.
	Numbers(parameter, alias string) string
	Texts(parameter, alias string) string
	// Among writes the condition that an expression is one of the values of such a table.
	Among(expression, table string) string
	Greatest(values ...string) string
	// EqualFold writes the condition that two texts differ in the case of ASCII letters at most. Indexes serve it if
	// the column comes first.
	EqualFold(a, b string) string
	// DomainOf writes the domain of an address, in small letters.
	DomainOf(address string) string
	// Locked ends a query of a step, which then waits for others that change the rows of these tables (or aliases),
	// sees them as those leave them, and keeps them until the step ends.
	Locked(tables ...string) string
	// Alone writes a statement by which a step waits for others that ran it with the same number. It is empty if steps
	// run one after the other anyway.
	Alone(parameter string) string
	// Together writes a statement by which a step waits for others that ran Alone with the same number, and not for
	// others that ran Together. It is empty where Alone is.
	Together(parameter string) string
}

func List[T ~int64 | ~string](list []T) string {
	text, _ := json.Marshal(append([]T{}, list...)) // numbers and strings always can
	return string(text)
}

// A Table describes how to read the rows of a table in order, and how to write them again.
type Table struct {
	Name    string
	Columns []string // the first Keys of them are the primary key, in its order
	Keys    int
	// Numbered says that the database numbers the rows by itself, in the first column.
	Numbered bool
	Page     int // how many rows are read at once
}

func (t Table) Key() []string { return t.Columns[:t.Keys] }

// A Mover does the parts of copying rows in which the databases differ.
type Mover interface {
	// SetAside disables all triggers, and returns the statements that enable them again. Both are part of one step.
	SetAside(t Tx, tables []Table) (back []string, err error)
	// Given returns the highest number that the database ever gave a row of the table; Give makes it continue above.
	Given(ctx context.Context, q Querier, table Table) (int64, error)
	Give(t Tx, table Table, last int64) error
	// Schema returns the number of the newest schema that this program knows.
	Schema() (int, error)
}
