package main

import (
	"context"
	"fmt"
	"time"

	"sandlot/internal/domain/operate"
)

type reportsCommand struct {
	Case string `arg:"" optional:"" help:"The number of one report, such as R-7K3M-9Q2D."`
	listing
	Open bool `help:"Only those that are not closed. (default: closed ones, too)"`
}

// Run lists reports, newest first, or shows one.
func (c *reportsCommand) Run(ctx context.Context, t *terminal) error {
	if c.Case == "" {
		return list(ctx, c.listing, t, newReportLine, func(a operator, _ operate.Report, seen, limit int) ([]operate.Report, error) {
			return a.Reports(ctx, a.by, operate.ReportQuery{Open: c.Open, Skip: seen, Limit: limit})
		})
	}
	return c.administer(ctx, func(a operator) error {
		r, err := a.ReadReport(ctx, a.by, c.Case)
		if err != nil {
			return err
		}
		return c.show(t, newReportLine(r))
	})
}

// reportLine is a report in its printed form.
type reportLine struct {
	Case      string     `json:"case"`
	ProjectID string     `json:"project_id"`
	Reason    string     `json:"reason"`
	Via       string     `json:"via"`
	At        time.Time  `json:"at"`
	ClosedAt  *time.Time `json:"closed_at"`
	Contact   string     `json:"contact" table:"-"`
	Details   string     `json:"details" table:"-"`
}

func newReportLine(r operate.Report) reportLine {
	return reportLine{r.Case, string(r.Project), r.Reason, string(r.Via), r.At, orNil(r.ClosedAt), r.Contact, r.Details}
}

type closeReportCommand struct {
	Case string `arg:"" help:"The number of the report, such as R-7K3M-9Q2D."`
	explained
}

// Run closes a report.
func (c *closeReportCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		r, err := a.CloseReport(ctx, a.by, c.Case, c.Reason)
		until := r.ClosedAt.Add(operate.ReportKept).Format(time.DateOnly)
		return fmt.Sprintf("%s is closed. What its sender wrote is deleted after %s.", r.Case, until), err
	})
}
