package operate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// maxReporterName is the longest name of a trusted reporter, in characters.
const maxReporterName = 100

// A Reporter is a person or a program that the operator trusts to report projects by a call.
type Reporter struct {
	ID      int64
	Name    string
	MadeAt  time.Time
	UsedAt  time.Time // of its last report; zero if there was none
	EndedAt time.Time // zero while its token is in force
}

// A ReporterStore keeps trusted reporters, and the answers to reports by mail, under the same promises as a
// publish.Store.
type ReporterStore interface {
	// AddReporter records a reporter under the hash of its token, and e. The name of another reporter whose token is in
	// force is sandlot.ErrExists.
	AddReporter(ctx context.Context, token sandlot.Digest, r Reporter, e sandlot.LogEntry) error
	// Reporters returns reporters with an ID below before (0: all), newest first, at most limit.
	Reporters(ctx context.Context, before int64, limit int) ([]Reporter, error)
	// EndReporter ends the token of the reporter of a name at e.At, and records e. A name without a token in force is
	// sandlot.ErrNotFound.
	EndReporter(ctx context.Context, name string, e sandlot.LogEntry) error
	// UseReporter returns the reporter of a token in force, and records that it was used then.
	UseReporter(ctx context.Context, token sandlot.Digest, at time.Time) (Reporter, error)
	// AnswerReports enqueues the message to the sender of reports, with their numbers. A second one to its address within
	// wait is sandlot.ErrTooOften.
	AnswerReports(ctx context.Context, numbers []string, j sandlot.Job, wait time.Duration) error
}

// Reporters manages the trusted reporters of an installation, and records their reports. Its methods may be called
// concurrently. Those that manage return sandlot.ErrOperatorNeeded to any caller but the operator.
type Reporters struct {
	Store  ReporterStore
	Filing *Service
}

// Add makes a token for a new reporter, which is returned and kept nowhere.
func (s *Reporters) Add(ctx context.Context, by sandlot.Caller, name string) (sandlot.Secret, error) {
	if err := operator(by); err != nil {
		return "", err
	}
	name = strings.TrimSpace(name)
	clean, err := CleanText("name", name, maxReporterName)
	if err != nil || name == "" || clean != name || strings.ContainsAny(name, "\n\t") {
		return "", fmt.Errorf("the name of a reporter has 1 to %d characters on one line", maxReporterName)
	}
	token, err := sandlot.MintToken(names.FlagPrefix, s.Filing.random)
	if err != nil {
		return "", err
	}
	r := Reporter{Name: name, MadeAt: s.Filing.now().UTC()}
	e := s.Filing.entry(by, sandlot.ActionAddReporter, inspect.Redact(name), "")
	err = s.Filing.evenFull(func() error { return s.Store.AddReporter(ctx, token.Hash(), r, e) })
	if errors.Is(err, sandlot.ErrExists) {
		return "", fmt.Errorf("there is a reporter %s already: end it, or choose another name", inspect.Quoted(name))
	}
	return token, err
}

// List returns reporters with an ID below before (0: all), newest first, at most limit.
func (s *Reporters) List(ctx context.Context, by sandlot.Caller, before int64, limit int) ([]Reporter, error) {
	if err := operator(by); err != nil {
		return nil, err
	}
	return s.Store.Reporters(ctx, before, limit)
}

// End ends the token of a reporter. Its reports stay. An unknown name is sandlot.ErrNotFound.
func (s *Reporters) End(ctx context.Context, by sandlot.Caller, name string) error {
	if err := operator(by); err != nil {
		return err
	}
	name = strings.TrimSpace(name)
	e := s.Filing.entry(by, sandlot.ActionEndReporter, inspect.Redact(name), "")
	err := s.Filing.evenFull(func() error { return s.Store.EndReporter(ctx, name, e) })
	if errors.Is(err, sandlot.ErrNotFound) {
		return fmt.Errorf("reporter %s: %w", inspect.Quoted(name), err)
	}
	return err
}

// Present returns the reporter of a token. A token that is missing or not in force is refused. Anybody may call it.
func (s *Reporters) Present(ctx context.Context, by sandlot.Caller, token sandlot.Secret) (Reporter, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Reporter{}, err
	}
	if token == "" {
		return Reporter{}, sandlot.Refuse(sandlot.CodeKeyRequired, "Reports by this call need the token of a trusted reporter.").
			With(sandlot.OpReport).Note("Without a token, report the page with the form at /report of this service. " +
			"Its operator gives tokens (slf_...) to those who report often; with one, this call works:")
	}
	r, err := s.Store.UseReporter(ctx, token.Hash(), s.Filing.now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return r, sandlot.Refuse(sandlot.CodeInvalidKey, "The token is not that of a trusted reporter, or was ended.").
			With(sandlot.OpNothing).Note("Ask the operator of this service for a new one, or use the form at /report.")
	}
	return r, err
}

// Report records a report of a reporter and returns it. The same words on one day, by UTC, are one report. A reporter
// counts as a network of its own. Anybody may call it, with a reporter that Present returned.
func (s *Reporters) Report(ctx context.Context, by sandlot.Caller, of Reporter, in NewReport) (Report, error) {
	id := strconv.FormatInt(of.ID, 10)
	in.FormToken = "reporter " + id + " " + s.Filing.today()
	number, err := s.Filing.file(ctx, by, in, source{ViaAPI, "reporter " + id})
	if errors.Is(err, sandlot.ErrNotFound) {
		return Report{}, sandlot.Refuse(sandlot.CodeProjectNotFound, "There is no project at %s.", inspect.Quoted(string(in.Project))).
			In("project").With(sandlot.OpNothing).Note("Send the id of a project of this service, or any of its addresses, as project.")
	}
	if err != nil {
		return Report{}, err
	}
	return s.Filing.report(ctx, number)
}

// today returns the day, by UTC.
func (s *Service) today() string { return s.now().UTC().Format(time.DateOnly) }
