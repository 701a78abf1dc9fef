package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/domain/heads"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// A Reader shows projects, files and accounts. Its methods keep the promises of a Service. A title that resembles a brand is
// empty for all but the account and the operator, on a public instance where the account has no verified address.
type Reader struct {
	finder
	warner
	heads      *heads.Cache
	management ManagementStore
	statistics Statistics
	vault      *sandlot.Vault
	now        func() time.Time
}

// Project shows a project to a caller, as the store has it now. ref is its id or one of its addresses; any other is
// CodeProjectNotFound. Files and the version address are for its owner only. A suspended project is shown to its owner
// alone, without them; to others it is CodeTakenDown. A held project is CodeHeld to others.
func (s *Reader) Project(ctx context.Context, by sandlot.Caller, ref string) (ProjectView, error) {
	p, err := s.find(ctx, ref)
	if err != nil {
		return ProjectView{}, err
	}
	v := ProjectView{Project: p, Quarantined: s.quarantined(p), Owner: sandlot.Authorize(by, sandlot.ActReadFiles, &p) == nil}
	if err := refused(by, p); err != nil && !v.Owner {
		return ProjectView{}, err
	}
	// The owner sees that the project was taken down; its files are in the export.
	v.Owner = v.Owner && !p.Suspended
	v.Project = s.shown(by, p)
	v.Stats, v.Addresses = s.statistics.Stats(ctx, p), s.Places.Project(p.ID, p.Version, "")
	if v.Owner {
		v.Addresses = s.Places.Project(p.ID, p.Version, p.Suffix)
		if v.Files, err = s.store.Files(ctx, p.ID, p.Version); err != nil {
			return v, err
		}
		d, err := s.management.Details(ctx, p.ID)
		if err != nil {
			return v, err
		}
		if v.LastHold, err = s.lastHold(ctx, p); err != nil {
			return v, err
		}
		v.About = &d
		v.Warnings = slices.Concat(s.heldAgain(ctx, p, v.Files), s.quarantineOf(ctx, p, v.Files), s.titleWarnings(p))
	}
	return v, nil
}

// FileView is one file of a version, as the owner of its project reads it.
type FileView struct {
	Project sandlot.Project
	Version int // the version of the file
	File    sandlot.File
}

// File finds a file of a project for its owner, in its current version or, if version is not 0, in that one. ref is the
// project's id or one of its addresses. A missing file is CodeFileNotFound, a missing version CodeVersionNotFound, a
// suspended project CodeTakenDown. Contents.Open reads its bytes.
func (s *Reader) File(ctx context.Context, by sandlot.Caller, ref, name string, version int) (v FileView, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	if v.Project, err = s.readable(ctx, by, ref); err != nil {
		return v, err
	}
	clean, _, err := cleanFilename(name)
	if err != nil {
		return v, unknownFile(err)
	}
	var files []sandlot.File
	if v.Version = version; version == 0 || version == v.Project.Version {
		v.Version = v.Project.Version
		files, err = s.store.FilesNear(ctx, v.Project.ID, names.Fold(clean))
	} else if files, err = s.store.Files(ctx, v.Project.ID, version); errors.Is(err, sandlot.ErrNotFound) {
		return v, versionGone(v.Project, version)
	}
	if err != nil {
		return v, fmt.Errorf("look for a file: %w", err)
	}
	i := slices.IndexFunc(files, func(f sandlot.File) bool { return f.Name == clean })
	if i < 0 {
		return v, sandlot.Refuse(sandlot.CodeFileNotFound, "Version %d of %s has no file %s.", v.Version,
			v.Project.ID, inspect.Quoted(clean)).In("filename").
			With(sandlot.OpProject, sandlot.Set("id", string(v.Project.ID))).
			Note("The files of the current version are listed here, names are exact:")
	}
	v.File = files[i]
	return v, nil
}

// Findings returns the warnings of the static check about the whole current version of a project, for callers who may
// read all of its files. ref is as in File. charge takes the bytes that are read.
func (s *Reader) Findings(ctx context.Context, by sandlot.Caller, ref string, charge sandlot.Charge) (w []sandlot.Warning, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	p, err := s.readable(ctx, by, ref)
	if err != nil {
		return nil, err
	}
	files, err := s.store.Files(ctx, p.ID, p.Version)
	if err != nil {
		return nil, fmt.Errorf("read files to check: %w", err)
	}
	w, err = s.versionWarnings(ctx, p, files, files, charge)
	return append(s.heldAgain(ctx, p, files), w...), err
}

// Limits of one page of projects.
const (
	DefaultPage = 100
	MaxPage     = 1000
)

