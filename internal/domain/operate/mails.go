package operate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// A MailboxStore shows the stops of mailboxes to an operator, who may lift them, under the same promises as a
// publish.Store.
type MailboxStore interface {
	// Stops returns stops, newest first, at most limit, after the skip newest; only of one mailbox if it is not nil.
	Stops(ctx context.Context, mailbox *sandlot.Digest, now time.Time, skip, limit int) ([]sandlot.Stop, error)
	// LiftStops forgets all stops of a mailbox and records e. A mailbox without any is sandlot.ErrNotFound.
	LiftStops(ctx context.Context, mailbox sandlot.Digest, e sandlot.LogEntry) error
}

// Stops returns the stops of mailboxes that want no messages, newest first, at most limit after
// the skip newest. If address is not empty, it returns those of its mailbox alone.
func (s *Service) Stops(ctx context.Context, by sandlot.Caller, address string, skip, limit int) ([]sandlot.Stop, error) {
	if err := operator(by); err != nil {
		return nil, err
	}
	if address == "" {
		return s.store.Stops(ctx, nil, s.now().UTC(), skip, limit)
	}
	mailbox, err := namedMailbox(address)
	if err != nil {
		return nil, err
	}
	return s.store.Stops(ctx, &mailbox, s.now().UTC(), skip, limit)
}

// AllowMail lifts all stops of the mailbox of an address, and returns the name that the mailbox
// has in the audit log. The address itself does not get into the log, since it could never be
// removed from there. A mailbox without stops is sandlot.ErrNotFound.
func (s *Service) AllowMail(ctx context.Context, by sandlot.Caller, address, reason string) (target string, err error) {
	if err := operator(by); err != nil {
		return "", err
	}
	mailbox, err := namedMailbox(address)
	if err != nil {
		return "", err
	}
	if reason, err = checkReason(reason, false); err != nil {
		return "", err
	}
	target = MailboxName(mailbox)
	e := s.entry(by, sandlot.ActionAllowMail, target, reason)
	if err := s.evenFull(func() error { return s.store.LiftStops(ctx, mailbox, e) }); err != nil {
		return target, fmt.Errorf("stop of %s: %w", inspect.Quoted(address), err)
	}
	return target, nil
}

// namedMailbox returns the mailbox of an address that an operator wrote.
func namedMailbox(address string) (sandlot.Digest, error) {
	clean, err := names.Email(strings.TrimSpace(address))
	if err != nil {
		return sandlot.Digest{}, fmt.Errorf("%s is not an address: %w", inspect.Quoted(address), err)
	}
	return sandlot.MailboxOf(clean), nil
}

// MailboxName returns the name by which operators know a mailbox, whose address is not kept: the first twelve
// hexadecimal digits of its hash.
func MailboxName(mailbox sandlot.Digest) string { return fmt.Sprintf("mailbox:%x", mailbox[:6]) }
