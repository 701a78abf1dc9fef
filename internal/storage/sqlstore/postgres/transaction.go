package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sandlot/internal/storage/sqlstore/engine"
)

// A transaction is engine.Tx on one connection. BEGIN goes with its first statement.
type transaction struct {
	e     *Engine
	ctx   context.Context
	conn  *pgx.Conn
	slot  *slot // where it records its number
	begun bool
	wrote bool // a statement was sent that changes something
}

// batch returns the messages that go before a statement.
func (t *transaction) batch() *pgx.Batch {
	var b pgx.Batch
	if !t.begun {
		t.begun = true
		for _, query := range t.e.begin {
			b.Queue(query)
		}
		b.Queue(noteStep, t.slot.name, t.slot.number)
	}
	return &b
}

// send sends a statement, and leaves its results to be read.
func (t *transaction) send(query string, args []any) (pgx.BatchResults, error) {
	args, err := arguments(args)
	if err != nil {
		return nil, err
	}
	b := t.batch()
	b.Queue(t.e.queries.of(query), args...)
	results := t.conn.SendBatch(t.ctx, b)
	for range b.Len() - 1 {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // it has the same error
			return nil, t.fault(err)
		}
	}
	return results, nil
}

// Its context is not used: the transaction has one of its own, which bounds it.
func (t *transaction) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	t.wrote = t.wrote || !strings.HasPrefix(strings.TrimSpace(query), "SELECT")
	results, err := t.send(query, args)
	if err != nil {
		return nil, err
	}
	r, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, t.fault(err)
	}
	return newRows(r, func(err error) error { return t.fault(cmp.Or(err, results.Close())) })
}

func (t *transaction) Exec(query string, args ...any) (int64, error) {
	t.wrote = true
	results, err := t.send(query, args)
	if err != nil {
		return 0, err
	}
	tag, err := results.Exec()
	return tag.RowsAffected(), t.fault(cmp.Or(err, results.Close()))
}

func (t *transaction) Run(list ...engine.Statement) error {
	t.wrote = true
	b := t.batch()
	for _, s := range list {
		if err := t.queue(b, s); err != nil {
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return t.fault(t.conn.SendBatch(t.ctx, b).Close())
}

// rowsTogether are the numbers of rows that one statement inserts: so each query is prepared in three forms at most. A
// trigger runs once for each statement.
var rowsTogether = [...]int{50, 10, 1}

// queue adds the rows of a statement to a batch.
func (t *transaction) queue(batch *pgx.Batch, s engine.Statement) error {
	rows := s.Rows
	for _, n := range rowsTogether {
		for ; len(rows) >= n; rows = rows[n:] {
			args, err := arguments(slices.Concat(rows[:n]...))
			if err != nil {
				return err
			}
			query := forRows(s.Query, n)
			if s.None != nil {
				batch.Queue(t.e.queries.of(query), args...).Exec(func(tag pgconn.CommandTag) error {
					if tag.RowsAffected() == 0 {
						return s.None
					}
					return nil
				})
				continue
			}
			if s.IDs == nil {
				batch.Queue(t.e.queries.of(query), args...)
				continue
			}
			batch.Queue(t.e.queries.of(query+" RETURNING "+s.ID), args...).Query(func(r pgx.Rows) error {
				ids, err := pgx.CollectRows(r, pgx.RowTo[int64])
				*s.IDs = append(*s.IDs, ids...)
				return err
			})
		}
	}
	return nil
}

// forRows returns a query that inserts n rows where the given one inserts one.
func forRows(query string, n int) string {
	if n == 1 {
		return query
	}
	one := query[strings.LastIndexByte(query, '('):]
	return query + strings.Repeat(", "+one, n-1)
}

// fault classifies an error.
func (t *transaction) fault(err error) error { return classify(err, t.conn.IsClosed()) }

// simple runs statements without parameters or rows, such as COMMIT, and returns the tag of the last.
func simple(ctx context.Context, conn *pgx.Conn, query string) (tag string, err error) {
	results, err := conn.PgConn().Exec(ctx, query).ReadAll()
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag.String()
	}
	return tag, err
}
