package intake

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

const DryRun = "dry_run"

// checkDry refuses a call that requests a dry run in a place that is not read: otherwise the call would take effect.
func (f *Fields) checkDry() error {
	known := slices.Contains(f.Set.Names, DryRun)
	for field := range f.Form.All() {
		if asksDry(field) && (!known || field.Name != DryRun) && !f.saysDry(known) {
			return f.notDry(known, "The field "+inspect.Quoted(field.Name)+" is not known here")
		}
	}
	for _, field := range inQuery(f.Query) {
		if asksDry(field) && !f.saysDry(known) {
			return f.notDry(known, "The query of the address says "+inspect.Quoted(field.Name)+", and it is not read")
		}
	}
	return nil
}

// asksDry reports whether a field can only be a request for a dry run.
func asksDry(field content.Field) bool {
	switch names.Letters(field.Name) {
	case "dryrun", "isdryrun", "dry":
		return field.Kind != content.Null && field.Raw != "false" && field.Text != "false"
	case "validateonly", "validate", "preview", "test", "testonly", "testrun", "checkonly", "simulate", "noop", "whatif":
		return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(cmp.Or(field.Text, field.Raw)))
	}
	return false
}

// saysDry reports whether the right field decides the matter: it is true, or has a value that is refused by itself.
func (f *Fields) saysDry(known bool) bool {
	v, _, err := f.Form.Bool(DryRun)
	return known && f.has(DryRun) && (v || err != nil)
}

func (f *Fields) notDry(known bool, begin string) error {
	e := unchanged(DryRun, "%s.", begin)
	if !known {
		return e.With(sandlot.OpProject).
			Note("This call has no dry run: without that field it is made in earnest. What it would change is told here:")
	}
	return e.With(sandlot.OpSame, sandlot.Arg{Name: DryRun, Value: true}).Note("Send it as dry_run in the body:")
}

// QueryNote explains how to write a readable query.
const QueryNote = "In a query, write ; as %%3B and %% as %%25, and put & between the fields."

// ReadableQuery returns the refusal of a query that cannot be parsed, nil for any other.
func ReadableQuery(r *http.Request) *sandlot.Error {
	if _, err := url.ParseQuery(r.URL.RawQuery); err == nil {
		return nil
	}
	return unchanged("", "The query of the address cannot be read: "+
		"it has a semicolon, or a percent sign without two hexadecimal digits.")
}

// ReadDry returns the dry_run parameter in the query of a call without fields. It refuses a dry run under another name.
func (c *Call) ReadDry() (bool, *sandlot.Error) {
	query := c.R.URL.Query()
	for _, field := range inQuery(query) {
		if field.Name != DryRun && asksDry(field) {
			return false, unchanged(DryRun, "The query of the address says %s, and it is not read.", inspect.Quoted(field.Name))
		}
	}
	said := query[DryRun]
	switch {
	case len(said) == 0, len(said) == 1 && (said[0] == "false" || said[0] == "0"):
		return false, nil
	case len(said) == 1 && (said[0] == "true" || said[0] == "1"):
		return true, nil
	}
	return false, unchanged(DryRun, "The parameter dry_run is neither true nor false, or there twice.")
}

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
		switch name := names.Letters(field.Name); {
		case hides(name, field):
			e := notHidden(field, "Whoever has its address can open a project. "+
				"listed=false keeps it out of the gallery, the lists and the search:")
			return e.With(sandlot.OpSame, sandlot.Arg{Name: "listed", Value: false})
		case field.Kind == content.Null || denied(field):
		case strings.Contains(name, "password") || name == "accesscode":
			return notHidden(field, "No project asks for a password: whoever has its address can open it. "+
				"Send listed=false to keep it out of the gallery, the lists and the search, or do not publish it.")
		case strings.HasPrefix(name, "expir") || name == "ttl":
			return notHidden(field, "Nothing that is published expires. "+
				"Leave that out, and delete the project when it is to end: DELETE /v1/project/{id} with the account's key.")
		}
	}
	return nil
}

func notHidden(field content.Field, note string) *sandlot.Error {
	return unchanged(field.Name, "The field %s asks for something that no project here has.", inspect.Quoted(field.Name)).
		With(sandlot.OpNothing).Note("%s", note)
}

// unchanged refuses the value of a field of a call that changes something.
func unchanged(field, format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidField, format+" Nothing was changed.", args...).In(field)
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

func denied(field content.Field) bool {
	return slices.Contains([]string{"false", "0", "no", "off"}, strings.ToLower(cmp.Or(field.Text, field.Raw)))
}
