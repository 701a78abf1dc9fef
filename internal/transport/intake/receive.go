package intake

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/transport/intake/hint"
)

// Take reads a body, decodes its fields and calls do once. From then on the content belongs to the Service: a call that
// failed late may have recorded it.
func Take[In any](a *Intake, c *Call, decode func(*Fields) In, do func(In) error) error {
	f := &Fields{Set: c.Takes, Header: c.R.Header, Query: c.R.URL.Query()}
	in, err := read(a, c, f, decode)
	a.Contents.Discard(context.WithoutCancel(c.R.Context()), f.html)
	if err != nil {
		a.discard(c, f)
		return err
	}
	return f.explain(do(in))
}

func (a *Intake) discard(c *Call, f *Fields) {
	ctx := context.WithoutCancel(c.R.Context())
	a.Contents.Discard(ctx, f.Content)
	a.Contents.DiscardTree(ctx, f.Tree)
}

// read receives the body, checks its fields and returns the decoded input.
func read[In any](a *Intake, c *Call, f *Fields, decode func(*Fields) In) (in In, err error) {
	if err := a.receive(c, f); err != nil {
		return in, f.explain(err)
	}
	if err := checkChoice(f, a.Places); err != nil {
		return in, err
	}
	for _, check := range []func() error{f.checkDry, f.checkExposure, f.checkKnown} {
		if err := check(); err != nil {
			return in, err
		}
	}
	f.charge = c.Grant.Charge()
	in = decode(f)
	if f.Err == nil {
		f.Fail(f.checkDataType())
	}
	if f.Err != nil {
		return in, f.explain(f.Err)
	}
	if f.has("email") {
		if err := c.Grant.Also(admission.Mail); err != nil {
			return in, err
		}
	}
	f.readOdd()
	f.readMany()
	c.Warnings = slices.Concat(c.Warnings, f.read, f.warnings())
	return in, nil
}

func (a *Intake) receive(c *Call, f *Fields) error {
	f.Content.Missing, f.html.Missing, f.Staging = true, true, c.Grant.Charge()
	if err := a.checkHeaders(c); err != nil {
		return a.Search(c, err)
	}
	if format, ok := rawFormat(c, f.Set); ok {
		if err := a.raw(c, f, format); err != nil {
			return err
		}
		return a.gather(c, f)
	}
	dec, err := a.decoder(c, http.MaxBytesReader(c.W, c.Body, a.maxBody()), f.Set.mayBeEmpty)
	c.Whole = err == nil
	if err != nil {
		return a.Search(c, err)
	}
	if dec == nil {
		return nil
	}
	dec.ReadOn(c.mayReadOn)
	dec.Takes(a.more(c, f))
	f.Form, err = dec.Decode(func(r io.Reader) error { return a.stage(c, f, r) })
	if !c.drainBy.IsZero() {
		c.readOn()
	}
	if leak := c.remember(f); leak != nil {
		return leak
	}
	if err != nil {
		return err
	}
	if err := c.Grant.Whole(); err != nil { // the last part of a form may end before the body does
		return err
	}
	if err := a.gather(c, f); err != nil {
		return err
	}
	return a.unpack(c, f)
}

const (
	// searchMost (bytes) and SearchWait limit the part of a body that is only searched: all fields but content fit.
	searchMost = 1 << 20
	SearchWait = time.Second
)

// Search looks into the body of a request that is refused before it is read: for a key, which has then leaked, and for
// the fields that the corrected call repeats. It keeps none of the content.
func (a *Intake) Search(c *Call, refusal error) error {
	// A client that waits for 100 Continue has leaked nothing yet.
	if c.Takes == nil || !c.worthASearch(refusal) || c.R.Header.Get("Expect") != "" {
		return refusal
	}
	// Without such a deadline, the server's own ends the wait.
	_ = http.NewResponseController(c.W).SetReadDeadline(time.Now().Add(SearchWait))
	defer c.readOn()
	src := io.LimitReader(c.Body, c.searchable(refusal))
	dec := a.guessed(c, src)
	if c.Whole = c.Body.Err == io.EOF; dec == nil {
		return refusal
	}
	f := &Fields{Set: c.Takes, Header: c.R.Header, Query: c.R.URL.Query()}
	dec.ReadOn(func(error) bool { return true }) // within the same limits
	// Faults of the body do not matter: it is refused anyhow.
	f.Form, _ = dec.Decode(func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err })
	if leak := c.remember(f); leak != nil {
		return leak
	}
	return refusal
}

// worthASearch reports whether a body is searched: any that may hold the key, and others only if small.
func (c *Call) worthASearch(refusal error) bool {
	var e *sandlot.Error
	if !errors.As(refusal, &e) {
		return false
	}
	switch e.Code {
	case sandlot.CodeKeyRequired:
		return !c.Keyed
	case sandlot.CodeContentTooLarge:
		return true
	case sandlot.CodeInvalidKey, sandlot.CodeKeyNotInHeader, sandlot.CodeAccountKeyRequired, sandlot.CodePublishClosed,
		sandlot.CodeUnsupportedMediaType, sandlot.CodeInvalidField, sandlot.CodeNotFound, sandlot.CodeMethodNotAllowed:
		return c.R.ContentLength > 0 && c.R.ContentLength <= searchMost
	}
	return false
}

