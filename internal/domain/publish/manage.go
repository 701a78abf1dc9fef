package publish

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// MaxDescription bounds a project's description, in characters: some paragraphs.
const MaxDescription = 1000

// Details are the owner's description of a project. They belong to no version.
type Details struct {
	Title       string
	Description string // plain text, with line breaks
	Unlisted    bool
	Threads     bool
	Tags        sandlot.Tags
}

// DetailsChange holds the new values of details, and of the language; nil is as before.
type DetailsChange struct {
	Title, Description, Lang *string
	Unlisted, Threads        *bool
	Tags                     *sandlot.Tags
	Runtime                  *sandlot.Runtime

	By     int64  // the ID of the caller's key, 0 for none; a revoked key is ErrRevoked
	Expect int    // the current version; the step fails with ErrMoved if it is another; 0: any
	Seen   string // the Mark of the details that the caller saw: see Replaces; empty: any
	Blocks int64  // as in Screened
}

// Replaces reports whether the change may be made if the details are now: they are those that the caller saw, or
// already as the change makes them.
func (c DetailsChange) Replaces(now Details) bool {
	then := now
	for _, word := range []struct{ is, to *string }{{&then.Title, c.Title}, {&then.Description, c.Description}} {
		if word.to != nil {
			*word.is = *word.to
		}
	}
	for _, choice := range []struct{ is, to *bool }{{&then.Unlisted, c.Unlisted}, {&then.Threads, c.Threads}} {
		if choice.to != nil {
			*choice.is = *choice.to
		}
	}
	if c.Tags != nil {
		then.Tags = *c.Tags
	}
	return c.Seen == "" || c.Seen == now.Mark() || then == now
}

// Change returns the change that sets all details to d.
func (d Details) Change() DetailsChange {
	return DetailsChange{Title: &d.Title, Description: &d.Description, Unlisted: &d.Unlisted, Threads: &d.Threads, Tags: &d.Tags}
}

// empty reports whether the change changes nothing.
func (c DetailsChange) empty() bool {
	return c.Title == nil && c.Description == nil && c.Lang == nil && c.Unlisted == nil && c.Threads == nil && c.Tags == nil &&
		c.Runtime == nil
}

// Change holds the differences of a new version from the one before.
type Change struct {
	Drop    []sandlot.File // current files that are removed, or make room for one in Put
	Put     []sandlot.File // new files; a Blob with an ID is recorded already
	Primary string         // empty: as before
}

// A ProjectStore keeps the changes that owners make to a project by hand, under the same promises as a Store.
type ProjectStore interface {
	// Details returns a project's details.
	Details(ctx context.Context, id sandlot.ProjectID) (Details, error)
	// SetDetails records changed details of a project, and makes no version. If the change does not replace the
	// recorded details it is ErrMoved. A suspended project is ErrSuspended, as it is for EraseVersion.
	SetDetails(ctx context.Context, id sandlot.ProjectID, d DetailsChange) error
	// Rearrange makes the version after at.Expect, without c.Drop, with c.Put, and with all other files as before. A
	// missing file to drop, or a missing recorded blob, is ErrNotFound; a version that would lack its primary file is
	// ErrNoPrimary; an owner who would have more bytes than at.Within is ErrTooManyBytes. A version of many files may
	// take a while, in which others write: it is recorded whole or not at all, and another edit of the project waits
	// for it.
	Rearrange(ctx context.Context, id sandlot.ProjectID, c Change, at Edit) (sandlot.Project, error)
	// Usage returns an account's use of everything that a Quota bounds, at the time given.
	Usage(ctx context.Context, id sandlot.AccountID, now time.Time) (Quota, error)
	// Versions returns a project's versions below before (0: all), newest first, at most limit. It also has those of a
	// deleted project until Sweep releases them.
	Versions(ctx context.Context, id sandlot.ProjectID, before, limit int) ([]sandlot.VersionChange, error)
	// EraseVersion removes a version's files, except those that other versions use, and leaves its number; a second
	// call has no further effect. The current version is ErrMoved.
	EraseVersion(ctx context.Context, id sandlot.ProjectID, n int, at time.Time) error
	// RecoverProject records the versions of p as further ones of the project that has the id p.ID, or had it until it
	// was deleted, with all current files of that one ended, and records p.Log. A project in the trash is taken out of
	// it. A project that was deleted for good loses its earlier versions, and also gets the account and the description
	// of p; its address, its number, its keys and its plays stay. An id that was never used is ErrNotFound. A project
	// of another account, or of an account that is gone, is ErrMoved. Only p.Account, its contents and texts count.
	RecoverProject(ctx context.Context, p NewProject) (sandlot.Project, error)
}

// Managed is a project as its owner sees it on the website.
type Managed struct {
	ProjectView
	Details Details
}

// DescribeInput holds the details that an owner sends from a project's page.
type DescribeInput struct {
	Details
	Lang *string // nil: as before
	Seen string  // the Mark of the details on the page; empty: no check
}

