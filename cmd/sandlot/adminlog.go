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
	return c.administer(ctx, func(a operator) (err error) {
		q := operate.LogQuery{}
		if c.Target != "" {
			if q.Target, err = a.LogTarget(ctx, a.by, c.Target); err != nil {
				return err
			}
		}
		return list(c.listing, t, func(limit int) ([]logLine, error) {
			q.Limit = limit
			found, err := a.Log(ctx, a.by, q)
			if len(found) > 0 {
				q.Before = found[len(found)-1].ID
			}
			return each(found, newLogLine), err
		})
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
