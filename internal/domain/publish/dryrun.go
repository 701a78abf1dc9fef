package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sandlot"
)

// fits returns the refusal of a step for want of a right or of room, without making it. The account would grow by the
// projects and the bytes.
func (s *Service) fits(ctx context.Context, by sandlot.Caller, act sandlot.Action, projects int, bytes int64) error {
	if err := s.Contents.admitBytes(); err != nil {
		return err
	}
	if by.Nobody() {
		if s.Quota.Bytes > 0 && bytes > s.Quota.Bytes {
			return s.Quota.exceeded(sandlot.ErrTooManyBytes)
		}
		return nil
	}
	a, err := s.store.Account(ctx, by.Account())
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	if a.Suspended {
		return lostRight(by, act, sandlot.ErrSuspended)
	}
	within := s.Quota.Of(a)
	has, err := s.management.Usage(ctx, by.Account(), s.now().UTC())
	switch {
	case err != nil:
		return fmt.Errorf("read usage: %w", err)
	case projects > 0 && within.Projects > 0 && has.Projects+projects > within.Projects:
		return within.exceeded(sandlot.ErrTooManyProjects)
	case s.Quota.Bytes > 0 && has.Bytes+bytes > s.Quota.Bytes:
		return s.Quota.exceeded(sandlot.ErrTooManyBytes)
	}
	return nil
}

// tryPublish answers a dry run: it checks everything that Publish does, and makes nothing.
func (s *Service) tryPublish(ctx context.Context, by sandlot.Caller, in PublishInput, words newProject, set *fileSet) (Published, error) {
	b, err := in.brings(ctx, set)
	if err != nil {
		return Published{}, err
	}
	if words.Title == "" {
		words.Title, _ = cleanTitle(documentTitle(b.document))
	}
	p := sandlot.Project{
		Account: by.Account(), Title: words.Title, Lang: words.Lang, Unlisted: words.Unlisted, Threads: words.Threads,
		Tags: words.Tags, Primary: b.primary, Version: 1, FileCount: len(b.files), Size: sizeOf(b.files),
	}
	if err := s.fits(ctx, by, sandlot.ActPublish, 1, p.Size); err != nil {
		return Published{}, err
	}
	email := EmailSet
	if !by.Nobody() {
		a, err := s.store.Account(ctx, by.Account())
		if err != nil {
			return Published{}, fmt.Errorf("read account: %w", err)
		}
		p.Handle, p.Verified = a.Handle, a.Vouched()
		if _, email, err = s.pendingEmail(ctx, by, words.Email, words.Lang, EmailNone); err != nil {
			return Published{}, err
		}
	}
	seen := Screening{Owner: by.Account(), Title: words.Title, Primary: b.primary, Files: b.files, New: b.files}
	if email == EmailSet {
		seen.Email = words.Email
	}
	screened, err := s.screen(ctx, by, seen)
	if err != nil {
		return Published{}, err
	}
	screened.foresee(&p)
	out := Published{Project: p, File: b.page(), Many: b.many, DryRun: true, Quarantined: s.quarantined(p)}
	if b.many {
		out.Files = b.files
	}
	kept, err := s.versionWarnings(ctx, p, b.files, b.files, nil)
	s.untold(err)
	if email == EmailSet {
		email = EmailNone // no message is sent, and none is missing
	}
	out.Warnings = slices.Concat(words.Warnings, b.warnings, s.mailWarnings(by, email), heldWarnings(p, screened.Signs), kept, s.listingWarnings(p))
	return out, nil
}

// tryUpdate answers a dry run: it checks everything that Update does, and makes nothing.
func (s *Service) tryUpdate(ctx context.Context, by sandlot.Caller, in UpdateInput, nf newFile, set *fileSet) (out Updated, err error) {
	p, err := s.target(ctx, by, in.Project)
	if err != nil {
		return Updated{}, err
	}
	if in.IfVersion != nil && *in.IfVersion != p.Version {
		return Updated{}, versionConflict(p, *in.IfVersion)
	}
	out = Updated{Previous: p.Version, DryRun: true, Quarantined: s.quarantined(p)}
	n, err := s.planned(ctx, p, nf, set, in.Content)
	if err != nil {
		return Updated{}, err
	}
	if !n.many {
		before, err := s.store.Files(ctx, p.ID, p.Version)
		if err != nil {
			return Updated{}, fmt.Errorf("read files: %w", err)
		}
		n.all = append(slices.DeleteFunc(before, func(f sandlot.File) bool { return f.Name == n.changed[0].Name }), n.changed[0])
	}
	adds := sizeOf(n.change.Put)
	if err := s.fits(ctx, by, sandlot.ActEdit, 0, adds); err != nil {
		return Updated{}, err
	}
	address, email, err := s.pendingEmail(ctx, by, nf.Email, nf.Lang, EmailNone)
	if err != nil {
		return Updated{}, err
	}
	seen := Screening{Project: p, Title: or(nf.Title), Email: address.address(), Primary: n.change.Primary, Files: n.all, New: n.changed}
	screened, err := s.screen(ctx, by, seen)
	if err != nil {
		return Updated{}, err
	}
	if email == EmailSet {
		email = EmailNone
	}
	p.Size += adds - sizeOf(n.change.Drop)
	p.Version, p.FileCount, p.Primary, p.UpdatedAt = p.Version+1, p.FileCount+n.created-n.removed,
		cmp.Or(n.change.Primary, p.Primary), s.now().UTC()
	if nf.Title != nil {
		p.Title = *nf.Title
	}
	if nf.Details.Unlisted != nil {
		p.Unlisted = *nf.Details.Unlisted
	}
	if nf.Details.Threads != nil {
		p.Threads = *nf.Details.Threads
	}
	screened.foresee(&p)
	p.Suffix = ""
	out.Project, out.Addresses = p, s.Places.Project(p.ID, p.Version, "")
	n.answer(&out)
	kept, err := s.versionWarnings(ctx, p, n.changed, n.all, nil)
	s.untold(err)
	out.Warnings = slices.Concat(nf.Warnings, n.warnings, n.about, s.mailWarnings(by, email), heldWarnings(p, screened.Signs), kept, s.titleWarnings(p))
	return out, nil
}
