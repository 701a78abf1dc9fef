package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// An Adoption is one project of an import, as package transfer makes it.
type Adoption struct {
	Account sandlot.AccountID // the owner, if the operator imports
	ID      sandlot.ProjectID // the wished id, for the operator only; an id that a project had before is CodeInvalidArchive
	Recover bool              // with ID: the versions become further ones of the project that has or had this id
	Reason  string            // of the operator, for the audit log

	// Stage stages the contents, and returns the project with its versions and their dates, but without id, owner and
	// suffixes. It is not called if the call was made before.
	Stage func(ctx context.Context, now time.Time) (NewProject, []sandlot.Warning, error)

	Idempotency string         // the idempotency key of the import, if any
	Import      sandlot.Digest // the digest of the whole import
	Position    int            // the position of this project in it
	FirstOf     int            // with the first project, the most projects that an import may have; 0 with the others
	DryRun      bool           // only check the call
}

// Adopted is the answer to an Adoption. For a dry run it has no id and no addresses.
type Adopted struct {
	Project    sandlot.Project
	Addresses  sandlot.Addresses
	Warnings   []sandlot.Warning
	FromRecord bool // an earlier call made it, under the same idempotency key
}

// Adopt records a project with its history in one step. It mints no key: the account's covers it. The project gets an
// id of its own, the caller's handle, no plays and no likes.
//
// With in.Idempotency the same import within IdempotencyLife finds the project that it made at this position. With
// in.FirstOf another import under that key is CodeIdempotencyMismatch, even if it made the project at another position.
func (s *Service) Adopt(ctx context.Context, by sandlot.Caller, in Adoption) (out Adopted, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	owner, err := s.adopter(by, in)
	if err != nil {
		return Adopted{}, err
	}
	req, err := s.idempotency.importRequest(by, in, in.Position)
	if err != nil {
		return Adopted{}, err
	}
	if in.DryRun {
		return s.adopt(ctx, by, owner, in, nil)
	}
	if err := s.idempotency.noOtherImport(ctx, by, in); err != nil {
		return Adopted{}, err
	}
	return idempotent(ctx, s.idempotency, req, func() (Adopted, error) {
		return s.adopt(ctx, by, owner, in, req)
	}, func(rec IdempotencyRecord, _ Minted) (Adopted, error) {
		p, err := s.find(ctx, string(rec.Project))
		return Adopted{
			Project: p, Addresses: s.Places.Project(p.ID, p.Version, p.Suffix), FromRecord: true,
		}, err
	})
}

// adopter returns the account that gets the project.
func (s *Service) adopter(by sandlot.Caller, in Adoption) (sandlot.AccountID, error) {
	if by.IsOperator() {
		return in.Account, sandlot.Authorize(by, sandlot.ActOperate, nil)
	}
	if err := sandlot.Authorize(by, sandlot.ActImport, nil); err != nil {
		return 0, err
	}
	return by.Account(), s.admitNew(by)
}

// adopt records the project, or only checks whether it could, in a dry run.
func (s *Service) adopt(ctx context.Context, by sandlot.Caller, owner sandlot.AccountID, in Adoption,
	req *request,
) (out Adopted, err error) {
	np, w, err := in.Stage(ctx, s.now().UTC())
	if out.Warnings = w; err != nil {
		return out, err
	}
	np.By, np.Account, np.Within, np.Suffix = by.Key().ID, owner, s.Quota, s.vault.Suffix()
	title, primary, files, brought := np.Title, np.Primary, np.Files, slices.Clone(np.Files)
	size := sizeOf(np.Files)
	for i := range np.Later {
		v := &np.Later[i]
		title, size, v.Suffix = v.Title, size+sizeOf(v.Change.Put), s.vault.Suffix()
		primary = cmp.Or(v.Change.Primary, primary)
		files, brought = changedTo(files, v.Change), append(brought, v.Change.Put...)
	}
	if in.DryRun {
		if _, err := s.unblocked(ctx, by, Screening{Title: title, Files: files, New: files}); err != nil {
			return out, err
		}
		out.Project = sandlot.Project{Account: owner, Title: title, Lang: np.Lang, Version: 1 + len(np.Later)}
		if by.IsOperator() {
			return out, nil
		}
		return out, s.fits(ctx, by, sandlot.ActImport, 1, size)
	}
	wished := by.IsOperator() && names.ValidProjectID(string(in.ID))
	if by.IsOperator() && in.ID != "" && !wished {
		return out, in.notKept("is none that a project can have")
	}
	err = retryTaken(func() (err error) {
		if np.ID = in.ID; !wished {
			if np.ID, err = drawID(ctx, s, owner, title); err != nil {
				return err
			}
		}
		if by.IsOperator() {
			np.Log = &sandlot.LogEntry{
				At: s.now().UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(),
				Action: sandlot.ActionImport, Target: string(np.ID), Reason: in.Reason,
			}
			if in.Recover {
				np.Log.Action = sandlot.ActionRecover
			}
		}
		np.Idempotency, err = s.idempotency.record(req, np.ID, 1+len(np.Later), EmailNone, Minted{}, made{})
		if err != nil {
			return err
		}
		if np.Screened, err = s.screen(ctx, by, Screening{
			Owner: owner, ID: np.ID, Title: title, Primary: primary, Files: files, New: brought,
		}); err != nil {
			return err
		}
		if wished && in.Recover {
			if out.Project, err = s.management.RecoverProject(ctx, np); !errors.Is(err, sandlot.ErrNotFound) {
				return err
			}
		}
		out.Project, err = s.store.CreateProject(ctx, np)
		if wished && errors.Is(err, sandlot.ErrExists) {
			return in.notKept("was used here before, and no id is used again")
		}
		return err
	})
	if err != nil {
		return Adopted{}, fmt.Errorf("adopt project: %w", s.exceeded(ctx, owner, lostRight(by, sandlot.ActImport, err)))
	}
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Warnings = slices.Concat(out.Warnings, heldWarnings(out.Project, np.Signs), s.listingWarnings(out.Project))
	return out, nil
}

// sizeOf returns the bytes of files together.
func sizeOf(files []sandlot.File) (size int64) {
	for _, f := range files {
		size += f.Blob.Size
	}
	return size
}

// notKept refuses a project whose id cannot be kept.
func (in Adoption) notKept(why string) error {
	return sandlot.Refuse(sandlot.CodeInvalidArchive, "The id %s %s. Of this project nothing was imported.",
		inspect.Quoted(string(in.ID)), why).In("archive").With(sandlot.OpNothing)
}

// CheckBrought returns the error that a publish of a file would return. primary is the name of the page.
func CheckBrought(c Content, name, primary string) error {
	return checkContent(c, name, name == primary, Declared{})
}

// ReadBrought normalizes the title, description and tags of an imported project. Invalid tags are left out; a
// description that is too long is CodeInvalidField.
func ReadBrought(title, description string, tags []string) (d Details, w []sandlot.Warning, err error) {
	d.Title, w = cleanTitle(title)
	kept, _ := keepTags(tags)
	d.Tags = sandlot.TagsOf(kept[:min(len(kept), sandlot.MaxTags)])
	if d.Description = cleanDescription(description); utf8.RuneCountInString(d.Description) > MaxDescription {
		return d, w, sandlot.Refuse(sandlot.CodeInvalidField, "The description has more than %d characters.", MaxDescription).
			In("description").With(sandlot.OpNothing).Note("Make it shorter where the project is, and export it again.")
	}
	return d, w, nil
}
