package publish

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// The kinds of mail about another recovery address.
const (
	MailEmailChange = "email-change" // to the new address, with the link that makes it the account's
	MailEmailNotice = "email-notice" // to the address before, with the link that takes it back
)

// Limits of changing the address.
const (
	proposalLife    = 24 * time.Hour     // of a new address whose link is not opened
	undoLife        = 7 * 24 * time.Hour // long enough for who reads mail once a week
	proposalsPerDay = 10                 // a few typing mistakes; each is a message to somebody
)

// EmailMove is an account's way to another address, which whoever has the token
// of its link may take: to a new one that was proposed, or, if Undo, back to one
// that it had.
type EmailMove struct {
	Account   AccountID
	Handle    string // of the account; set on reading
	Email     string
	Undo      bool
	ExpiresAt time.Time
}

// A RecoveryStore keeps the moves of addresses, under the same promises as a
// Store. A move that has expired is not there; a suspended account proposes none: ErrSuspended.
type RecoveryStore interface {
	// ProposeEmail records a move to a new address, in place of one proposed before, and enqueues the job. One more than limit proposals that have not expired at now is ErrTooOften.
	ProposeEmail(ctx context.Context, m EmailMove, job Job, now time.Time, limit int) error
	// ProposedEmail returns the move that an account's owner proposed last.
	ProposedEmail(ctx context.Context, id AccountID, now time.Time) (EmailMove, error)
	// WithdrawEmail ends all proposals of an account, which go on to count; where there is none it changes nothing.
	WithdrawEmail(ctx context.Context, id AccountID) error
	// AddEmailLink records a token for the newest move of an account with this address and Undo, and returns the account's handle. A proposal that is not the last, and any of a suspended account, is ErrNotFound.
	AddEmailLink(ctx context.Context, token Digest, m EmailMove, now time.Time) (handle string, err error)
	// EmailLink returns the move of a token, if it is an Undo or not as asked. A proposal that is not the last is ErrNotFound.
	EmailLink(ctx context.Context, token Digest, undo bool, now time.Time) (EmailMove, error)
	// TakeEmail consumes the token of a proposal, with all proposals of the account: its address is the account's, and verified. If the address before was verified and another, it can be taken back until undoUntil, and gets the job.
	TakeEmail(ctx context.Context, token Digest, now, undoUntil time.Time, notice Job) (Account, error)
	// TakeEmailBack consumes the token of an Undo, with all moves of the account that came after it and all proposals: its address is the account's, and verified, and all sessions end.
	TakeEmailBack(ctx context.Context, token Digest, now time.Time) (Account, error)
}

// ProposeEmail sends a link to a new recovery address, which is the account's
// once it is used. A proposal before it ends; the same again within ten seconds is
// a form that was sent twice, and changes nothing. What is no address is
// CodeInvalidEmail, the verified address of the account ErrExists, and one too
// many in a day is CodeRateLimited.
func (s *Service) ProposeEmail(ctx context.Context, id AccountID, address, lang string) error {
	a, err := s.editor(ctx, id)
	if err != nil {
		return err
	}
	email, err := CleanEmail(address)
	switch {
	case err != nil:
		return err
	case email == "":
		return Refuse(CodeInvalidEmail, "There is no address.").In("email")
	case email == a.Email && a.EmailVerified:
		return fmt.Errorf("the address of the account: %w", ErrExists)
	}
	unlock, err := s.forms.lock(ctx, s.keyed("propose", strconv.FormatInt(int64(id), 10)))
	if err != nil {
		return err
	}
	defer unlock()
	now := s.now().UTC()
	if before, err := s.site.ProposedEmail(ctx, id, now); err == nil && before.Email == email && (before.ExpiresAt.Sub(now)-proposalLife).Abs() < formAgain {
		return nil
	}
	m := EmailMove{Account: id, Email: email, ExpiresAt: now.Add(proposalLife)}
	err = s.site.ProposeEmail(ctx, m, Job{Kind: MailEmailChange, Address: email, Lang: lang, Due: now, Asker: Asker{AskedWithKey, s.keyed("mail network", fmt.Sprint("account ", id))}}, now, proposalsPerDay)
	if errors.Is(err, ErrTooOften) {
		return Refuse(CodeRateLimited, "The account proposed %d addresses in a day.", proposalsPerDay).After(proposalLife)
	}
	return s.ownerMay(ctx, id, err)
}

// ProposedEmail returns the address that waits for its link to be used, empty if
// there is none.
func (s *Service) ProposedEmail(ctx context.Context, id AccountID) (string, error) {
	m, err := s.site.ProposedEmail(ctx, id, s.now().UTC())
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return m.Email, err
}

// WithdrawEmail ends what ProposeEmail began: the link to the new address leads
// nowhere any more. It is idempotent: a second call has no further effect.
func (s *Service) WithdrawEmail(ctx context.Context, id AccountID) error {
	if _, err := s.editor(ctx, id); err != nil {
		return err
	}
	return s.site.WithdrawEmail(ctx, id)
}

// EmailLink returns what the token of a link would do. One that is used, too old
// or replaced is ErrNotFound.
func (s *Service) EmailLink(ctx context.Context, token string, undo bool) (EmailMove, error) {
	return s.site.EmailLink(ctx, digest([]byte(token)), undo, s.now().UTC())
}

// TakeEmail consumes the token of a new address. The address before it is told.
func (s *Service) TakeEmail(ctx context.Context, token string) (Account, error) {
	now := s.now().UTC()
	a, err := s.site.TakeEmail(ctx, digest([]byte(token)), now, now.Add(undoLife), Job{Kind: MailEmailNotice, Due: now})
	s.accountChanged(a.ID, err)
	return a, err
}

// TakeEmailBack consumes the token that an address got when it was replaced: it
// is the account's again, and every browser is logged out.
func (s *Service) TakeEmailBack(ctx context.Context, token string) (Account, error) {
	a, err := s.site.TakeEmailBack(ctx, digest([]byte(token)), s.now().UTC())
	s.accountChanged(a.ID, err)
	return a, err
}
