package api

import (
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
)

// websiteFields are those of the website's form. form_token stands for the idempotency key; upload is the one file of a form without a script.
var websiteFields = &fieldSet{
	content: true, upload: true,
	names: []string{"form_token", "title", "description", "tags", "email", "lang", "primary_file", "dry_run"},
}

// PublishForm does what POST /v1/publish does for a form of the website: it reads the body the same way, and makes the same call of the
// Service. Who calls is known already, and was admitted with grant. tags reads a list of tags in the visitor's words. answer is called once, with the words of the form and what was
// published or the refusal, unless the client is gone: then it panics with http.ErrAbortHandler.
func (a *API) PublishForm(w http.ResponseWriter, r *http.Request, by sandlot.Caller, grant *admission.Grant, tags func(string) []string, answer func(said func(field string) string, out publish.Published, refused *sandlot.Error)) {
	rt := a.routes[0]
	rt.takes = websiteFields
	c := &call{w: w, r: r, id: RequestID(r.Context()), route: &rt, by: by, keyed: !by.Nobody(), grant: grant, body: &body{r: r.Body, grant: grant}}
	var out publish.Published
	err := keyInAddress(r)
	if err == nil {
		err = a.Service.Admit(r.Context(), by, sandlot.ActPublish)
	}
	if err == nil {
		err = taken(a, c, websiteInput, func(in publish.PublishInput) (err error) {
			in.Tags = tags(c.words("tags"))
			out, err = a.published(c, in)
			return err
		})
	}
	if err == nil {
		answer(c.words, out, nil)
		return
	}
	if c.gone(err) {
		panic(http.ErrAbortHandler)
	}
	e := a.refusal(c, err)
	c.body.grant = nil // the rest of the body, which is only thrown away, costs nothing
	c.settle(func() { answer(c.words, publish.Published{}, e) })
}

// published makes the call of a publish that is no part of an upload.
func (a *API) published(c *call, in publish.PublishInput) (publish.Published, error) {
	out, _, err := a.Service.Publish(c.r.Context(), c.by, in)
	if err == nil && out.Account != nil && !out.FromRecord && !out.DryRun {
		c.grant.Made()
	}
	if err == nil {
		out.Warnings = append(c.warnings, out.Warnings...)
	}
	return out, err
}

func websiteInput(f *fields) publish.PublishInput {
	in := publishInput(f)
	in.Description, in.Idempotency, in.Early = f.words("description"), f.text("form_token"), true
	if f.err == nil && in.Idempotency != "" {
		f.fail(publish.CheckIdempotencyKey(in.Idempotency))
	}
	return in
}

// words gives what the form says in a field, as it came; "" where that is not known.
func (c *call) words(field string) string {
	if c.said == nil {
		return ""
	}
	text, _, _ := c.said.form.String(field)
	return text
}

// Largest returns how many bytes a file may have, and all files of a project that is published at once.
func (a *API) Largest() (file, all int64) { return a.MaxContent, a.MaxFile }
