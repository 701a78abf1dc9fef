package account

import (
	"context"
	"fmt"
	"net/url"

	"sandlot"
)

// DecisionNotice holds the facts of a message to an owner about a decision at the desk.
type DecisionNotice struct {
	Project sandlot.Project
	Action  string // "dismiss", "hold", "take-down" or "take-down-account"
	Reason  string // one of those of reports; empty for dismiss
	Text    string // of the moderator
	More    int    // other projects of the account in the same decision
	Final   bool   // it answers an objection: there is no other
}

// OutcomeNotice holds the facts of a message to a reporter.
type OutcomeNotice struct {
	Case    string // the number of the report
	Project sandlot.ProjectID
	Down    bool // others cannot see the project any more
}

// writeDecision writes the message to the owner of a project about a decision of a moderator. Its link, by which the
// owner objects, has a code, of which the store keeps the hash alone, so a message that is tried again carries a new one.
func (c *Courier) writeDecision(ctx context.Context, j sandlot.Job) (Mail, error) {
	code, err := c.Vault.Text(base62, 43) // 256 bits
	if err != nil {
		return Mail{}, fmt.Errorf("mint code: %w", err)
	}
	n, err := c.Store.Decision(ctx, j.About, digest(code))
	if err != nil {
		return Mail{}, err
	}
	page := c.Places.Project(n.Project.ID, n.Project.Version, "").Page
	m := Mail{
		Kind: j.Kind + "-" + n.Action, To: j.Address, Lang: j.Lang, Project: c.projectName(n.Project), Page: page, Link: page,
		Reason: n.Reason, Words: n.Text,
	}
	if n.More > 0 {
		m.Project += fmt.Sprintf(" (+%d)", n.More)
	}
	switch {
	case n.Action == "dismiss":
	case n.Final:
		m.Kind = j.Kind + "-final"
	default:
		m.Link = c.Places.Base.String() + "/object?code=" + url.QueryEscape(code)
	}
	return m, nil
}

// writeOutcome writes the message to a reporter. Anybody can have it sent to any address, so it has no word of a
// stranger, and its address of the project cannot be followed.
func (c *Courier) writeOutcome(ctx context.Context, j sandlot.Job) (Mail, error) {
	n, err := c.Store.Outcome(ctx, j.About, j.Address)
	if err != nil {
		return Mail{}, err
	}
	kind := j.Kind + "-kept"
	if n.Down {
		kind = j.Kind + "-down"
	}
	return Mail{
		Kind: kind, To: j.Address, Lang: j.Lang, Case: n.Case, Project: c.defanged(n.Project), Link: c.Places.Base.String() + "/report",
	}, nil
}

// aboutDecisions reports whether messages of a kind are about decisions. They have no link for a reader who did not ask
// for them: an owner must get them, and a reporter has left the address.
func aboutDecisions(kind string) bool {
	return kind == sandlot.MailDecision || kind == sandlot.MailOutcome
}
