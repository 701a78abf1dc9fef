package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/mail"
	"sandlot/internal/storage/sqlstore"
)

// adminCommand holds the operator's commands for accounts and projects. They work on the data folder, beside a running
// server, which notices within a second.
type adminCommand struct {
	List      listCommand      `cmd:"" group:"projects" help:"List accounts or projects, oldest first."`
	Show      showCommand      `cmd:"" group:"projects" help:"Show an account or project with its log, deleted too."`
	Suspend   suspendCommand   `cmd:"" group:"projects" help:"Take a project or an account offline; keep its data."`
	Reinstate reinstateCommand `cmd:"" group:"projects" help:"Bring a suspended project or account back."`
	Release   releaseCommand   `cmd:"" group:"projects" help:"End the hold of a project: others see it again."`
	Trust     trustCommand     `cmd:"" group:"projects" help:"Treat an account as one with a verified address."`
	Delete    deleteCommand    `cmd:"" group:"projects" help:"Delete a project or account for good."`
	NewKey    newKeyCommand    `cmd:"" group:"projects" help:"Print a new account key, for someone who lost theirs."`
	Import    importCommand    `cmd:"" group:"projects" help:"Bring in the projects of an export, with their ids."`
	Recover   recoverCommand   `cmd:"" group:"projects" name:"recover-project" help:"Bring one project back from a backup, with its id."`
	Log       logCommand       `cmd:"" group:"projects" help:"Print the audit log, newest first."`

	deskCommands `group:"desk"`

	Block  blockCommand  `cmd:"" group:"lists" help:"Refuse contents, addresses, networks and words."`
	Listed listedCommand `cmd:"" group:"lists" help:"List own hosts that other services list as harmful."`
	Mails  mailsCommand  `cmd:"" group:"lists" help:"Manage mailboxes that get no messages."`

	houseCommands `group:"house"`
}

// An operator is the caller of a command, with the records of a data folder.
type operator struct {
	*operate.Service
	by    sandlot.Caller
	db    *sqlstore.DB
	spend func()
}

// administer runs an operator's command that changes nothing.
func (d storage) administer(ctx context.Context, do func(operator) error) error {
	return d.administerAs(ctx, "", do)
}

// administerAs runs an operator's command under that name.
func (d storage) administerAs(ctx context.Context, name string, do func(operator) error) error {
	db, err := d.evenFull(ctx)
	if err != nil {
		return err
	}
	service, err := operate.New(ctx, operate.Config{Holds: db.Operate(), Spend: d.spend()}, db.Operate())
	if err == nil {
		err = do(operator{service, sandlot.AsOperator(name), db, d.spend()})
	}
	return errors.Join(err, db.Close())
}

// forgetter returns the service that deletes the messages of deleted accounts in this node's folder. With a database,
// other nodes may have written some, too.
func (d storage) forgetter(records operate.ForgetStore) *operate.Forgetter {
	f := &operate.Forgetter{Records: records, Messages: d.messages, Spend: d.spend()}
	if d.DatabaseURL != "" {
		f.Others = operate.ForgetTogether
	}
	return f
}

// messages deletes the message files for an address.
func (d storage) messages(ctx context.Context, address string) error {
	return mail.Forget(ctx, filepath.Join(d.Data, mailName), address)
}

// A target is an account or a project as an operator names it.
type target struct {
	Target string `arg:"" help:"@HANDLE or e-mail address of an account; id or address of a project."`
}

type suspendCommand struct {
	target
	justified
	Block bool `help:"Also block the hashes of its pages, in the same step. (default: suspend alone)"`
}

// Run suspends an account or a project.
func (c *suspendCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		if c.Block {
			return c.suspendAndBlock(ctx, t, a)
		}
		found, err := a.Suspend(ctx, a.by, c.Target, c.Reason)
		return found.Target() + " is suspended.", err
	})
}

type reinstateCommand struct {
	target
	explained
}

// Run reinstates an account or a project.
func (c *reinstateCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		found, err := a.Reinstate(ctx, a.by, c.Target, c.Reason)
		said := found.Target() + " is reinstated."
		if p := found.Project; p != nil && p.Suspended {
			said += fmt.Sprintf("\nIts account @%s is still suspended.", p.Handle)
		}
		return said, err
	})
}

type releaseCommand struct {
	Project string `arg:"" help:"Id or address of the project."`
	justified
}

// Run ends the hold of a project.
func (c *releaseCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		found, err := a.Release(ctx, a.by, c.Project, c.Reason)
		said := found.Target() + " is released."
		if p := found.Project; p != nil && !p.Verified {
			said += fmt.Sprintf("\nIts next version is looked at anew. To spare it that: sandlot admin trust @%s", p.Handle)
		}
		return said, err
	})
}

type trustCommand struct {
	Account string `arg:"" help:"@HANDLE or e-mail address of the account."`
	End     bool   `help:"End the trust. (default: begin it)"`
	explained
}

// Run begins or ends the trust in an account.
func (c *trustCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		found, err := a.Trust(ctx, a.by, c.Account, c.Reason, c.End)
		if c.End {
			return found.Target() + " is no longer trusted.", err
		}
		return found.Target() + " is trusted: its projects are in no quarantine, and listed.", err
	})
}

type deleteCommand struct {
	target
	justified
}

// Run deletes an account or a project.
func (c *deleteCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		found, err := a.Delete(ctx, a.by, c.Target, c.Reason)
		if err == nil {
			// A server does the same within a minute, but none may be running.
			err = c.forgetter(a.db.Upkeep()).Forget(ctx)
		}
		if d := found.Account; d != nil {
			with := amount(d.Projects, "project") + " of " + amount(d.Bytes, "byte")
			return fmt.Sprintf("%s is deleted, with %s.", found.Target(), with), err
		}
		return found.Target() + " is deleted.", err
	})
}

type newKeyCommand struct {
	Account string `arg:"" help:"Handle or e-mail address of the account."`
	acting
	format
	Revoke bool   `help:"Revoke all other account keys of the account at once; project keys stay. (default: they all stay)"`
	Reason string `placeholder:"TEXT" help:"Reason, kept in the audit log. (default: none)"`
}

// Run mints a key. Only the key goes to standard output, so that it can be piped.
func (c *newKeyCommand) Run(ctx context.Context, t *terminal) error {
	return c.administer(ctx, func(a operator) error {
		account, key, revoked, err := a.NewKey(ctx, a.by, c.Account, c.Reason, c.Revoke)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.err, "A new account key of @%s; it is shown only here. Other account keys revoked: %d.\n", account.Handle, revoked)
		shown := map[string]any{"handle": account.Handle, "api_key": key.Reveal(), "revoked": revoked}
		return c.print(t, shown, func() { fmt.Fprintln(t.out, key.Reveal()) })
	})
}
