package main

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
)

func (c *addBlockCommand) addPages(ctx context.Context, t *terminal, a operator, b *blocks.Service, terms blocks.Terms) (string, error) {
	p, err := a.projectOf(ctx, c.HashOf)
	if err != nil {
		return "", err
	}
	pages, err := b.PagesOf(ctx, a.by, p.Account, []sandlot.Project{p.Project})
	if err != nil {
		return "", err
	}
	tellPages(t, pages)
	added, err := b.AddPages(ctx, a.by, pages.Blocked, c.textsOf(ctx, t, a, pages.Blocked), terms)
	if err == nil && len(added) == 0 {
		err = fmt.Errorf("%s has no page of its own; nothing was changed", p.ID)
	}
	return saidAdded(added), err
}

// tellPages prints the files that are not blocked with their project.
func tellPages(t *terminal, pages blocks.Pages) {
	for _, p := range pages.Shared {
		fmt.Fprintf(t.err, "Not blocked: %s of %s, which others with a verified address have, too (hash %s).\n", p.Name, p.Project, p.Blob.SHA256)
	}
	for _, p := range pages.Other {
		fmt.Fprintf(t.err, "Not blocked: %s of %s, which is no page (hash %s).\n", p.Name, p.Project, p.Blob.SHA256)
	}
}

// projectOf returns the project that an operator named.
func (a operator) projectOf(ctx context.Context, ref string) (operate.ProjectDetail, error) {
	found, err := a.Show(ctx, a.by, ref, 1)
	switch {
	case err != nil:
		return operate.ProjectDetail{}, err
	case found.Project == nil:
		return operate.ProjectDetail{}, fmt.Errorf("%s is no project that is there", ref)
	}
	return *found.Project, nil
}

// textsOf returns the sums of pages without their white space. Pages that cannot be read are left out, with a warning:
// their hashes are blocked nevertheless.
func (s storage) textsOf(ctx context.Context, t *terminal, a operator, pages []blocks.Page) (texts blocks.Texts) {
	contents, done, err := s.contents(ctx, a.db)
	if err == nil {
		texts, err = blocks.TextsOf(ctx, contents, pages)
		err = errors.Join(err, done())
	}
	if err != nil {
		fmt.Fprintf(t.err, "sandlot: not all pages are blocked without their white space: %v\n", err)
	}
	return texts
}

// suspendAndBlock suspends a project or an account, and blocks its pages.
func (c *suspendCommand) suspendAndBlock(ctx context.Context, t *terminal, a operator) (string, error) {
	found, err := a.Show(ctx, a.by, c.Target, 1)
	if err == nil && found.Deleted != nil {
		err = fmt.Errorf("%s is deleted", c.Target)
	}
	if err != nil {
		return "", err
	}
	b := a.blocks(ownNames{})
	var of sandlot.Subject
	var owner sandlot.AccountID
	var projects []sandlot.Project
	if p := found.Project; p != nil {
		of, owner, projects = sandlot.Subject{Project: p.ID}, p.Project.Account, []sandlot.Project{p.Project}
	} else {
		of, owner = sandlot.Subject{Account: found.Account.ID}, found.Account.ID
		if projects, err = b.ProjectsOf(ctx, a.by, owner); err != nil {
			return "", err
		}
	}
	pages, err := b.PagesOf(ctx, a.by, owner, projects)
	if err != nil {
		return "", err
	}
	tellPages(t, pages)
	texts := c.textsOf(ctx, t, a, pages.Blocked)
	err = b.SuspendPages(ctx, a.by, of, found.Target(), pages.Blocked, texts, blocks.Terms{Reason: c.Reason})
	return fmt.Sprintf("%s is suspended, and %s blocked.", found.Target(), amount(int64(len(pages.Blocked)), "page")), err
}
