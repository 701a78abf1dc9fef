package intake

import (
	"context"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
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
	c := &Call{W: f.W, R: f.R, By: f.By, Keyed: !f.By.Nobody(), Takes: FormFields, Grant: f.Grant, Body: &Body{R: f.R.Body, Grant: f.Grant}}
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
