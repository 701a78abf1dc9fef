package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"time"

	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate"
	"sandlot/internal/transport/play"
)

const (
	// saltName is the file of today's salt. It is not in the database, so that no backup and no freed page keeps it
	// beyond its day.
	saltName = "day-salt"
	// renewEvery is the longest time for which a day's salt may outlive the day.
	renewEvery = time.Minute
)

// A saltFile stores the salt that distinguishes the visitors of a day, until the day is over: a restart forgets no
// visitor.
type saltFile struct {
	name     string
	log      *slog.Logger
	failures *worker.Failures // salts that could not be kept
}

// keep implements the function for play.KeepVisitors. If the file cannot be used, a restart forgets the visitors.
func (f saltFile) keep(day int64, fresh [32]byte) (salt [32]byte, ok bool) {
	kept, err := os.ReadFile(f.name)
	if err == nil && len(kept) == 8+len(fresh) && binary.BigEndian.Uint64(kept) == uint64(day) {
		return [32]byte(kept[8:]), true
	}
	_ = os.Remove(f.name) // first: yesterday's must not stay where today's cannot be written
	if err := f.write(append(binary.BigEndian.AppendUint64(nil, uint64(day)), fresh[:]...)); err != nil {
		f.failures.Add(1)
		f.log.Warn("today's salt not kept", "error", err)
	}
	return fresh, err == nil
}

// write replaces the file as a whole: half of one belongs to no day.
func (f saltFile) write(b []byte) error {
	if err := os.WriteFile(f.name+".new", b, 0o600); err != nil {
		return fmt.Errorf("keep salt: %w", err)
	}
	if err := os.Rename(f.name+".new", f.name); err != nil {
		return fmt.Errorf("keep salt: %w", err)
	}
	return nil
}

// sharedSalt stores the salts of days where all nodes find them: a visitor is the same to each of them.
type sharedSalt struct {
	store    operate.SaltStore
	log      *slog.Logger
	failures *worker.Failures // salts that could not be kept
}

// saltLimit is the longest wait of a day's first visitor for the database.
const saltLimit = 2 * time.Second

// keep implements the function for play.KeepVisitors. Until the database answers, each node counts a visitor
// separately.
func (s sharedSalt) keep(day int64, fresh [32]byte) (salt [32]byte, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), saltLimit)
	defer cancel()
	salt, err := s.store.DaySalt(ctx, day, fresh)
	if err != nil {
		s.failures.Add(1)
		s.log.Warn("today's salt not kept", "error", err)
		return fresh, false
	}
	return salt, true
}

// renew replaces yesterday's salt soon after midnight, even without visitors.
func renew(ctx context.Context, v *play.Visitors, now func() time.Time) {
	worker.Every(ctx, renewEvery, func() {
		v.Renew(now())
	})
}
