package web

import (
	"html/template"
	"strings"

	"sandlot"
)

// stepsHole is the place of the operator's steps on an empty home page.
const stepsHole = "steps"

// operates reports whether the visitor runs the instance: everybody does where it is local.
func (v *visit) operates() bool {
	return !v.public() || v.me != nil && v.me.Account.Role == sandlot.OperatorRole && !v.me.Account.Suspended
}

// Operator reports whether the visitor's account makes invitations.
func (v view) Operator() bool {
	return v.me != nil && v.me.Account.Role == sandlot.OperatorRole && !v.me.Account.Suspended
}

// A step is something that the operator of a new instance may still have to do, with the names of its texts.
type step struct {
	Name, Text string
	Flag       string // the setting that it takes
	Done       bool
}

// Files returns the files of the operator's own pages.
func (step) Files() string { return "about.md, terms.md, privacy.md" }

// Steps returns the steps, for those who run the instance.
func (v view) Steps() (template.HTML, error) {
	switch {
	case v.anybody:
		return holeOf(stepsHole), nil
	case !v.operates():
		return "", nil
	}
	var out strings.Builder
	err := v.templates.ExecuteTemplate(&out, "steps", view{visit: v.visit, Data: v.steps()})
	return template.HTML(out.String()), err
}

func (v *visit) steps() []step {
	of := func(name, flag string, done bool) step {
		text := "steps." + name + "-todo"
		if done {
			text = "steps." + name + "-done"
		}
		return step{"steps." + name, text, flag, done}
	}
	return []step{
		of("mail", "--smtp-url", v.ready.Mail != nil && v.ready.Mail()),
		of("content", "--content-host", v.ready.ContentHost),
		of("pages", "--pages", len(v.papers) > 0),
	}
}

// Ready says which parts of the instance are set up.
type Ready struct {
	Mail        func() bool // whether messages are sent; nil: they are not
	ContentHost bool        // whether projects are kept apart from the login
}
