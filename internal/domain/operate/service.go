package operate

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"sandlot"
)

// Config is what an operator decides about a Service.
type Config struct {
	ReportMail string         // the address that gets a message about each report; empty: none
	Heads      sandlot.Follow // drops what a step changed; nil: nothing is cached
	Spend      func()         // frees room on a full disk that is kept for the operator and for those who report; nil: there is none
}

// A Store has everything that the calls of a Service need. The workers have stores of their own.
type Store interface {
	AdminStore
	PartStore
	ReportStore
	MailboxStore
	sandlot.SecretStore
}

// Service is what the operator of an installation may do, and what others may ask of the
// operator: to look at a project, by a report. It may be used beside a running server, which
// notices a change within publish.HeadsHold. Every change is recorded in the audit log, in the
// same step.
//
// Its methods may be called concurrently. They return sandlot.ErrOperatorNeeded to any caller
// but the operator, except Reportable and Report, which are for anybody. What is not there is
// sandlot.ErrNotFound. Errors have messages that can be shown to the operator.
type Service struct {
	store      currentStore
	vault      *sandlot.Vault
	reportMail string
	now        func() time.Time
	random     io.Reader
}

// Option replaces a part of a Service.
type Option func(*Service)

// WithClock makes the Service read the time from now.
func WithClock(now func() time.Time) Option { return func(s *Service) { s.now = now } }

// New makes a Service. It reads the installation's secret from the store, and returns the error
// if that fails.
func New(ctx context.Context, cfg Config, store Store, opts ...Option) (*Service, error) {
	s := &Service{store: currentStore{store, cfg.Heads, cfg.Spend}, reportMail: cfg.ReportMail, now: time.Now, random: rand.Reader}
	for _, o := range opts {
		o(s)
	}
	var err error
	s.vault, err = sandlot.OpenVault(ctx, store, s.random)
	return s, err
}

// operator refuses whoever is not the operator.
func operator(by sandlot.Caller) error { return sandlot.Authorize(by, sandlot.ActOperate, nil) }

// entry makes the entry of the audit log for what the operator does now.
func (s *Service) entry(by sandlot.Caller, action, target, reason string) sandlot.LogEntry {
	return sandlot.LogEntry{At: s.now().UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(), Action: action, Target: target, Reason: reason}
}
