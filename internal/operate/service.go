package operate

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"sandlot/internal/publish"
)

// Config is what an operator decides about a Service.
type Config struct {
	ReportMail string // who is told of reports; empty: nobody
}

// A Store is what a Service keeps things in: everything that the operator's calls need, and no
// more. What the workers need is in stores of their own.
type Store interface {
	AdminStore
	PartStore
	ReportStore
	MailboxStore
	publish.SecretStore
}

// Service is what the operator of an installation may do, and the one thing that others may ask
// of them: to look at a project, by a report. It may work beside a running server, which notices
// within publish.HeadsHold. Everything that changes something is in the audit log.
//
// Its methods may be called at once from many places. They return publish.ErrOperatorNeeded to
// whoever is not the operator, but for Reportable and Report, which are for anybody.
type Service struct {
	store      Store
	vault      *publish.Vault
	reportMail string
	now        func() time.Time
	random     io.Reader
}

// Option replaces a part of a Service in tests.
type Option func(*Service)

// WithClock makes the Service read the time from now.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// New makes a Service. It asks the store for the installation's secret, and fails with it.
func New(ctx context.Context, cfg Config, store Store, opts ...Option) (*Service, error) {
	s := &Service{store: store, reportMail: cfg.ReportMail, now: time.Now, random: rand.Reader}
	for _, o := range opts {
		o(s)
	}
	var err error
	s.vault, err = publish.OpenVault(ctx, store, s.random)
	return s, err
}

// operator refuses whoever is not the operator.
func operator(by publish.Caller) error { return publish.Authorize(by, publish.ActOperate, nil) }

// entry is the line of the log for what the operator does now.
func (s *Service) entry(by publish.Caller, action, target, reason string) publish.LogEntry {
	return publish.LogEntry{At: s.now().UTC(), Actor: publish.ActorOperator, Name: by.OperatorName(), Action: action, Target: target, Reason: reason}
}
