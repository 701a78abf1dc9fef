package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sandlot/internal/publish"
)

type reportsCommand struct {
	Case string `arg:"" optional:"" help:"The number of one report, such as R-7K3M-9Q2D."`
	dataFolder
	format
	Limit int `default:"100" placeholder:"N" help:"At most so many (0: all)."`
}

// Run lists reports, one line (or one object) for each, or shows one whole.
func (c *reportsCommand) Run(ctx context.Context, t *terminal) error {
	return c.administer(ctx, func(a *publish.Admin) error {
		if c.Case != "" {
			r, err := a.Report(ctx, c.Case)
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

func (c *reportsCommand) list(ctx context.Context, a *publish.Admin, t *terminal) error {
	pages, seen := listCommand{Limit: max(c.Limit, 0)}, 0
	return pages.pages(func(limit int) (int, error) {
		list, err := a.Reports(ctx, seen, limit)
		seen += len(list)
		for _, r := range list {
			if err := c.print(t, newReportLine(r), func() { newReportLine(r).row(t.out) }); err != nil {
				return 0, err
			}
		}
		return len(list), err
	})
}

// reportLine is a report as it is printed.
type reportLine struct {
	Case      string    `json:"case"`
	ProjectID string    `json:"project_id"`
	Reason    string    `json:"reason"`
	Details   string    `json:"details"`
	Contact   string    `json:"contact"`
	At        time.Time `json:"at"`
}

func newReportLine(r publish.Report) reportLine {
	return reportLine{r.Case, string(r.Project), r.Reason, r.Details, r.Contact, r.At}
}

func (l reportLine) row(w io.Writer) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Case, l.ProjectID, l.Reason, l.At.Format(time.RFC3339))
}

// whole indents what was written, so that none of it looks like a line of ours.
func (l reportLine) whole(w io.Writer) {
	fmt.Fprintf(w, "case     %s\nproject  %s\nreason   %s\ntime     %s\ncontact  %s\n\n", l.Case, l.ProjectID, l.Reason, l.At.Format(time.RFC3339), orDash(l.Contact))
	fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(orDash(l.Details), "\n", "\n    "))
}
