package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate/desk"
)

// deskCommands are the commands about reports, and the decisions of moderators.
type deskCommands struct {
	Desk     deskCommand     `cmd:"" help:"List projects that wait for a decision, oldest first."`
	Case     caseCommand     `cmd:"" help:"Show what a moderator sees of a project."`
	Decide   decideCommand   `cmd:"" help:"Decide about projects; owners and reporters hear it."`
	Undo     undoCommand     `cmd:"" help:"Undo a decision, with the others of its command."`
	Note     noteCommand     `cmd:"" help:"Add a note about a project for other moderators."`
	Verdicts verdictsCommand `cmd:"" help:"List the last verdicts of the judge, newest first."`
	Reports  reportsCommand  `cmd:"" help:"List reports, newest first, or show one."`

	CloseReport closeReportCommand `cmd:"" help:"Close a report; 90 days later its text is deleted."`
	Reporters   reportersCommand   `cmd:"" help:"Manage the tokens of trusted reporters."`
}

// manyTargets is the most projects that one command decides about without --yes.
const manyTargets = 20

// desk returns the service of the desk, as the operator of the machine has it.
func (a operator) desk(ctx context.Context, contents desk.Contents) (*desk.Service, error) {
	return desk.New(ctx, desk.Config{Store: a.db.Operate().Desk(), Contents: contents, Spend: a.spend})
}

type deskCommand struct{ listing }

// Run lists the queue.
func (c *deskCommand) Run(ctx context.Context, t *terminal) error {
	return list(ctx, c.listing, t, newItemLine, func(a operator, _ desk.Item, seen, limit int) ([]desk.Item, error) {
		d, err := a.desk(ctx, nil)
		if err != nil {
			return nil, err
		}
		return d.Queue(ctx, a.by, seen, limit)
	})
}

// itemLine is a project of the queue in its printed form.
type itemLine struct {
	ProjectID   string     `json:"project_id"`
	Since       *time.Time `json:"since"`
	Waits       []string   `json:"waits"`
	Reports     int        `json:"reports"`
	Networks    int        `json:"networks"`
	Reasons     []string   `json:"reasons"`
	Handle      string     `json:"handle"`
	Verified    bool       `json:"email_verified"`
	Account     time.Time  `json:"account_created_at"`
	SameHash    int        `json:"same_hash"`
	SameAccount int        `json:"same_account"`
	SameNetwork int        `json:"same_network"`
}

func newItemLine(i desk.Item) itemLine {
	return itemLine{
		string(i.Project.ID), orNil(i.Since), notNull(i.Waits), i.Reports, i.Networks, notNull(i.Reasons), i.Owner.Handle, i.Owner.Verified, i.Owner.CreatedAt,
		i.Same.Hash, i.Same.Account, i.Same.Network,
	}
}

// notNull returns a list that is empty in JSON, and not null, if there is nothing.
func notNull(list []string) []string { return append([]string{}, list...) }

type caseCommand struct {
	Project string `arg:"" help:"Id or address of the project."`
	storage
	format
}

// Run shows a case.
func (c *caseCommand) Run(ctx context.Context, t *terminal) error {
	return c.administer(ctx, func(a operator) error {
		contents, done, err := c.contents(ctx, a.db)
		if err != nil {
			return err
		}
		defer done()
		d, err := a.desk(ctx, contents)
		if err != nil {
			return err
		}
		found, err := d.Case(ctx, a.by, sandlot.Places{}.ProjectIn(c.Project))
		if err != nil {
			return fmt.Errorf("project %q: %w", c.Project, err)
		}
		return c.show(t, newCaseShown(found))
	})
}

// caseShown is a case in its printed form. Its texts are by strangers.
type caseShown struct {
	itemLine
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Version     int             `json:"version"`
	Held        string          `json:"held"`
	Suspended   bool            `json:"suspended"`
	Verdict     string          `json:"verdict"`
	Sends       []string        `json:"sends"`
	SameAs      []string        `json:"same_as"`
	Open        []reportLine    `json:"open_reports"`
	Closed      []reportLine    `json:"closed_reports"`
	Decisions   []decisionShown `json:"decisions"`
	Notes       []noteLine      `json:"notes"`
	Files       []fileLine      `json:"files"`
}

type decisionShown struct {
	ID        int64      `json:"id"`
	At        time.Time  `json:"at"`
	By        string     `json:"by"`
	Decision  string     `json:"decision"`
	Reason    string     `json:"reason"`
	Text      string     `json:"text"`
	UndoneAt  *time.Time `json:"undone_at"`
	Objection string     `json:"untrusted_objection"`
}

type noteLine struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Text string    `json:"text"`
}

