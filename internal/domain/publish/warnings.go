package publish

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/check"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// A warner makes the warnings of a Service, which do not fail a call.
type warner struct {
	*Config  // of the Service
	Contents *Contents
	log      *slog.Logger
}

// contentWarnings warns about a file that may not have been meant, and was stored as it came. page says whether
// browsers open the file first.
func contentWarnings(c Content, filename string, page bool) []sandlot.Warning {
	if w := encodedWarnings(c, filename, page); w != nil {
		return w
	}
	if seems, ok := c.Damage.Damaged(filename); ok {
		return []sandlot.Warning{sandlot.Warn(
			string(sandlot.CodeLooksDamaged),
			fmt.Sprintf("The bytes of %s look like %s. They were stored as they came.", filename, seems.What),
			seems.Instead+" With update and filename "+filename+" it takes this one's place.",
		)}
	}
	if c.Damage.Escaped(filename) {
		return []sandlot.Warning{sandlot.Warn(
			"double_escaped", "The file "+filename+` is one line, with \n and \" where line feeds and quotes were meant: it was escaped once too often, and was stored as it came.`,
			"Send the file itself with update, as a form part or in base64 that a program makes.",
		)}
	}
	return nil
}

// encodedWarnings warns about bytes that are packed, encoded, or no page.
func encodedWarnings(c Content, filename string, page bool) []sandlot.Warning {
	switch {
	case inspect.EncodedTwice(filename, c.Size, c.Within):
		return []sandlot.Warning{sandlot.Warn(
			string(sandlot.CodeDoubleEncoded),
			"The bytes of "+filename+" are still base64 text after decoding: "+
				"it was encoded twice, and was stored as it came.",
			"Encode the file once, with a command, and send it again with update.",
		)}
	case c.Gzip && !inspect.IsHTML(filename) && !inspect.IsPacked(filename):
		return []sandlot.Warning{sandlot.Warn(
			"gzip_stored", "The bytes of "+filename+" are gzipped and were stored as they came.",
			"If the file itself was meant, send content_encoding gzip+base64.",
		)}
	case page && inspect.IsHTML(filename) && c.Size > 0:
		if seems, ok := inspect.NotPage(c.Head); ok {
			return []sandlot.Warning{sandlot.Warn(
				"not_html", fmt.Sprintf("The bytes of %s do not look like HTML: they look like %s. "+
					"They were stored as they came, and browsers open them as a page.", filename, seems.What),
				seems.Instead+" With update and filename "+filename+" it takes this one's place.",
			)}
		}
	}
	return nil
}

// fileWarnings returns the contentWarnings of a stored file. It reads only the head and the tail of most files, and the
// whole of one that may be base64 again. charge takes the bytes that are read, so that a repeated call cannot have much
// read for free.
func (s *warner) fileWarnings(ctx context.Context, f sandlot.File, page bool, charge sandlot.Charge) ([]sandlot.Warning, error) {
	r, err := s.Contents.Open(ctx, f.Blob, 0, -1)
	if err != nil {
		return nil, fmt.Errorf("look at the file again: %w", err)
	}
	defer r.Close()
	in, charged := inspect.New(), charge.Of(r)
	_, err = io.CopyN(in, charged, inspect.HeadSize)
	if err == nil && in.MayBeBase64() {
		_, err = io.Copy(in, charged)
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("look at the file again: %w", err)
	}
	c := inspected(in)
	if in.Size() < f.Blob.Size {
		c.Within = nil
		tail, err := s.piece(ctx, f.Blob, f.Blob.Size-inspect.TailSize, inspect.TailSize, charge)
		if err != nil {
			return nil, fmt.Errorf("look at the file again: %w", err)
		}
		c.Damage = inspect.DamageOf(c.Head, tail)
	}
	return contentWarnings(c, f.Name, page), nil
}

// untold logs that a warning could not be made. The call has had its effect by then, and does not fail for want of a
// warning.
func (s *warner) untold(err error) {
	if err != nil {
		s.log.Warn("an answer lacks a warning", "error", err)
	}
}

// documentTitle finds the title in the head of an HTML document.
func documentTitle(c Content) string {
	if !c.Text {
		return ""
	}
	return names.DocumentTitle(c.Head)
}

// quarantined reports whether a project's pages load from and send to no other origin, because nobody has verified its
// account's e-mail address.
func (s *warner) quarantined(p sandlot.Project) bool { return s.Quarantine && !p.Verified }

