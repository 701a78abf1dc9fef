package engine

// A Table is what moving house has to know of a table: how to read its rows in order,
// and how to write them again.
type Table struct {
	Name    string
	Columns []Column // the first Keys of them are the primary key, in its order
	Keys    int
	Unique  [][]int // other columns of which no two rows have the same values, null aside
	// Numbered says that the database numbers the rows by itself, in the first column.
	Numbered bool
	Page     int // how many rows are read at once
}

// Key are the columns of the primary key: at most three numbers, one text and one of bytes.
func (t Table) Key() []Column { return t.Columns[:t.Keys] }

// A Column is one column.
type Column struct {
	Name string
	Kind Kind
}

// A Kind is what a column holds: a number, a text or bytes, or null.
type Kind byte

// The kinds.
const (
	Number Kind = 'n'
	Text   Kind = 't'
	Bytes  Kind = 'b'
)

// Slots are the columns of moving_changes that take the key of a table's row, one for
// each column of the key: n1 to n3 for numbers, t for a text, b for bytes.
func (t Table) Slots() []string {
	numbers := []string{"n1", "n2", "n3"}
	var slots []string
	for _, c := range t.Key() {
		switch c.Kind {
		case Number:
			slots, numbers = append(slots, numbers[0]), numbers[1:]
		case Text:
			slots = append(slots, "t")
		case Bytes:
			slots = append(slots, "b")
		}
	}
	return slots
}

// A Mover has what a move needs of a database that has its own words for it. Each
// method is part of a step, and may be called again.
type Mover interface {
	// Watch has each change of a row of the table put its key into moving_changes, whoever
	// makes it, in the same transaction. Unwatch ends that.
	Watch(t Tx, table Table) error
	Unwatch(t Tx, table Table) error
	// Refuse has each change of rows of the table fail with sandlot.ErrElsewhere, whoever
	// tries. Allow ends that.
	Refuse(t Tx, table Table) error
	Allow(t Tx, table Table) error
	// Alone keeps the changes of all others out until the step ends.
	Alone(t Tx, tables []Table) error
	// SetAside sets aside all triggers, and what references promise, so that rows can be
	// written in any order and just as they are. PutBack puts them back: from then on new
	// rows are held to the references; those that are there are not looked at.
	SetAside(t Tx, tables []Table) error
	PutBack(t Tx, tables []Table) error
	// Given is the highest number that the database gave a row of the table by itself, or
	// that a row has. Give has it go on above that.
	Given(t Tx, table Table) (int64, error)
	Give(t Tx, table Table, last int64) error
	// Schema tells one schema from another: it changes with each migration.
	Schema(t Tx) (string, error)
}
