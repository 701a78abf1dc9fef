package main

import (
	"context"
	"fmt"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/transport/web"
)

// houseCommands are the commands about who may publish, and about the website.
type houseCommands struct {
	Invite  inviteCommand  `cmd:"" help:"Print a link that opens one account."`
	Invites invitesCommand `cmd:"" help:"List invitations, newest first, or end one."`
	Grant   grantCommand   `cmd:"" help:"Make an account a moderator or an operator."`
	Feature featureCommand `cmd:"" help:"Pin a project to the home page."`
}

type inviteCommand struct {
	acting
	Listen   string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"As for serve: in the link without --base-url."`
	BaseURL  string `placeholder:"URL" help:"Public URL, with which all links start. (default: http://localhost:PORT of --listen, https with --tls)"`
	Projects int    `placeholder:"N" help:"Projects that the account may have at most. (default: as many as any account)"`
	Days     int    `default:"7" placeholder:"N" help:"Days that the link lives."`
}

// Run makes an invitation. Only the link goes to standard output, so that it can be piped.
func (c *inviteCommand) Run(ctx context.Context, t *terminal) error {
	base, err := settings{BaseURL: c.BaseURL}.base(c.Listen)
	if err != nil {
		return usageError{err}
	}
	if c.Days < 1 {
		return usageError{fmt.Errorf("--days %d is not between 1 and %d", c.Days, operate.MaxInvitationDays)}
	}
	return c.administer(ctx, func(a operator) error {
		house, err := a.invitations(ctx)
		if err != nil {
			return err
		}
		i, token, err := house.Invite(ctx, a.by, operate.InviteInput{Projects: c.Projects, Days: c.Days})
		if err != nil {
			return err
		}
		fmt.Fprintln(t.out, base.String()+web.InvitePath(token))
		fmt.Fprintf(t.err, "Invitation %d opens one account, until %s. It is shown this once.\n", i.ID, i.ExpiresAt.Format(time.RFC3339))
		return nil
	})
}

// invitations returns the service for invitations, as the operator of the machine has it.
func (a operator) invitations(ctx context.Context) (*operate.Invitations, error) {
	return operate.NewInvitations(ctx, a.db.Operate().Invitations(), a.spend, time.Now)
}

type invitesCommand struct {
	List listInvitesCommand `cmd:"" default:"withargs" help:"List invitations, newest first."`
	End  endInviteCommand   `cmd:"" help:"End the link of an invitation that was not used."`
}

type listInvitesCommand struct{ listing }

// Run lists invitations.
func (c *listInvitesCommand) Run(ctx context.Context, t *terminal) error {
	now := time.Now()
	line := func(i operate.Invitation) invitationLine { return newInvitationLine(i, now) }
	return list(ctx, c.listing, t, line, func(a operator, last operate.Invitation, _, limit int) ([]operate.Invitation, error) {
		house, err := a.invitations(ctx)
		if err != nil {
			return nil, err
		}
		return house.List(ctx, a.by, last.ID, limit)
	})
}

// invitationLine is an invitation in its printed form.
type invitationLine struct {
	ID        int64      `json:"id"`
	Status    string     `json:"status"` // "open", "used", "ended" or "expired"
	Projects  int        `json:"projects"`
	MadeBy    string     `json:"made_by"`
	MadeAt    time.Time  `json:"made_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	UsedAt    *time.Time `json:"used_at"`
	Handle    string     `json:"handle"`
}

func newInvitationLine(i operate.Invitation, now time.Time) invitationLine {
	return invitationLine{i.ID, string(i.State(now)), i.Projects, i.By, i.MadeAt, i.ExpiresAt, orNil(i.UsedAt), i.Handle}
}

type endInviteCommand struct {
	ID int64 `arg:"" help:"Number of the invitation, as listed."`
	acting
}

// Run ends an invitation.
func (c *endInviteCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		house, err := a.invitations(ctx)
		if err != nil {
			return "", err
		}
		if err := house.End(ctx, a.by, c.ID); err != nil {
			return "", fmt.Errorf("invitation %d is not open: %w", c.ID, err)
		}
		return fmt.Sprintf("Invitation %d is ended.", c.ID), nil
	})
}

type grantCommand struct {
	Account string `arg:"" help:"@HANDLE or e-mail address of the account."`
	Role    string `arg:"" enum:"operator,moderator" help:"moderator or operator."`
	Off     bool   `help:"End the role. (default: grant it)"`
	explained
}

// Run grants a role, or ends it.
func (c *grantCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		found, err := a.Grant(ctx, a.by, c.Account, sandlot.Role(c.Role), c.Off, c.Reason)
		if c.Off {
			return fmt.Sprintf("%s is no longer %s.", found.Target(), c.Role), err
		}
		said := fmt.Sprintf("%s is %s.", found.Target(), c.Role)
		if found.Account != nil && !found.Account.EmailVerified {
			said += "\nIts email address is not verified: it cannot log in to the website until then."
		}
		return said, err
	})
}

type featureCommand struct {
	Project string `arg:"" optional:"" help:"Id or address of the project."`
	Off     bool   `help:"Take the pinned project off the home page. (default: pin PROJECT)"`
	explained
}

// Run pins a project, or takes the pinned one off.
func (c *featureCommand) Run(ctx context.Context, t *terminal) error {
	if c.Off == (c.Project != "") {
		return usageError{fmt.Errorf("name the project to pin, or --off to take the pinned one off")}
	}
	return c.act(ctx, t, func(a operator) (string, error) {
		if c.Off {
			return "No project is pinned to the home page.", a.Unfeature(ctx, a.by, c.Reason)
		}
		found, err := a.Feature(ctx, a.by, c.Project, c.Reason)
		return found.Target() + " is pinned to the home page.", err
	})
}
