package publish

import "context"

// MailReport is the kind of the message that tells an operator of a report.
const MailReport = "report"

// ReportNotice is what the message about a report says.
type ReportNotice struct {
	Case    string // its number, such as R-7K3M-9Q2D
	Project ProjectID
}

// A ReportMailStore tells what the message about a report says, under the same promises as a Store.
type ReportMailStore interface {
	// ReportOfJob returns what the message says that a job sends.
	ReportOfJob(ctx context.Context, job int64) (ReportNotice, error)
}

// writeReport writes the message that tells an operator of a report. What it says
// stays where it is: who reads the mail of an operator need not learn who wrote it.
func (c *Courier) writeReport(ctx context.Context, j Job) (Mail, error) {
	r, err := c.Reports.ReportOfJob(ctx, j.ID)
	if err != nil {
		return Mail{}, err
	}
	return Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: r.Case, Link: c.Places.Base.String() + "/p/" + string(r.Project)}, nil
}
