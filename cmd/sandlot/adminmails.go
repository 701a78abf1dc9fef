package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// mailsCommand holds the commands for mailboxes whose owners reported an unwanted message, and for those of suspended
// accounts.
type mailsCommand struct {
	List  listMailsCommand `cmd:"" help:"List mailboxes that opted out or belong to a suspended account, newest first, or look one up."`
	Allow allowMailCommand `cmd:"" help:"Allow messages to a mailbox again, and let it confirm accounts."`
}

type listMailsCommand struct {
	Address string `arg:"" optional:"" help:"Look up the mailbox of this e-mail address alone."`
	storage
	format
	Limit int `default:"100" placeholder:"N" help:"Maximum number of rows (0: all). (default: ${default})"`
}

// Run lists mailboxes, one line (or one object) for each.
func (c *listMailsCommand) Run(ctx context.Context, t *terminal) error {
	return c.administer(ctx, func(a operator) error {
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		defer w.Flush()
		lines := &terminal{out: w, err: t.err}
		pages, seen := listCommand{Limit: max(c.Limit, 0)}, 0
		return pages.pages(func(limit int) (int, error) {
			list, err := a.Stops(ctx, a.by, c.Address, seen, limit)
			seen += len(list)
			for _, s := range list {
				if err := c.print(lines, newStopLine(s), func() { newStopLine(s).row(w) }); err != nil {
					return 0, err
				}
			}
			return len(list), err
		})
	})
}

// stopLine is a stop in its printed form.
type stopLine struct {
	Mailbox string     `json:"mailbox"`
	Stopped string     `json:"stopped"` // "claims", "logins" or "suspended"
	At      time.Time  `json:"at"`
	Until   *time.Time `json:"until"`
}

func newStopLine(s sandlot.Stop) stopLine {
	return stopLine{operate.MailboxName(s.Mailbox), s.Kind, s.At, orNil(s.Until)}
}

func (l stopLine) row(w io.Writer) {
	until := "until it is allowed"
	if l.Until != nil {
		until = "until " + l.Until.Format(time.RFC3339)
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Mailbox, l.Stopped, l.At.Format(time.RFC3339), until)
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
