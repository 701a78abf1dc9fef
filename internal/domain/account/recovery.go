package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sandlot"
)

// The kinds of mail about another recovery address.
const (
	MailEmailChange = "email-change" // to the new address, with the link that makes it the account's
	MailEmailNotice = "email-notice" // to the address before, with the link that takes it back
)

// Limits of changing the address.
const (
	proposalLife    = 24 * time.Hour     // of a new address whose link is not opened
	undoLife        = 7 * 24 * time.Hour // long enough for a person who reads mail once a week
	proposalsPerDay = 10                 // a few typing mistakes; each is a message to somebody
)

// EmailMove is a change of an account's address that waits for its link to be opened: to a proposed address, or, if
// Undo, back to a replaced one.
type EmailMove struct {
	Account   sandlot.AccountID
	Handle    string // of the account; stores set it on reading and ignore it on writing
	Email     string // the address that the account gets
	Undo      bool   // whether it was the account's address before
	ExpiresAt time.Time
}

// A RecoveryStore keeps the moves of addresses, under the same promises as a publish.Store. It has no expired moves; a
// suspended account proposes none: sandlot.ErrSuspended.
type RecoveryStore interface {
	// ProposeEmail records a move to a new address, in place of a former proposal, and enqueues the job. One more than
	// limit proposals that have not expired at now is ErrTooOften.
	ProposeEmail(ctx context.Context, m EmailMove, job sandlot.Job, now time.Time, limit int) error
	// ProposedEmail returns the move that an account's owner proposed last.
	ProposedEmail(ctx context.Context, id sandlot.AccountID, now time.Time) (EmailMove, error)
	// WithdrawEmail ends all proposals of an account, which go on to count; without any it changes nothing.
	WithdrawEmail(ctx context.Context, id sandlot.AccountID) error
	// EmailLink returns the move of a token if its Undo is undo. A proposal that is not the last is
	// sandlot.ErrNotFound.
	EmailLink(ctx context.Context, token sandlot.Digest, undo bool, now time.Time) (EmailMove, error)
	// TakeEmail consumes the token of a proposal, with all proposals of the account: its address becomes the account's,
	// and verified. If the former address was verified and another one, it can be taken back until undoUntil, and gets
	// the job.
	// checked is as for UseVerification.
	TakeEmail(ctx context.Context, token sandlot.Digest, now, undoUntil time.Time,
		notice sandlot.Job, checked int64) (sandlot.Account, error)
	// TakeEmailBack consumes the token of an Undo, with all moves of the account that came after it and all proposals:
	// its address becomes the account's, and verified, and all sessions end.
	TakeEmailBack(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, error)
}

// ProposeEmail has a link sent to a new recovery address. The account keeps its address until the link is used, which
// is possible for 24 hours. A former proposal ends. The same proposal within ten seconds is a form that was sent twice,
// and has no further effect. lang is the language of the message. A malformed address is sandlot.CodeInvalidEmail, the
// account's own verified address is sandlot.ErrExists, and the eleventh proposal within 24 hours, or the fourth of one
// mailbox, is sandlot.CodeRateLimited.
func (s *Service) ProposeEmail(ctx context.Context, by sandlot.Caller, address, lang string) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	email, err := sandlot.CleanEmail(address)
	_, a, _ := by.Login()
	switch {
	case err != nil:
		return err
	case email == "":
		return sandlot.Refuse(sandlot.CodeInvalidEmail, "There is no address.").In("email")
	case email == a.Email && a.EmailVerified:
		return fmt.Errorf("the address of the account: %w", sandlot.ErrExists)
	}
	return ownerMay(Unblocked(ctx, s.Blocklist, email, func(int64) error { return s.propose(ctx, a.ID, email, lang) }))
}

