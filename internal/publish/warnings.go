package publish

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"sandlot/internal/inspect"
	"sandlot/internal/names"
)

// A warner tells callers what did not fail their calls, as part of a Service.
type warner struct {
	*Config  // of the Service
	Contents *Contents
	log      *slog.Logger
}

// contentWarnings tells what about a file may not have been meant, and was stored as it came.
// page says whether the file is what browsers open first.
func contentWarnings(c Content, filename string, page bool) []Warning {
	switch {
	case inspect.EncodedTwice(filename, c.Size, c.Within):
		return []Warning{{
			string(CodeDoubleEncoded), "The bytes of " + filename + " are still base64 text after decoding: it was encoded twice, and was stored as it came.",
			"Encode the file once, with a command, and send it again with update.",
		}}
	case c.Gzip && !inspect.IsHTML(filename) && !inspect.IsPacked(filename):
		return []Warning{{
			"gzip_stored", "The bytes of " + filename + " are gzipped and were stored as they came.",
			"If the file itself was meant, send content_encoding gzip+base64.",
		}}
	case page && inspect.IsHTML(filename) && c.Size > 0:
		if seems, ok := inspect.NotPage(c.Head); ok {
			return []Warning{{
				"not_html", fmt.Sprintf("The bytes of %s do not look like HTML: they look like %s. They were stored as they came, and browsers open them as a page.", filename, seems.What),
				seems.Instead + " With update and filename " + filename + " it takes this one's place.",
			}}
		}
	}
	return nil
}

// fileWarnings are the contentWarnings of a file that is stored. Of most files the head is read
// alone; the whole is read of one that may be base64 again. charge is asked for what is read,
// so that a call that is sent again cannot have much read for free.
func (s *warner) fileWarnings(ctx context.Context, f File, page bool, charge Charge) ([]Warning, error) {
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
	}
	return contentWarnings(c, f.Name, page), nil
}

// storedWarnings are the warnings about a stored file, for an answer from a record. A call
// whose bytes were all charged has no charge.
func (s *warner) storedWarnings(ctx context.Context, p Project, f File, page bool, charge Charge) (about, kept []Warning, err error) {
	if f.Blob.ID == 0 {
		return nil, nil, nil // its bytes were erased: there is nothing to look at
	}
	if about, err = s.fileWarnings(ctx, f, page, charge); err == nil {
		kept, err = s.quarantineWarnings(ctx, p, f)
	}
	return about, kept, err
}

// untold logs that a warning could not be made. The call has had its effect by then, and does
// not fail for want of a warning.
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

// quarantined reports whether a project's pages load from and send to nowhere but
// themselves, because nobody has verified its account's e-mail address.
func (s *warner) quarantined(p Project) bool { return s.Quarantine && !p.Verified }

// quarantineWarnings tell the owner of a project in quarantine what of a file it
// blocks, and what ends it.
func (s *warner) quarantineWarnings(ctx context.Context, p Project, f File) ([]Warning, error) {
	if !s.quarantined(p) {
		return nil, nil
	}
	var found []string
	if inspect.MayLoad(f.Name) {
		r, err := s.Contents.Open(ctx, f.Blob, 0, min(f.Blob.Size, inspect.BlockedSample))
		if err != nil {
			return nil, fmt.Errorf("look for what quarantine blocks: %w", err)
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, inspect.BlockedSample))
		if err != nil {
			return nil, fmt.Errorf("look for what quarantine blocks: %w", err)
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
	return []Warning{w}, nil
}

// quarantineOf is quarantineWarnings of the primary file among files.
func (s *warner) quarantineOf(ctx context.Context, p Project, files []File) []Warning {
	for _, f := range files {
		if f.Name == p.Primary {
			kept, err := s.quarantineWarnings(ctx, p, f)
			s.untold(err)
			return kept
		}
	}
	return nil
}

// quarantineWarning tells that a project is in quarantine, and what ends it.
func (s *warner) quarantineWarning() Warning {
	return Warning{
		"quarantined", "The project is in quarantine until the e-mail address of its account is verified: its pages load from and send to nowhere but their own address.",
		"Opening the link in the message to that address, and pressing its button, ends it for all projects of the account at once. Without the message, send email with the account's api_key, or log in on the website.",
	}
}

// listingWarnings tell the owner of a project that nobody finds it yet, and what ends
// that.
func (s *warner) listingWarnings(p Project) []Warning {
	if !s.Public || p.Verified || p.Suspended || p.Unlisted {
		return nil
	}
	return []Warning{{
		"not_listed", "The project is at its address, but not yet in the gallery or on its creator's profile: nobody has verified the email address of its account.",
		"Opening the link in the message to that address, and pressing its button, lists all projects of the account. Without the message, send email with the account's api_key, or log in on the website.",
	}}
}
