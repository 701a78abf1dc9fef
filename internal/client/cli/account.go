package cli

import (
	"context"
	"fmt"

	"sandlot/internal/client/client"
)

type whoamiCommand struct {
	target
	Limit int `default:"100" placeholder:"N" help:"Projects to list, at most 1000."`
}

// Run prints the account or project of the key.
func (c *whoamiCommand) Run(ctx context.Context, env *Env) error {
	s, err := c.here(env)
	if err != nil {
		return err
	}
	if s.asAccount(); s.Key == "" {
		s.asOwner()
	}
	if s.Key == "" && len(s.keys) > 0 {
		s.Key = s.keys[len(s.keys)-1].Key
	}
	who, err := s.whoAmI(ctx, c.Limit)
	if err != nil {
		return err
	}
	email := who.Email
	if email != "" && !who.EmailVerified {
		email += " (not confirmed)"
	}
	err = env.print(c.JSON, who.Text, "account", "@"+who.Handle, "email", email, "server", s.server(), "key", kindOf(who))
	if err != nil || c.JSON {
		return err
	}
	for _, p := range who.Projects {
		fmt.Fprintf(env.Out, "%-40s  version %-4d  %s\n", clean(p.ID), p.Version, clean(p.URL))
	}
	if who.NextCursor != "" {
		env.say("There are more: --limit shows up to 1000.")
	}
	return nil
}

// whoAmI returns the identity behind the key.
func (s *session) whoAmI(ctx context.Context, limit int) (client.Identity, error) {
	return asked(ctx, s, func() (client.Identity, error) { return s.WhoAmI(ctx, limit) })
}

func kindOf(who client.Identity) string {
	if who.Key.ProjectID != "" {
		return "of the project " + who.Key.ProjectID
	}
	return "of the account"
}
