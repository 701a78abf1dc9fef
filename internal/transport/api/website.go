package api

import (
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/intake"
)

// PublishForm does what POST /v1/publish does for a form of the website: it reads the body the same way, and makes the same call of the
// Service. Who calls is known already, and was admitted with grant. tags reads a list of tags in the visitor's words. answer is called once, with the words of the form and what was
// published or the refusal, unless the client is gone: then it panics with http.ErrAbortHandler.
func (a *API) PublishForm(w http.ResponseWriter, r *http.Request, by sandlot.Caller, grant *admission.Grant, tags func(string) []string, answer func(said func(field string) string, out publish.Published, refused *sandlot.Error)) {
	rt := a.routes[0]
	rt.takes = intake.FormFields
	c := &call{Call: &intake.Call{W: w, R: r, By: by, Keyed: !by.Nobody(), Takes: intake.FormFields, Grant: grant, Body: &intake.Body{R: r.Body, Grant: grant}}, id: RequestID(r.Context()), route: &rt}
	var out publish.Published
	err := intake.KeyInAddress(r)
	if err == nil {
		err = a.Service.Admit(r.Context(), by, sandlot.ActPublish)
	}
	if err == nil {
		err = intake.Take(a.in, c.Call, intake.ReadForm, func(in publish.PublishInput) (err error) {
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
	c.Body.Grant = nil // the rest of the body, which is only thrown away, costs nothing
	c.Settle(func() { answer(c.words, publish.Published{}, e) })
}

// published makes the call of a publish that is no part of an upload.
func (a *API) published(c *call, in publish.PublishInput) (publish.Published, error) {
	out, _, err := a.Service.Publish(c.R.Context(), c.By, in)
	if err == nil && out.Account != nil && !out.FromRecord && !out.DryRun {
		c.Grant.Made()
	}
	if err == nil {
		out.Warnings = append(c.Warnings, out.Warnings...)
	}
	return out, err
}

// words gives what the form says in a field, as it came; "" where that is not known.
func (c *call) words(field string) string {
	if c.Said == nil {
		return ""
	}
	text, _, _ := c.Said.Form.String(field)
	return text
}

// Largest returns how many bytes a file may have, and all files of a project that is published at once.
func (a *API) Largest() (file, all int64) { return a.MaxContent, a.MaxFile }
