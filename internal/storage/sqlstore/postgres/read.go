package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// readTime bounds a read, for a network that swallows messages.
const readTime = 30 * time.Second

// When ctx ends its connection is cut, and the database is asked to cancel the query.
func (e *Engine) Read(ctx context.Context, read func(engine.Querier) error) error {
	return sandlot.NoEffect(e.read(ctx, readTime, nil, read))
}

// When ctx ends it is as with Read.
func (e *Engine) Snapshot(ctx context.Context, read func(engine.Querier) error) error {
	return sandlot.NoEffect(e.read(ctx, readTime, e.beginSnapshot, read))
}

// longTime bounds a long snapshot: vacuum takes nothing away while it lasts.
const longTime = 24 * time.Hour

// Each query in it has the time of a statement.
func (e *Engine) LongSnapshot(ctx context.Context, read func(engine.Querier) error) error {
	return sandlot.NoEffect(e.read(ctx, longTime, e.beginSnapshot, read))
}

func (e *Engine) read(ctx context.Context, most time.Duration, begin []string, read func(engine.Querier) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	bounded, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	r := &reader{e: e, caller: ctx, ctx: bounded, begin: begin}
	defer r.close()
	if err := r.connect(false); err != nil {
		return err
	}
	return read(r)
}

// A reader runs queries outside of steps on one connection: each by itself, or in the transaction that begin begins.
type reader struct {
	e           *Engine
	caller, ctx context.Context
	conn        *pgxpool.Conn
	begin       []string
	begun       bool
	queried     bool
}

func (r *reader) connect(sure bool) (err error) {
	r.conn, err = r.e.acquire(r.ctx, sure)
	return r.fault(err)
}

// close gives the connection back. One whose query was cancelled is ended, so that the request, should it be late,
// ends no other query: by pgx, which waits for the answer to it, as PgBouncer 1.18 ends altogether where nobody does.
func (r *reader) close() {
	if r.conn == nil {
		return
	}
	if r.ctx.Err() != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = r.conn.Conn().Close(ctx)
	} else if r.begun && !r.conn.Conn().IsClosed() {
		_, _ = simple(r.ctx, r.conn.Conn(), "COMMIT") // nothing was changed
	}
	r.conn.Release()
}

// A first query that finds its connection dead is sent once more, on another connection.
func (r *reader) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	args, err := arguments(args)
	if err != nil {
		return nil, err
	}
	query = r.e.queries.of(query)
	list, err := r.send(query, args)
	if err != nil && !r.queried && r.dead(err) {
		r.conn.Release()
		r.conn, r.begun = nil, false
		if err := r.connect(true); err != nil {
			return nil, err
		}
		list, err = r.send(query, args)
	}
	r.queried = true
	if err != nil {
		return nil, r.fault(err)
	}
	return list, nil
}

// dead reports whether a query failed because the connection is cut, or because the server behind it does not serve.
func (r *reader) dead(err error) bool {
	return r.ctx.Err() == nil && passing(err, r.conn.Conn().IsClosed())
}

// send sends a query, and before the first one the beginning of the transaction.
func (r *reader) send(query string, args []any) (*rows, error) {
	if r.begin != nil && !r.begun {
		if _, err := simple(r.ctx, r.conn.Conn(), strings.Join(r.begin, "; ")); err != nil {
			return nil, err
		}
		r.begun = true
	}
	list, err := r.conn.Conn().Query(r.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return newRows(list, r.fault)
}

// fault classifies an error, or returns that of a caller who left.
func (r *reader) fault(err error) error {
	if err == nil {
		return nil
	}
	if ended := r.caller.Err(); ended != nil {
		return ended
	}
	return classify(err, r.conn == nil || r.conn.Conn().IsClosed())
}
