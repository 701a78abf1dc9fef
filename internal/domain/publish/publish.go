package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sandlot"
	"sandlot/internal/format/names"
)

// newProject holds the normalized fields of a publish. An upload remembers it from its part 1.
type newProject struct {
	Title    string
	Handle   string
	Email    string
	Primary  string `json:",omitempty"` // of many files
	Declared Declared
	Tool     bool              `json:",omitempty"`
	Warnings []sandlot.Warning `json:",omitempty"`

	Described
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
	if in.Tool {
		asked = append(asked, "tool") // its answer has other secrets
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
	np := newProject{Handle: in.Handle, Primary: in.Primary, Declared: in.Declared, Tool: in.Tool}
	var err error
	if np.Email, np.Warnings, err = c.readEmail(in.Email); err != nil {
		return np, err
	}
	if by.Nobody() && np.Email == "" && !in.Tool && !(in.DryRun && in.Early) {
		return np, sandlot.Refuse(sandlot.CodeEmailRequired,
			"A first publish without a key makes an account, and needs the field email.").In("email").
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
		By: by.Key().ID, Account: by.Account(), Within: s.Quota, CreatedAt: s.now().UTC(),
		Title: words.Title, Described: words.Described,
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
		seen := Screening{
			Owner: by.Account(), ID: np.ID, Title: words.Title, Email: np.Email.address(), Primary: b.primary, Files: b.files, New: b.files,
		}
		if np.New != nil {
			seen.Email = np.New.Email
		}
		if np.Screened, err = s.screen(ctx, by, seen); err != nil {
			return err
		}
		out.Project, err = s.store.CreateProject(ctx, np)
		return email.unlessFull(err)
	})
	if err != nil {
		return Published{}, fmt.Errorf("create project: %w", s.exceeded(ctx, by.Account(), lostRight(by, sandlot.ActPublish, err)))
	}
	out.File, out.Quarantined = b.page(), s.quarantined(out.Project)
	if out.Many = b.many; out.Many {
		out.Files = b.files
	}
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Mailed = s.sends() && email == EmailSet
	if by.Nobody() {
		out.Account = &sandlot.Account{
			ID: out.Project.Account, Handle: out.Project.Handle, Email: words.Email,
			Lang: words.Lang, CreatedAt: np.CreatedAt,
		}
	}
	out.show(by, out.Keys, words.Tool)
	kept, err := s.versionWarnings(ctx, out.Project, b.files, b.files, nil)
	s.untold(err)
	out.Warnings = slices.Concat(words.Warnings, b.warnings, s.mailWarnings(by, email), heldWarnings(out.Project, np.Signs), kept, s.listingWarnings(out.Project))
	return out, nil
}

// drawProject draws the names and keys of a project, and those of an account if the caller is nobody. For a key's
// account it decides the effect of the address. before is the outcome of the previous try.
func (s *Service) drawProject(ctx context.Context, by sandlot.Caller, words newProject, np *NewProject,
	before EmailOutcome,
) (keys Minted, email EmailOutcome, err error) {
	email = before
	if by.Nobody() {
		var na NewAccount
		if na, keys, err = s.newAccount(by, words, &email); err != nil {
			return keys, email, err
		}
		np.New = &na
	} else if np.Email, email, err = s.pendingEmail(ctx, by, words.Email, words.Lang, before); err != nil {
		return keys, email, err
	}
	switch {
	case by.Key().Client != "": // a key would outlive the grant
	case !words.Tool:
		np.Key, keys.Project, err = newKey(s.vault, s.now(), sandlot.ProjectKey, "publish")
	case by.Nobody():
		np.Key, keys.Edit, err = newKey(s.vault, s.now(), sandlot.EditToken, "edit_token")
		np.Key.LastUsedAt = np.Key.CreatedAt // from when it is idle
	}
	if err != nil {
		return keys, email, err
	}
	np.Suffix = s.vault.Suffix()
	np.ID, err = drawID(ctx, s, by.Account(), np.Title)
	return keys, email, err
}

// drawID draws the id of a project of an account, 0 for a new one. On a public instance its host name is of the title
// only where the account is verified: a stranger's words would be bait.
func drawID(ctx context.Context, s *Service, owner sandlot.AccountID, title string) (sandlot.ProjectID, error) {
	plain := s.Public
	if plain && owner != 0 {
		a, err := s.accounts.Account(ctx, owner)
		if err != nil {
			return "", fmt.Errorf("read account: %w", err)
		}
		plain = !a.Vouched()
	}
	if plain {
		return sandlot.ProjectID(names.PlainID(s.vault.Intn)), nil
	}
	return sandlot.ProjectID(names.ProjectID(title, s.vault.Intn)), nil
}

// extras selects the records that a step writes in the same transaction as its effect.
type extras struct {
	upload  *completing // the upload whose file the step takes, and so closes
	request *request    // the call, if it has an idempotency key
}

// records makes the records of x for a step that makes a version of a project, which m describes.
func (s *Service) records(by sandlot.Caller, x extras, id sandlot.ProjectID, version int, email EmailOutcome,
	keys Minted, m made,
) (*Completion, *IdempotencyRecord, error) {
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
		return sandlot.UnknownKey()
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
