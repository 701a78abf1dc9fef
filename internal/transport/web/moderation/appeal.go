package moderation

import (
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
)

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

func (p *Pages) appeal(v *Visit) error {
	project, err := p.Desk.Withheld(v.R.Context(), v.By, idOf(v))
	if err != nil {
		return err
	}
	v.W.Header().Set("X-Robots-Tag", "noindex")
	return v.Show(http.StatusOK, "appeal.html", v.T("appeal.title"), appealPage{project, project.Account == v.Me, p.Contact})
}

// An objectionPage is the form of an objection.
type objectionPage struct {
	desk.Decision
	Code, Typed string
	Bad         bool
	Sent, Over  bool // whether it was sent now; whether the code works no more
	Most        int  // characters
}

func (p *Pages) askObjection(v *Visit) error {
	return p.showObjection(v, http.StatusOK, v.Query("code"), "", false)
}

// showObjection shows the form with the decision that a code objects to.
func (p *Pages) showObjection(v *Visit, status int, code, typed string, bad bool) error {
	v.W.Header().Set("Referrer-Policy", "no-referrer") // the address has the code
	v.W.Header().Set("X-Robots-Tag", "noindex")
	d, err := p.Desk.Contested(v.R.Context(), v.By, code)
	if errors.Is(err, sandlot.ErrNotFound) {
		return v.Show(http.StatusGone, "object.html", v.T("object.over-title"), objectionPage{Over: true})
	}
	if err != nil {
		return err
	}
	form := objectionPage{Decision: d, Code: code, Typed: typed, Bad: bad, Most: desk.MaxObjection}
	return v.Show(status, "object.html", v.T("object.title"), form)
}

func (p *Pages) object(v *Visit) error {
	code, text := v.R.PostForm.Get("code"), v.R.PostForm.Get("text")
	switch err := p.Desk.Object(v.R.Context(), v.By, code, text); {
	case errors.Is(err, sandlot.CodeInvalidField):
		return p.showObjection(v, http.StatusUnprocessableEntity, code, text, true)
	case errors.Is(err, sandlot.ErrNotFound):
		return p.showObjection(v, http.StatusGone, code, text, false)
	case err != nil:
		return err
	}
	return v.Show(http.StatusOK, "object.html", v.T("object.thanks"), objectionPage{Sent: true})
}