// Mark returns a short hash of the details, by which a form recognizes them.
func (d Details) Mark() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %t %t %q", d.Title, d.Description, d.Unlisted, d.Threads, d.Tags))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Describe records the details of a project. The title is normalized like any title. A description that is too long is
// CodeInvalidField. If other details were recorded since the owner saw them it is CodeVersionConflict, unless they are
// the same.
func (s *Service) Describe(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, in DescribeInput) error {
	p, err := s.owned(ctx, by, sandlot.ActOwn, id)
	if err != nil {
		return err
	}
	c := in.Change()
	c.Lang, c.Seen = in.Lang, in.Seen
	if _, err := c.clean(); err != nil {
		return err
	}
	err = retryTaken(func() (err error) {
		if c.Blocks, err = s.unblocked(ctx, by, Screening{Project: p, Title: or(c.Title)}); err != nil {
			return err
		}
		return s.management.SetDetails(ctx, id, c)
	})
	if errors.Is(err, sandlot.ErrMoved) {
		return sandlot.Refuse(sandlot.CodeVersionConflict,
			"The details of %s were changed meanwhile. Nothing was changed.", p.ID).
			With(sandlot.OpProject, sandlot.Set("id", string(p.ID)))
	}
	return s.suspendedSince(ctx, by, id, err)
}

// AmendInput requests other details of a project. Fields are as the client sent them; a nil one was not sent.
type AmendInput struct {
	Title, Lang *string
	About
	Runtime   *string // the calls that its players may make: "on", "read" or "off"
	Primary   *string // the file that is opened first
	IfVersion *int
}

// Amend changes the details of a project, and its primary file, which makes a version. It is one step: if one field is
// refused nothing is changed. ref is the project's id or one of its addresses. The answer is the project as Project
// shows it. It is durable when Amend returns.
//
// A call without fields is CodeMissingField. A field with its current value makes no version. A project at another
// version than in.IfVersion is CodeVersionConflict.
func (s *Service) Amend(ctx context.Context, by sandlot.Caller, ref string, in AmendInput) (v ProjectView, err error) {
	defer func() { err = s.present(ctx, by, err) }()
	if err := sandlot.Authorize(by, sandlot.ActSettle, nil); err != nil {
		return v, err
	}
	p, err := s.find(ctx, ref)
	if err == nil {
		err = sandlot.Authorize(by, sandlot.ActSettle, &p)
	}
	if err != nil {
		return v, err
	}
	c, err := in.About.change()
	if err != nil {
		return v, err
	}
	c.Title, c.Lang = in.Title, in.Lang
	if c.Runtime, err = readRuntime(in.Runtime); err != nil {
		return v, err
	}
	if in.Primary == nil && c.empty() {
		return v, sandlot.Refuse(sandlot.CodeMissingField,
			"The call says nothing that is to be other. Nothing was changed.").
			With(sandlot.OpProject, sandlot.Set("id", string(p.ID))).
			Note("Send any of title, description, tags, listed, threads, runtime, lang and primary_file. This is the project as it is:")
	}
	c.By = by.Key().ID
	warnings, err := c.clean()
	if err != nil {
		return v, err
	}
	if err := s.amend(ctx, by, p.ID, in, c); err != nil {
		return v, fmt.Errorf("amend project: %w", err)
	}
	v, err = s.Reader.Project(ctx, by, string(p.ID))
	v.Warnings = append(warnings, v.Warnings...)
	return v, done(err)
}

// readRuntime reads the field runtime, if it was sent.
func readRuntime(word *string) (*sandlot.Runtime, error) {
	if word == nil {
		return nil, nil
	}
	r, ok := sandlot.ReadRuntime(*word)
	if !ok {
		return nil, sandlot.Refuse(sandlot.CodeInvalidField, "The field runtime says what players may keep: on, read or off.").In("runtime").
			With(sandlot.OpSame, sandlot.Set("runtime", "read")).
			Note(`"read" lets players read what they have and keep nothing new, "off" neither; nothing is deleted:`)
	}
	return &r, nil
}

// amend records c, and with it the primary file if another is chosen.
func (s *Service) amend(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, in AmendInput, c DetailsChange) error {
	if in.Primary != nil {
		name, _, err := cleanFilename(*in.Primary)
		var e *sandlot.Error
		if errors.As(err, &e) {
			return sandlot.Refuse(e.Code, "The field primary_file is no name that a file can have.").
				In("primary_file").With(sandlot.OpProject, sandlot.Set("id", string(id))).
				Note("The project's files are listed here:")
		}
		choose, made := choosePrimary(name, "primary_file"), false
		a := arrangement{
			act: sandlot.ActSettle, ifVersion: in.IfVersion, details: c,
			change: func(p sandlot.Project, current []sandlot.File) (Change, error) {
				change, err := choose(p, current)
				made = change.Primary != ""
				return change, err
			},
		}
		if _, _, _, err := s.arrange(ctx, by, id, a); err != nil || made || c.empty() {
			return err
		}
	}
	_, _, err := s.edit(ctx, id, in.IfVersion, func(p sandlot.Project) (sandlot.Project, error) {
		if err := sandlot.Authorize(by, sandlot.ActSettle, &p); err != nil {
			return p, err
		}
		if in.IfVersion != nil {
			c.Expect = p.Version
		}
		var err error
		if c.Blocks, err = s.unblocked(ctx, by, Screening{Project: p, Title: or(c.Title)}); err != nil {
			return p, err
		}
		return p, s.management.SetDetails(ctx, id, c)
	})
	return err
}

