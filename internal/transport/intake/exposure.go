package intake

import (
	"cmp"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/content"
)

// checkExposure refuses a field with which clients request less exposure than projects have: if it were ignored,
// everybody would see a project that was meant to be hidden.
func (f *Fields) checkExposure() error {
	if !f.Set.content && !f.Set.bytesLater {
		return nil
	}
	for field := range f.Form.All() {
		if slices.Contains(f.Set.All(), field.Name) {
			continue
		}
		switch name := Simplified(field.Name); {
		case hides(name, field):
			e := notHidden(field, "Whoever has its address can open a project. listed=false keeps it out of the gallery, the lists and the search:")
			return e.With(sandlot.OpSame, sandlot.Arg{Name: "listed", Value: false})
		case field.Kind == content.Null || denied(field):
		case strings.Contains(name, "password") || name == "accesscode":
			return notHidden(field, "No project asks for a password: whoever has its address can open it. Send listed=false to keep it out of the gallery, the lists and the search, or do not publish it.")
		case strings.HasPrefix(name, "expir") || name == "ttl":
			return notHidden(field, "Nothing that is published expires. Leave that out, and delete the project when it is to end: DELETE /v1/project/{id} with the account's key.")
		}
	}
	return nil
}

func notHidden(field content.Field, note string) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field %s asks for something that no project here has. Nothing was changed.", Shown(field.Name)).In(field.Name).With(sandlot.OpNothing).Note("%s", note)
}

// hides reports whether a field requests that others do not see the project.
func hides(name string, field content.Field) bool {
	switch name {
	case "private", "isprivate", "unlisted", "hidden", "secret":
		return field.Kind != content.Null && !denied(field)
	case "public", "ispublic", "published", "visible", "islisted":
		return denied(field)
	case "visibility", "privacy", "access":
		return field.Text != "" && !strings.EqualFold(field.Text, "public")
	}
	return false
}

// denied reports whether a field has a negative value.
func denied(field content.Field) bool {
	return slices.Contains([]string{"false", "0", "no", "off"}, strings.ToLower(cmp.Or(field.Text, field.Raw)))
}
