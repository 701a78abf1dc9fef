package sqlite

import (
	"context"
	"os"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
)

// Meters measure the steps and commits of the writer.
func (e *Engine) Meters() *engine.Meters { return e.write.meters }

// Pool describes the connections that read, and the waits of reads and steps.
func (e *Engine) Pool() engine.Pool {
	s := e.read.db.Stats()
	return engine.Pool{Used: s.InUse, Idle: s.Idle, Most: s.MaxOpenConnections, Waited: s.WaitDuration + e.write.meters.Waits()}
}

// Skew is 0: the clock of the database is this machine's.
func (e *Engine) Skew() time.Duration { return 0 }

// Size returns the sizes of the database's file and of its log.
func (e *Engine) Size(context.Context) (s engine.Size, err error) {
	data, err := os.Stat(e.path)
	if err != nil {
		return s, in("read the size of the database", err)
	}
	s.Data = data.Size()
	if log, err := os.Stat(e.path + "-wal"); err == nil {
		s.Log = log.Size()
	}
	return s, nil
}
