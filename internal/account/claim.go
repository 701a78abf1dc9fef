package account

import (
	"context"
	"fmt"
	"time"

	"sandlot/internal/publish"
)

// verificationLife is how long the link of a verification leads somewhere.
const verificationLife = 24 * time.Hour

// ClaimShown is how many projects of an account a Claim shows, those changed last:
// more than anybody looks through.
const ClaimShown = 100

// Claim is what whoever verifies an address vouches for: an account that somebody
// gave the address for, and what was published with it.
type Claim struct {
	Email    string
	Account  publish.Account
	Projects []publish.Project
	More     bool // whether it has others
}

// Verification lets whoever has a token prove that they read Email.
type Verification struct {
	Token     publish.Digest // of the token
	Account   publish.AccountID
	Email     string
	ExpiresAt time.Time
}

// A ClaimStore keeps the addresses that accounts claim, under the same promises as a
// publish.Store. A verification that is used or past its ExpiresAt is publish.ErrNotFound.
type ClaimStore interface {
	// Verification returns a verification.
	Verification(ctx context.Context, token publish.Digest, now time.Time) (Verification, error)
	// RefuseVerification consumes it, with all others of the account, and takes its address away from the account, which is returned as it was.
	RefuseVerification(ctx context.Context, token publish.Digest, now time.Time) (publish.Account, error)
	// UseVerification consumes it, with all others of the account, and marks the account's address as verified since now.
	UseVerification(ctx context.Context, token publish.Digest, now time.Time) (publish.Account, error)
	// Account is that of publish.Store.
	Account(ctx context.Context, id publish.AccountID) (publish.Account, error)
	// Projects is that of publish.Store.
	Projects(ctx context.Context, id publish.AccountID, before int64, limit int) ([]publish.Project, error)
}

// Claim returns what the token of a link would verify, and uses nothing up. One that
// is unknown, used or expired is publish.ErrNotFound.
func (s *Service) Claim(ctx context.Context, by publish.Caller, token string) (Claim, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
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

// Verify consumes the token of a link: the account's address is verified.
func (s *Service) Verify(ctx context.Context, by publish.Caller, token string) (publish.Account, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return publish.Account{}, err
	}
	a, err := s.store.Claims.UseVerification(ctx, digest(token), s.now().UTC())
	s.changed(a.ID, err)
	return a, err
}

// RefuseClaim consumes the token of a link: the address is taken away from the
// account, which is returned with it. notMe is the token of a link that refuses all
// such messages.
func (s *Service) RefuseClaim(ctx context.Context, by publish.Caller, token string) (a publish.Account, notMe string, err error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return a, "", err
	}
	if a, err = s.store.Claims.RefuseVerification(ctx, digest(token), s.now().UTC()); err != nil {
		return a, "", err
	}
	notMe, err = NotMeToken(s.vault, s.now(), publish.MailVerify, a.Email)
	return a, notMe, err
}
