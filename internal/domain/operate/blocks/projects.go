package blocks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sandlot"
	"sandlot/internal/format/mediatype"
)

// A Page is a file whose hash may be blocked with its project.
type Page struct {
	sandlot.File
	Project sandlot.ProjectID
}

// Pages are the files of projects, by whether their hashes are blocked with them.
type Pages struct {
	Blocked []Page // pages: HTML, and the primary file
	Shared  []Page // pages that projects of other accounts have, too, with a verified address or the operator's trust
	Other   []Page // no pages, such as libraries, which honest projects may have by tomorrow
}

// PagesOf returns the files of the current versions of a project, or of all projects of an account.
func (s *Service) PagesOf(
	ctx context.Context, by sandlot.Caller, owner sandlot.AccountID, projects []sandlot.Project,
) (out Pages, err error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return out, err
	}
	var pages []Page
	var hashes []sandlot.Digest
	for _, p := range projects {
		files, err := s.Store.Files(ctx, p.ID, p.Version)
		if err != nil {
			return out, err
		}
		for _, f := range files {
			if f.Blob.Size > 0 && (mediatype.IsHTML(f.Name) || f.Name == p.Primary) {
				pages, hashes = append(pages, Page{f, p.ID}), append(hashes, f.Blob.SHA256)
			} else {
				out.Other = append(out.Other, Page{f, p.ID})
			}
		}
	}
	shared, err := s.Store.Shared(ctx, hashes, owner)
	if err != nil {
		return out, err
	}
	for _, p := range pages {
		if slices.Contains(shared, p.Blob.SHA256) {
			out.Shared = append(out.Shared, p)
		} else {
			out.Blocked = append(out.Blocked, p)
		}
	}
	return out, nil
}

// ProjectsOf returns the projects of an account, the last changed first, at most as many as one call can block.
func (s *Service) ProjectsOf(ctx context.Context, by sandlot.Caller, id sandlot.AccountID) ([]sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return nil, err
	}
	return s.Store.Projects(ctx, id, 0, maxValues)
}

// Texts are the sums of pages without their white space, by their hash.
type Texts map[sandlot.Digest]sandlot.Digest

// AddPages blocks the hashes of pages, and of those in texts the sums without white space, too.
func (s *Service) AddPages(ctx context.Context, by sandlot.Caller, pages []Page, texts Texts, terms Terms) ([]Entry, error) {
	list, err := s.pageEntries(by, pages, texts, &terms)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return s.add(ctx, by, list)
}

// SuspendPages suspends a project or an account, and blocks pages as AddPages does, in one step. A suspended one is
// sandlot.ErrExists.
func (s *Service) SuspendPages(
	ctx context.Context, by sandlot.Caller, of sandlot.Subject, target string, pages []Page, texts Texts, terms Terms,
) error {
	list, err := s.pageEntries(by, pages, texts, &terms)
	if err != nil {
		return err
	}
	e := s.log(by, sandlot.ActionSuspend)
	e.Target, e.Reason = target, terms.Reason
	err = sandlot.EvenFull(s.Spend, func() error { return s.Store.SuspendAndBlock(ctx, of, list, e) })
	if errors.Is(err, sandlot.ErrExists) {
		return fmt.Errorf("%s is suspended already; nothing was changed: use admin block add --hash-of", target)
	}
	return err
}

func (s *Service) pageEntries(by sandlot.Caller, pages []Page, texts Texts, terms *Terms) (list []Entry, err error) {
	if err := s.check(by, terms); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(kind string, d sandlot.Digest) {
		if value := d.String(); !seen[kind+value] {
			seen[kind+value] = true
			list = append(list, s.entry(by, kind, value, *terms))
		}
	}
	for _, p := range pages {
		add(Hash, p.Blob.SHA256)
		if text, ok := texts[p.Blob.SHA256]; ok {
			add(Text, text)
		}
	}
	if len(list) > maxValues {
		return nil, fmt.Errorf("%d pages are too many for one command", len(pages))
	}
	return list, nil
}

// AddNetworksOf blocks the networks from which an account published, each until the end of the use of its key at most. An
// account without such networks is an error.
func (s *Service) AddNetworksOf(ctx context.Context, by sandlot.Caller, id sandlot.AccountID, terms Terms) ([]Entry, error) {
	if err := s.check(by, &terms); err != nil {
		return nil, err
	}
	networks, err := s.Store.Publishers(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(networks) == 0 {
		return nil, errors.New("no network of its account is known: they are kept for 30 days, " +
			"of accounts without a verified address, and not those of this machine")
	}
	var list []Entry
	for _, n := range networks[:min(len(networks), maxValues)] {
		e := s.entry(by, Publisher, n.Network.String(), terms)
		if end := endOf(n.At); e.Until.IsZero() || end.Before(e.Until) {
			e.Until = end
		}
		list = append(list, e)
	}
	return s.add(ctx, by, list)
}

// Neighbours returns accounts that published from the same network as an account within the last 30 days, or from the
// wider one around it, in the order of Store.Neighbours, at most limit.
func (s *Service) Neighbours(ctx context.Context, by sandlot.Caller, id sandlot.AccountID, limit int) ([]Neighbour, error) {
	if err := sandlot.Authorize(by, sandlot.ActOperate, nil); err != nil {
		return nil, err
	}
	return s.Store.Neighbours(ctx, id, limit)
}
