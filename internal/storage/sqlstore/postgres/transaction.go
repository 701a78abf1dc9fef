package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sandlot/internal/storage/sqlstore/engine"
)

// queuedMax bounds the statements that wait to be sent together.
const queuedMax = 256

// A transaction is one of PostgreSQL's, on one connection. It implements engine.Tx.
//
// What does not have to be answered at once is queued, BEGIN too, and sent together
// with the next statement that has to be: a message there and back for all of them.
type transaction struct {
	e    *Engine
	ctx  context.Context
	conn *pgx.Conn

	begin []string // the statements that begin it
	slot  *slot    // where it records its number, nil if it only reads
	begun bool     // begin was sent
	wrote bool     // a statement was queued that changes something
	noted bool     // its number was sent

	queue    []statement
	asked    []string           // the tables whose ids are asked for by what is queued
	reserved map[string][]int64 // ids, by their table
	open     *rows              // of the last query

	failed error // the first error, as publish knows it: that of the whole transaction
	raw    error // the same as the database said it
	late   bool  // a statement that was put off has it
}

// A statement is one that waits to be sent.
type statement struct {
	query   string
	args    []any
	missing error                   // the error if it changes no row, unless nil
	read    func(engine.Rows) error // reads its rows, unless nil
}

// Query implements engine.Querier. Its context is not used: the transaction has one
// of its own, which bounds it.
func (t *transaction) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	s, err := t.statement(query, args)
	if err != nil {
		return nil, err
	}
	t.wrote = t.wrote || !reads(query)
	br, err := t.send(&s)
	if err != nil {
		return nil, err
	}
	r, err := br.Query()
	if err != nil {
		return nil, t.fail(err, br)
	}
	list, err := newRows(r, func(err error) error { return t.end(err, br) })
	if err != nil {
		return nil, err
	}
	if !list.closed {
		t.open = list
	}
	return list, nil
}

// reads reports whether a query certainly changes nothing.
func reads(query string) bool {
	return strings.HasPrefix(strings.TrimSpace(query), "SELECT")
}

// Exec implements engine.Tx.
func (t *transaction) Exec(query string, args ...any) (int64, error) {
	s, err := t.statement(query, args)
	if err != nil {
		return 0, err
	}
	t.wrote = true
	br, err := t.send(&s)
	if err != nil {
		return 0, err
	}
	tag, err := br.Exec()
	return tag.RowsAffected(), t.end(err, br)
}

// Later implements engine.Tx. Bytes of more than 4 KiB among the arguments must stay
// as they are until the step ends.
func (t *transaction) Later(missing error, query string, args ...any) error {
	s, err := t.statement(query, args)
	if err != nil {
		return err
	}
	s.missing, t.wrote = missing, true
	return t.put(s)
}

// Ask implements engine.Tx.
func (t *transaction) Ask(read func(engine.Rows) error, query string, args ...any) {
	s, err := t.statement(query, args)
	if err != nil {
		return // the error is kept
	}
	s.read, t.wrote = read, t.wrote || !reads(query)
	_ = t.put(s)
}

// Flush implements engine.Tx.
func (t *transaction) Flush() error { return t.flush() }

// put queues a statement.
func (t *transaction) put(s statement) error {
	if t.queue = append(t.queue, s); len(t.queue) < queuedMax {
		return nil
	}
	return t.flush()
}

// Reserve implements engine.Tx.
func (t *transaction) Reserve(tables ...string) {
	if len(tables) == 0 || t.failed != nil {
		return
	}
	sequences := make([]string, len(tables))
	for i, table := range tables {
		s, ok := t.e.sequences[table]
		if !ok {
			t.fault(fmt.Errorf("the table %s numbers nothing", table))
			return
		}
		sequences[i] = s
	}
	t.asked = append(t.asked, tables...)
	t.queue = append(t.queue, statement{query: nextvals, args: []any{engine.List(sequences)}, read: func(r engine.Rows) error { return t.keep(tables, r) }})
}

// nextvals takes a number from each of a list of sequences.
const nextvals = "SELECT nextval(CAST(s AS regclass)) FROM json_array_elements_text(CAST($1 AS json)) s"

// keep keeps ids that were asked for.
func (t *transaction) keep(tables []string, r engine.Rows) error {
	if t.reserved == nil {
		t.reserved = map[string][]int64{}
	}
	for _, table := range tables {
		var id int64
		r.Next()
		if err := r.Scan(&id); err != nil {
			return err
		}
		t.reserved[table] = append(t.reserved[table], id)
	}
	t.asked = t.asked[len(tables):]
	return nil
}

