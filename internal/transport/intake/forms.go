package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/transport/intake/hint"
)

// A Publisher publishes projects; *publish.Service implements it.
type Publisher interface {
	Admit(ctx context.Context, by sandlot.Caller, act sandlot.Action) error
	Publish(ctx context.Context, by sandlot.Caller, in publish.PublishInput) (publish.Published, *publish.Pending, error)
}

// A PublishForm is a form of the website that publishes a project like a call of the API. Grant is its admission.
type PublishForm struct {
	W     http.ResponseWriter
	R     *http.Request
	By    sandlot.Caller
	Grant *admission.Grant
	Tags  func(words string) []string // reads a list of tags in the visitor's words
	// Answer is called once, with the fields of the form and either the published project or the refusal, unless the
	// client has gone.
	Answer func(said func(field string) string, out publish.Published, refused *sandlot.Error)
}

// PublishForm reads the form and makes its call of the service. It panics with http.ErrAbortHandler if the client has
// gone.
func (a *Intake) PublishForm(service Publisher, f PublishForm) {
	body := &Body{R: f.R.Body, Grant: f.Grant}
	c := &Call{W: f.W, R: f.R, By: f.By, Keyed: !f.By.Nobody(), Takes: FormFields, Grant: f.Grant, Body: body}
	out, err := a.publish(service, c, f.Tags)
	if err == nil {
		f.Answer(c.words, out, nil)
		return
	}
	if c.Gone(err) {
		panic(http.ErrAbortHandler)
	}
	refused := a.Refusal(c, err, hint.Request{})
	c.Body.Grant = nil // discarding the rest of the body costs nothing
	c.Settle(func() { f.Answer(c.words, publish.Published{}, refused) })
}

func (a *Intake) publish(service Publisher, c *Call, tags func(string) []string) (out publish.Published, err error) {
	if err := KeyInAddress(c.R); err != nil {
		return out, err
	}
	if err := service.Admit(c.R.Context(), c.By, sandlot.ActPublish); err != nil {
		return out, err
	}
	err = Take(a, c, ReadForm, func(in publish.PublishInput) (err error) {
		in.Tags = tags(c.words("tags"))
		out, _, err = service.Publish(c.R.Context(), c.By, in)
		return err
	})
	if err != nil {
		return out, err
	}
	if out.Account != nil && !out.FromRecord && !out.DryRun {
		c.Grant.Made()
	}
	out.Warnings = append(c.Warnings, out.Warnings...)
	return out, nil
}

// words returns the text of a field as it came, "" if it is unknown.
func (c *Call) words(field string) string {
	if c.Said == nil {
		return ""
	}
	text, _, _ := c.Said.Form.String(field)
	return text
}

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
// ends it. A body that a limit or the service ends is its refusal, one in another format ErrBroken.
func (f Form) Read(w http.ResponseWriter, r *http.Request, grant *admission.Grant) (map[string]string, error) {
	body := &Body{R: r.Body, Grant: grant}
	r.Body = http.MaxBytesReader(w, body, f.Most)
	words := map[string]string{}
	err := f.parts(r, words)
	if err == nil {
		err = grant.Whole()
	}
	var refused *sandlot.Error
	if errors.As(body.Err, &refused) {
		err = body.Err
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
