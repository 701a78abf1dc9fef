package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sandlot/internal/domain/operate"
)

type reportsCommand struct {
	Case string `arg:"" optional:"" help:"The number of one report, such as R-7K3M-9Q2D."`
	storage
	format
	Open  bool `help:"Only those that are not closed. (default: closed ones, too)"`
	Limit int  `default:"100" placeholder:"N" help:"Maximum number of rows (0: all). (default: ${default})"`
}

// Run lists reports, one line (or one object) for each, or shows one whole.
func (c *reportsCommand) Run(ctx context.Context, t *terminal) error {
	return c.administer(ctx, func(a operator) error {
		if c.Case != "" {
			r, err := a.ReadReport(ctx, a.by, c.Case)
			if err != nil {
				return err
			}
			return c.print(t, newReportLine(r), func() { newReportLine(r).whole(t.out) })
		}
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		defer w.Flush()
		return c.list(ctx, a, &terminal{out: w, err: t.err})
	})
}

func (c *reportsCommand) list(ctx context.Context, a operator, t *terminal) error {
	pages, seen := listCommand{Limit: max(c.Limit, 0)}, 0
	return pages.pages(func(limit int) (int, error) {
		list, err := a.Reports(ctx, a.by, operate.ReportQuery{Open: c.Open, Skip: seen, Limit: limit})
		seen += len(list)
		for _, r := range list {
			if err := c.print(t, newReportLine(r), func() { newReportLine(r).row(t.out) }); err != nil {
				return 0, err
			}
		}
		return len(list), err
	})
}

// reportLine is a report in its printed form.
type reportLine struct {
	Case      string     `json:"case"`
	ProjectID string     `json:"project_id"`
	Reason    string     `json:"reason"`
	Details   string     `json:"details"`
	Contact   string     `json:"contact"`
	At        time.Time  `json:"at"`
	ClosedAt  *time.Time `json:"closed_at"`
}

func newReportLine(r operate.Report) reportLine {
	return reportLine{r.Case, string(r.Project), r.Reason, r.Details, r.Contact, r.At, orNil(r.ClosedAt)}
}

func (l reportLine) row(w io.Writer) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.Case, l.ProjectID, l.Reason, l.At.Format(time.RFC3339), l.status())
}

func (l reportLine) status() string {
	if l.ClosedAt == nil {
		return "open"
	}
	return "closed " + l.ClosedAt.Format(time.RFC3339)
}

// whole prints a report. It indents the sender's text, so that no line of it looks like one of the program.
func (l reportLine) whole(w io.Writer) {
	fmt.Fprintf(w, "case     %s\nproject  %s\nreason   %s\ntime     %s\nstatus   %s\ncontact  %s\n\n", l.Case, l.ProjectID, l.Reason, l.At.Format(time.RFC3339), l.status(), orDash(l.Contact))
	fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(orDash(l.Details), "\n", "\n    "))
}

type closeReportCommand struct {
	Case string `arg:"" help:"The number of the report, such as R-7K3M-9Q2D."`
	explained
}

// Run closes a report.
func (c *closeReportCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		r, err := a.CloseReport(ctx, a.by, c.Case, c.Reason)
		return fmt.Sprintf("%s is closed. What its sender wrote is deleted after %s.", r.Case, r.ClosedAt.Add(operate.ReportKept).Format(time.DateOnly)), err
	})
}
