package engine

import "context"

// A Table says how to read the rows of a table in order, and how to write them again.
type Table struct {
	Name    string
	Columns []string // the first Keys of them are the primary key, in its order
	Keys    int
	// Numbered says that the database numbers the rows by itself, in the first column.
	Numbered bool
	Page     int // how many rows are read at once
}

// Key returns the columns of the primary key.
func (t Table) Key() []string { return t.Columns[:t.Keys] }

// A Mover does the parts of copying rows that each database has its own words for.
type Mover interface {
	// SetAside disables all triggers, so that rows can be written as they are, and returns the
	// statements that enable them again. Both are part of one step.
	SetAside(t Tx, tables []Table) (back []string, err error)
	// Given returns the highest number that the database gave a row of the table by itself, or
	// that a row has. Give makes it go on above that.
	Given(ctx context.Context, q Querier, table Table) (int64, error)
	Give(t Tx, table Table, last int64) error
}
