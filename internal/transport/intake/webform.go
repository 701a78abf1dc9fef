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

// maxWord is the longest text field of a form, in bytes.
const maxWord = 1 << 10

// ErrBroken reports a form that broke off, or that is not one of the website's.
var ErrBroken = errors.New("form broken off")

// A Form reads a form of the website with files; its text fields precede its files.
type Form struct {
	Most  int64    // bytes of the body; more is an *http.MaxBytesError
	Words []string // the fields whose text is kept: each may come once, with at most 1 KiB of UTF-8
	Files string   // the field whose files are taken; other fields are skipped
	// Take reads one file. name is the name that the browser sent with it, folders included. words are the fields
	// before it.
	Take func(words map[string]string, name string, r io.Reader) error
}

// Read reads the body of a request that was admitted with grant, and returns the fields of the form. An error of Take
// ends it. A body that a limit ends returns an *admission.Denied, and one in another format returns ErrBroken.
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
		return nil // the reader skips to the next part
	}
	from := content.Source{Reader: part}
	err := f.Take(words, name, &from)
	if from.Err != nil {
		return broken(from.Err)
	}
	return err
}

// broken wraps an error of the body in ErrBroken, and keeps an *http.MaxBytesError in the chain.
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

// filename returns the name of a part with its folders, which multipart drops: the rules for filenames are applied to
// it later.
func filename(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["filename"]
}

// A chargedBody is a body that ends where a limit ends it. All received bytes count, also those that are not kept.
type chargedBody struct {
	io.ReadCloser
	grant  *admission.Grant
	denied error
}

// errDenied ends a body; denied holds the reason.
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

// end closes the account of the body: no more of it is read.
func (c *chargedBody) end() { c.denied = cmp.Or(c.denied, c.grant.Whole()) }
