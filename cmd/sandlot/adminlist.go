package main

import (
	"context"
	"errors"
	"time"

	"sandlot/internal/domain/operate"
)

type listCommand struct {
	What string `arg:"" optional:"" enum:"accounts,projects" default:"projects" help:"accounts or projects."`
	listing
	Suspended   bool   `help:"Only what was suspended directly. (default: everything)"`
	Held        bool   `help:"Only projects that are held. (default: everything)"`
	SameNetwork string `placeholder:"PROJECT" help:"Only of accounts from the network of a project. (default: all)"`
}

// Run lists accounts or projects.
func (c *listCommand) Run(ctx context.Context, t *terminal) error {
	switch {
	case c.What == "accounts" && c.Held:
		return usageError{errors.New("--held is about projects: leave accounts out")}
	case c.SameNetwork != "":
		return c.neighbours(ctx, t)
	case c.What == "accounts":
		return list(ctx, c.listing, t, newAccountLine, func(a operator, last operate.AccountDetail, _, limit int) ([]operate.AccountDetail, error) {
			return a.Accounts(ctx, a.by, last.ID, c.Suspended, limit)
		})
	}
	return list(ctx, c.listing, t, newProjectLine, func(a operator, last operate.ProjectDetail, _, limit int) ([]operate.ProjectDetail, error) {
		q := operate.ProjectQuery{After: last.Number, Suspended: c.Suspended, Held: c.Held, Limit: limit}
		return a.Projects(ctx, a.by, q)
	})
}

// accountLine is an account in its printed form.
type accountLine struct {
	Handle        string     `json:"handle"`
	Email         string     `json:"email"`
	EmailVerified bool       `json:"email_verified"`
	VerifiedAt    *time.Time `json:"verified_at"`
	TrustedAt     *time.Time `json:"trusted_at"`
	Role          string     `json:"role"`
	Status        string     `json:"status"`
	SuspendedAt   *time.Time `json:"suspended_at"`
	Projects      int        `json:"projects"`
	Bytes         int64      `json:"bytes"`
	CreatedAt     time.Time  `json:"created_at"`
}

func newAccountLine(d operate.AccountDetail) accountLine {
	return accountLine{
		d.Handle, d.Email, d.EmailVerified, orNil(d.VerifiedAt), orNil(d.TrustedAt), string(d.Role),
		shownStatus(d.Suspended), orNil(d.SuspendedAt), d.Projects, d.Bytes, d.CreatedAt,
	}
}

// projectLine is a project in its printed form. Status also covers a suspended account, SuspendedAt only the project.
type projectLine struct {
	ProjectID   string     `json:"project_id"`
	Handle      string     `json:"handle"`
	Title       string     `json:"title"`
	Status      string     `json:"status"`
	SuspendedAt *time.Time `json:"suspended_at"`
	Held        string     `json:"held"` // the rule; empty: it is not held
	HeldAt      *time.Time `json:"held_at"`
	DeletedAt   *time.Time `json:"deleted_at,omitempty"`
	Version     int        `json:"version"`
	Files       int        `json:"file_count"`
	Size        int64      `json:"size"`
	Plays       int64      `json:"plays"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

func newProjectLine(d operate.ProjectDetail) projectLine {
	return projectLine{
		string(d.ID), d.Handle, d.Title, shownStatus(d.Suspended), orNil(d.SuspendedAt), string(d.Held.Rule), orNil(d.Held.At), orNil(d.DeletedAt),
		d.Version, d.FileCount, d.Size, d.Plays, d.CreatedAt, d.UpdatedAt,
	}
}

func shownStatus(suspended bool) string {
	if suspended {
		return "suspended"
	}
	return "active"
}