// quarantineWarnings warns the owner of a project in quarantine about the parts of a file that it blocks, and says how
// to end it.
func (s *warner) quarantineWarnings(ctx context.Context, p sandlot.Project, f sandlot.File) ([]sandlot.Warning, error) {
	if !s.quarantined(p) {
		return nil, nil
	}
	var found []string
	if inspect.MayLoad(f.Name) {
		r, err := s.Contents.Open(ctx, f.Blob, 0, min(f.Blob.Size, inspect.BlockedSample))
		if err != nil {
			return nil, fmt.Errorf("look for parts that quarantine blocks: %w", err)
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, inspect.BlockedSample))
		if err != nil {
			return nil, fmt.Errorf("look for parts that quarantine blocks: %w", err)
		}
		found = inspect.Blocked(text)
	}
	w := s.quarantineWarning()
	if len(found) > 0 {
		w.Message += " Of " + f.Name + " that blocks: " + strings.Join(found, "; ") + "."
		w.Hint += " What a page needs from elsewhere can also be sent with update and loaded from the project itself."
	} else {
		w.Message += " Nothing that it blocks was found in " + f.Name + "."
	}
	return []sandlot.Warning{w}, nil
}

// versionWarnings warns the owner of a project about quarantine, and about the findings in the files that a call has
// changed. all are the files of the version; nil if they are not at hand. charge takes the bytes that are read.
func (s *warner) versionWarnings(ctx context.Context, p sandlot.Project, changed, all []sandlot.File,
	charge sandlot.Charge,
) ([]sandlot.Warning, error) {
	if all == nil && len(changed) == p.FileCount {
		all = changed
	}
	var kept []sandlot.Warning
	about := changed[:min(len(changed), 1)]
	if len(changed) != 1 {
		about = all
	}
	for _, f := range about {
		if len(about) == 1 || f.Name == p.Primary {
			var err error
			if kept, err = s.quarantineWarnings(ctx, p, f); err != nil {
				return nil, err
			}
		}
	}
	found, err := s.checked(ctx, p, changed, all, kept, charge)
	return slices.Concat(kept, found), err
}

// checked returns the findings in the files that a call has changed. It does not repeat the warnings beside them.
func (s *warner) checked(ctx context.Context, p sandlot.Project, changed, all []sandlot.File,
	beside []sandlot.Warning, charge sandlot.Charge,
) ([]sandlot.Warning, error) {
	v := check.Version{Primary: p.Primary, Size: p.Size, Count: p.FileCount, Place: s.place(p, beside)}
	secrets, skipped, err := s.looks(ctx, &v, changed, charge)
	if err != nil {
		return nil, err
	}
	if v.Empty, err = s.empty(ctx, changed, charge); err != nil {
		return nil, err
	}
	v.All = all != nil && !skipped && readable(all) == readable(changed)
	if all == nil && p.FileCount <= mostCompared && len(v.Looks) > 0 {
		if all, err = s.Contents.Files(ctx, p.ID, p.Version); err != nil {
			return nil, fmt.Errorf("look for files that are referred to: %w", err)
		}
	}
	v.Names, v.Unlisted = namesOf(all), all == nil
	return append(secrets, warningsOf(p.ID, v.Findings())...), nil
}

const (
	// mostLacking and mostLooksLacking bound the bytes and files that are read for a call without bytes.
	mostLacking      = 1 << 20
	mostLooksLacking = 50
	// mostLooks bounds the files of one call that are read: each costs some microseconds, however small it is.
	mostLooks = 1000
	// mostSecrets bounds the files with a key of another service that a call warns about.
	mostSecrets = 5
	// mostCompared is the most files of a project whose names are read when one file changes.
	mostCompared = 1000
)

// empty lists the files without bytes, and the pointers of Git LFS, which stand for files that were not fetched.
func (s *warner) empty(ctx context.Context, changed []sandlot.File, charge sandlot.Charge) (list []string, err error) {
	const least, most, mostRead = 100, 200, 50 // bytes of a pointer, and the most files that are read
	read := 0
	for _, f := range changed {
		pointer := false
		if f.Blob.Text && f.Blob.Size >= least && f.Blob.Size <= most && read < mostRead {
			text, err := s.piece(ctx, f.Blob, 0, f.Blob.Size, charge)
			if err != nil {
				return nil, fmt.Errorf("look at %s: %w", f.Name, err)
			}
			pointer, read = bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")), read+1
		}
		if pointer || f.Blob.Size == 0 {
			list = append(list, f.Name)
		}
	}
	slices.Sort(list)
	return list, nil
}