// propose records a proposal and the job of its message, unless the form was sent twice.
func (s *Service) propose(ctx context.Context, id sandlot.AccountID, email, lang string) error {
	unlock, err := s.forms.Lock(ctx, s.vault.Keyed("propose", strconv.FormatInt(int64(id), 10)))
	if err != nil {
		return err
	}
	defer unlock()
	now := s.now().UTC()
	if before, err := s.store.Recovery.ProposedEmail(ctx, id, now); err == nil && before.Email == email &&
		(before.ExpiresAt.Sub(now)-proposalLife).Abs() < formAgain {
		return nil
	}
	m := EmailMove{Account: id, Email: email, ExpiresAt: now.Add(proposalLife)}
	asker := sandlot.Asker{Kind: sandlot.AskedWithKey, Network: s.vault.Keyed("mail network", fmt.Sprint("account ", id))}
	job := sandlot.Job{Kind: MailEmailChange, Account: id, Address: email, Lang: lang, Due: now, Asker: asker}
	if !s.Uncounted {
		job.Asks = sandlot.ClaimAsks(job)
	}
	err = s.store.Recovery.ProposeEmail(ctx, m, job, now, proposalsPerDay)
	if errors.Is(err, ErrTooOften) {
		return sandlot.Refuse(sandlot.CodeRateLimited, "The account proposed too many addresses in a day.").After(proposalLife)
	}
	return err
}

// ProposedEmail returns the address that waits for its link to be used, empty if there is none.
func (s *Service) ProposedEmail(ctx context.Context, by sandlot.Caller) (string, error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return "", err
	}
	m, err := s.store.Recovery.ProposedEmail(ctx, by.Account(), s.now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return "", nil
	}
	return m.Email, err
}

// WithdrawEmail ends a proposal of ProposeEmail: the link in its message no longer works. It is idempotent.
func (s *Service) WithdrawEmail(ctx context.Context, by sandlot.Caller) error {
	if err := sandlot.Authorize(by, sandlot.ActOwn, nil); err != nil {
		return err
	}
	return s.evenFull(func() error { return s.store.Recovery.WithdrawEmail(ctx, by.Account()) })
}

// EmailLink returns the move that the token of a link would make, and changes nothing. undo selects the kind of the
// link. A token that is used, expired, replaced or of the other kind is sandlot.ErrNotFound.
func (s *Service) EmailLink(ctx context.Context, by sandlot.Caller, token string, undo bool) (EmailMove, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return EmailMove{}, err
	}
	return s.store.Recovery.EmailLink(ctx, digest(token), undo, s.now().UTC())
}

// TakeEmail consumes the token of a proposal: its address becomes the account's, and is verified. If the former address
// was verified, it gets a message with a link that takes the change back, for seven days. Errors are those of EmailLink
// and of Verify.
func (s *Service) TakeEmail(ctx context.Context, by sandlot.Caller, token string) (sandlot.Account, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Account{}, err
	}
	now := s.now().UTC()
	var a sandlot.Account
	m, err := s.store.Recovery.EmailLink(ctx, digest(token), false, now)
	if err == nil {
		err = Unblocked(ctx, s.Blocklist, m.Email, func(checked int64) (err error) {
			notice := sandlot.Job{Kind: MailEmailNotice, Due: now}
			a, err = s.store.Recovery.TakeEmail(ctx, digest(token), now, now.Add(undoLife), notice, checked)
			return err
		})
	}
	return a, ownerMay(err)
}

// TakeEmailBack consumes the token that an address got when it was replaced: the address is the
// account's again, and verified. Every browser is logged out, and all later moves of the
// account end. Keys stay. Errors are those of EmailLink and of Verify.
func (s *Service) TakeEmailBack(ctx context.Context, by sandlot.Caller, token string) (sandlot.Account, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Account{}, err
	}
	var a sandlot.Account
	err := s.evenFull(func() (err error) {
		a, err = s.store.Recovery.TakeEmailBack(ctx, digest(token), s.now().UTC())
		return err
	})
	return a, ownerMay(err)
}
