package intake

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"unicode/utf8"

	"sandlot/internal/domain/admission"
	"sandlot/internal/format/content"
)

// maxWord bounds a field of a form that is no file, in bytes.
const maxWord = 1 << 10

// ErrBroken reports that a form broke off, or is none of the website's.
var ErrBroken = errors.New("form broken off")

// A Form is a form of the website with files, which holds its fields before its files.
type Form struct {
	Most  int64    // bytes of the body; more is an *http.MaxBytesError
	Words []string // the fields whose text is kept: each may come once, with at most 1 KiB of UTF-8
	Files string   // the field whose files are taken; other fields are passed over
	// Take reads one file, which has the name that the browser sent with it, folders included. words are the fields before it.
	Take func(words map[string]string, name string, r io.Reader) error
}

// Read reads the body of a request that was admitted with grant, and returns the fields of the form. An error of Take ends it. A body that a
// limit ends is an *admission.Denied, and one that is no such form is ErrBroken.
func (f Form) Read(w http.ResponseWriter, r *http.Request, grant *admission.Grant) (map[string]string, error) {
	body := &chargedBody{ReadCloser: r.Body, grant: grant}
	r.Body = http.MaxBytesReader(w, body, f.Most)
	words := map[string]string{}
	err := f.parts(r, words)
	if err == nil {
		body.end()
	}
	if body.denied != nil {
		err = body.denied
	}
	return words, err
}

func (f Form) parts(r *http.Request, words map[string]string) error {
	parts, err := r.MultipartReader()
	if err != nil {
		return ErrBroken
	}
	for {
		part, err := parts.NextRawPart()
		switch {
		case err == io.EOF:
			return nil
		case err == nil:
			err = f.part(part, words)
		default:
			err = broken(err)
		}
		if err != nil {
			return err
		}
	}
}

func (f Form) part(part *multipart.Part, words map[string]string) error {
	field := part.FormName()
	if slices.Contains(f.Words, field) {
		return word(part, field, words)
	}
	name := filename(part)
	if field != f.Files || name == "" {
		return nil // the next part is found behind it
	}
	from := content.Source{Reader: part}
	err := f.Take(words, name, &from)
	if from.Err != nil {
		return broken(from.Err)
	}
	return err
}

// broken keeps what a form is too large by.
func broken(err error) error { return fmt.Errorf("%w: %w", ErrBroken, err) }

func word(part io.Reader, field string, words map[string]string) error {
	b, err := io.ReadAll(io.LimitReader(part, maxWord+1))
	if err != nil {
		return broken(err)
	}
	if _, twice := words[field]; twice || len(b) > maxWord || !utf8.Valid(b) || bytes.Contains(b, []byte{0}) {
		return ErrBroken
	}
	words[field] = string(b)
	return nil
}

// filename returns the name of a part with its folders, which multipart drops: here it only becomes a filename by the rules for them.
func filename(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

// chargedBody ends where a limit does. What comes costs as much as what is kept of it.
type chargedBody struct {
	io.ReadCloser
	grant  *admission.Grant
	denied error
}

// errDenied ends a body; denied says why.
var errDenied = errors.New("a limit is reached")

// Read implements io.Reader.
func (c *chargedBody) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if c.denied = cmp.Or(c.denied, c.grant.Received(n)); err != nil {
		c.end()
	}
	if c.denied != nil {
		return 0, errDenied
	}
	return n, err
}

// end says that nothing more is read.
func (c *chargedBody) end() { c.denied = cmp.Or(c.denied, c.grant.Whole()) }
