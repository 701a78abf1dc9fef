package account

import (
	"context"

	"sandlot"
)

// ReportNotice is all that a message tells the operator about a report.
type ReportNotice struct {
	Case    string // its number
	Project sandlot.ProjectID
}

// writeReport makes the message that tells the operator of a report. It has the number of the
// report and its project only: whoever else reads that mailbox must not learn who reported what.
func (c *Courier) writeReport(ctx context.Context, j sandlot.Job) (Mail, error) {
	r, err := c.Store.ReportOfJob(ctx, j.ID)
	if err != nil {
		return Mail{}, err
	}
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: r.Case, Link: c.Places.Base.String() + "/p/" + string(r.Project)}, nil
}
