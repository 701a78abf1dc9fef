package account

import (
	"context"

	"sandlot"
)

// ReportNotice holds the only facts of a report in a message to the operator.
type ReportNotice struct {
	Case    string // its number
	Project sandlot.ProjectID
}

// writeReport writes the message to the operator about a report. It has the number of the report and its project only:
// other readers of that mailbox must not learn who reported a project or why.
func (c *Courier) writeReport(ctx context.Context, j sandlot.Job) (Mail, error) {
	r, err := c.Store.ReportOfJob(ctx, j.ID)
	if err != nil {
		return Mail{}, err
	}
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: r.Case, Link: c.Places.Base.String() + "/p/" + string(r.Project)}, nil
}
