package main

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

type logCommand struct {
	listing
	Target string `placeholder:"TARGET" help:"Only about this account, project, report or mailbox, deleted ones too. (default: all)"`
}

// Run prints the audit log.
func (c *logCommand) Run(ctx context.Context, t *terminal) error {
	target := ""
	return list(ctx, c.listing, t, newLogLine, func(a operator, last sandlot.LogEntry, seen, limit int) (_ []sandlot.LogEntry, err error) {
		if c.Target != "" && seen == 0 {
			if target, err = a.LogTarget(ctx, a.by, c.Target); err != nil {
				return nil, err
			}
		}
		return a.Log(ctx, a.by, operate.LogQuery{Target: target, Before: last.ID, Limit: limit})
	})
}

// logLine is an entry of the audit log in its printed form.
type logLine struct {
	ID     int64     `json:"id"`
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`
	Name   string    `json:"name"`
	Action string    `json:"action"`
	Target string    `json:"target"`
	Reason string    `json:"reason"`
}

func newLogLine(e sandlot.LogEntry) logLine {
	return logLine{e.ID, e.At, e.Actor, e.Name, e.Action, e.Target, e.Reason}
}
