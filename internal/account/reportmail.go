package account

import (
	"context"

	"sandlot/internal/publish"
)

// ReportNotice is what an operator is told of a report by mail.
type ReportNotice struct {
	Case    string // its number
	Project publish.ProjectID
}

// writeReport writes the message that tells an operator of a report. What it says
// stays where it is: who reads the mail of an operator need not learn who wrote it.
func (c *Courier) writeReport(ctx context.Context, j publish.Job) (Mail, error) {
	r, err := c.Store.ReportOfJob(ctx, j.ID)
	if err != nil {
		return Mail{}, err
	}
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: r.Case, Link: c.Places.Base.String() + "/p/" + string(r.Project)}, nil
}
