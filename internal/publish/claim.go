package publish

import (
	"context"
	"errors"
	"fmt"
)

// ClaimShown is how many projects of an account a Claim shows, those changed last:
// more than anybody looks through.
const ClaimShown = 100

// Claim is what whoever verifies an address vouches for: an account that somebody
// gave the address for, and what was published with it.
type Claim struct {
	Email    string
	Account  Account
	Projects []Project
	More     bool // whether it has others
}

// Claim returns what the token of a link would verify, and uses nothing up. One that
// is unknown, used or expired is ErrNotFound.
func (s *Service) Claim(ctx context.Context, token string) (Claim, error) {
	v, err := s.jobs.Verification(ctx, digest([]byte(token)), s.now().UTC())
	if err != nil {
		return Claim{}, err
	}
	c := Claim{Email: v.Email}
	if c.Account, err = s.store.Account(ctx, v.Account); err != nil {
		return Claim{}, fmt.Errorf("read account: %w", err)
	}
	if c.Projects, err = s.store.Projects(ctx, v.Account, 0, ClaimShown+1); err != nil {
		return Claim{}, fmt.Errorf("list projects: %w", err)
	}
	c.More = len(c.Projects) > ClaimShown
	c.Projects = c.Projects[:min(len(c.Projects), ClaimShown)]
	return c, nil
}

// Verify consumes the token of a link: the account's address is verified.
func (s *Service) Verify(ctx context.Context, token string) (Account, error) {
	a, err := s.jobs.UseVerification(ctx, digest([]byte(token)), s.now().UTC())
	s.accountChanged(a.ID, err)
	return a, err
}

// accountChanged follows a step after which all projects of an account are seen in
// another light, unless it certainly had no effect.
func (s *Service) accountChanged(id AccountID, err error) {
	if !errors.Is(err, ErrNoEffect) {
		s.Heads.Drop(Changed{Account: id})
	}
}

// RefuseClaim consumes the token of a link: the address is taken away from the
// account, which is returned with it. notMe is the token of a link that refuses all
// such messages.
func (s *Service) RefuseClaim(ctx context.Context, token string) (a Account, notMe string, err error) {
	if a, err = s.jobs.RefuseVerification(ctx, digest([]byte(token)), s.now().UTC()); err != nil {
		return a, "", err
	}
	notMe, err = s.NotMeToken(verifyMail, a.Email)
	return a, notMe, err
}
