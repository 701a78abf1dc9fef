package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// brought holds the files of a publish, and the facts about them, for version 1.
type brought struct {
	files    []sandlot.File
	primary  string
	wrapper  string  // the folder that was taken off from around the files
	document Content // of the primary file, whose head may have a title
	warnings []sandlot.Warning
	many     bool
}

// page returns the file that is served for "/".
func (b brought) page() sandlot.File {
	i := slices.IndexFunc(b.files, func(f sandlot.File) bool { return f.Name == b.primary })
	return b.files[i]
}

// made describes version 1 for its records.
func (b brought) made(np NewProject) made {
	m := madeOf(np.Title, np.Suffix, np.CreatedAt, b.page(), true)
	if b.many {
		m.Many = &madeOfMany{Added: len(b.files), FileCount: len(b.files), Size: sizeOf(b.files), Warnings: b.warnings}
	}
	return m
}

// brought checks these files for a publish. wanted is the name of the primary file, or empty.
func (s *fileSet) brought(ctx context.Context, wanted string) (brought, error) {
	primary, err := s.primary(wanted, "")
	if err != nil {
		return brought{}, err
	}
	if err := s.check(primary); err != nil {
		return brought{}, err
	}
	b := brought{primary: primary, wrapper: s.folder, many: true}
	page := s.sent(s.named(primary)).Content
	if page.Head, err = s.head(ctx, page.Blob); err != nil {
		return brought{}, err
	}
	about, err := s.warningsAbout(ctx, primary)
	b.document = page
	b.warnings = slices.Concat(s.warnings, about)
	b.files = make([]sandlot.File, len(s.files))
	for i, f := range s.files {
		b.files[i] = s.file(f)
	}
	s.described()
	return b, err
}

// file returns the record of a file.
func (s *fileSet) file(f *treeFile) sandlot.File {
	return sandlot.File{Name: f.name, Folded: names.Fold(f.name), Blob: s.blob(f)}
}

// described forgets the files, which another value describes by now, but for those that are discarded by their names:
// many files would take as much memory again as their records.
func (s *fileSet) described() {
	s.Tree.files = slices.DeleteFunc(s.Tree.files, func(f *treeFile) bool { return f.apart == nil })
	s.files = nil
}

// primary chooses the page: the wanted one, or else the previous one if it is among the files, or else the one that
// names.Page finds.
func (s *fileSet) primary(wanted, before string) (string, error) {
	list := s.names()
	switch {
	case wanted != "" && s.has(wanted):
		return wanted, nil
	case s.folder != "" && strings.HasPrefix(wanted, s.folder) && s.has(wanted[len(s.folder):]):
		return wanted[len(s.folder):], nil // its name as it was sent
	case wanted != "":
		return "", s.noPrimary("primary_file", fmt.Sprintf("There is no file %s among those that were sent.", inspect.Quoted(wanted)))
	case before != "" && s.has(before):
		return before, nil
	}
	if page := names.Page(list); page != "" {
		return page, nil
	}
	return "", s.noPrimary(s.field(),
		"None of the files is what a browser is to open first: "+
			"there is neither an index.html nor exactly one .html file at the root, beside a 404.html.")
}

// mostCandidates bounds the files that an error proposes as the page.
const mostCandidates = 10

// noPrimary refuses files without a page, and lists the candidates.
func (s *fileSet) noPrimary(field, message string) error {
	e := sandlot.Refuse(sandlot.CodeNoPrimaryFile, "%s", message).In(field)
	pages := names.Candidates(s.names(), mostCandidates)
	e.Detail("candidates", append([]string{}, pages...)) // never null
	source := ""
	if s.has("package.json") {
		source = "Files with a package.json may be source: then build it, and send the folder that the build has made. "
	}
	if len(pages) == 0 {
		return e.With(sandlot.OpPack).Note("%sSend a page named index.html with the other files:", source)
	}
	return e.With(sandlot.OpSame, sandlot.Set("primary_file", pages[0])).
		Note("%sName the page with primary_file, or call it index.html. Those that could be it: %s.",
			source, quotedList(pages))
}

// quotedList joins quoted names in one line.
func quotedList(list []string) (text string) {
	for i, name := range list {
		if i > 0 {
			text += ", "
		}
		text += inspect.Quoted(name)
	}
	return text
}