// searchable returns the number of bytes of a body that are searched. A body that is too large is discarded in any case.
func (c *Call) searchable(refusal error) int64 {
	if n := c.R.ContentLength; errors.Is(refusal, sandlot.CodeContentTooLarge) && n <= drainMost {
		return max(n, searchMost)
	}
	return searchMost
}

// remember keeps the fields of the body for hints, and refuses a key in it before any other fault of the body.
func (c *Call) remember(f *Fields) error {
	c.Said, c.Whole = f, f.Form.Whole
	return leakedIn(f.Form)
}

// stage stages the content as it arrives, or discards it if the endpoint takes none.
func (a *Intake) stage(c *Call, f *Fields, r io.Reader) error {
	if f.Set.bytesLater {
		return bytesLaterRefused("content")
	}
	if !f.Set.content {
		_, err := io.Copy(io.Discard, r)
		return err
	}
	staged, err := a.staged(c, f, r)
	if err == nil {
		f.Content = staged
	}
	return err
}

func (a *Intake) staged(c *Call, f *Fields, r io.Reader) (publish.Content, error) {
	staged, err := a.Contents.Stage(c.R.Context(), f.Staging.Of(r))
	if err != nil {
		return publish.Content{Missing: true}, err
	}
	return staged, nil
}

// unpack gunzips content that was declared as gzip, but no parts of an upload, which are joined first.
func (a *Intake) unpack(c *Call, f *Fields) error {
	if f.has("upload_id") || !f.Form.Encoding.Gzip || f.Content.Missing {
		return nil
	}
	plain, err := a.Contents.Unpack(c.R.Context(), f.Content, a.MaxContent, c.Grant.Charge())
	if f.Content = plain; err != nil {
		f.Content = publish.Content{Missing: true} // Unpack has discarded its input
	}
	return err
}

// WrongBody translates an error of the decoder into a refusal.
func WrongBody(e *content.Error, on hint.Request) *sandlot.Error {
	out := sandlot.Refuse(sandlot.Code(e.Kind), "%s.", sentence(e)).In(e.Field).With(sandlot.OpSame)
	if e.Kind == content.InvalidContent {
		out.With(sandlot.OpEncode)
		if e.At > 0 {
			out.Detail("position", e.At)
		}
	}
	i := slices.IndexFunc(on.Args, func(a sandlot.Arg) bool { return a.Name == canonical(e.Field) })
	if i >= 0 && e.Reason == content.WrongType {
		out.With(sandlot.OpSame, on.Args[i]) // a number that was sent as text
	} else if e.Field == "if_version" {
		return out.With(sandlot.OpProject).Note("Send the version that the project has now, a whole number.") // as badVersion
	}
	return out.Note("%s", bodyNote(e))
}

// canonical returns the name under which a hint repeats a field.
func canonical(name string) string {
	if slices.Contains(totalFields, name) {
		return totalFields[0]
	}
	return name
}

// sentence turns the decoder's message into a sentence, also if it begins with the name of a field.
func sentence(e *content.Error) string {
	rest, ok := strings.CutPrefix(e.Message, e.Field+" ")
	switch {
	case ok && e.Field != "":
		return "The field " + strconv.Quote(e.Field) + " " + rest
	case strings.HasPrefix(e.Message, "files["):
		return "The field " + e.Message
	case e.Message == "":
		return ""
	}
	return strings.ToUpper(e.Message[:1]) + e.Message[1:]
}

// bodyNote returns the advice for a faulty body, by its fault.
func bodyNote(e *content.Error) string {
	switch e.Reason {
	case content.DataPrefix:
		return "Leave out everything up to and including the comma: content is the base64 text alone."
	case content.DataText:
		return "What stands behind the comma is the text itself, percent-encoded: " +
			"undo that, and send it as it is in the field text instead of content."
	case content.Wide:
		return "Write the body in UTF-8, as by Out-File -Encoding utf8 or iconv -f UTF-16 -t UTF-8."
	case content.RawHTML, content.RawText:
		return "Encode the file's bytes as base64, or send text as it is in the field text instead."
	case content.WrongAlphabet:
		return "Send content_encoding: " + e.Want + ", or leave it out and the alphabet is detected."
	case content.PercentEncoded:
		return "Send base64 as it is, without URL encoding. If it is the file's own text that was URL-encoded, undo " +
			"that, and send it as it is in the field text instead of content."
	case content.BadEncoding:
		return "The values are " + e.Want + "; without content_encoding plain base64 of either alphabet is taken."
	case content.NotInForm:
		return "Leave content_encoding out: in a form, content is the file itself."
	case content.BadGzip, content.TruncatedGzip, content.GzipTrailing:
		return "Gzip the file again, or send it without gzip and without content_encoding."
	case content.OverLimit:
		return "Make the file smaller, or send it in parts."
	case content.RestTooLarge:
		return "Put the file in content; all other fields together may take 1 MiB."
	case content.DuplicateName:
		return "Send every name once."
	case content.Nested, content.PartEncoding:
		return "Send each field as one plain part, content as raw bytes."
	case content.WrongType:
		if e.Want != "" {
			return "Send " + e.Want + "."
		}
	}
	if e.Kind == content.InvalidContent {
		return "Encode the file with a command instead of writing the text out."
	}
	return "Send one JSON object in UTF-8 and nothing else."
}
