package api

import (
	"slices"

	"sandlot/internal/content"
	"sandlot/internal/publish"
)

const dryRun = "dry_run"

// checkDry refuses a call that asks for a dry run where that is not read: ignored, it
// would be made in earnest.
func (f *fields) checkDry() error {
	known := slices.Contains(f.set.names, dryRun)
	for field := range f.form.All() {
		if asksDry(field) && (!known || field.Name != dryRun) && !f.saysDry(known) {
			return f.notDry(known, "The field "+shown(field.Name)+" is not known here")
		}
	}
	for _, field := range inQuery(f.query) {
		if asksDry(field) && !f.saysDry(known) {
			return f.notDry(known, "The query of the address says "+shown(field.Name)+", and it is not read")
		}
	}
	return nil
}

// asksDry tells whether a field can only be meant to ask for a dry run.
func asksDry(field content.Field) bool {
	switch simplified(field.Name) {
	case "dryrun", "isdryrun", "dry":
		return field.Kind != content.Null && field.Raw != "false" && field.Text != "false"
	}
	return false
}

// saysDry tells whether the right field says anything that is read: true, or what is refused for itself.
func (f *fields) saysDry(known bool) bool {
	v, _, err := f.form.Bool(dryRun)
	return known && f.has(dryRun) && (v || err != nil)
}

func (f *fields) notDry(known bool, begin string) error {
	e := publish.Refuse(publish.CodeInvalidField, "%s. Nothing was changed.", begin).In(dryRun)
	if !known {
		return e.With(publish.OpSame).Note("This call has no dry run. Leave that out, and the call is made:")
	}
	return e.With(publish.OpSame, publish.Arg{Name: dryRun, Value: true}).Note("Send it as dry_run in the body, or leave it out:")
}
