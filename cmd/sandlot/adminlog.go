package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

type logCommand struct {
	storage
	format
	Target string `placeholder:"TARGET" help:"Only about this account, project, report or mailbox, also one that was deleted. (default: all)"`
	Actor  string `placeholder:"NAME" help:"Only what this person did, or: operator, owner. (default: everybody)"`
	Action string `placeholder:"ACTION" help:"Only this action: suspend, reinstate, delete, take-back, new-key, import, close-report, allow-mail. (default: all)"`
	Since  string `placeholder:"TIME" help:"Only from this time on: 2026-11-22, 2026-11-22T10:00:00Z, or how long ago, such as 90m, 24h or 7d. (default: the beginning)"`
	Until  string `placeholder:"TIME" help:"Only before this time. (default: now)"`
	Limit  int    `default:"100" placeholder:"N" help:"Maximum number of rows (0: all). (default: ${default})"`
}

// Run prints the audit log.
func (c *logCommand) Run(ctx context.Context, t *terminal) error {
	q := operate.LogQuery{Actor: c.Actor, Action: c.Action}
	if c.Action != "" && !slices.Contains(sandlot.Actions(), c.Action) {
		return usageError{fmt.Errorf("--action %q is none that the log tells of: %s", c.Action, strings.Join(sandlot.Actions(), ", "))}
	}
	var err error
	if q.Since, err = parseMoment(c.Since, time.Now()); err != nil {
		return usageError{fmt.Errorf("--since: %w", err)}
	}
	if q.Until, err = parseMoment(c.Until, time.Now()); err != nil {
		return usageError{fmt.Errorf("--until: %w", err)}
	}
	if !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until) {
		return usageError{errors.New("--since is not before --until, so there is nothing between them")}
	}
	return c.administer(ctx, func(a operator) error {
		if c.Target != "" {
			if q.Target, err = a.LogTarget(ctx, a.by, c.Target); err != nil {
				return err
			}
		}
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		defer w.Flush()
		lines := &terminal{out: w, err: t.err}
		if !c.JSON {
			fmt.Fprintln(w, logColumns)
		}
		return (&listCommand{Limit: max(c.Limit, 0)}).pages(func(limit int) (int, error) {
			q.Limit = limit
			list, err := a.Log(ctx, a.by, q)
			for _, e := range list {
				q.Before = e.ID
				if err := c.print(lines, newLogLine(e), func() { fmt.Fprintln(w, strings.Join(logRow(e), "\t")) }); err != nil {
					return 0, err
				}
			}
			return len(list), err
		})
	})
}

// parseMoment parses a day, a time, or the time since then; empty is no time.
func parseMoment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.UTC().AddDate(0, 0, -n), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.UTC().Add(-ago), nil
	}
	return time.Time{}, errors.New("write a day (2026-11-22), a time (2026-11-22T10:00:00Z), or how long ago (90m, 24h, 7d)")
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

const logColumns = "ID\tTIME\tWHO\tACTION\tTARGET\tREASON"

func logRow(e sandlot.LogEntry) []string {
	return []string{strconv.FormatInt(e.ID, 10), stamp3339(e.At), e.Who(), e.Action, e.Target, strconv.Quote(e.Reason)}
}

func logRows(list []sandlot.LogEntry) (rows [][]any) {
	for _, e := range list {
		var row []any
		for _, v := range logRow(e) {
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}