// lacking warns about files that the pages of a version load in vain, after a call that brought none of them. It reads
// only as much as takes a few milliseconds: the call brings hardly a byte.
func (s *warner) lacking(ctx context.Context, p sandlot.Project, files []sandlot.File) []sandlot.Warning {
	v := check.Version{Primary: p.Primary, Size: p.Size, Count: p.FileCount, Place: s.place(p, nil), Names: namesOf(files)}
	var look []sandlot.File
	room := int64(mostLacking)
	for _, primary := range []bool{true, false} {
		for _, f := range files {
			if n := min(f.Blob.Size, check.Sample); check.Reads(f.Name) && (f.Name == p.Primary) == primary &&
				n <= room && len(look) < mostLooksLacking {
				look, room = append(look, f), room-n
			}
		}
	}
	v.WithoutParser()
	_, skipped, err := s.looks(ctx, &v, look, nil)
	if err != nil {
		s.untold(fmt.Errorf("look for files that are missing: %w", err))
		return nil
	}
	v.All = !skipped && len(look) == readable(files)
	return warningsOf(p.ID, slices.DeleteFunc(v.Findings(),
		func(f check.Finding) bool { return f.Code != check.MissingFile && f.Code != check.WrongCase }))
}

// looks reads the files that a call has changed, the primary file first, within the bounds of package check. It warns
// about keys of other services, and reports whether a file was left out.
func (s *warner) looks(ctx context.Context, v *check.Version, changed []sandlot.File,
	charge sandlot.Charge,
) (secrets []sandlot.Warning, skipped bool, err error) {
	room := int64(check.SampleAll)
	look := func(f sandlot.File) error {
		n := min(f.Blob.Size, check.Sample)
		if room -= n; room < 0 || len(v.Looks) == mostLooks {
			room, skipped = room+n, true
			return nil
		}
		text, err := s.piece(ctx, f.Blob, 0, n, charge)
		if err != nil {
			return err
		}
		if what, line := inspect.FindSecret(text); what != "" && len(secrets) < mostSecrets {
			secrets = append(secrets, secretWarning(f.Name, what, line))
		}
		v.Look(f.Name, text, n == f.Blob.Size)
		return nil
	}
	for _, primary := range []bool{true, false} {
		for _, f := range changed {
			if check.Reads(f.Name) && (f.Name == v.Primary) == primary {
				if err := look(f); err != nil {
					return nil, skipped, fmt.Errorf("look at %s: %w", f.Name, err)
				}
			}
		}
	}
	left := skipped
	for _, f := range changed {
		if check.ReadsLast(f.Name) {
			if err := look(f); err != nil {
				return secrets, left, fmt.Errorf("look at %s: %w", f.Name, err)
			}
		}
	}
	return secrets, left, nil
}

// secretWarning returns the warning about a key of another service. It never repeats the key.
func secretWarning(name, what string, line int) sandlot.Warning {
	return sandlot.Warn("secret",
		fmt.Sprintf("%s, line %d, holds what looks like %s. "+
			"Everything published is public, and earlier versions stay.", name, line, what),
		"If it is a secret, replace it where it was made, and update the file without it: "+
			"a page cannot keep a secret. "+
			"Have the player enter a key of their own, or call the other service from a server of yours. "+
			"A key that is meant for browsers, as Firebase's, is none.")
}

// piece returns n bytes of a blob from off, read unless they are in memory.
func (s *warner) piece(ctx context.Context, b sandlot.Blob, off, n int64, charge sandlot.Charge) ([]byte, error) {
	if b.ID == 0 && int64(len(b.Inline)) == b.Size {
		return b.Inline[off : off+n], nil
	}
	r, err := s.Contents.Open(ctx, b, off, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text := make([]byte, n)
	_, err = io.ReadFull(charge.Of(r), text)
	return text, err
}

// place returns the address of the project, for the check.
func (s *warner) place(p sandlot.Project, beside []sandlot.Warning) check.Place {
	at := s.Places.Project(p.ID, 0, "")
	place := check.Place{
		Project: string(p.ID), Own: cmp.Or(s.Places.Content, s.Places.Base.Host), Path: at.Path, PathAlone: s.Places.Content == "",
		HTTPS: s.Places.Base.Scheme == "https", Blocked: s.quarantined(p), Threads: p.Threads,
		NoRuntime: s.NoRuntime || p.Runtime == sandlot.RuntimeOff,
	}
	for _, w := range beside {
		place.Told += w.Message
	}
	return place
}

// namesOf returns the names of files in byte order.
func namesOf(files []sandlot.File) []string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = f.Name
	}
	slices.Sort(list)
	return list
}

