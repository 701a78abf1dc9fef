package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sandlot/internal/storage/sqlstore/engine"
)

// A transaction is one of PostgreSQL's, on one connection. It implements engine.Tx.
type transaction struct {
	e     *Engine
	ctx   context.Context
	conn  *pgx.Conn
	slot  *slot // where it records its number
	wrote bool  // a statement was sent that changes something
}

// Query implements engine.Querier. Its context is not used: the transaction has one
// of its own, which bounds it.
func (t *transaction) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	args, err := arguments(args)
	if err != nil {
		return nil, err
	}
	t.wrote = t.wrote || !strings.HasPrefix(strings.TrimSpace(query), "SELECT")
	r, err := t.conn.Query(t.ctx, t.e.queries.of(query), args...)
	if err != nil {
		return nil, t.fault(err)
	}
	return newRows(r, t.fault)
}

// Exec implements engine.Tx.
func (t *transaction) Exec(query string, args ...any) (int64, error) {
	args, err := arguments(args)
	if err != nil {
		return 0, err
	}
	t.wrote = true
	tag, err := t.conn.Exec(t.ctx, t.e.queries.of(query), args...)
	return tag.RowsAffected(), t.fault(err)
}

// Run implements engine.Tx.
func (t *transaction) Run(list ...engine.Statement) error {
	t.wrote = true
	var batch pgx.Batch
	for _, s := range list {
		if err := t.queue(&batch, s); err != nil {
			return err
		}
	}
	if batch.Len() == 0 {
		return nil
	}
	return t.fault(t.conn.SendBatch(t.ctx, &batch).Close())
}

// rowsTogether are how many rows one statement inserts, the most that there are first: so a
// query has that many texts, and is prepared as often. A trigger runs once for each statement.
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

// fault makes an error one that publish knows.
func (t *transaction) fault(err error) error { return classify(err, t.conn.IsClosed()) }

// simple runs statements without parameters or rows, such as COMMIT, and returns the tag of the last.
func simple(ctx context.Context, conn *pgx.Conn, query string) (tag string, err error) {
	results, err := conn.PgConn().Exec(ctx, query).ReadAll()
	if len(results) > 0 {
		tag = results[len(results)-1].CommandTag.String()
	}
	return tag, err
}
