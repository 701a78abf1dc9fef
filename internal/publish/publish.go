package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sandlot/internal/names"
)

// newProject is a publish whose words have been brought into form. It is what an
// upload remembers of its part 1.
type newProject struct {
	Title    string
	Handle   string
	Email    string
	Lang     string
	Primary  string `json:",omitempty"` // of many files
	Declared Declared
	Warnings []Warning `json:",omitempty"`
}

// Publish creates a project whose primary file is in.Content, or that has the files of in.Tree,
// and an account for it if nobody calls. It is durable when it returns. The content and the Tree
// are consumed in any case.
//
// Of many files one folder that wraps all of them is taken off if it holds the page, and what
// tools keep beside people's work is left out. Files among which no page is found are
// CodeNoPrimaryFile. One file that is refused refuses all.
//
// A part of an upload that is not complete returns Pending instead; the call that completes the
// upload makes the project of its parts.
//
// With in.Idempotency the same call within IdempotencyLife returns the first answer, keys
// included, and creates nothing. A call under an idempotency key that is in flight is
// CodeRequestInProgress; another request under it is CodeIdempotencyMismatch.
//
// A refusal is an *Error, and leaves no effect and no record: the corrected call may come under
// the same idempotency key. Words that can be brought into form never refuse a publish;
// out.Warnings tells what became of them.
func (s *Service) Publish(ctx context.Context, by Caller, in PublishInput) (out Published, pending *Pending, err error) {
	defer s.Contents.DiscardTree(ctx, in.Tree)
	defer s.Contents.Discard(ctx, in.Content)
	defer func() { err = s.present(ctx, by, err) }()
	if err := s.Admit(ctx, by, ActPublish); err != nil {
		return Published{}, nil, err
	}
	if err := checkToken(by, in.Part); err != nil {
		return Published{}, nil, err
	}
	if err := checkMany(in.Part, in.Tree, &in.Archive, in.DryRun); err != nil {
		return Published{}, nil, err
	}
	set, err := in.Tree.arranged(true)
	if err != nil {
		return Published{}, nil, err
	}
	asked := append([]any{in.Title, in.Handle, in.Email, in.Lang, in.Declared.asked()}, manyAsked(set, in.Archive, in.Primary, false)...)
	req, err := s.idempotency.newRequest(by, in.Idempotency, OpPublish, in.Part, set.content(in.Content), asked...)
	if err != nil {
		return Published{}, nil, err
	}
	words, err := checkPublish(by, in) // title, handle, e-mail, language: cleaned, or refused
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

// Foresee checks all of a publish or of an update but what its bytes decide, and makes nothing. It
// returns the project that an update means, and the warnings that the call will have about its words.
func (s *Service) Foresee(ctx context.Context, by Caller, in Intended) (p Project, w []Warning, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	if err := checkToken(by, nil); err != nil {
		return p, nil, err
	}
	if in.Update != nil {
		return foreseeUpdate(ctx, s, by, *in.Update)
	}
	if err := s.Admit(ctx, by, ActPublish); err != nil {
		return p, nil, err
	}
	words, err := checkPublish(by, in.Publish)
	return p, words.Warnings, err
}

// brings checks what a publish brings that is no part of an upload.
func (in PublishInput) brings(ctx context.Context, set *fileSet) (brought, error) {
	if set != nil {
		return set.brought(ctx, in.Primary)
	}
	if err := checkContent(in.Content, primaryFile, true, in.Declared); err != nil {
		return brought{}, err
	}
	return onePage(in.Content), nil
}

// onePage is what a publish of one file brings.
func onePage(c Content) brought {
	return brought{
		files: []File{{Name: primaryFile, Folded: names.Fold(primaryFile), Blob: c.Blob}}, primary: primaryFile,
		title: documentTitle(c), warnings: contentWarnings(c, primaryFile, true),
	}
}

// checkPublish cleans the words of a publish, or refuses them.
func checkPublish(by Caller, in PublishInput) (newProject, error) {
	np := newProject{Handle: in.Handle, Primary: in.Primary, Declared: in.Declared}
	var err error
	if np.Email, np.Warnings, err = readEmail(in.Email); err != nil {
		return np, err
	}
	if by.Nobody() && np.Email == "" {
		return np, Refuse(CodeEmailRequired, "A first publish without a key makes an account, and needs the field email.").In("email").
			With(OpSame, Arg{"email", PlaceholderEmail}).
			Note("Send email, or the api_key of an account.")
	}
	var w []Warning
	np.Title, w = cleanTitle(in.Title)
	np.Warnings = append(np.Warnings, w...)
	np.Lang, w = CleanLang(in.Lang)
	np.Warnings = append(np.Warnings, w...)
	if !by.Nobody() && in.Handle != "" {
		np.Handle = ""
		np.Warnings = append(np.Warnings, warning(
			"handle_ignored", "The field handle was ignored: the key's account has its handle.",
			"A handle is chosen with signup, or with a publish without a key.",
		))
	}
	return np, nil
}

// createProject records the project, and its account if nobody calls, in one step.
// What was taken or verified by somebody else meanwhile is drawn or read anew.
func (s *Service) createProject(ctx context.Context, by Caller, words newProject, b brought, x extras) (out Published, err error) {
	if words.Title == "" {
		words.Title, _ = cleanTitle(b.title)
	}
	np := NewProject{
		By: by.key.ID, Account: by.Account(), Title: words.Title, Lang: words.Lang, CreatedAt: s.now().UTC(), Within: s.Quota,
		Files: b.files, Primary: b.primary,
	}
	if !by.Nobody() {
		np.Alike = &Alike{}
	}
	email := EmailSet
	err = retryTaken(func() (err error) {
		if out.Keys, email, err = s.drawProject(ctx, by, words, &np); err != nil {
			return err
		}
		if np.Upload, np.Idempotency, err = s.records(by, x, np.ID, 1, email, out.Keys, b.made(np)); err != nil {
			return err
		}
		out.Project, err = s.store.CreateProject(ctx, np)
		return err
	})
	if err != nil {
		return Published{}, fmt.Errorf("create project: %w", s.Quota.exceeded(lostRight(by, ActPublish, err)))
	}
	out.File, out.Quarantined = b.page(), s.quarantined(out.Project)
	if out.Many = b.many; out.Many {
		out.Files = b.files
	}
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	out.Mailed = s.sends() && (by.Nobody() || np.Email != nil)
	if by.Nobody() {
		out.Account = &Account{ID: out.Project.Account, Handle: out.Project.Handle, Email: words.Email, Lang: words.Lang, CreatedAt: np.CreatedAt}
	}
	out.show(by, out.Keys)
	kept, err := s.versionWarnings(ctx, out.Project, b.files, b.files, nil)
	s.untold(err)
	out.Warnings = slices.Concat(words.Warnings, b.warnings, s.mailWarnings(by, email), kept, s.listingWarnings(out.Project), s.alikeWarnings(np.Alike, b.many))
	return out, nil
}

// drawProject draws the names and keys of a project, and those of an account if nobody
// calls. For a key's account it decides what becomes of the address.
func (s *Service) drawProject(ctx context.Context, by Caller, words newProject, np *NewProject) (keys Minted, email EmailOutcome, err error) {
	email = EmailSet
	if by.Nobody() {
		var na NewAccount
		if na, keys.Account, err = s.newAccount(by, words.Handle, words.Email, words.Lang); err != nil {
			return keys, email, err
		}
		np.New = &na
	} else if np.Email, email, err = s.pendingEmail(ctx, by, words.Email, words.Lang); err != nil {
		return keys, email, err
	}
	if np.Key, keys.Project, err = s.newKey(ProjectKey, "publish"); err != nil {
		return keys, email, err
	}
	np.ID, np.Suffix = ProjectID(names.ProjectID(np.Title, s.vault.intn)), s.randomSuffix()
	return keys, email, nil
}

// extras say which records a step writes in the same transaction as its effect.
type extras struct {
	upload  *completing // the upload whose file the step takes, and so closes
	request *request    // the call, if it has an idempotency key
}

// records makes the records of x for a step that makes a version of a project, which m
// describes.
func (s *Service) records(by Caller, x extras, id ProjectID, version int, email EmailOutcome, keys Minted, m made) (*Completion, *IdempotencyRecord, error) {
	closed, err := s.uploads.completion(by, x.upload, id, version, keys, m)
	if err != nil {
		return nil, nil, err
	}
	rec, err := s.idempotency.record(x.request, id, version, email, keys, m)
	return closed, rec, err
}

// lostRight is the error of a step that by was allowed to take when its call began: a refusal
// where the key was revoked or the account suspended since, and otherwise err.
func lostRight(by Caller, act Action, err error) error {
	switch {
	case errors.Is(err, ErrRevoked):
		return unknownKey()
	case errors.Is(err, ErrSuspended):
		by.key.Suspended = true
		return Authorize(by, act, nil)
	}
	return err
}

// accountSecret echoes an account key to whoever just presented it. Whoever presented a ticket
// instead has that key, or is not to have it.
func accountSecret(by Caller) Secret {
	if by.Scoped() || by.ticket != nil {
		return ""
	}
	return by.presented()
}
