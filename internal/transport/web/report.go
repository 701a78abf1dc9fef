package web

import (
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
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
	Reasons []reason
	operate.NewReport
	Most                                          int // characters of the details
	BadAddress, BadReason, BadDetails, BadContact bool
}

// A reason is one of the choices.
type reason struct{ Value, Text string }

// reasonText is the prefix of the names of the reasons' texts.
const reasonText = "report."

func reasons(v *visit) (list []reason) {
	for _, value := range operate.Reasons() {
		list = append(list, reason{value, v.T(reasonText + value)})
	}
	return list
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
	form.Reasons, form.Most = reasons(v), operate.MaxDetails
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

// appeals serves the pages about projects that are kept from others, and the form by which an owner objects.
type appeals struct{ service *desk.Service }

// maxObjection bounds the form of an objection in bytes: each character takes up to 12.
const maxObjection = 12*desk.MaxObjection + maxForm

func (a appeals) routes() []route {
	if a.service == nil {
		return nil
	}
	return []route{
		{"GET", "/appeal/{id}", anyone, admission.Look, a.appeal},
		{"GET", "/object", anyone, admission.Look, a.ask},
		{"POST", "/object", anyone, admission.Report, form(maxObjection, a.object, "code", "text")},
	}
}

// An appealPage explains why others do not see a project, and the ways out for its owner.
type appealPage struct {
	Project sandlot.Project
	Own     bool   // whether it is the visitor's
	Contact string // of the operator, a URI; may be empty
}

// Why returns the last part of the names of the texts.
func (p appealPage) Why() string {
	if p.Project.Suspended {
		return "down"
	}
	return string(p.Project.Held.Rule)
}

func (a appeals) appeal(v *visit) error {
	p, err := a.service.Withheld(v.r.Context(), v.by, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	v.w.Header().Set("X-Robots-Tag", "noindex")
	return v.show(http.StatusOK, "appeal.html", v.T("appeal.title"), appealPage{p, owns(v, p), v.contact})
}

// An objectionPage is the form of an objection.
type objectionPage struct {
	desk.Decision
	Code, Typed string
	Bad         bool
	Sent, Over  bool // whether it was sent now; whether the code works no more
	Most        int  // characters
}

func (a appeals) ask(v *visit) error { return a.show(v, http.StatusOK, v.query("code"), "", false) }

// show shows the form with the decision that a code objects to.
func (a appeals) show(v *visit, status int, code, typed string, bad bool) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer") // the address has the code
	v.w.Header().Set("X-Robots-Tag", "noindex")
	d, err := a.service.Contested(v.r.Context(), v.by, code)
	if errors.Is(err, sandlot.ErrNotFound) {
		return v.show(http.StatusGone, "object.html", v.T("object.over-title"), objectionPage{Over: true})
	}
	if err != nil {
		return err
	}
	page := objectionPage{Decision: d, Code: code, Typed: typed, Bad: bad, Most: desk.MaxObjection}
	return v.show(status, "object.html", v.T("object.title"), page)
}

func (a appeals) object(v *visit) error {
	code, text := v.r.PostForm.Get("code"), v.r.PostForm.Get("text")
	switch err := a.service.Object(v.r.Context(), v.by, code, text); {
	case errors.Is(err, sandlot.CodeInvalidField):
		return a.show(v, http.StatusUnprocessableEntity, code, text, true)
	case errors.Is(err, sandlot.ErrNotFound):
		return a.show(v, http.StatusGone, code, text, false)
	case err != nil:
		return err
	}
	return v.show(http.StatusOK, "object.html", v.T("object.thanks"), objectionPage{Sent: true})
}
