package publish

import (
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

// newProject holds the normalized fields of a publish. An upload remembers it from its part 1.
type newProject struct {
	Title    string
	Handle   string
	Email    string
	Lang     string
	Primary  string `json:",omitempty"` // of many files
	Declared Declared
	Warnings []sandlot.Warning `json:",omitempty"`

	Description string       `json:",omitempty"`
	Tags        sandlot.Tags `json:",omitempty"`
	Unlisted    bool         `json:",omitempty"`
	Threads     bool         `json:",omitempty"`
}

// Publish creates a project whose primary file is in.Content, or that has the files of in.Tree, and an account for it
// if the caller is nobody. It is durable when Publish returns. The content and the Tree are consumed in any case.
//
// Of many files one folder that wraps all of them is taken off if it holds the page, and files that tools keep beside
// people's work are left out. Files without a page are CodeNoPrimaryFile. One file that is refused refuses all.
//
// A part of an upload that is not complete returns Pending instead; the call that completes the upload makes the
// project of its parts.
//
// With in.Idempotency the same call within IdempotencyLife returns the first answer, keys included, and creates
// nothing. A call under an idempotency key that is in flight is CodeRequestInProgress; another request under it is
// CodeIdempotencyMismatch.
//
// A refusal is an *Error, and leaves no effect and no record: the corrected call may come under the same idempotency
// key. A field that can be normalized never refuses a publish; out.Warnings reports the change.
func (s *Service) Publish(ctx context.Context, by sandlot.Caller, in PublishInput) (out Published, pending *Pending, err error) {
	defer s.Contents.DiscardTree(ctx, in.Tree)
	defer s.Contents.Discard(ctx, in.Content)
	defer func() { err = s.present(ctx, by, err) }()
	if err := s.Admit(ctx, by, sandlot.ActPublish); err != nil {
		return Published{}, nil, err
	}
	if err := checkToken(by, in.Part); err != nil {
		return Published{}, nil, err
	}
	if err := checkMany(in.Part, in.Tree, &in.Archive, in.DryRun); err != nil {
		return Published{}, nil, err
	}
	set, err := in.Tree.arranged(ctx, true, "")
	if err != nil {
		return Published{}, nil, err
	}
	asked := append([]any{in.Title, in.Handle, in.Email, in.Lang, in.Declared.asked()}, manyAsked(set, in.Archive, in.Primary, false)...)
	if !in.About.Empty() {
		asked = append(asked, in.About)
	}
	req, err := s.idempotency.newRequest(by, in.Idempotency, sandlot.OpPublish, in.Part, set.content(in.Content), asked...)
	if err != nil {
		return Published{}, nil, err
	}
	words, err := s.checkPublish(by, in) // title, handle, e-mail, language: cleaned, or refused
	if err != nil && (in.Part == nil || in.Part.first()) {
		return Published{}, nil, err
	}
	if in.DryRun {
		out, err = s.tryPublish(ctx, by, in, words, set)
		return out, nil, err
	}
	out, err = idempotent(ctx, s.idempotency, req, func() (out Published, err error) {
		if in.Part != nil {
			out, pending, err = s.publishPart(ctx, by, in, words, req)
			return out, err
		}
		b, err := in.brings(ctx, set)
		if err != nil {
			return Published{}, err
		}
		return s.createProject(ctx, by, words, b, extras{request: req})
	}, func(rec IdempotencyRecord, keys Minted) (Published, error) {
		return s.recordedPublish(ctx, by, in, words, rec, keys)
	})
	return out, pending, err
}

// Foresee makes every check of a publish or an update that does not need its bytes, and makes nothing. It returns the
// project that an update names, and the warnings that the call will have about its fields.
func (s *Service) Foresee(ctx context.Context, by sandlot.Caller, in Intended) (p sandlot.Project, w []sandlot.Warning, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	if err := checkToken(by, nil); err != nil {
		return p, nil, err
	}
	if in.Update != nil {
		return foreseeUpdate(ctx, s, by, *in.Update)
	}
	if err := s.Admit(ctx, by, sandlot.ActPublish); err != nil {
		return p, nil, err
	}
	words, err := s.checkPublish(by, in.Publish)
	return p, words.Warnings, err
}

// brings checks the files of a publish that is no part of an upload.
func (in PublishInput) brings(ctx context.Context, set *fileSet) (brought, error) {
	if set != nil {
		return set.brought(ctx, in.Primary)
	}
	if err := checkContent(in.Content, primaryFile, true, in.Declared); err != nil {
		return brought{}, err
	}
	return onePage(in.Content), nil
}

// onePage returns the files of a publish of one file.
func onePage(c Content) brought {
	return brought{
		files: []sandlot.File{{Name: primaryFile, Folded: names.Fold(primaryFile), Blob: c.Blob}}, primary: primaryFile,
		document: c, warnings: contentWarnings(c, primaryFile, true),
	}
}

// checkPublish normalizes the fields of a publish, or refuses them.
func (c Config) checkPublish(by sandlot.Caller, in PublishInput) (newProject, error) {
	np := newProject{Handle: in.Handle, Primary: in.Primary, Declared: in.Declared}
	var err error
	if np.Email, np.Warnings, err = c.readEmail(in.Email); err != nil {
		return np, err
	}
	if by.Nobody() && np.Email == "" && !(in.DryRun && in.Early) {
		return np, sandlot.Refuse(sandlot.CodeEmailRequired, "A first publish without a key makes an account, and needs the field email.").In("email").
			With(sandlot.OpSame, sandlot.Set("email", sandlot.PlaceholderEmail)).
			Note("Send email, the address of the user, or the api_key of an account. " + sandlot.WithoutEmail)
	}
	var w []sandlot.Warning
	np.Title, w = cleanTitle(in.Title)
	np.Warnings = append(np.Warnings, w...)
	about, err := in.About.change()
	if err != nil {
		return np, err
	}
	np.Description, np.Tags, np.Unlisted, np.Threads = or(about.Description), or(about.Tags), or(about.Unlisted), or(about.Threads)
	np.Lang, w = sandlot.CleanLang(in.Lang)
	np.Warnings = append(np.Warnings, w...)
	if !by.Nobody() && in.Handle != "" {
		np.Handle = ""
		np.Warnings = append(np.Warnings, sandlot.Warn(
			"handle_ignored", "The field handle was ignored: the key's account has its handle.",
			"A handle is chosen with signup, or with a publish without a key.",
		))
	}
	return np, nil
}

// createProject records the project, and its account if the caller is nobody, in one step. A name that was taken
// meanwhile is drawn again, and an account whose address was verified is read again.
func (s *Service) createProject(ctx context.Context, by sandlot.Caller, words newProject, b brought, x extras) (out Published, err error) {
	if words.Title == "" {
		words.Title, _ = cleanTitle(documentTitle(b.document))
	}
	np := NewProject{
		By: by.Key().ID, Account: by.Account(), Title: words.Title, Description: words.Description, Tags: words.Tags, Unlisted: words.Unlisted, Threads: words.Threads, Lang: words.Lang, CreatedAt: s.now().UTC(), Within: s.Quota,
		Files: b.files, Primary: b.primary, Wrapper: b.wrapper,
	}
	email := EmailNone
	err = retryTaken(func() (err error) {
		if out.Keys, email, err = s.drawProject(ctx, by, words, &np, email); err != nil {
			return err
		}
		if np.Upload, np.Idempotency, err = s.records(by, x, np.ID, 1, email, out.Keys, b.made(np)); err != nil {
			return err
		}
		out.Project, err = s.store.CreateProject(ctx, np)
		return email.unlessFull(err)
	})
	if err != nil {
		return Published{}, fmt.Errorf("create project: %w", s.Quota.exceeded(lostRight(by, sandlot.ActPublish, err)))
	}
	out.File, out.Quarantined = b.page(), s.quarantined(out.Project)
	if out.Many = b.many; out.Many {
		out.Files = b.files
	}
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Mailed = s.sends() && email == EmailSet
	if by.Nobody() {
		out.Account = &sandlot.Account{ID: out.Project.Account, Handle: out.Project.Handle, Email: words.Email, Lang: words.Lang, CreatedAt: np.CreatedAt}
	}
	out.show(by, out.Keys)
	kept, err := s.versionWarnings(ctx, out.Project, b.files, b.files, nil)
	s.untold(err)
	out.Warnings = slices.Concat(words.Warnings, b.warnings, s.mailWarnings(by, email), kept, s.listingWarnings(out.Project))
	return out, nil
}

// drawProject draws the names and keys of a project, and those of an account if the caller is nobody. For a key's
// account it decides the effect of the address. before is the outcome of the previous try.
func (s *Service) drawProject(ctx context.Context, by sandlot.Caller, words newProject, np *NewProject, before EmailOutcome) (keys Minted, email EmailOutcome, err error) {
	email = before
	if by.Nobody() {
		var na NewAccount
		if na, keys.Account, err = s.newAccount(by, words.Handle, words.Email, words.Lang, &email); err != nil {
			return keys, email, err
		}
		np.New = &na
	} else if np.Email, email, err = s.pendingEmail(ctx, by, words.Email, words.Lang, before); err != nil {
		return keys, email, err
	}
	if np.Key, keys.Project, err = s.newKey(sandlot.ProjectKey, "publish"); err != nil {
		return keys, email, err
	}
	np.ID, np.Suffix = sandlot.ProjectID(names.ProjectID(np.Title, s.vault.Intn)), s.vault.Suffix()
	return keys, email, nil
}

// extras selects the records that a step writes in the same transaction as its effect.
type extras struct {
	upload  *completing // the upload whose file the step takes, and so closes
	request *request    // the call, if it has an idempotency key
}

// records makes the records of x for a step that makes a version of a project, which m describes.
func (s *Service) records(by sandlot.Caller, x extras, id sandlot.ProjectID, version int, email EmailOutcome, keys Minted, m made) (*Completion, *IdempotencyRecord, error) {
	m.Unsent = email == EmailUnsent
	closed, err := s.uploads.completion(by, x.upload, id, version, keys, m)
	if err != nil {
		return nil, nil, err
	}
	rec, err := s.idempotency.record(x.request, id, version, email, keys, m)
	return closed, rec, err
}

// lostRight returns the error of a step that by was allowed to take when its call began: a refusal if the key was
// revoked or the account suspended since, and otherwise err.
func lostRight(by sandlot.Caller, act sandlot.Action, err error) error {
	switch {
	case errors.Is(err, sandlot.ErrRevoked):
		return unknownKey()
	case errors.Is(err, sandlot.ErrSuspended):
		return sandlot.Authorize(by.Suspend(), act, nil)
	}
	return err
}

// accountSecret returns the account key that the caller has just presented. With a ticket it returns none: its holder
// has that key, or must not get it.
func accountSecret(by sandlot.Caller) sandlot.Secret {
	if by.Scoped() || by.Ticket() != nil {
		return ""
	}
	return by.Presented()
}

// An Adoption is a project of another account or instance, as an import describes it. Fields and dates are as they
// came: Adopt normalizes them.
type Adoption struct {
	Account     sandlot.AccountID // the owner, if the operator imports
	ID          sandlot.ProjectID // the wished id, for the operator only; one that a project had before is CodeInvalidArchive
	Rename      bool              // makes another id instead
	Reason      string            // of the operator, for the audit log
	Title       string
	Lang        string
	Description string
	Tags        []string // invalid tags are left out
	Unlisted    bool
	Threads     bool
	Begun       time.Time

	// Stage stages the contents, and returns the versions, the oldest first. It is not called if the call was made
	// before.
	Stage func(ctx context.Context) ([]AdoptedVersion, error)

	Idempotency string         // the idempotency key of the import, if any
	Import      sandlot.Digest // the digest of the whole import
	Position    int            // the position of this project in it
	FirstOf     int            // with the first project of the import, the most projects that an import may have; 0 with the others
	DryRun      bool           // only check the call
}

// AdoptedVersion is one version of an Adoption. Its names are clean and do not collide.
type AdoptedVersion struct {
	Title   string
	At      time.Time
	Primary string
	Drop    []string   // names of files of the version before that are removed, or make room for one in Put
	Put     []SentFile // new or changed files; one Content may be under several names

	RestoredFrom int // the version, counted in the Adoption from 1, whose files it has again; 0 for none
}

// Adopted is the answer to an Adoption. For a dry run it has no id and no addresses.
type Adopted struct {
	Project    sandlot.Project
	Addresses  sandlot.Addresses
	Kept       bool // the project has the wished id
	Warnings   []sandlot.Warning
	FromRecord bool // an earlier call made it, under the same idempotency key
}

// earliest is the oldest date that an adopted project may have: the web is not older.
var earliest = time.Date(1991, time.January, 1, 0, 0, 0, 0, time.UTC)

// Adopt makes a project with a history, in one step. It mints no key: the account's covers it. It believes no claim of
// the import: the project gets an id of its own, the caller's handle, no plays and no likes, and no date that is in the
// future, before the web, or before that of the version before.
//
// With in.Idempotency the same import within IdempotencyLife finds the project that it made at this position. With
// in.FirstOf another import under that key is CodeIdempotencyMismatch, at whatever position it made a project.
func (s *Service) Adopt(ctx context.Context, by sandlot.Caller, in Adoption) (out Adopted, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	owner, err := in.owner(s, by)
	if err != nil {
		return Adopted{}, err
	}
	req, err := s.idempotency.importRequest(by, in, in.Position)
	if err != nil {
		return Adopted{}, err
	}
	if in.DryRun {
		return in.make(ctx, s, by, owner, nil)
	}
	if err := s.idempotency.noOtherImport(ctx, by, in); err != nil {
		return Adopted{}, err
	}
	return idempotent(ctx, s.idempotency, req, func() (Adopted, error) {
		return in.make(ctx, s, by, owner, req)
	}, func(rec IdempotencyRecord, _ Minted) (Adopted, error) {
		p, err := s.find(ctx, string(rec.Project))
		return Adopted{Project: p, Addresses: s.Places.Project(p.ID, p.Version, p.Suffix), Kept: p.ID == in.ID, FromRecord: true}, err
	})
}

// owner returns the account that gets the project.
func (in Adoption) owner(s *Service, by sandlot.Caller) (sandlot.AccountID, error) {
	if by.IsOperator() {
		return in.Account, sandlot.Authorize(by, sandlot.ActOperate, nil)
	}
	if err := sandlot.Authorize(by, sandlot.ActImport, nil); err != nil {
		return 0, err
	}
	return by.Account(), s.admitNew(by)
}

// make checks the project, and makes it unless the call is a dry run.
func (in Adoption) make(ctx context.Context, s *Service, by sandlot.Caller, owner sandlot.AccountID, req *request) (out Adopted, err error) {
	np := NewProject{By: by.Key().ID, Account: owner, Unlisted: in.Unlisted, Threads: in.Threads, Within: s.Quota}
	var w []sandlot.Warning
	if np.Title, w = cleanTitle(in.Title); len(w) > 0 {
		out.Warnings = append(out.Warnings, w...)
	}
	np.Lang, w = sandlot.CleanLang(in.Lang)
	out.Warnings = append(out.Warnings, w...)
	title := np.Title
	if np.Description = cleanDescription(in.Description); utf8.RuneCountInString(np.Description) > MaxDescription {
		return out, sandlot.Refuse(sandlot.CodeInvalidField, "The description has more than %d characters.", MaxDescription).In("description").With(sandlot.OpNothing).Note("Make it shorter where the project is, and export it again.")
	}
	tags, _ := keepTags(in.Tags)
	np.Tags = sandlot.TagsOf(tags[:min(len(tags), sandlot.MaxTags)])
	versions, err := in.Stage(ctx)
	if err != nil {
		return out, err
	}
	var size int64
	if size, err = np.take(versions, s.vault.Suffix); err != nil {
		return out, err
	}
	if np.datesOf(in.Begun, versions, s.now().UTC()) {
		out.Warnings = append(out.Warnings, sandlot.Warning{Code: "date_changed", Message: "Some dates of the manifest cannot be: they lie in the future, or before those of earlier versions.", Hint: "The dates that it has here are in order; nothing has to be done."})
	}
	if in.DryRun {
		out.Project = sandlot.Project{Account: owner, Title: title, Lang: np.Lang, Version: len(versions)}
		if by.IsOperator() {
			return out, nil
		}
		return out, s.fits(ctx, by, sandlot.ActImport, dryStep{1, size})
	}
	wished := by.IsOperator() && names.ValidProjectID(string(in.ID))
	if by.IsOperator() && in.ID != "" && !wished && !in.Rename {
		return out, in.notKept("is none that a project can have")
	}
	err = retryTaken(func() (err error) {
		if np.ID = in.ID; !wished {
			np.ID = sandlot.ProjectID(names.ProjectID(title, s.vault.Intn))
		}
		np.Log = in.entry(by, np.ID, s.now())
		if _, np.Idempotency, err = s.records(by, extras{request: req}, np.ID, len(versions), EmailNone, Minted{}, made{}); err != nil {
			return err
		}
		out.Project, err = s.store.CreateProject(ctx, np)
		if wished && errors.Is(err, sandlot.ErrExists) && !in.Rename {
			return in.notKept("was used here before, and no id is used again")
		}
		wished = wished && !errors.Is(err, sandlot.ErrExists)
		return err
	})
	if err != nil {
		return Adopted{}, fmt.Errorf("adopt project: %w", s.Quota.exceeded(lostRight(by, sandlot.ActImport, err)))
	}
	out.Kept = wished
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Warnings = append(out.Warnings, s.listingWarnings(out.Project)...)
	return out, nil
}

// notKept refuses a project whose id cannot be kept.
func (in Adoption) notKept(why string) error {
	return sandlot.Refuse(sandlot.CodeInvalidArchive, "The id %s %s. Of this project nothing was imported.", inspect.Quoted(string(in.ID)), why).In("archive").With(sandlot.OpNothing)
}

// entry returns the entry of the audit log, nil unless the operator imports.
func (in Adoption) entry(by sandlot.Caller, id sandlot.ProjectID, now time.Time) *sandlot.LogEntry {
	if !by.IsOperator() {
		return nil
	}
	return &sandlot.LogEntry{At: now.UTC(), Actor: sandlot.ActorOperator, Name: by.OperatorName(), Action: sandlot.ActionImport, Target: string(id), Reason: in.Reason}
}

// take checks the files of all versions, and makes them those of a new project. It returns their bytes as they count
// for the owner.
func (np *NewProject) take(versions []AdoptedVersion, suffix func() string) (size int64, err error) {
	primary := ""
	for i, v := range versions {
		c := Change{}
		for _, f := range v.Put {
			if err := checkAdopted(f, v.Primary); err != nil {
				return 0, err
			}
			c.Put = append(c.Put, sandlot.File{Name: f.Name, Folded: names.Fold(f.Name), Blob: f.Content.Blob})
			size += f.Content.Size
		}
		for _, name := range v.Drop {
			c.Drop = append(c.Drop, sandlot.File{Name: name, Folded: names.Fold(name)})
		}
		if i == 0 {
			np.Files, np.Primary, np.Suffix = c.Put, v.Primary, suffix()
			primary = v.Primary
			continue
		}
		if v.Primary != primary {
			c.Primary, primary = v.Primary, v.Primary
		}
		title, _ := cleanTitle(v.Title)
		np.Later = append(np.Later, LaterVersion{Change: c, Title: title, Suffix: suffix(), RestoredFrom: v.RestoredFrom})
	}
	if n := len(np.Later); n > 0 { // the newest version has the title of the project
		np.Later[n-1].Title = np.Title
		np.Title, _ = cleanTitle(versions[0].Title)
	}
	return size, nil
}

// checkAdopted refuses content that a publish would refuse.
func checkAdopted(f SentFile, primary string) error {
	err := checkContent(f.Content, f.Name, f.Name == primary, f.Declared)
	var e *sandlot.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Message = fmt.Sprintf("Of %s: %s", inspect.Quoted(f.Name), e.Message)
	return e.In("archive").Detail("filename", f.Name).With(sandlot.OpNothing).Note("Mend the file where the project is, and export it again. Of this project nothing was imported.")
}

// datesOf gives the versions their dates, and reports whether it had to change any.
func (np *NewProject) datesOf(begun time.Time, versions []AdoptedVersion, now time.Time) (changed bool) {
	last := earliest
	next := func(at time.Time) time.Time {
		was := at
		if at.After(now) {
			at = now
		}
		if at.Before(last) {
			at = last
		}
		changed = changed || !at.Equal(was)
		last = at
		return at
	}
	np.Begun = next(begun.UTC())
	np.CreatedAt = next(versions[0].At.UTC())
	for i := range np.Later {
		np.Later[i].At = next(versions[i+1].At.UTC())
	}
	return changed
}
