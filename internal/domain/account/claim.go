package account

import (
	"context"
	"fmt"
	"time"

	"sandlot"
)

// verificationLife is the time that the link of a verification works.
const verificationLife = 24 * time.Hour

// ClaimShown is the most projects of an account that a Claim shows, the last changed first. Nobody looks through more.
const ClaimShown = 100

// Claim shows the effect of a verification: an address belongs to an account, and so to every project that was
// published with it. The reader of the message sees it before they confirm.
type Claim struct {
	Email    string            // the address that somebody gave for the account
	Account  sandlot.Account   // as it is now
	Projects []sandlot.Project // at most ClaimShown, the last changed first
	More     bool              // whether the account has others
}

// Verification is the record of a link that was sent to Email. A holder of its token has read a message to that
// address.
type Verification struct {
	Token     sandlot.Digest // the hash of the token; the token itself is only in the message
	Account   sandlot.AccountID
	Email     string
	ExpiresAt time.Time
}

// A ClaimStore keeps the addresses that accounts claim, under the same promises as a
// publish.Store. A verification that is used or past its ExpiresAt is sandlot.ErrNotFound.
type ClaimStore interface {
	// Verification returns a verification.
	Verification(ctx context.Context, token sandlot.Digest, now time.Time) (Verification, error)
	// RefuseVerification consumes a verification, with all others of the account, and takes its address away from the
	// account, which is returned as it was.
	RefuseVerification(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, error)
	// UseVerification consumes a verification, with all others of the account, and marks the account's address as
	// verified since now. A mailbox with a sandlot.StopSuspended verifies none: sandlot.ErrSuspended, here and where an
	// address is taken or taken back.
	// checked is the number of the blocklist that allows the address, 0 for none: where it is another by then, the step
	// is sandlot.ErrBlocksMoved.
	UseVerification(ctx context.Context, token sandlot.Digest, now time.Time, checked int64) (sandlot.Account, error)
	// Claimants returns the accounts with projects that an address was given for, in any case of its letters, and that
	// have not verified it, at most limit, the newest first. None of them is suspended.
	Claimants(ctx context.Context, email string, limit int) ([]sandlot.Account, error)
	// Disown takes the address away from such an account, with or without projects, and ends its verifications. Any
	// other account is sandlot.ErrNotFound.
	Disown(ctx context.Context, id sandlot.AccountID, email string) error
	// TakeOver makes all projects of such an account those of another, which has verified the address in exactly this
	// spelling, with their keys, and with those in the trash. The account's own keys are for its project from then on,
	// if it has one. Any other accounts are sandlot.ErrNotFound; a receiver that is suspended, or a mailbox with a
	// sandlot.StopSuspended, is sandlot.ErrSuspended.
	TakeOver(ctx context.Context, from, to sandlot.AccountID, email string) error
	// Account is that of publish.Store.
	Account(ctx context.Context, id sandlot.AccountID) (sandlot.Account, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error)
}

// Claim returns the claim that the token of a link would verify. It changes nothing, so that programs that open links
// do no harm. A token that is unknown, used or expired is sandlot.ErrNotFound.
func (s *Service) Claim(ctx context.Context, by sandlot.Caller, token string) (Claim, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Claim{}, err
	}
	v, err := s.store.Claims.Verification(ctx, digest(token), s.now().UTC())
	if err != nil {
		return Claim{}, err
	}
	c := Claim{Email: v.Email}
	if c.Account, err = s.store.Claims.Account(ctx, v.Account); err != nil {
		return Claim{}, fmt.Errorf("read account: %w", err)
	}
	if c.Projects, err = s.store.Claims.Projects(ctx, v.Account, 0, ClaimShown+1); err != nil {
		return Claim{}, fmt.Errorf("list projects: %w", err)
	}
	c.More = len(c.Projects) > ClaimShown
	c.Projects = c.Projects[:min(len(c.Projects), ClaimShown)]
	return c, nil
}

// Verify consumes the token of a link, marks the account's address as verified, and returns the account as it is then.
// All other verifications of the account end with it. Errors are those of Claim, and sandlot.CodeAccountSuspended if
// the operator has suspended an account with this mailbox; then the token stays.
func (s *Service) Verify(ctx context.Context, by sandlot.Caller, token string) (sandlot.Account, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Account{}, err
	}
	var a sandlot.Account
	v, err := s.store.Claims.Verification(ctx, digest(token), s.now().UTC())
	if err == nil {
		err = Unblocked(ctx, s.Blocklist, v.Email, func(checked int64) (err error) {
			a, err = s.store.Claims.UseVerification(ctx, digest(token), s.now().UTC(), checked)
			return err
		})
	}
	return a, ownerMay(err)
}

// VerifyHere is Verify, and logs the browser in to the account, unless it is logged in: the person at the button has
// just read a message to the address. session is the token of the new session, empty for none; agent is that of
// FinishLogin.
func (s *Service) VerifyHere(ctx context.Context, by sandlot.Caller, token, agent string) (a sandlot.Account, session string, err error) {
	if a, err = s.Verify(ctx, by, token); err != nil {
		return a, "", err
	}
	if _, _, in := by.Login(); in {
		return a, "", nil
	}
	session, in, err := newSession(s.vault, s.now().UTC(), a.ID, agent)
	if err == nil {
		_, err = s.store.Sessions.AddSession(ctx, digest(session), in)
	}
	return a, session, err
}

// RefuseClaim consumes the token of a link and takes the address away from the account, which it returns as it was
// before. The account keeps its projects and keys. notMe is the token of a link that stops all messages of this kind to
// the address: see StopMail. Errors are those of Claim.
func (s *Service) RefuseClaim(ctx context.Context, by sandlot.Caller, token string) (a sandlot.Account, notMe string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return a, "", err
	}
	err = s.evenFull(func() (err error) {
		a, err = s.store.Claims.RefuseVerification(ctx, digest(token), s.now().UTC())
		return err
	})
	if err != nil {
		return a, "", err
	}
	notMe, err = NotMeToken(s.vault, s.now(), sandlot.MailVerify, a.Email)
	return a, notMe, err
}
