package account

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"sandlot"
)

// DecisionNotice is what a message to an owner says of a decision at the desk.
type DecisionNotice struct {
	Project sandlot.Project
	Action  string // "dismiss", "hold", "take-down" or "take-down-account"
	Reason  string // one of those of reports; empty for dismiss
	Text    string // of the moderator
	More    int    // other projects of the account in the same decision
	Final   bool   // it answers an objection: there is no other
}

// OutcomeNotice is what a message to a reporter says.
type OutcomeNotice struct {
	Case    string // the number of the report
	Project sandlot.ProjectID
	Down    bool // others cannot see the project any more
}

// writeDecision writes the message to the owner of a project about a decision of a moderator. Its link, by which the
// owner objects, has a code of which only the hash is kept, so a message that is tried again carries a new one.
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
	m := Mail{Kind: j.Kind + "-" + n.Action, To: j.Address, Lang: j.Lang, Project: projectName(n.Project), Page: page, Link: page}
	m.Decided = Decided{Reason: n.Reason, Words: n.Text, More: n.More}
	if n.Action != "dismiss" && !n.Final {
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
	decided := Decided{Address: defanged(c.Places.Project(n.Project, 0, "").URL)}
	return Mail{Kind: kind, To: j.Address, Lang: j.Lang, Case: n.Case, Decided: decided, Link: c.Places.Base.String()}, nil
}

// defanged returns an address that mail programs make no link of.
func defanged(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	return strings.ReplaceAll(strings.TrimSuffix(rest, "/"), ".", "[.]")
}