// Insert implements engine.Tx. The id is asked for if it was not reserved.
func (t *transaction) Insert(table, query string, args ...any) (int64, error) {
	id, err := t.next(table)
	if err != nil {
		return 0, err
	}
	s, err := t.statement(query, append([]any{id}, args...))
	if err != nil {
		return 0, err
	}
	t.wrote = true
	return id, t.put(s)
}

func (t *transaction) next(table string) (int64, error) {
	if len(t.reserved[table]) == 0 {
		if !slices.Contains(t.asked, table) {
			t.Reserve(table)
		}
		if err := t.flush(); err != nil {
			return 0, err
		}
	}
	ids := t.reserved[table]
	t.reserved[table] = ids[1:]
	return ids[0], nil
}

// statement makes one that can be sent.
func (t *transaction) statement(query string, args []any) (s statement, err error) {
	if t.failed != nil {
		return s, t.failed
	}
	s.query = t.e.queries.of(query)
	if s.args, err = arguments(args); err != nil {
		return s, t.fault(err)
	}
	return s, nil
}

// flush sends what is queued.
func (t *transaction) flush() error {
	if t.failed != nil {
		return t.failed
	}
	if len(t.queue) == 0 {
		return nil
	}
	br, err := t.send(nil)
	if err != nil {
		return err
	}
	return t.end(nil, br)
}

// send sends all that is queued, and the last statement behind it, which is the only
// one whose result is left to read.
func (t *transaction) send(last *statement) (pgx.BatchResults, error) {
	if t.open != nil {
		if err := t.open.Close(); err != nil {
			return nil, err
		}
		t.open = nil
	}
	queue := t.due()
	var batch pgx.Batch
	for _, s := range queue {
		batch.Queue(s.query, s.args...)
	}
	if last != nil {
		batch.Queue(last.query, last.args...)
	}
	br := t.conn.SendBatch(t.ctx, &batch)
	for _, s := range queue {
		if err := t.settle(br, s); err != nil {
			return nil, err
		}
	}
	return br, nil
}

// settle reads the result of a statement that was put off. After an error the others
// do not count any more.
func (t *transaction) settle(br pgx.BatchResults, s statement) (err error) {
	var n int64
	if s.read == nil {
		var tag pgconn.CommandTag
		tag, err = br.Exec()
		n = tag.RowsAffected()
	} else {
		var r pgx.Rows
		if r, err = br.Query(); err == nil {
			return t.ask(br, s, r)
		}
	}
	if err != nil {
		t.late = true
		return t.fail(err, br)
	}
	if n == 0 && s.missing != nil {
		return t.refuse(br, s.missing)
	}
	return nil
}

// ask has the rows of a statement read.
func (t *transaction) ask(br pgx.BatchResults, s statement, r pgx.Rows) error {
	list, err := newRows(r, func(err error) error { return err })
	if err == nil {
		err = s.read(list)
		if cerr := list.Close(); cerr == nil && err != nil {
			return t.refuse(br, err)
		} else if cerr != nil {
			err = cerr
		}
	}
	if err != nil {
		t.late = true
		return t.fail(err, br)
	}
	return nil
}

// refuse ends a batch with an error that is not the database's.
func (t *transaction) refuse(br pgx.BatchResults, err error) error {
	_ = br.Close()
	t.failed, t.late = err, true
	return err
}

// due takes what is to be sent now: BEGIN where nothing was sent, what is queued, and
// the transaction's number with the first of it that changes something.
func (t *transaction) due() []statement {
	var list []statement
	if !t.begun {
		t.begun = true
		for _, b := range t.begin {
			list = append(list, statement{query: b})
		}
	}
	list = append(list, t.queue...)
	t.queue = nil
	if t.wrote && !t.noted && t.slot != nil {
		t.noted = true
		list = append(list, t.slot.note())
	}
	return list
}

// end ends a batch whose results were read, with err if that failed.
func (t *transaction) end(err error, br pgx.BatchResults) error {
	if cerr := br.Close(); err == nil {
		err = cerr
	}
	return t.fault(err)
}

// fail ends a batch that failed.
func (t *transaction) fail(err error, br pgx.BatchResults) error {
	_ = br.Close() // it has the same error
	return t.fault(err)
}

// fault makes err, unless it is nil, the error of the whole transaction if it is the
// first. After one PostgreSQL takes no more statements.
func (t *transaction) fault(err error) error {
	if t.failed == nil && err != nil {
		t.raw, t.failed = err, classify(err, t.conn.IsClosed())
	}
	return t.failed
}

// simple runs a statement without parameters or rows, such as COMMIT, by itself.
func simple(ctx context.Context, conn *pgx.Conn, query string) (tag string, err error) {
	results, err := conn.PgConn().Exec(ctx, query).ReadAll()
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag.String()
	}
	return tag, err
}
