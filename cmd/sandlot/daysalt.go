package main

import (
	"context"
	"log/slog"
	"time"

	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate"
	"sandlot/internal/transport/play"
)

// renewEvery is the longest time for which a day's salt may outlive the day.
const renewEvery = time.Minute

// daySalts keeps the salts of days in the database: a restart forgets no visitor, who is the same to all nodes.
type daySalts struct {
	store    operate.SaltStore
	log      *slog.Logger
	failures *worker.Failures // salts that could not be kept
}

// saltLimit is the longest wait of a day's first visitor for the database.
const saltLimit = 2 * time.Second

// keep implements the function for play.KeepVisitors. Until the database keeps the salt, each node counts a visitor
// separately.
func (s daySalts) keep(day int64, fresh [32]byte) (salt [32]byte, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), saltLimit)
	defer cancel()
	salt, err := s.store.DaySalt(ctx, day, fresh)
	if err != nil {
		s.failures.Add(1)
		s.log.Warn("today's salt not kept", "error", err)
		return fresh, false
	}
	s.failures.Worked()
	return salt, true
}

// renew replaces yesterday's salt soon after midnight, even without visitors.
func renew(ctx context.Context, v *play.Visitors, now func() time.Time) {
	worker.Every(ctx, renewEvery, func() {
		v.Renew(now())
	})
}
