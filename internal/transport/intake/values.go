package intake

import (
	"encoding/json"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/format/content"
	"sandlot/internal/transport/intake/hint"
)

// Words returns an optional text; a number becomes its digits.
func (f *Fields) Words(name string) *string {
	if !f.has(name) {
		return nil
	}
	if field, _ := f.Form.Get(name); field.Kind == content.Number {
		return f.decoration(name)
	}
	v := f.Text(name)
	return &v
}

// list returns an optional list of texts; a single text is split at its commas.
func (f *Fields) list(name string) []string {
	field, _ := f.Form.Get(name)
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
	f.Fail(badField(name, "%s is not a list of strings", name))
	return nil
}

// choice returns an optional bool.
func (f *Fields) choice(name string) *bool {
	if !f.has(name) {
		return nil
	}
	v := f.truth(name)
	return &v
}

// checkKnown refuses an unknown field where each field is a change of its own: ignoring it would skip a requested
// change.
func (f *Fields) checkKnown() error {
	if !f.Set.strict {
		return nil
	}
	unknown := f.unknown()
	if len(unknown) == 0 {
		return nil
	}
	name := unknown[0]
	e := sandlot.Refuse(sandlot.CodeInvalidField, "The field %s is not known here. Nothing was changed.", Shown(name)).In(name).With(sandlot.OpProject)
	meant := f.Set.Meant(name)
	switch {
	case name == "content" || name == "filename":
		return e.Note("A file is changed with POST /v1/update. %s This is the project as it is:", f.Set.listed())
	case meant == "":
		return e.Note("%s This is the project as it is:", f.Set.listed())
	}
	e.Message += " " + meant + " was probably meant."
	field, _ := f.Form.Get(name)
	if v, ok := f.asField(meant, field); ok && !f.has(meant) {
		return e.With(sandlot.OpSame, sandlot.Arg{Name: meant, Value: v}).Note("Send it as %s:", meant)
	}
	return e.Note("Send it as %s. This is the project as it is:", meant)
}

// asField converts the value of a field under another name to that of the right one.
func (f *Fields) asField(right string, field content.Field) (any, bool) {
	switch right {
	case "listed", "threads":
		switch {
		case field.Kind != content.Bool:
			return nil, false
		case strings.Contains(Simplified(field.Name), "unlist") || strings.Contains(Simplified(field.Name), "hid") || strings.Contains(Simplified(field.Name), "private"):
			return field.Raw != "true", true
		}
		return field.Raw == "true", true
	case "if_version":
		return versionIn(field)
	}
	return field.Text, field.Kind == content.String && hint.Showable(field.Text)
}

// mayMail takes the cost of a message from the grant, if the request has an address.
func (c *Call) mayMail(f *Fields) error {
	if !f.has("email") {
		return nil
	}
	return c.Grant.Also(admission.Mail)
}