// named returns the file of that name, or nil.
func (s *fileSet) named(name string) *treeFile {
	i := slices.IndexFunc(s.files, func(f *treeFile) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return s.files[i]
}

// manyAsked returns the fields of a call with many files that belong to the request, beside the digest of the files.
func manyAsked(set *fileSet, archive, primary string, replace bool) []any {
	if set == nil && archive == "" {
		return nil
	}
	return []any{"many", archive, primary, replace}
}

// checkMany rejects fields that a call with many files cannot have, and normalizes the archive format.
func checkMany(part *PartInput, t *Tree, archive *string, dry bool) (err error) {
	switch {
	case part != nil && dry:
		return sandlot.Refuse(sandlot.CodeInvalidField,
			"A dry run stores nothing, and a part of an upload is stored until the others have come.").In("dry_run").
			With(sandlot.OpNothing).Note("Look at files that fit into one call with dry_run, " +
			"and send parts without it when they are to be stored.")
	case part != nil && t != nil:
		return sandlot.Refuse(sandlot.CodeInvalidField, "A part of an upload brings one piece of bytes, and no files.").In(t.field()).
			With(sandlot.OpNothing).Note("Send the files with one call without upload_id, " +
			"or as the parts of an archive, with archive_format in part 1.")
	case *archive != "":
		*archive, err = ReadArchiveFormat(*archive)
	}
	return err
}

// content returns a Content that stands for the files in the description of a request.
func (s *fileSet) content(one Content) Content {
	if s == nil {
		return one
	}
	return Content{Blob: sandlot.Blob{SHA256: s.digest()}}
}

// A newTree is the next version of a project as an update would make it.
type newTree struct {
	many      bool // the call brings many files
	change    Change
	all       []sandlot.File // of the version; nil for one file
	changed   []sandlot.File // the new or changed files of the call
	created   int            // the number of new files among these
	unchanged int
	removed   int
	wrapper   string            // the folder that was taken off from around the files
	warnings  []sandlot.Warning // for the record, too
	about     []sandlot.Warning // those that are made again from the bytes
}

// planned computes the version that an update with the files of set or, without one, the file of c makes of a project.
func (s *Service) planned(ctx context.Context, p sandlot.Project, nf newFile, set *fileSet, c Content) (newTree, error) {
	if set == nil {
		return s.planFile(ctx, p, nf, c)
	}
	return s.planTree(ctx, p, nf, set)
}

// planFile computes the version that an update of one file makes.
func (s *Service) planFile(ctx context.Context, p sandlot.Project, nf newFile, c Content) (n newTree, err error) {
	name, off, err := withoutWrapper(ctx, s.store, p, nf.Filename)
	if err != nil {
		return n, err
	}
	f := sandlot.File{Name: name, Folded: names.Fold(name), Blob: c.Blob}
	if err := checkContent(c, name, name == p.Primary || name == primaryFile, nf.Declared); err != nil {
		return n, err
	}
	if err := checkWhole(c, nf); err != nil {
		return n, err
	}
	before, err := s.checkPlace(ctx, p, f)
	if err != nil {
		return n, err
	}
	if before == nil {
		n.created = 1
	} else {
		n.change.Drop = []sandlot.File{*before}
	}
	n.change.Put, n.changed = []sandlot.File{f}, []sandlot.File{f}
	n.warnings, n.about = append(off, shrunk(f, before)...), contentWarnings(c, name, name == p.Primary)
	return n, nil
}

// planTree computes the version that a call with many files makes of a project.
func (s *Service) planTree(ctx context.Context, p sandlot.Project, nf newFile, set *fileSet) (n newTree, err error) {
	current, err := s.store.FilesWith(ctx, p.ID, p.Version, "") // the variants would be three times as much
	if err != nil {
		return n, fmt.Errorf("read files: %w", err)
	}
	if !nf.Replace {
		set.unwrap(p.Wrapper, current)
	}
	if set, err = set.amended(ctx, p, current); err != nil {
		return n, err
	}
	n = compare(current, set, nf.Replace)
	n.many, n.wrapper = true, set.folder
	if n.change.Primary, err = nextPrimary(p, nf, set, n.all); err != nil {
		return n, err
	}
	primary := cmp.Or(n.change.Primary, p.Primary)
	if err := set.protected(p, primary); err != nil {
		return n, err
	}
	if err := set.check(primary); err != nil {
		return n, err
	}
	if err := set.checkWhole(nf); err != nil {
		return n, err
	}
	if err := s.checkPlaces(p, current, n.change); err != nil {
		return n, set.placeTaken(p, err)
	}
	about, err := set.warningsAbout(ctx, primary)
	n.warnings = slices.Concat(n.warnings, set.warnings, about)
	if !nf.Replace && nf.Primary == "" {
		n.warnings = append(n.warnings, set.beside(p.Primary, current)...)
	}
	if len(n.change.Put) == 0 && len(n.change.Drop) == 0 && n.change.Primary == "" {
		n.warnings = append(n.warnings,
			sandlot.Warn("unchanged", fmt.Sprintf("All files are as they were: "+
				"version %d has the same as version %d.", p.Version+1, p.Version),
				"Send an update only when something has changed."))
	}
	return n, err
}

// compare finds the files that change. A file of the same name and bytes is unchanged; bytes that the project has under
// another name are not stored again.
func compare(current []sandlot.File, set *fileSet, replace bool) (n newTree) {
	have := map[sandlot.Digest]sandlot.Blob{}
	for _, f := range current {
		have[f.Blob.SHA256] = f.Blob
		switch sent := set.has(f.Name); {
		case !sent && !replace && !set.deletes(f.Name):
			n.all = append(n.all, f)
		case !sent:
			n.change.Drop, n.removed = append(n.change.Drop, f), n.removed+1
		}
	}
	n.all = slices.Grow(n.all, len(set.files))
	for _, sent := range set.files {
		f, old := set.file(sent), fileNamed(current, sent.name)
		if old != nil && sameBytes(old.Blob, f.Blob) {
			n.all, n.unchanged = append(n.all, *old), n.unchanged+1
			continue
		}
		if known, ok := have[f.Blob.SHA256]; ok && sameBytes(known, f.Blob) {
			f.Blob = known
		}
		n.warnings = append(n.warnings, shrunk(f, old)...)
		if old != nil {
			n.change.Drop = append(n.change.Drop, *old)
		} else {
			n.created++
		}
		n.change.Put, n.all = append(n.change.Put, f), append(n.all, f)
	}
	n.changed = n.change.Put
	return n
}

func sameBytes(a, b sandlot.Blob) bool { return a.SHA256 == b.SHA256 && a.Size == b.Size }

// nextPrimary returns the primary file of the version, empty if it stays as it is.
func nextPrimary(p sandlot.Project, nf newFile, set *fileSet, all []sandlot.File) (string, error) {
	primary := nf.Primary
	if inside := strings.TrimPrefix(primary, set.folder); !set.has(primary) && set.has(inside) {
		primary = inside // its name as it was sent
	}
	switch {
	case nf.Replace:
		primary, err := set.primary(nf.Primary, p.Primary)
		if primary == p.Primary {
			primary = ""
		}
		var e *sandlot.Error
		if errors.As(err, &e) && e.Fix.Op == sandlot.OpPack {
			e.With(sandlot.OpSame, sandlot.Set("replace", false)).
				Note("Send a page named index.html with the other files, or, to keep the files that are not sent, " +
					"leave replace out.")
		}
		return primary, err
	case primary == "" || primary == p.Primary:
		return "", nil
	default:
		i := slices.IndexFunc(all, func(f sandlot.File) bool { return f.Name == primary })
		if i < 0 {
			return "", set.noPrimary("primary_file", fmt.Sprintf("The project %s would have no file %s.", p.ID, inspect.Quoted(primary)))
		}
		if all[i].Blob.Size == 0 {
			return "", sandlot.Refuse(sandlot.CodeInvalidField,
				"The file %s is empty, and what players open must not be.", inspect.Quoted(primary)).
				In("primary_file").With(sandlot.OpSame)
		}
		return primary, nil
	}
}

// placeTaken makes a refusal of checkPlaces one of a call that brought many files.
func (s *fileSet) placeTaken(p sandlot.Project, err error) error {
	var of FileError
	var e *sandlot.Error
	if !errors.As(err, &e) {
		return err
	}
	e.In(s.field()).With(sandlot.OpProject, sandlot.Set("id", string(p.ID)))
	if !errors.As(err, &of) {
		return e.Note("Put several files into one, or, if the files that are sent are all that the project is to have, say replace.")
	}
	return FileError{of.Name, e.Note("Rename that file in what you send, " +
		"or first delete the one that is in the way with delete-file. " +
		"The project's files are listed when you read it with its key.")}
}

// put makes the version with the files of set or, without one, the file of c.
func (s *Service) put(ctx context.Context, by sandlot.Caller, nf newFile, set *fileSet, c Content, x extras) (out Updated, err error) {
	var n newTree
	var email EmailOutcome
	var screened Screened
	out.Project, out.Previous, err = s.edit(ctx, nf.Project, nf.IfVersion, func(p sandlot.Project) (next sandlot.Project, err error) {
		if err := sandlot.Authorize(by, sandlot.ActEdit, &p); err != nil {
			return p, err
		}
		if n, err = s.planned(ctx, p, nf, set, c); err != nil {
			return p, err
		}
		at := Edit{
			At: s.now().UTC(), Expect: p.Version, Suffix: s.vault.Suffix(), By: by.Key().ID, Within: s.Quota,
			Title: nf.Title, Details: nf.Details, Wrapper: n.wrapper,
		}
		if at.Email, email, err = s.pendingEmail(ctx, by, nf.Email, nf.Lang, email); err != nil {
			return p, err
		}
		at.Upload, at.Idempotency, err = s.records(by, x, p.ID, p.Version+1, email, Minted{}, n.made(p, nf, at))
		if err != nil {
			return p, err
		}
		seen := Screening{
			Project: p, Title: or(nf.Title), Email: at.Email.address(), Primary: n.change.Primary, Files: n.all, New: n.changed,
		}
		if !n.many {
			if seen.Files, err = nextFiles(ctx, s, p, n.changed); err != nil {
				return p, err
			}
		}
		if screened, err = s.screen(ctx, by, seen); err != nil {
			return p, err
		}
		at.Screened = screened
		if n.many {
			next, err = s.management.Rearrange(ctx, p.ID, n.change, at)
		} else {
			next, err = s.store.PutFile(ctx, p.ID, n.changed[0], at)
		}
		return next, email.unlessFull(err)
	})
	if err != nil {
		return Updated{}, fmt.Errorf("update project: %w", s.Quota.exceeded(err))
	}
	n.answer(&out)
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Quarantined = s.quarantined(out.Project)
	kept, err := s.versionWarnings(ctx, out.Project, n.changed, n.all, nil)
	s.untold(err)
	out.Warnings = slices.Concat(nf.Warnings, n.warnings, n.about, s.mailWarnings(by, email),
		heldWarnings(out.Project, screened.Signs), kept, s.titleWarnings(out.Project))
	return out, nil
}

// answer puts the files into the answer.
func (n newTree) answer(out *Updated) {
	if out.Many = n.many; n.many {
		out.Files, out.Unchanged, out.Removed = n.changed, n.unchanged, n.removed
	} else {
		out.File, out.Created = n.changed[0], n.created > 0
	}
}

// made describes the version for its records.
func (n newTree) made(p sandlot.Project, nf newFile, at Edit) made {
	title := p.Title
	if nf.Title != nil {
		title = *nf.Title
	}
	if !n.many {
		m := madeOf(title, at.Suffix, at.At, n.changed[0], n.created > 0)
		m.Warnings = n.warnings
		return m
	}
	return made{Title: title, Suffix: at.Suffix, At: at.At, Many: &madeOfMany{
		Primary: cmp.Or(n.change.Primary, p.Primary), Added: n.created, Changed: len(n.changed) - n.created,
		Unchanged: n.unchanged, Removed: n.removed, FileCount: len(n.all), Size: sizeOf(n.all), Warnings: n.warnings,
	}}
}

// madeOfMany holds the fields of a version for the answer to a call with many files.
type madeOfMany struct {
	Primary                            string
	Added, Changed, Unchanged, Removed int
	FileCount                          int
	Size                               int64
	Warnings                           []sandlot.Warning `json:",omitempty"`
}

// changedIn returns the files of a version that the one before it did not have, or had with other bytes; none if the
// one before was erased.
func changedIn(ctx context.Context, store Store, p sandlot.Project, files []sandlot.File) ([]sandlot.File, error) {
	if p.Version == 1 {
		return files, nil
	}
	_, err := store.Version(ctx, p.ID, p.Version-1)
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read version: %w", err)
	}
	before, err := store.Files(ctx, p.ID, p.Version-1)
	if err != nil {
		return nil, fmt.Errorf("read files: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(files), func(f sandlot.File) bool {
		old := fileNamed(before, f.Name)
		return old != nil && sameBytes(old.Blob, f.Blob)
	}), nil
}
