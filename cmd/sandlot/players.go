package main

import (
	"context"
	"time"

	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
)

// openRuntime makes the services of players, unless --runtime is off.
func (a *app) openRuntime(now func() time.Time) {
	if a.settings.Runtime == "off" {
		return
	}
	limits := players.NewLimits(public(a.places), now)
	a.players = players.New(players.Config{
		Store: a.store.Players(), Projects: a.service.Reader, Vault: a.vault, Limits: limits,
		Most: int64(a.settings.AccountBytes), Now: now, Log: a.log,
	})
	a.boards = boards.New(boards.Config{
		Store: a.store.Boards(), Projects: a.service.Reader, Vault: a.vault, Limits: limits,
		Most: int64(a.settings.AccountBytes), Now: now,
	})
	a.faults = faults.New(faults.Config{
		Store: a.store.Faults(), Projects: a.service.Reader, Limits: limits, Now: now, Log: a.log,
	})
}

// keepFaults writes the errors of players' browsers until ctx ends.
func (a *app) keepFaults(ctx context.Context) {
	if a.faults != nil {
		a.faults.Pending.Run(ctx)
	}
}
