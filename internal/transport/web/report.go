package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/transport/web/moderation"
)

// maxReport bounds a report in bytes: a character has up to four bytes, each of which takes three in a form, and there
// are other short fields.
const maxReport = operate.MaxDetails*12 + maxForm

func (f reports) routes() []route {
	return []route{
		{"GET", "/report", anyone, admission.Look, f.ask},
		{"POST", "/report", anyone, admission.Report, form(maxReport, f.report,
			"project", "reason?", "details?", "contact?", "form_token?")},
	}
}

// reports serves the form for reporting a project.
type reports struct{ service *operate.Service }

// reportForm holds the data of the page, with the words that were typed.
type reportForm struct {
	Address string          // from which the project is found
	Project sandlot.Project // zero if it is not found
	Reasons []string
	operate.NewReport
	Most                                          int // characters of the details
	BadAddress, BadReason, BadDetails, BadContact bool
}

func (f reports) ask(v *visit) error {
	return f.show(v, http.StatusOK, reportForm{Address: v.r.URL.Query().Get("project")})
}

func (f reports) show(v *visit, status int, form reportForm) error {
	project, formToken, err := f.service.Reportable(v.r.Context(), v.by, v.places.ProjectIn(form.Address))
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		if form.BadAddress = form.Address != ""; form.BadAddress {
			status = http.StatusNotFound
		}
	case err != nil:
		return err
	}
	form.Project, form.FormToken = project, formToken
	form.Reasons, form.Most = operate.Reasons(), operate.MaxDetails
	return v.show(status, "report.html", v.T("report.title"), form)
}

// report stores a report. The same form sent again gets the same number, and with other words another one.
func (f reports) report(v *visit) error {
	address := v.r.PostForm.Get("project")
	in := operate.NewReport{
		Project: v.places.ProjectIn(address), Reason: v.r.PostForm.Get("reason"), Details: v.r.PostForm.Get("details"),
		Contact: v.r.PostForm.Get("contact"), FormToken: v.r.PostForm.Get("form_token"), Lang: v.Lang,
	}
	number, err := f.service.Report(v.r.Context(), v.by, in)
	form := reportForm{Address: address, NewReport: in}
	var refused *sandlot.Error
	switch {
	case err == nil:
		return v.show(http.StatusOK, "reported.html", v.T("reported.title"), number)
	case refusedToken(err):
		return err
	case errors.Is(err, sandlot.ErrNotFound):
	case errors.Is(err, sandlot.CodeInvalidEmail):
		form.BadContact = true
	case errors.As(err, &refused) && refused.Field == "details":
		form.BadDetails = true
	case errors.Is(err, sandlot.CodeInvalidField):
		form.BadReason = true
	default:
		return err
	}
	return f.show(v, http.StatusUnprocessableEntity, form)
}

// A desks has the pages of the desk; nil: there are none.
type desks struct{ pages *moderation.Pages }

func (b desks) routes() (list []route) {
	if b.pages == nil {
		return nil
	}
	for _, r := range b.pages.Routes() {
		handle, access := func(v *visit) error { return r.Handle(moderated(v)) }, moderator
		if r.Open {
			access = anyone
		}
		if r.Method == http.MethodPost {
			handle = form(int64(12*r.Words)+maxForm, handle, r.Fields...)
		}
		list = append(list, route{r.Method, r.Path, access, r.Operation, handle})
	}
	return list
}

// moderated returns a visit for the pages of the desk.
func moderated(v *visit) *moderation.Visit {
	m := &moderation.Visit{
		Voice: v.Voice, W: v.w, R: v.r, By: v.by, Said: v.said != "", Query: v.query, Show: v.show, Done: v.done, Send: v.send,
	}
	if v.me != nil {
		m.Me = v.me.Account.ID
	}
	return m
}

// Moderates reports whether the visitor's account sees the desk.
func (v *visit) Moderates() bool {
	return v.desk != nil && v.me != nil && sandlot.Authorize(v.by, sandlot.ActModerate, nil) == nil
}

// Waiting returns the number of projects that wait at the desk; 0 if it is unknown.
func (v *visit) Waiting() int {
	ctx, cancel := context.WithTimeout(v.r.Context(), besideWait)
	defer cancel()
	return v.desk.Waiting(ctx, v.by)
}
