package api

import (
	"net/http"
	"slices"

	"sandlot"
	"sandlot/internal/transport/intake"
)

// checkQuery refuses an unreadable query of a call that changes something: the part that would be dropped may name the
// project, or request a dry run.
func (c *call) checkQuery() error {
	if c.R.Method == http.MethodGet || c.R.Method == http.MethodHead {
		return c.checkNarrowed()
	}
	if err := intake.ReadableQuery(c.R); err != nil {
		return err.With(sandlot.OpNothing).Note(intake.QueryNote)
	}
	return nil
}

// checkNarrowed refuses a query that names one project where the call reads all projects of a key.
func (c *call) checkNarrowed() error {
	if c.route.op != sandlot.OpExport && c.route.op != sandlot.OpWhoami {
		return nil
	}
	for name := range c.R.URL.Query() {
		if slices.Contains(intake.DeleteFields.Candidates(name), "project_id") || name == "project_id" {
			e := sandlot.Refuse(sandlot.CodeInvalidField, "The parameter %s is not read here: the call is about all projects that the key covers.", intake.Shown(name)).In(name).With(sandlot.OpSame)
			return e.Note("Leave it out, and send the project_api_key of a project for that project alone:")
		}
	}
	return nil
}

// checkDryOfTicket refuses a dry run that is requested with the bytes: the ticket decides whether the call is one.
func (c *call) checkDryOfTicket() error {
	dry, refusal := c.ReadDry()
	if refusal == nil && (!dry || c.Told.DryRun()) {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeInvalidField, "The query of the address asks for a dry run, and it is not read. Nothing was changed.").In(intake.DryRun).
		With(sandlot.OpTicket, sandlot.Arg{Name: intake.DryRun, Value: true}).Note("Ask for a ticket with dry_run for bytes that are only to be checked:")
}
