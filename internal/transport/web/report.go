package web

import (
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate"
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
