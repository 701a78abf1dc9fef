package publish

import (
	"context"
	"errors"
	"fmt"

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
// discarded in any case. With in.Once, the same call again within a day gets the
// first answer again and makes nothing.
func (s *Service) Publish(ctx context.Context, by Caller, in PublishInput) (out Published, pending *Pending, err error) {
	used := false
	defer func() {
		if !used {
			s.Discard(ctx, in.Content)
		}
		err = s.present(ctx, by, err)
	}()
	if err := s.Admit(by, ActPublish); err != nil {
		return Published{}, nil, err
	}
	a, err := s.attempt(by, in.Once, OpPublish, in.Part, in.Content, in.Title, in.Handle, in.Email, in.Lang, in.Declared.asked())
	if err != nil {
		return Published{}, nil, err
	}
	np, err := s.preparePublish(by, in)
	if err != nil && (in.Part == nil || in.Part.first()) {
		return Published{}, nil, err
	}
	err = s.once(ctx, a, func() error {
		used = true // also if this panics, for then nobody knows
		out, pending, err = s.publishNew(ctx, by, in, np, a)
		return err
	}, func(rec Once, keys Minted) error {
		out, err = s.publishedAgain(ctx, by, in, np, rec, keys)
		return err
	})
	return out, pending, err
}

// publishNew publishes what was not published before. The content is used up or
// discarded, unless this panics.
func (s *Service) publishNew(ctx context.Context, by Caller, in PublishInput, np newProject, a *attempt) (Published, *Pending, error) {
	if in.Part != nil {
		return s.publishPart(ctx, by, in, np, a)
	}
	out, err := Published{}, checkContent(in.Content, primaryFile, true, in.Declared)
	if err == nil {
		out, err = s.create(ctx, by, np, in.Content, beside{once: a})
	}
	if err != nil && definite(err) {
		s.Discard(ctx, in.Content)
	}
	return out, nil, err
}

// beside is what a step does beside its effect: it closes the upload that it
// uses up, and leaves the record of a call that has an Idempotency-Key.
type beside struct {
	upload *completing
	once   *attempt
	mail   MailFate
}

// preparePublish checks and mends the words of a publish.
func (s *Service) preparePublish(by Caller, in PublishInput) (newProject, error) {
	np := newProject{Handle: in.Handle, Declared: in.Declared}
	var err error
	if np.Email, err = cleanEmail(in.Email); err != nil {
		return np, err
	}
	if by.Nobody() && np.Email == "" {
		return np, Refuse(CodeEmailRequired, "A first publish without a key makes an account, and needs the field email.").In("email").
			With(OpSame, Arg{"email", "me@example.com"}).
			Note("Send email, or the api_key of an account in the Authorization header.")
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
	out := Published{Warnings: append(np.Warnings, contentWarnings(c, primaryFile)...)}
	if np.Title == "" {
		np.Title, _ = cleanTitle(documentTitle(c))
	}
	rec := NewProject{Account: by.Key.Account, Title: np.Title, Lang: np.Lang, CreatedAt: s.now().UTC(), Within: s.Quota}
	rec.File = File{Name: primaryFile, Folded: names.Fold(primaryFile), Blob: c.Blob}
	var err error
	if also.mail = MailSet; !by.Nobody() {
		if rec.Email, also.mail, err = s.pendingEmail(ctx, by, np.Email, np.Lang); err != nil {
			return out, err
		}
	}
	out.Warnings = append(out.Warnings, s.mailWarnings(by, also.mail)...)
	if err = retryExists(func() error { return s.createOnce(ctx, by, np, &rec, also, &out) }); err != nil {
		return out, fmt.Errorf("create project: %w", s.overQuota(err))
	}
	return s.finishPublished(by, np, rec, out), nil
}

// createOnce draws fresh names and keys and tries to record them.
func (s *Service) createOnce(ctx context.Context, by Caller, np newProject, rec *NewProject, also beside, out *Published) error {
	if by.Nobody() {
		na, secret, err := s.newAccount(np.Handle, np.Email, np.Lang)
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
	if rec.Upload, err = s.completion(by, also.upload, rec.ID, 1, out.Keys); err != nil {
		return err
	}
	if rec.Once, err = s.record(also.once, rec.ID, 1, also.mail, out.Keys); err != nil {
		return err
	}
	out.Project, err = s.store.CreateProject(ctx, *rec)
	return attempted(err)
}

func (s *Service) finishPublished(by Caller, np newProject, rec NewProject, out Published) Published {
	out.File = rec.File
	out.Addresses = s.Places.Project(out.Project.ID, out.Project.Version, out.Project.Suffix)
	if by.Nobody() {
		out.Account = &Account{ID: out.Project.Account, Handle: out.Project.Handle, Email: np.Email, Lang: np.Lang, CreatedAt: rec.CreatedAt}
		out.Mailed = s.SMTP
	} else {
		out.Keys.Account = accountSecret(by)
		out.Mailed = rec.Email != nil && s.SMTP
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

// contentWarnings tells what may not have been meant.
func contentWarnings(c Content, filename string) []Warning {
	if c.Gzip && !isHTML(filename) && !isPacked(filename) {
		return []Warning{{
			"gzip_stored", "The bytes of " + filename + " are gzipped and were stored as they came.",
			"If the file itself was meant, send content_encoding gzip+base64.",
		}}
	}
	return nil
}

// uncertain is the error of a step of the store that may have had its effect.
type uncertain struct{ error }

func (u uncertain) Unwrap() error { return u.error }

// attempted marks the error of a step that refers to content, unless it says
// that nothing was changed.
func attempted(err error) error {
	for _, nothing := range []error{ErrMoved, ErrNotFound, ErrExists, ErrRepeated, ErrFull, ErrTooManyProjects, ErrTooManyBytes} {
		if errors.Is(err, nothing) {
			return err
		}
	}
	if err == nil {
		return nil
	}
	return uncertain{err}
}

// definite reports whether what failed certainly had no effect, so that the
// content it would have referred to may go.
func definite(err error) bool {
	var u uncertain
	return !errors.As(err, &u)
}
