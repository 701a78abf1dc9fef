package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"sandlot"
)

// The kinds of messages that differ from the kind of their job.
const (
	mailHeldOwner    = "held-owner"    // to the owner of a held project
	mailReceivedNone = "received-none" // to a sender whose message named no project
)

// reminderSlack is how much earlier than its time a reminder may be sent: less than any other hold of the project began
// before it.
const reminderSlack = time.Hour

// aboutReports reports whether messages of a kind are about reports.
func aboutReports(kind string) bool {
	return slices.Contains([]string{sandlot.MailReport, sandlot.MailHeld, sandlot.MailWaiting, sandlot.MailReceived}, kind)
}

// ReportNotice holds the only facts of a report in a message to the operator, with the counts of the open reports of its
// project.
type ReportNotice struct {
	Case              string // its number
	Project           sandlot.ProjectID
	Reason            string
	Reports, Networks int
}

// HeldNotice holds the facts of a project that reports hold.
type HeldNotice struct {
	Project           sandlot.ProjectID
	Handle            string // of its account
	At                time.Time
	Reports, Networks int
}

// writeReport writes the message to the operator about a report, and about all that are open with it. It has no words of
// the reporter, and nothing that identifies them: other people may read that mailbox. The page is named in a form that no
// program makes a link of.
func (c *Courier) writeReport(ctx context.Context, j sandlot.Job) (Mail, error) {
	r, err := c.Store.ReportOfJob(ctx, j.ID)
	if err == nil && r.Reports == 0 {
		err = sandlot.ErrMoved // somebody has decided since
	}
	if err != nil {
		return Mail{}, err
	}
	desk := c.Places.Base.String() + "/desk/" + string(r.Project)
	return Mail{
		Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: r.Case, Reason: r.Reason, Reports: r.Reports, Networks: r.Networks,
		Project: c.defanged(r.Project), Link: desk, NotMe: desk + "?hold=1",
	}, nil
}

// writeHeld writes a message about a project that reports hold: to the operator or the owner, or the reminder. It has lost
// its purpose once the hold has ended.
func (c *Courier) writeHeld(ctx context.Context, j sandlot.Job) (Mail, error) {
	h, err := c.Store.HeldByReports(ctx, j.About)
	if err == nil && j.Kind == sandlot.MailWaiting && h.At.After(j.Due.Add(-reminderSlack)) {
		err = sandlot.ErrMoved // of an earlier hold
	}
	if err != nil {
		return Mail{}, err
	}
	m := Mail{
		Kind: j.Kind, To: j.Address, Lang: j.Lang, Reports: h.Reports, Networks: h.Networks,
		Project: c.defanged(h.Project), Link: c.Places.Base.String() + "/desk/" + string(h.Project),
	}
	if j.Account != 0 {
		m.Kind, m.Handle, m.Project, m.Link = mailHeldOwner, h.Handle, string(h.Project), c.Places.Base.String()+"/appeal/"+string(h.Project)
	}
	return m, nil
}

// writeReceived writes the message to the sender of reports by mail.
func (c *Courier) writeReceived(ctx context.Context, j sandlot.Job) (Mail, error) {
	numbers, err := c.Store.AnsweredReports(ctx, j.About)
	m := Mail{Kind: j.Kind, To: j.Address, Lang: j.Lang, Case: strings.Join(numbers, ", "), Link: c.Places.Base.String() + "/report"}
	if len(numbers) == 0 {
		m.Kind = mailReceivedNone
	}
	return m, err
}

// defanged returns the address of a project in the form in which people pass on dangerous ones.
func (c *Courier) defanged(id sandlot.ProjectID) string {
	scheme, rest, _ := strings.Cut(c.Places.Project(id, 0, "").URL, "://")
	return strings.Replace(scheme, "tt", "xx", 1) + "://" + strings.NewReplacer(".", "[.]", ":", "[:]").Replace(rest)
}