// Whoami returns the account and the key of the caller, with a page of at most limit (1 to MaxPage) of its projects,
// newest change first. cursor is Next of the page before, or empty for the first; anything else is CodeInvalidField. A
// project key sees its project alone, and no address.
func (s *Reader) Whoami(ctx context.Context, by sandlot.Caller, limit int, cursor string) (Identity, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadAccount, nil); err != nil {
		return Identity{}, err
	}
	if limit < 1 || limit > MaxPage {
		return Identity{}, sandlot.Refuse(sandlot.CodeInvalidField, "The limit is %d; a page has 1 to %d projects.",
			limit, MaxPage).In("limit").With(sandlot.OpWhoami)
	}
	before, err := readCursor(cursor, 36, sandlot.OpWhoami)
	if err != nil {
		return Identity{}, err
	}
	out := Identity{Key: by.Key()}
	if out.Account, err = s.store.Account(ctx, by.Account()); err != nil {
		return out, fmt.Errorf("read account: %w", err)
	}
	if by.Scoped() {
		out.Account.Email = ""
	}
	projects, err := s.covered(ctx, by, before, limit+1)
	if err != nil {
		return out, err
	}
	if len(projects) > limit {
		projects = projects[:limit]
		out.Next = strconv.FormatInt(projects[limit-1].Seq, 36)
	}
	out.Projects = s.views(ctx, projects)
	if len(projects) > 0 && s.quarantined(projects[0]) { // all are of one account
		out.Warnings = []sandlot.Warning{s.quarantineWarning()}
	}
	return out, nil
}

// covered returns the projects that a key covers.
func (s *Reader) covered(ctx context.Context, by sandlot.Caller, before int64, limit int) ([]sandlot.Project, error) {
	if !by.Scoped() {
		return s.store.Projects(ctx, by.Account(), before, limit)
	}
	p, err := s.store.Project(ctx, by.Key().Project)
	if err != nil || before != 0 && p.Seq >= before {
		return nil, err
	}
	return []sandlot.Project{p}, nil
}

// views shows projects to their owner, without their files. Counts may be a moment old: a list is not worth a look-up
// for each of its rows.
func (s *Reader) views(ctx context.Context, projects []sandlot.Project) []ProjectView {
	out := make([]ProjectView, 0, len(projects))
	for _, p := range projects {
		out = append(out, ProjectView{
			Project: p, Owner: true, Quarantined: s.quarantined(p),
			Stats: s.statistics.ListStats(ctx, p), Addresses: s.Places.Project(p.ID, p.Version, p.Suffix),
		})
	}
	return out
}

// readCursor reads the Next of a page: the number of its last row. 0 is the first page. again is the call that lists.
func readCursor(cursor string, base int, again sandlot.Op, args ...sandlot.Arg) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(cursor, base, 64)
	if err != nil || n < 1 {
		return 0, sandlot.Refuse(sandlot.CodeInvalidField, "The cursor is not one that this list returned.").
			In("cursor").With(again, args...).
			Note("Use next_cursor of the page before, or leave cursor out for the first page.")
	}
	return n, nil
}

// Export takes one consistent snapshot of all projects that the caller's key covers, suspended or not. The versions it
// names never change, so their files can be read at leisure; those of a project that is deleted meanwhile stay for a
// day.
func (s *Reader) Export(ctx context.Context, by sandlot.Caller) (Export, error) {
	if err := sandlot.Authorize(by, sandlot.ActReadAccount, nil); err != nil {
		return Export{}, err
	}
	projects, err := s.covered(ctx, by, 0, math.MaxInt32)
	if err != nil {
		return Export{}, fmt.Errorf("read projects: %w", err)
	}
	out, err := s.export(ctx, by.Account(), projects)
	out.Whole = !by.Scoped()
	return out, err
}

// export takes the snapshot of projects of one account. They come from one query, and so from one moment.
func (s *Reader) export(ctx context.Context, account sandlot.AccountID, projects []sandlot.Project) (out Export, err error) {
	out.ExportedAt = s.now().UTC()
	if out.Account, err = s.store.Account(ctx, account); err != nil {
		return out, fmt.Errorf("read account: %w", err)
	}
	out.Projects = s.views(ctx, projects)
	return out, nil
}

// Find returns a project that anybody may see, by its id or an address of it, as the store has it now. A suspended one
// is CodeTakenDown, a held one CodeHeld to all but its owner.
func (s *Reader) Find(ctx context.Context, by sandlot.Caller, ref string) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, err := s.find(ctx, ref)
	if err == nil {
		err = refused(by, p)
	}
	return s.shown(by, p), err
}

// lastHold returns the last hold of a project that has ended, nil if there is none.
func (s *Reader) lastHold(ctx context.Context, p sandlot.Project) (*EndedHold, error) {
	last, err := s.management.LastHold(ctx, p.ID)
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the last hold: %w", err)
	}
	return &last, nil
}

