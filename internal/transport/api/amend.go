package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/transport/api/hint"
)

// amendFields are what a PATCH of a project takes. It never changes.
var amendFields = &fieldSet{
	names:      []string{"title", "description", "tags", "listed", "threads", "lang", "primary_file", "if_version"},
	mayBeEmpty: true,
	strict:     true,
}

func amendInput(f *fields) publish.AmendInput {
	in := publish.AmendInput{
		Title: f.words("title"), Description: f.words("description"), Lang: f.words("lang"), Tags: f.list("tags"), Primary: f.words("primary_file"),
		Listed: f.choice("listed"), Threads: f.choice("threads"), IfVersion: f.ifVersion(),
	}
	return in
}

// words is a text that may be left out; a number is its digits.
func (f *fields) words(name string) *string {
	if !f.has(name) {
		return nil
	}
	if field, _ := f.form.Get(name); field.Kind == content.Number {
		return f.decoration(name)
	}
	v := f.text(name)
	return &v
}

// list is a list of texts that may be left out; one text is its parts between commas.
func (f *fields) list(name string) []string {
	field, _ := f.form.Get(name)
	switch {
	case !f.has(name):
		return nil
	case field.Kind == content.String:
		return strings.FieldsFunc(field.Text, func(r rune) bool { return r == ',' })
	case field.Kind == content.Array:
		out := []string{}
		if json.Unmarshal([]byte(field.Raw), &out) == nil {
			return out
		}
	}
	f.fail(badField(name, "%s is not a list of strings", name))
	return nil
}

// choice is a truth that may be left out.
func (f *fields) choice(name string) *bool {
	if !f.has(name) {
		return nil
	}
	v := f.truth(name)
	return &v
}

// checkKnown refuses an unknown field where each field is a change of its own: to ignore it would
// leave undone what was asked.
func (f *fields) checkKnown() error {
	if !f.set.strict {
		return nil
	}
	unknown := f.unknown()
	if len(unknown) == 0 {
		return nil
	}
	name := unknown[0]
	e := sandlot.Refuse(sandlot.CodeInvalidField, "The field %s is not known here. Nothing was changed.", shown(name)).In(name).With(sandlot.OpProject)
	meant := f.set.meant(name)
	switch {
	case name == "content" || name == "filename":
		return e.Note("A file is changed with POST /v1/update. %s This is the project as it is:", f.set.listed())
	case meant == "":
		return e.Note("%s This is the project as it is:", f.set.listed())
	}
	e.Message += " " + meant + " was probably meant."
	field, _ := f.form.Get(name)
	if v, ok := f.asField(meant, field); ok && !f.has(meant) {
		return e.With(sandlot.OpSame, sandlot.Arg{Name: meant, Value: v}).Note("Send it as %s:", meant)
	}
	return e.Note("Send it as %s. This is the project as it is:", meant)
}

// asField is the value of a field under another name as the right one would have it.
func (f *fields) asField(right string, field content.Field) (any, bool) {
	switch right {
	case "listed", "threads":
		switch {
		case field.Kind != content.Bool:
			return nil, false
		case strings.Contains(simplified(field.Name), "unlist") || strings.Contains(simplified(field.Name), "hid") || strings.Contains(simplified(field.Name), "private"):
			return field.Raw != "true", true
		}
		return field.Raw == "true", true
	case "if_version":
		return versionIn(field)
	}
	return field.Text, field.Kind == content.String && hint.Showable(field.Text)
}

func (a *API) amend(c *call, in publish.AmendInput) (reply, error) {
	v, err := a.Service.Amend(c.r.Context(), c.by, c.param, in)
	if err != nil {
		return reply{}, err
	}
	c.w.Header().Set("ETag", `"`+strconv.Itoa(v.Project.Version)+`"`)
	return reply{http.StatusOK, &ownedAnswer{newProject(v), a.notes(c, v.Warnings)}}, nil
}

// ownedAnswer is a project as its owner sees it, without its files.
type ownedAnswer struct {
	projectInfo
	notes
}