// readable counts the files that the check can read.
func readable(files []sandlot.File) (n int) {
	for _, f := range files {
		if check.Reads(f.Name) {
			n++
		}
	}
	return n
}

// warningsOf returns the findings about a project as warnings, with the calls that mend them, if any.
func warningsOf(id sandlot.ProjectID, found []check.Finding) (list []sandlot.Warning) {
	for _, f := range found {
		w := sandlot.Warn(string(f.Code), f.Message, f.Hint)
		switch {
		case id == "": // of a dry run, which no call can name
		case f.Code == check.MissingFile && f.Lacks != "":
			w = w.With(sandlot.OpUpdate, sandlot.Set("project_id", string(id)), sandlot.Set("filename", f.Lacks))
		case f.Code == check.NeedsThreads:
			w = w.With(sandlot.OpAmend, sandlot.Set("id", string(id)), sandlot.Set("threads", true))
		}
		list = append(list, w)
	}
	return list
}

// quarantineOf returns the quarantineWarnings of the primary file among files.
func (s *warner) quarantineOf(ctx context.Context, p sandlot.Project, files []sandlot.File) []sandlot.Warning {
	f := fileNamed(files, p.Primary)
	if f == nil {
		return nil
	}
	kept, err := s.quarantineWarnings(ctx, p, *f)
	s.untold(err)
	return kept
}

// quarantineWarning returns the warning that a project is in quarantine, and how to end it.
func (s *warner) quarantineWarning() sandlot.Warning {
	return sandlot.Warn(
		"quarantined", "The project is in quarantine until the e-mail address of its account is verified: "+
			"its pages load from and send to nowhere but their own address.",
		"Opening the link in the message to that address, and pressing its button, "+
			"ends it for all projects of the account at once. "+
			"Without the message, send email with the account's api_key, or log in on the website.",
	)
}

// shown returns a project as the caller may see it: to others its title may be held back.
func (s *warner) shown(by sandlot.Caller, p sandlot.Project) sandlot.Project {
	if by.Account() != p.Account && !by.IsOperator() && TitleHeldBack(s.Config, p) {
		p.Title = ""
	}
	return p
}

// TitleHeldBack reports whether others see the id of a project in place of its title.
func TitleHeldBack(c *Config, p sandlot.Project) bool {
	return c.Public && !p.Verified && p.Title != "" && c.Brands.Resemble(p.Title)
}

// titleWarnings warns the owner of a project that others do not see its title, and says how to end that.
func (s *warner) titleWarnings(p sandlot.Project) []sandlot.Warning {
	if !TitleHeldBack(s.Config, p) {
		return nil
	}
	return []sandlot.Warning{sandlot.Warn(
		"title_held_back", "Others see the id of the project in place of its title, which resembles the name of a company or an office: "+
			"nobody has verified the email address of its account.",
		"Another title is shown at once. Opening the link in the message to that address, and pressing its button, shows this one. "+
			"Without the message, send email with the account's api_key, or log in on the website.",
	)}
}

// listingWarnings warns the owner of a project that nobody finds it or sees its title yet, and says how to end that.
func (s *warner) listingWarnings(p sandlot.Project) []sandlot.Warning {
	w := s.titleWarnings(p)
	if !s.Public || p.Verified || p.Suspended || p.Unlisted || p.Held.Rule != sandlot.NotHeld {
		return w
	}
	return append(w, sandlot.Warn(
		"not_listed", "The project is at its address, but not yet in the gallery or on its creator's profile: "+
			"nobody has verified the email address of its account.",
		"Opening the link in the message to that address, and pressing its button, "+
			"lists all projects of the account. "+
			"Without the message, send email with the account's api_key, or log in on the website.",
	))
}