// clean normalizes the details. A description that is too long, and an invalid language, are refused.
func (c *DetailsChange) clean() (w []sandlot.Warning, err error) {
	if c.Title != nil {
		title, cut := cleanTitle(*c.Title)
		c.Title, w = &title, append(w, cut...)
	}
	if c.Description != nil {
		text := cleanDescription(*c.Description)
		if n := utf8.RuneCountInString(text); n > MaxDescription {
			return nil, sandlot.Refuse(sandlot.CodeInvalidField,
				"The description has %d characters; at most %d are kept.", n, MaxDescription).In("description").
				With(sandlot.OpSame).
				Note("Send a shorter description; all else would be taken as it is:")
		}
		c.Description = &text
	}
	if c.Tags != nil {
		tags, err := ReadTags(c.Tags.List())
		if err != nil {
			return nil, err
		}
		c.Tags = &tags
	}
	if c.Lang != nil {
		lang, read := sandlot.CleanLang(*c.Lang)
		if lang == "" && *c.Lang != "" {
			return nil, sandlot.Refuse(sandlot.CodeInvalidField, "The field lang is not a language code.").In("lang").
				With(sandlot.OpSame).Note(`Send a BCP 47 code such as "en" or "pt-BR", or "" for none; all else would be taken as it is:`)
		}
		c.Lang, w = &lang, append(w, read...)
	}
	return w, nil
}

// ReadTags normalizes tags. Tags that look the same to a reader count once. More than MaxTags, an invalid tag, and a
// list of blanks alone are CodeInvalidField.
func ReadTags(list []string) (sandlot.Tags, error) {
	kept, wrong := keepTags(list)
	var e *sandlot.Error
	switch {
	case len(kept) > sandlot.MaxTags:
		e = sandlot.Refuse(sandlot.CodeInvalidField, "The project was given %d tags; it may have %d.", len(list), sandlot.MaxTags)
	case len(wrong) > 0:
		e = sandlot.Refuse(sandlot.CodeInvalidField,
			"The tag %s cannot be: a tag has 2 to 24 letters, digits and hyphens, of any script.",
			inspect.Quoted(wrong[0]))
	case len(list) > 0 && len(kept) == 0:
		e = sandlot.Refuse(sandlot.CodeInvalidField,
			"The list of tags has none in it, and is not empty. An empty list takes all tags away.")
	default:
		return sandlot.TagsOf(kept), nil
	}
	for _, text := range wrong {
		if near := names.NearTag(text); near != "" && len(kept) < sandlot.MaxTags {
			kept, _ = keepTags(append(kept, near))
		}
	}
	var mended []sandlot.Arg // nil if no tag is left: an empty list would remove the project's tags
	if len(kept) > 0 {
		mended = []sandlot.Arg{sandlot.Set("tags", strings.Join(kept[:min(len(kept), sandlot.MaxTags)], ","))}
	}
	return "", e.In("tags").With(sandlot.OpSame, mended...).Note("Nothing was changed. All else would be taken as it is:")
}

// keepTags returns the valid tags of a list, normalized and each once, at most one more than a project may have, and
// the first of the invalid ones.
func keepTags(list []string) (kept, wrong []string) {
	for _, text := range list {
		tag, ok := names.Tag(text)
		switch {
		case len(kept) > sandlot.MaxTags:
			return kept, wrong
		case !ok && strings.TrimSpace(text) == "", slices.ContainsFunc(kept, func(k string) bool { return names.SameTag(k, tag) }):
		case ok:
			kept = append(kept, tag)
		case len(wrong) < sandlot.MaxTags:
			wrong = append(wrong, text)
		}
	}
	return kept, wrong
}

// suspendedSince returns the error of a step on a project: its refusal if the project was suspended since it was looked
// up.
func (s *Service) suspendedSince(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID, err error) error {
	if !errors.Is(err, sandlot.ErrSuspended) {
		return err
	}
	if _, now := s.owned(ctx, by, sandlot.ActOwn, id); now != nil {
		return now
	}
	return err
}

// cleanDescription removes characters that could act where the text is shown, and keeps its lines.
func cleanDescription(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(text, ""))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text))
}

func (s *Service) evenFull(step func() error) error { return sandlot.EvenFull(s.Spend, step) }
