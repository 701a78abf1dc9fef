package postgres

import (
	"context"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
)

// Meters measure the steps of this node: each has a commit of its own.
func (e *Engine) Meters() *engine.Meters { return e.meters }

// Pool describes the connections of this node.
func (e *Engine) Pool() engine.Pool {
	s := e.pool.Stat()
	return engine.Pool{
		Used: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Most: int(s.MaxConns()), Waited: s.EmptyAcquireWaitTime() + e.meters.Waits(),
	}
}

// Skew is as of the last reading of the database's clock, which is a minute ago at most while it answers.
func (e *Engine) Skew() time.Duration { return time.Duration(e.clock.skew.Load()) }

// Size returns the size of the database. That of the server's log needs rights that its user may not have.
func (e *Engine) Size(ctx context.Context) (s engine.Size, err error) {
	err = e.Read(ctx, func(q engine.Querier) error {
		rows, err := q.Query(ctx, "SELECT pg_database_size(current_database())")
		if err != nil {
			return err
		}
		defer rows.Close()
		if rows.Next() {
			err = rows.Scan(&s.Data)
		}
		if err == nil {
			err = rows.Err()
		}
		return err
	})
	s.Log = -1
	return s, in("read the size of the database", err)
}
