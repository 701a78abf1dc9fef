package api

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/content"
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
	case "validateonly", "validate", "preview", "test", "testonly", "testrun", "checkonly", "simulate", "noop", "whatif":
		return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(cmp.Or(field.Text, field.Raw)))
	}
	return false
}

// saysDry tells whether the right field says anything that is read: true, or what is refused for itself.
func (f *fields) saysDry(known bool) bool {
	v, _, err := f.form.Bool(dryRun)
	return known && f.has(dryRun) && (v || err != nil)
}

func (f *fields) notDry(known bool, begin string) error {
	e := sandlot.Refuse(sandlot.CodeInvalidField, "%s. Nothing was changed.", begin).In(dryRun)
	if !known {
		return e.With(sandlot.OpProject).Note("This call has no dry run: without that field it is made in earnest. What it would change is told here:")
	}
	return e.With(sandlot.OpSame, sandlot.Arg{Name: dryRun, Value: true}).Note("Send it as dry_run in the body:")
}

// checkQuery refuses a query that cannot be read, of a call that changes something: the part that would be left out may say
// which project, or that nothing is to be done.
func (c *call) checkQuery() error {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		return c.checkNarrowed()
	}
	if err := readableQuery(c.r); err != nil {
		return err.With(sandlot.OpNothing).Note(queryNote)
	}
	return nil
}

// checkNarrowed refuses a query that names one project where the call reads all of a key's.
func (c *call) checkNarrowed() error {
	if c.route.op != sandlot.OpExport && c.route.op != sandlot.OpWhoami {
		return nil
	}
	for name := range c.r.URL.Query() {
		if slices.Contains(deleteFields.candidates(name), "project_id") || name == "project_id" {
			e := sandlot.Refuse(sandlot.CodeInvalidField, "The parameter %s is not read here: the call is about all projects that the key covers.", shown(name)).In(name).With(sandlot.OpSame)
			return e.Note("Leave it out, and send the project_api_key of a project for that project alone:")
		}
	}
	return nil
}

// queryNote says how a query is written that can be read.
const queryNote = "In a query, write ; as %%3B and %% as %%25, and put & between the fields."

// readableQuery returns the refusal of a query that cannot be read, nil for any other.
func readableQuery(r *http.Request) *sandlot.Error {
	if _, err := url.ParseQuery(r.URL.RawQuery); err == nil {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField, "The query of the address cannot be read: it has a semicolon, or a percent sign without two hexadecimal digits. Nothing was changed.")
}

// readDry reads the dry run that the query of a call without fields asks for. Under another name it is refused.
func (c *call) readDry() (bool, *sandlot.Error) {
	query := c.r.URL.Query()
	for _, field := range inQuery(query) {
		if field.Name != dryRun && asksDry(field) {
			return false, sandlot.Refuse(sandlot.CodeInvalidField, "The query of the address says %s, and it is not read. Nothing was changed.", shown(field.Name)).In(dryRun)
		}
	}
	said := query[dryRun]
	switch {
	case len(said) == 0, len(said) == 1 && (said[0] == "false" || said[0] == "0"):
		return false, nil
	case len(said) == 1 && (said[0] == "true" || said[0] == "1"):
		return true, nil
	}
	return false, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter dry_run is neither true nor false, or there twice. Nothing was changed.").In(dryRun)
}

// checkDryOfTicket refuses a dry run that is asked for with the bytes: the ticket says whether it is one.
func (c *call) checkDryOfTicket() error {
	dry, refusal := c.readDry()
	if refusal == nil && (!dry || c.told.DryRun()) {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField, "The query of the address asks for a dry run, and it is not read. Nothing was changed.").In(dryRun).
		With(sandlot.OpTicket, sandlot.Arg{Name: dryRun, Value: true}).Note("Ask for a ticket with dry_run for bytes that are only to be checked:")
}
