package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

// checksWait is the longest wait that a server grants.
const checksWait = 20 * time.Second

type checksCommand struct {
	target
	Wait bool `help:"Wait until the current version was opened. (default: print the results so far)"`
}

// Run shows the results of the play-tester.
func (c *checksCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	s.id = p.ID
	found, err := s.checks(ctx, 0)
	for c.Wait && err == nil && found.Pending() && env.Wait(ctx, time.Second) == nil {
		found, err = s.checks(ctx, checksWait)
	}
	if err != nil {
		return err
	}
	return c.show(env, found)
}

func (c *checksCommand) show(env *Env, found client.Checks) error {
	state, opened := found.State, ""
	if found.State == "waiting" && found.Ahead > 0 {
		state += fmt.Sprintf(" (%s before it)", plural(found.Ahead, "version", "versions"))
	}
	if found.Checked != nil {
		opened = fmt.Sprintf("version %d, %s", found.Checked.Version, found.Checked.At.Local().Format(time.DateTime))
	}
	if err := env.print(c.JSON, found.Text, "project", found.ProjectID, "version", strconv.Itoa(found.Version), "state", state, "reason", found.Reason, "opened", opened); err != nil || c.JSON || found.Checked == nil {
		return err
	}
	env.warn(found.Checked.Findings)
	return nil
}

func (s *session) checks(ctx context.Context, wait time.Duration) (found client.Checks, err error) {
	err = s.call(ctx, func() (err error) { found, err = s.Checks(ctx, s.id, wait); return err })
	return found, s.explain(ctx, err)
}

// opened prints the findings of the play-tester about a version that was just made, if they come within checksWait. It returns no
// error: the version is made.
func (s *session) opened(ctx context.Context, made client.Answer) {
	pending := client.Checks{State: made.Checks.State}.Pending()
	if s.quiet || !pending {
		return
	}
	s.env.say("the play-tester opens it; the results come within %d s, or later with: sandlot checks", int(checksWait.Seconds()))
	owner := *s.Client
	if made.ProjectAPIKey != "" {
		owner.Key = made.ProjectAPIKey
	}
	found, err := owner.Checks(ctx, made.ProjectID, checksWait)
	switch {
	case err != nil || found.Pending() || found.Checked == nil || found.Checked.Version != made.Version:
	case len(found.Checked.Findings) == 0:
		s.env.say("the play-tester found nothing wrong")
	default:
		s.env.warn(found.Checked.Findings)
	}
}
