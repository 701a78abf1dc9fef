package publish

import (
	"context"
	"fmt"
	"io"
)

// contentWarnings tells what may not have been meant. page says whether the file
// is what browsers open first.
func contentWarnings(c Content, filename string, page bool) []Warning {
	switch {
	case encodedTwice(c, filename):
		return []Warning{{
			string(CodeDoubleEncoded), "The bytes of " + filename + " are still base64 text after decoding: it was encoded twice, and was stored as it came.",
			"Encode the file once, with a command, and send it again with update.",
		}}
	case c.Gzip && !isHTML(filename) && !isPacked(filename):
		return []Warning{{
			"gzip_stored", "The bytes of " + filename + " are gzipped and were stored as they came.",
			"If the file itself was meant, send content_encoding gzip+base64.",
		}}
	case page && isHTML(filename) && !c.Empty:
		if seems, ok := unlikeHTML(c.Head); ok {
			return []Warning{{
				"not_html", fmt.Sprintf("The bytes of %s do not look like HTML: they look like %s. They were stored as they came, and browsers open them as a page.", filename, seems.what),
				seems.instead + " With update and filename " + filename + " it takes this one's place.",
			}}
		}
	}
	return nil
}

// fileWarnings are the contentWarnings of a file that is stored. Of most files the
// head is read alone; the whole is read of one that may be base64 again. charge is
// asked for what is read.
func (s *Service) fileWarnings(ctx context.Context, f File, page bool, charge Charge) ([]Warning, error) {
	r, err := s.Contents.Open(ctx, f.Blob, 0, -1)
	if err != nil {
		return nil, fmt.Errorf("look at the file again: %w", err)
	}
	defer r.Close()
	in, charged := newInspector(), charge.Of(r)
	_, err = io.CopyN(in, charged, headSize)
	if err == nil && in.base64.ok {
		_, err = io.Copy(in, charged)
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("look at the file again: %w", err)
	}
	c := in.content()
	if in.size < f.Blob.Size {
		c.Within = nil
	}
	return contentWarnings(c, f.Name, page), nil
}

// toldAgain are the warnings about a stored file, for an answer that is given again. A call
// whose bytes were all charged has no charge.
func (s *Service) toldAgain(ctx context.Context, p Project, f File, page bool, charge Charge) (about, kept []Warning, err error) {
	if f.Blob.ID == 0 {
		return nil, nil, nil // its bytes were erased: there is nothing to look at
	}
	if about, err = s.fileWarnings(ctx, f, page, charge); err == nil {
		kept, err = s.quarantineWarnings(ctx, p, f)
	}
	return about, kept, err
}

// untold logs that a warning could not be made: what it would speak of has happened.
func (s *Service) untold(err error) {
	if err != nil {
		s.log.Warn("an answer lacks a warning", "error", err)
	}
}
