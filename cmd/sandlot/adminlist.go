package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// listPage is the number of records read at once; a list is printed while it is read.
const listPage = 500

type listCommand struct {
	What string `arg:"" optional:"" enum:"accounts,projects" default:"projects" help:"accounts or projects."`
	storage
	format
	Suspended bool   `help:"Only what was suspended directly. (default: everything)"`
	Account   string `placeholder:"TARGET" help:"Only projects of this account. (default: all)"`
	Limit     int    `default:"1000" placeholder:"N" help:"Maximum number of rows (0: all). (default: ${default})"`
}

// Run lists accounts or projects, one line (or one object) for each.
func (c *listCommand) Run(ctx context.Context, t *terminal) error {
	if c.Limit < 0 || c.Account != "" && c.What == "accounts" {
		return usageError{errors.New("--limit is not negative, and --account is for projects")}
	}
	return c.administer(ctx, func(a operator) error {
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		defer w.Flush()
		lines := &terminal{out: w, err: t.err}
		if c.What == "accounts" {
			return c.accounts(ctx, a, lines)
		}
		return c.projects(ctx, a, lines)
	})
}

// pages reads page after page up to the last one or the limit.
func (c *listCommand) pages(read func(limit int) (int, error)) error {
	for left := c.Limit; ; {
		limit := listPage
		if c.Limit > 0 {
			limit = min(limit, left)
		}
		n, err := read(limit)
		if left -= n; err != nil || n < limit || c.Limit > 0 && left <= 0 {
			return err
		}
	}
}

func (c *listCommand) accounts(ctx context.Context, a operator, t *terminal) error {
	var after sandlot.AccountID
	return c.pages(func(limit int) (int, error) {
		list, err := a.Accounts(ctx, a.by, after, c.Suspended, limit)
		for _, d := range list {
			after = d.ID
			if err := c.print(t, newAccountLine(d), func() { newAccountLine(d).row(t.out) }); err != nil {
				return 0, err
			}
		}
		return len(list), err
	})
}

func (c *listCommand) projects(ctx context.Context, a operator, t *terminal) error {
	q := operate.ProjectQuery{Suspended: c.Suspended}
	if c.Account != "" {
		account, err := a.Account(ctx, a.by, c.Account)
		if err != nil {
			return err
		}
		q.Account = account.ID
	}
	return c.pages(func(limit int) (int, error) {
		q.Limit = limit
		list, err := a.Projects(ctx, a.by, q)
		for _, d := range list {
			q.After = d.Number
			if err := c.print(t, newProjectLine(d), func() { newProjectLine(d).row(t.out) }); err != nil {
				return 0, err
			}
		}
		return len(list), err
	})
}

// accountLine is an account in its printed form.
type accountLine struct {
	Handle        string     `json:"handle"`
	Email         string     `json:"email"`
	EmailVerified bool       `json:"email_verified"`
	VerifiedAt    *time.Time `json:"verified_at"`
	Status        string     `json:"status"`
	SuspendedAt   *time.Time `json:"suspended_at"`
	Projects      int        `json:"projects"`
	Bytes         int64      `json:"bytes"`
	CreatedAt     time.Time  `json:"created_at"`
}

func newAccountLine(d operate.AccountDetail) accountLine {
	return accountLine{d.Handle, d.Email, d.EmailVerified, orNil(d.VerifiedAt), shownStatus(d.Suspended), orNil(d.SuspendedAt), d.Projects, d.Bytes, d.CreatedAt}
}

func (l accountLine) row(w io.Writer) {
	verified := "-"
	if l.Email != "" {
		verified = "pending"
	}
	if l.EmailVerified {
		verified = "verified"
	}
	fmt.Fprintf(w, "@%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Handle, l.Status, orDash(l.Email), verified, amount(l.Projects, "project"), amount(l.Bytes, "byte"), l.CreatedAt.Format(time.RFC3339))
}

// projectLine is a project in its printed form. Status also covers a suspended account, SuspendedAt only the project.
type projectLine struct {
	ProjectID   string     `json:"project_id"`
	Handle      string     `json:"handle"`
	Title       string     `json:"title"`
	Status      string     `json:"status"`
	SuspendedAt *time.Time `json:"suspended_at"`
	DeletedAt   *time.Time `json:"deleted_at,omitempty"`
	Version     int        `json:"version"`
	Files       int        `json:"file_count"`
	Size        int64      `json:"size"`
	Plays       int64      `json:"plays"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

func newProjectLine(d operate.ProjectDetail) projectLine {
	return projectLine{string(d.ID), d.Handle, d.Title, shownStatus(d.Suspended), orNil(d.SuspendedAt), orNil(d.DeletedAt), d.Version, d.FileCount, d.Size, d.Plays, d.CreatedAt, d.UpdatedAt}
}

func (l projectLine) row(w io.Writer) {
	fmt.Fprintf(w, "%s\t%s\t@%s\tversion %d\t%s\t%s\t%s\t%s\n", l.ProjectID, l.Status, l.Handle, l.Version, amount(l.Files, "file"), amount(l.Size, "byte"), l.UpdatedAt.Format(time.RFC3339), orDash(l.Title))
}

func shownStatus(suspended bool) string {
	if suspended {
		return "suspended"
	}
	return "active"
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
