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
	Declared Declared
	Warnings []Warning `json:",omitempty"`
}

// Publish makes a project of in.Content, and an account for it if nobody calls.
// It is durable when it returns. If the call is a part of an upload that is not
// complete, Pending is set instead of Published. The content is used up or
// discarded in any case. With in.Idempotency, the same call again within a day gets the
// first answer again and makes nothing.
func (s *Service) Publish(ctx context.Context, by Caller, in PublishInput) (out Published, pending *Pending, err error) {
	defer s.Contents.Discard(ctx, in.Content)
	defer func() { err = s.present(ctx, by, err) }()
	if err := s.Admit(ctx, by, ActPublish); err != nil {
		return Published{}, nil, err
	}
	if err := checkToken(by, in.Part); err != nil {
		return Published{}, nil, err
	}
	a, err := s.attempt(by, in.Idempotency, OpPublish, in.Part, in.Content, in.Title, in.Handle, in.Email, in.Lang, in.Declared.asked())
	if err != nil {
		return Published{}, nil, err
	}
	np, err := s.preparePublish(by, in)
	if err != nil && (in.Part == nil || in.Part.first()) {
		return Published{}, nil, err
	}
	err = s.once(ctx, a, func() error {
		out, pending, err = s.publishNew(ctx, by, in, np, a)
		return err
	}, func(rec IdempotencyRecord, keys Minted) error {
		out, err = s.publishedAgain(ctx, by, in, np, rec, keys)
		return err
	})
	return out, pending, err
}

// publishNew publishes what was not published before.
func (s *Service) publishNew(ctx context.Context, by Caller, in PublishInput, np newProject, a *attempt) (Published, *Pending, error) {
	if in.Part != nil {
		return s.publishPart(ctx, by, in, np, a)
	}
	out, err := Published{}, checkContent(in.Content, primaryFile, true, in.Declared)
	if err == nil {
		out, err = s.create(ctx, by, np, in.Content, beside{once: a})
	}
	return out, nil, err
}

// beside is what a step does beside its effect: it closes the upload that it
// uses up, and leaves the record of a call that has an idempotency key.
type beside struct {
	upload *completing
	once   *attempt
	mail   EmailOutcome
}

// preparePublish checks and mends the words of a publish.
func (s *Service) preparePublish(by Caller, in PublishInput) (newProject, error) {
	np := newProject{Handle: in.Handle, Declared: in.Declared}
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
	np.Lang, w = cleanLang(in.Lang)
	np.Warnings = append(np.Warnings, w...)
	if !by.Nobody() && in.Handle != "" {
		np.Handle = ""
		np.Warnings = append(np.Warnings, Warning{
			"handle_ignored", "The field handle was ignored: the key's account has its handle.",
			"A handle is chosen with signup, or with a publish without a key.",
		})
	}
	return np, nil
}

// create records the project, with its account if nobody calls.
func (s *Service) create(ctx context.Context, by Caller, np newProject, c Content, also beside) (Published, error) {
	out := Published{Warnings: append(np.Warnings, contentWarnings(c, primaryFile, true)...)}
	if np.Title == "" {
		np.Title, _ = cleanTitle(documentTitle(c))
	}
	rec := NewProject{Account: by.Account(), Title: np.Title, Lang: np.Lang, CreatedAt: s.now().UTC(), Within: s.Quota}
	rec.File = File{Name: primaryFile, Folded: names.Fold(primaryFile), Blob: c.Blob}
	rec.By, also.mail = by.key.ID, EmailSet
	err := retryExists(func() (err error) {
		if !by.Nobody() {
			if rec.Email, also.mail, err = s.pendingEmail(ctx, by, np.Email, np.Lang); err != nil {
				return err
			}
		}
		return s.createOnce(ctx, by, np, &rec, also, &out)
	})
	if err != nil {
		return out, fmt.Errorf("create project: %w", s.overQuota(lostRight(by, ActPublish, err)))
	}
	out.Warnings = append(out.Warnings, s.mailWarnings(by, also.mail)...)
	out = s.finishPublished(by, np, rec, out)
	kept, err := s.quarantineWarnings(ctx, out.Project, out.File)
	s.untold(err)
	out.Warnings = slices.Concat(out.Warnings, kept, s.listingWarnings(out.Project))
	return out, nil
}

// lostRight is the error of a step that by was allowed to take when its call began: a
// refusal where the key was revoked or the account suspended since.
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

// createOnce draws fresh names and keys and tries to record them.
func (s *Service) createOnce(ctx context.Context, by Caller, np newProject, rec *NewProject, also beside, out *Published) error {
	if by.Nobody() {
		na, secret, err := s.newAccount(by, np.Handle, np.Email, np.Lang)
		if err != nil {
			return err
		}
		rec.New, out.Keys.Account = &na, secret
	}
	key, secret, err := s.newKey(ProjectKey, "publish")
	if err != nil {
		return err
	}
	rec.Key, out.Keys.Project = key, secret
	rec.ID, rec.Suffix = ProjectID(names.ProjectID(np.Title, s.intn)), s.randomSuffix()
	m := madeOf(rec.Title, rec.Suffix, rec.CreatedAt, rec.File, true)
	if rec.Upload, err = s.completion(by, also.upload, rec.ID, 1, out.Keys, m); err != nil {
		return err
	}
	if rec.Idempotency, err = s.record(also.once, rec.ID, 1, also.mail, out.Keys, m); err != nil {
		return err
	}
	out.Project, err = s.store.CreateProject(ctx, *rec)
	return err
}

func (s *Service) finishPublished(by Caller, np newProject, rec NewProject, out Published) Published {
	out.File, out.Quarantined = rec.File, s.quarantined(out.Project)
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	if by.Nobody() {
		out.Account = &Account{ID: out.Project.Account, Handle: out.Project.Handle, Email: np.Email, Lang: np.Lang, CreatedAt: rec.CreatedAt}
		out.Mailed = s.sends()
	} else {
		out.Keys.Account = accountSecret(by)
		out.Mailed = rec.Email != nil && s.sends()
	}
	return out
}

// accountSecret echoes an account key to whoever just presented it.
func accountSecret(by Caller) Secret {
	if by.Scoped() {
		return ""
	}
	return by.presented()
}
