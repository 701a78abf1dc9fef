package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/url"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/cache"
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
		fmt.Fprintf(t.err, "Not blocked: %s of %s, which others with a verified address have, too (hash %s).\n", p.Name, p.Project, hexOf(p))
	}
	for _, p := range pages.Other {
		fmt.Fprintf(t.err, "Not blocked: %s of %s, which is no page (hash %s).\n", p.Name, p.Project, hexOf(p))
	}
}

func hexOf(p blocks.Page) string { return hex.EncodeToString(p.Blob.SHA256[:]) }

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
func (d storage) textsOf(ctx context.Context, t *terminal, a operator, pages []blocks.Page) blocks.Texts {
	texts := blocks.Texts{}
	kept, err := d.opened(ctx, a.db, blob.Options{}, cache.Options{}, nil)
	if err != nil {
		fmt.Fprintf(t.err, "sandlot: no page is blocked without its white space: %v\n", err)
		return texts
	}
	defer kept.Close()
	cfg := publish.Config{Places: sandlot.Places{Base: &url.URL{Scheme: "http", Host: "localhost"}}, Temporary: d.temporary()}
	stores := publish.Stores{Store: a.db.Publish(), Management: a.db.Publish(), Blobs: kept}
	service, err := publish.New(ctx, cfg, stores, slog.New(slog.DiscardHandler), publish.WithClock(a.db.Now))
	for _, p := range pages {
		if err != nil || !p.Blob.Text || p.Blob.Size > blocks.MaxText {
			continue
		}
		var r io.ReadCloser
		if r, err = service.Contents.Open(ctx, p.Blob, 0, p.Blob.Size); err != nil {
			break
		}
		var text []byte
		text, err = io.ReadAll(r)
		r.Close()
		texts[p.Blob.SHA256] = blocks.TextSum(text)
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
