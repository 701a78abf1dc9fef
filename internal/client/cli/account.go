package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandlot/internal/client/client"
)

type loginCommand struct{ host }

// Run stores a key after a test.
func (c *loginCommand) Run(ctx context.Context, env *Env) error {
	s, err := target{host: c.host}.here(env)
	if err != nil {
		return err
	}
	if err := s.trusted("a key"); err != nil {
		return err
	}
	ring, err := env.keyring()
	if err != nil {
		return err
	}
	if s.Key, err = env.readKey(ctx, s.server()); err != nil {
		return err
	}
	who, err := s.whoAmI(ctx, 1)
	if err != nil {
		return err
	}
	if err := ring.add(keptKey{Server: s.server(), Key: s.Key, Handle: who.Handle, Project: who.Key.ProjectID}); err != nil {
		return err
	}
	if _, set := env.Lookup(keyVariable); set {
		env.say("warning: %s is set, and goes before the key that is kept", keyVariable)
	}
	return env.print(c.JSON, who.Text, "logged in", "@"+who.Handle, "server", s.server(), "key", kindOf(who), "kept in", ring.path)
}

// readKey reads one line. On a terminal it prompts, and hides the typed text.
func (env *Env) readKey(ctx context.Context, server string) (string, error) {
	text, err := env.secretLine(ctx, "Key for "+server+": ")
	if ended(ctx) {
		return "", err
	}
	if err != nil && !errors.Is(err, errNoInput) {
		return "", fmt.Errorf("the key cannot be read: %w", err)
	}
	if text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); keyForm.MatchString(text) {
		return text, nil
	}
	return "", &Failure{
		Message: "no key came on standard input: one begins with sla_ or slp_ and has 40 characters",
		Notes:   []string{"Give it from a file that only you can read:"},
		Fix:     []string{env.again() + " < key.txt"}, Exit: exitUsage,
	}
}

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
