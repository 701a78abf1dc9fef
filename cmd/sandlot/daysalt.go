package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"time"

	"sandlot/internal/play"
	"sandlot/internal/worker"
)

const (
	// saltName is the file of today's salt. It is not in the database, so that no backup and no page that was
	// freed keeps it beyond its day.
	saltName = "day-salt"
	// renewEvery is how long a day's salt may outlive the day.
	renewEvery = time.Minute
)

// A saltFile keeps the salt that tells the visitors of a day apart, until the day is over: a restart forgets nobody.
type saltFile struct {
	name     string
	log      *slog.Logger
	failures *worker.Failures // salts that could not be kept
}

// keep is what play.KeepVisitors asks for. Where the file cannot be used a restart forgets who came.
func (f saltFile) keep(day int64, fresh [32]byte) [32]byte {
	kept, err := os.ReadFile(f.name)
	if err == nil && len(kept) == 8+len(fresh) && binary.BigEndian.Uint64(kept) == uint64(day) {
		return [32]byte(kept[8:])
	}
	_ = os.Remove(f.name) // first: yesterday's must not stay where today's cannot be written
	if err := f.write(append(binary.BigEndian.AppendUint64(nil, uint64(day)), fresh[:]...)); err != nil {
		f.failures.Add(1)
		f.log.Warn("today's salt not kept", "error", err)
	}
	return fresh
}

// write replaces the file: half of one is of no day.
func (f saltFile) write(b []byte) error {
	if err := os.WriteFile(f.name+".new", b, 0o600); err != nil {
		return fmt.Errorf("keep salt: %w", err)
	}
	if err := os.Rename(f.name+".new", f.name); err != nil {
		return fmt.Errorf("keep salt: %w", err)
	}
	return nil
}

// renew has yesterday's salt forgotten soon after midnight, also where nobody comes.
func renew(ctx context.Context, v *play.Visitors, now func() time.Time) {
	worker.Every(ctx, renewEvery, func() {
		v.Renew(now())
	})
}
