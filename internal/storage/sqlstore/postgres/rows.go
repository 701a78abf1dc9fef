package postgres

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/storage/sqlstore/engine"
)

// Its first row is fetched when it is made, so that an error of the query comes from the query.
type rows struct {
	r      pgx.Rows
	first  bool // Next has not returned the first row yet
	has    bool // whether there is one
	err    error
	closed bool
	end    func(error) error // closes the rest, and classifies an error
}

func newRows(r pgx.Rows, end func(error) error) (*rows, error) {
	list := &rows{r: r, first: true, end: end}
	if list.has = r.Next(); list.has {
		return list, nil
	}
	return list, list.Close()
}

// Next goes on to the next row, if there is one.
func (r *rows) Next() bool {
	if r.first {
		r.first = false
		return r.has
	}
	return r.err == nil && !r.closed && r.r.Next()
}

// Scan reads the columns of the row. See scan.
func (r *rows) Scan(dest ...any) error {
	raw, fields := r.r.RawValues(), r.r.FieldDescriptions()
	if len(dest) != len(raw) {
		return fmt.Errorf("%d columns are read into %d variables", len(raw), len(dest))
	}
	for i, d := range dest {
		if err := scan(r.r.Conn().TypeMap(), &fields[i], raw[i], d); err != nil {
			return fmt.Errorf("column %s: %w", fields[i].Name, err)
		}
	}
	return nil
}

// Err returns the error that ended the rows before their end.
func (r *rows) Err() error {
	if r.closed || r.err != nil {
		return r.err
	}
	if err := r.r.Err(); err != nil {
		return r.Close()
	}
	return nil
}

// Close reads the remaining rows, and returns the error that ended them before their end.
func (r *rows) Close() error {
	if r.closed {
		return r.err
	}
	r.closed = true
	r.r.Close()
	r.err = r.end(r.r.Err())
	return r.err
}

var _ engine.Rows = (*rows)(nil)
