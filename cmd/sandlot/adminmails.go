package main

import (
	"context"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// mailsCommand holds the commands for mailboxes whose owners reported an unwanted message, and for those of suspended
// accounts.
type mailsCommand struct {
	List  listMailsCommand `cmd:"" help:"List mailboxes that opted out or belong to a suspended account, or look one up."`
	Allow allowMailCommand `cmd:"" help:"Allow messages to a mailbox again, and let it confirm accounts."`
}

type listMailsCommand struct {
	Address string `arg:"" optional:"" help:"Look up the mailbox of this e-mail address alone."`
	listing
}

// Run lists mailboxes, newest first.
func (c *listMailsCommand) Run(ctx context.Context, t *terminal) error {
	return list(ctx, c.listing, t, newStopLine, func(a operator, _ sandlot.Stop, seen, limit int) ([]sandlot.Stop, error) {
		return a.Stops(ctx, a.by, c.Address, seen, limit)
	})
}

// stopLine is a stop in its printed form.
type stopLine struct {
	Mailbox string     `json:"mailbox"`
	Stopped string     `json:"stopped"` // "claims", "logins" or "suspended"
	At      time.Time  `json:"at"`
	Until   *time.Time `json:"until"` // null: until it is allowed
}

func newStopLine(s sandlot.Stop) stopLine {
	return stopLine{operate.MailboxName(s.Mailbox), s.Kind, s.At, orNil(s.Until)}
}

type allowMailCommand struct {
	Address string `arg:"" help:"E-mail address of the mailbox."`
	explained
}

// Run allows messages to a mailbox again.
func (c *allowMailCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		target, err := a.AllowMail(ctx, a.by, c.Address, c.Reason)
		return target + " gets messages again.", err
	})
}