func newCaseShown(c desk.Case) caseShown {
	same := []string{}
	for _, name := range slices.Sorted(maps.Keys(c.SameAs)) {
		for _, id := range c.SameAs[name] {
			same = append(same, name+" "+id)
		}
	}
	return caseShown{
		newItemLine(c.Item), c.Project.Title, c.Description, c.Project.Version, string(c.Project.Held.Rule), c.Project.Suspended, c.Verdict,
		notNull(c.Sends), same, each(c.Open, newReportLine), each(c.Closed, newReportLine),
		each(c.Decisions, func(d desk.Decision) decisionShown {
			return decisionShown{d.ID, d.At, d.Who, string(d.Action), d.Reason, d.Text, orNil(d.UndoneAt), d.Objection}
		}),
		each(c.Notes, func(n desk.Note) noteLine { return noteLine{n.At, n.Who, n.Text} }),
		each(c.Files, newFileLine),
	}
}

type decideCommand struct {
	Decision string   `arg:"" enum:"dismiss,hold,take-down,take-down-account" help:"dismiss, hold, take-down or take-down-account."`
	Projects []string `arg:"" name:"project" help:"Ids or addresses of projects."`
	acting
	Reason string   `placeholder:"REASON" help:"illegal, deceptive, malware, copyright, harassment or other; the owner reads it. (default: none, for dismiss alone)"`
	Text   string   `placeholder:"TEXT" help:"Words to the owner. (default: none)"`
	Same   []string `enum:"hash,account,network" placeholder:"WHAT" help:"Also about projects with the same page (hash), of the same account, or from the same network. (default: those that are named)"`
	Block  bool     `help:"Add the files to the blocklist for a year. (default: do not)"`
	Yes    bool     `help:"Decide about more than 20 projects. (default: list them, and decide nothing)"`
}

// Run makes a decision.
func (c *decideCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		d, err := a.desk(ctx, nil)
		if err != nil {
			return "", err
		}
		o := desk.Order{Action: desk.Action(c.Decision), Reason: c.Reason, Text: c.Text, Block: c.Block}
		if o.Targets, err = c.targets(ctx, a); err != nil {
			return "", err
		}
		if len(o.Targets) > manyTargets && !c.Yes {
			for _, t1 := range o.Targets {
				fmt.Fprintln(t.err, t1.Project)
			}
			return "", usageError{fmt.Errorf("these are %d projects: --yes decides about all of them; nothing was changed", len(o.Targets))}
		}
		made, err := d.Decide(ctx, a.by, o)
		if err != nil {
			return "", err
		}
		said := fmt.Sprintf("Decision %d: %s, about %s.", made[0].Batch, c.Decision, amount(len(made), "project"))
		return said + fmt.Sprintf("\nTo undo it: sandlot admin undo %d", made[0].ID), nil
	})
}

// targets returns the projects of the command and their copies, each project once.
func (c *decideCommand) targets(ctx context.Context, a operator) (list []desk.Target, err error) {
	seen := map[sandlot.ProjectID]bool{}
	add := func(id sandlot.ProjectID) {
		if !seen[id] {
			seen[id], list = true, append(list, desk.Target{Project: id})
		}
	}
	for _, ref := range c.Projects {
		id := sandlot.Places{}.ProjectIn(ref)
		add(id)
		if len(c.Same) == 0 {
			continue
		}
		found, err := a.db.Operate().Desk().Case(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("project %q: %w", ref, err)
		}
		for _, same := range c.Same {
			for _, other := range found.SameAs[strings.TrimSpace(same)] {
				add(sandlot.ProjectID(other))
			}
		}
	}
	return list, nil
}

type undoCommand struct {
	ID int64 `arg:"" help:"Number of the decision, as admin case and admin decide print it."`
	acting
}

// Run undoes a decision.
func (c *undoCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		d, err := a.desk(ctx, nil)
		if err != nil {
			return "", err
		}
		err = d.Undo(ctx, a.by, c.ID)
		if last, moved := desk.Last(err); moved {
			did := cmp.Or(map[bool]string{true: "was undone by " + last.UndoneBy}[!last.UndoneAt.IsZero()], "is by "+last.Who)
			return "", fmt.Errorf("the last decision about %s is %d, %s, and %s; nothing was changed", last.Project, last.ID, last.Action, did)
		}
		if err != nil {
			return "", fmt.Errorf("decision %d: %w", c.ID, err)
		}
		return fmt.Sprintf("Decision %d is undone. Closed reports stay closed.", c.ID), nil
	})
}

type noteCommand struct {
	Project string `arg:"" help:"Id or address of the project."`
	Text    string `arg:"" help:"The note."`
	acting
}

// Run adds a note.
func (c *noteCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		d, err := a.desk(ctx, nil)
		if err != nil {
			return "", err
		}
		id := sandlot.Places{}.ProjectIn(c.Project)
		return fmt.Sprintf("The note about %s is kept.", id), d.Note(ctx, a.by, id, c.Text)
	})
}