// Current returns the current state of a project, for every request to its address. A change by this process shows from
// its acknowledgement on, one by another within heads.Hold. Most calls query no store, and while the store does not
// answer Current returns the state that was confirmed in the last heads.HoldAlone. Its counts may be old. A suspended
// project is CodeTakenDown, on every address; a held one is returned with CodeHeld to all but its owner; a missing one is
// CodeProjectNotFound.
func (s *Reader) Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return sandlot.Project{}, err
	}
	p, ok := s.heads.Peek(id)
	if !ok {
		var err error
		if p, err = s.heads.Get(ctx, id,
			func(ctx context.Context) (sandlot.Project, error) { return s.find(ctx, string(id)) }); err != nil {
			return p, err
		}
	}
	return s.shown(by, p), refused(by, p)
}

// AtVersion returns a project as one of its versions left it, for a caller who knows the random part of that version's
// address. A version that is not kept, and another suffix, are CodeProjectNotFound alike. That of a held project is
// returned with CodeHeld to all but its owner; see View.
func (s *Reader) AtVersion(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, n int, suffix string) (sandlot.Project, error) {
	p, held := s.Current(ctx, by, id)
	if held != nil && !errors.Is(held, sandlot.CodeHeld) {
		return p, held
	}
	v, err := s.store.Version(ctx, id, n)
	if err == nil && v.Suffix != suffix {
		err = sandlot.ErrNotFound
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.Project{}, sandlot.Refuse(sandlot.CodeProjectNotFound, "There is no such version here.").
			With(sandlot.OpProject, sandlot.Set("id", string(id))).
			Note("The owner's key reads the address of the current version.")
	}
	p.Version, p.Suffix, p.Primary = n, suffix, v.Primary
	return p, cmp.Or(err, held)
}

// Manage shows a project with its details to its owner, in a session; to another account it is ErrNotFound. A suspended
// one comes without its files.
func (s *Reader) Manage(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (Managed, error) {
	p, err := s.owned(ctx, by, sandlot.ActSeeOwn, id)
	if err != nil {
		return Managed{}, err
	}
	view, err := s.Project(ctx, by, string(p.ID))
	if err != nil {
		return Managed{}, err
	}
	if view.About != nil {
		return Managed{view, *view.About}, nil
	}
	d, err := s.management.Details(ctx, id) // the project was taken down
	return Managed{view, d}, err
}

// Versions returns a page of at most limit (1 to MaxPage) of the versions of a project, to its owner. ref is its id or
// one of its addresses. cursor is Next of the page before, or empty for the first; anything else is CodeInvalidField.
// Erased versions are among them. A suspended project is CodeTakenDown.
func (s *Reader) Versions(ctx context.Context, by sandlot.Caller, ref string, limit int,
	cursor string,
) (page sandlot.VersionPage, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	p, err := s.readable(ctx, by, ref)
	if err != nil {
		return page, err
	}
	if limit < 1 || limit > MaxPage {
		return page, sandlot.Refuse(sandlot.CodeInvalidField, "The limit is %d; a page has 1 to %d versions.", limit,
			MaxPage).In("limit").With(sandlot.OpVersions, sandlot.Set("project_id", string(p.ID)))
	}
	before, err := readCursor(cursor, 10, sandlot.OpVersions, sandlot.Set("project_id", string(p.ID)))
	if err != nil {
		return page, err
	}
	list, err := s.management.Versions(ctx, p.ID, int(before), limit+1)
	if err != nil {
		return page, fmt.Errorf("read versions: %w", err)
	}
	if len(list) > limit {
		list = list[:limit]
		page.Next = strconv.Itoa(list[limit-1].N)
	}
	page.Project, page.Versions = p, make([]sandlot.VersionView, len(list))
	for i, v := range list {
		page.Versions[i] = sandlot.VersionView{VersionChange: v}
		if !v.Erased {
			page.Versions[i].Address = s.Places.Project(p.ID, v.N, v.Suffix).Version
		}
	}
	return page, nil
}

// ExportProject is Export of one project for its owner, in a session. A project of another account is ErrNotFound.
func (s *Reader) ExportProject(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (Export, error) {
	p, err := s.owned(ctx, by, sandlot.ActSeeOwn, id)
	if err != nil {
		return Export{}, err
	}
	return s.export(ctx, p.Account, []sandlot.Project{p})
}

// Statistics returns the public counts of projects. Counts are gathered in memory and written every few seconds, so a
// crash loses the last ones. The methods may be called concurrently, and never fail: a count that cannot be read is 0.
type Statistics interface {
	// Stats returns the current counts of a project, with those that are not written yet.
	Stats(ctx context.Context, p sandlot.Project) sandlot.Stats
	// ListStats is Stats without reading the project again: for lists, where a count written in the same instant may be
	// missed once.
	ListStats(ctx context.Context, p sandlot.Project) sandlot.Stats
}
