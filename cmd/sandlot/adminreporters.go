package main

import (
	"context"
	"fmt"
	"time"

	"sandlot/internal/domain/operate"
)

type reportersCommand struct {
	Add  addReporterCommand   `cmd:"" help:"Make a token for a trusted reporter, and print it once."`
	List listReportersCommand `cmd:"" default:"withargs" help:"List trusted reporters, newest first."`
	End  endReporterCommand   `cmd:"" help:"End the token of a trusted reporter; its reports stay."`
}

// reporters returns the service for trusted reporters.
func (a operator) reporters() *operate.Reporters {
	return &operate.Reporters{Store: a.db.Operate().Reporters(), Filing: a.Service}
}

type addReporterCommand struct {
	Name string `arg:"" help:"Name, as the audit log shows it."`
	acting
}

// Run makes a token. Only the token goes to standard output, so that it can be piped.
func (c *addReporterCommand) Run(ctx context.Context, t *terminal) error {
	return c.administer(ctx, func(a operator) error {
		token, err := a.reporters().Add(ctx, a.by, c.Name)
		if err != nil {
			return err
		}
		fmt.Fprintln(t.err, "A token for POST /v1/report; it is shown only here.")
		fmt.Fprintln(t.out, token.Reveal())
		return nil
	})
}

type listReportersCommand struct{ listing }

// Run lists trusted reporters.
func (c *listReportersCommand) Run(ctx context.Context, t *terminal) error {
	return list(ctx, c.listing, t, newReporterLine, func(a operator, last operate.Reporter, _, limit int) ([]operate.Reporter, error) {
		return a.reporters().List(ctx, a.by, last.ID, limit)
	})
}

// reporterLine is a reporter in its printed form.
type reporterLine struct {
	ID      int64      `json:"id"`
	Name    string     `json:"name"`
	MadeAt  time.Time  `json:"made_at"`
	UsedAt  *time.Time `json:"used_at"`
	EndedAt *time.Time `json:"ended_at"`
}

func newReporterLine(r operate.Reporter) reporterLine {
	return reporterLine{r.ID, r.Name, r.MadeAt, orNil(r.UsedAt), orNil(r.EndedAt)}
}

type endReporterCommand struct {
	Name string `arg:"" help:"Name, as listed."`
	acting
}

// Run ends a token.
func (c *endReporterCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		return fmt.Sprintf("The token of %s is ended.", c.Name), a.reporters().End(ctx, a.by, c.Name)
	})
}
