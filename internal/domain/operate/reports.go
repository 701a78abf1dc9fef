package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// Report is a complaint about a project.
type Report struct {
	Case    string // its number, such as R-7K3M-9Q2D
	Project sandlot.ProjectID
	Reason  string // one of Reasons
	Details string // of at most MaxDetails characters
	Contact string // the e-mail address for an answer; may be empty
	Via     Via
	// Network is a hash of the network of the sender, which differs for each project. It is deleted with the words.
	Network sandlot.Digest
	At      time.Time
	// ClosedAt is when the operator closed the report, zero while it is open. Details and Contact are deleted
	// ReportKept later.
	ClosedAt time.Time
}

// Via is the way by which a report came.
type Via string

// The ways of reports.
const (
	ViaForm Via = "form" // of the website
	ViaMail Via = "mail"
	ViaAPI  Via = "api" // of a trusted reporter
)

// ReportKept is the time that the words of a report are kept after it was closed: long enough for an objection to the
// outcome.
const ReportKept = 90 * 24 * time.Hour

// A ReportStore keeps reports, under the same promises as a publish.Store. They stay, but for their Details and
// Contact: see ReportKept.
type ReportStore interface {
	// AddReport records a report, and makes the effects of f. An earlier report by the same form has its number returned, and
	// nothing is recorded then. A number that another report has is sandlot.ErrExists.
	AddReport(ctx context.Context, r Report, f Filing) (Filed, error)
	// Project returns a project, also a suspended one.
	Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error)
	// Report returns the report with a number.
	Report(ctx context.Context, number string) (Report, error)
	// Reports returns reports, newest first.
	Reports(ctx context.Context, q ReportQuery) ([]Report, error)
	// CloseReport marks a report as closed at e.At, but no earlier than it came, and records e. A closed report is
	// sandlot.ErrMoved.
	CloseReport(ctx context.Context, number string, e sandlot.LogEntry) error
}

// ReportQuery selects the reports to list.
type ReportQuery struct {
	Open    bool              // only those that are not closed
	Project sandlot.ProjectID // of this project; empty: of all
	Skip    int               // the number of newest reports to leave out
	Limit   int               // the most reports
}

// Reports returns the reports of a query, newest first.
func (s *Service) Reports(ctx context.Context, by sandlot.Caller, q ReportQuery) ([]Report, error) {
	if err := operator(by); err != nil {
		return nil, err
	}
	return s.store.Reports(ctx, q)
}

// CloseReport closes a report and returns it. The words of its sender are deleted after ReportKept. A closed report is
// an error.
func (s *Service) CloseReport(ctx context.Context, by sandlot.Caller, number, reason string) (Report, error) {
	if err := operator(by); err != nil {
		return Report{}, err
	}
	reason, err := checkReason(reason, false)
	if err != nil {
		return Report{}, err
	}
	r, err := s.report(ctx, number)
	if err != nil {
		return r, err
	}
	e := s.entry(by, sandlot.ActionCloseReport, r.Case, reason)
	err = s.evenFull(func() error { return s.store.CloseReport(ctx, r.Case, e) })
	if errors.Is(err, sandlot.ErrMoved) {
		return r, fmt.Errorf("%s is closed already; nothing was changed", r.Case)
	}
	if err != nil {
		return r, err
	}
	return s.report(ctx, r.Case)
}

// ReadReport returns one report by its number, in any case of its letters. An unknown number is sandlot.ErrNotFound.
func (s *Service) ReadReport(ctx context.Context, by sandlot.Caller, number string) (Report, error) {
	if err := operator(by); err != nil {
		return Report{}, err
	}
	return s.report(ctx, number)
}

func (s *Service) report(ctx context.Context, number string) (Report, error) {
	r, err := s.store.Report(ctx, strings.ToUpper(strings.TrimSpace(number)))
	if err != nil {
		return r, fmt.Errorf("report %s: %w", inspect.Quoted(number), err)
	}
	return r, nil
}
