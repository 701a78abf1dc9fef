package operate

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"sandlot"
)

// Config holds the operator's settings of a Service.
type Config struct {
	Holds      HoldStore     // of the same records as the Store; needed by Trust and Release
	ReportMail string        // the address that gets messages about reports; empty: none
	AutoHold   bool          // whether reports hold projects; see HoldRule
	Meters     *ReportMeters // nil: nothing is counted
	Spend      func()        // frees room on a full disk that is reserved for the operator and for senders of reports; nil: there is none
}

// A Store holds all records that the calls of a Service need. The workers have stores of their own.
type Store interface {
	AdminStore
	PartStore
	ReportStore
	MailboxStore
	sandlot.SecretStore
}

// A Service makes the acts of the operator of an installation, and takes reports, by which others ask the operator to
// look at a project. It may be used beside a running server, which notices a change within heads.Hold. Every
// change is recorded in the audit log, in the same step.
//
// Its methods may be called concurrently. They return sandlot.ErrOperatorNeeded to any caller but the operator, except
// Reportable and Report, which are for anybody. A missing account, project or report is sandlot.ErrNotFound. Errors
// have messages that can be shown to the operator.
type Service struct {
	store      Store
	holds      HoldStore
	spend      func()
	vault      *sandlot.Vault
	reportMail string
	autoHold   bool
	meters     *ReportMeters
	now        func() time.Time
	random     io.Reader
}

// Option replaces a part of a Service.
type Option func(*Service)

// WithClock makes the Service read the time from now.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// New returns a Service. It reads the installation's secret from the store, and returns the error if that fails.
func New(ctx context.Context, cfg Config, store Store, opts ...Option) (*Service, error) {
	s := &Service{
		store: store, holds: cfg.Holds, spend: cfg.Spend, reportMail: cfg.ReportMail, autoHold: cfg.AutoHold, meters: cfg.Meters,
		now: time.Now, random: rand.Reader,
	}
	for _, o := range opts {
		o(s)
	}
	var err error
	s.vault, err = sandlot.OpenVault(ctx, store, s.random)
	return s, err
}

// evenFull runs a step on a full disk, too: all that the operator does protects people, and so does a report.
func (s *Service) evenFull(step func() error) error { return sandlot.EvenFull(s.spend, step) }

// operator refuses every caller but the operator.
func operator(by sandlot.Caller) error { return sandlot.Authorize(by, sandlot.ActOperate, nil) }

// entry returns the entry of the audit log for an act of the operator now.
func (s *Service) entry(by sandlot.Caller, action, target, reason string) sandlot.LogEntry {
	return sandlot.LogEntry{
		At: s.now().UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(), Action: action, Target: target, Reason: reason,
	}
}
