package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot/internal/publish"
)

// ReportStore shows reports to an operator.
type ReportStore interface {
	// Report returns the report with a number.
	Report(ctx context.Context, number string) (publish.Report, error)
	// Reports returns reports, newest first.
	Reports(ctx context.Context, q ReportQuery) ([]publish.Report, error)
	// CloseReport marks a report as closed at e.At, but no earlier than it came, and records e. One that is closed already is publish.ErrMoved.
	CloseReport(ctx context.Context, number string, e publish.LogEntry) error
}

// ReportQuery says which reports to list.
type ReportQuery struct {
	Open    bool              // only those that are not closed
	Project publish.ProjectID // of this project; empty: of all
	Skip    int               // without the newest
	Limit   int
}

// Reports returns reports for an operator: see ReportStore.
func (a *Admin) Reports(ctx context.Context, q ReportQuery) ([]publish.Report, error) {
	return a.Store.Reports(ctx, q)
}

// CloseReport ends a report, and returns it. What somebody wrote in it goes after
// publish.ReportKept.
func (a *Admin) CloseReport(ctx context.Context, number, reason string) (publish.Report, error) {
	reason, err := checkReason(reason, false)
	if err != nil {
		return publish.Report{}, err
	}
	r, err := a.Report(ctx, number)
	if err != nil {
		return r, err
	}
	err = a.Store.CloseReport(ctx, r.Case, a.entry(publish.ActionCloseReport, r.Case, reason))
	if errors.Is(err, publish.ErrMoved) {
		return r, fmt.Errorf("%s is closed already; nothing was changed", r.Case)
	}
	if err != nil {
		return r, err
	}
	return a.Report(ctx, r.Case)
}

// Report returns one report, by its number as people write it.
func (a *Admin) Report(ctx context.Context, number string) (publish.Report, error) {
	r, err := a.Store.Report(ctx, strings.ToUpper(strings.TrimSpace(number)))
	if err != nil {
		return r, fmt.Errorf("report %s: %w", publish.Quoted(number), err)
	}
	return r, nil
}
