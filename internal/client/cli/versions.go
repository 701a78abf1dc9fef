package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

type versionsCommand struct {
	target
	Limit int `default:"20" placeholder:"N" help:"Versions to list, newest first, at most 1000."`
}

// Run prints the project's versions.
func (c *versionsCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	list, err := asked(ctx, s, func() (client.Versions, error) { return s.Versions(ctx, p.ID, c.Limit, "") })
	if err != nil {
		return err
	}
	if c.JSON {
		return env.print(true, list.Text)
	}
	for _, v := range list.Versions {
		fmt.Fprintf(env.Out, "%5d  %s  %s  %s\n", v.Version, v.CreatedAt.Local().Format(time.DateTime), changes(v), clean(v.Title))
	}
	if list.NextCursor != "" {
		env.say("There are older ones: --limit shows up to 1000.")
	}
	return nil
}

// changes summarizes the changes of a version.
func changes(v client.Version) string {
	text := "?"
	if v.Changes != nil {
		text = fmt.Sprintf("+%d ~%d -%d", v.Changes.Added, v.Changes.Changed, v.Changes.Removed)
	}
	if v.RestoredFrom != 0 {
		text += fmt.Sprintf(" (files of %d)", v.RestoredFrom)
	}
	if v.Erased {
		text += " (erased)"
	}
	return text
}

type restoreCommand struct {
	Version int  `arg:"" placeholder:"N" help:"Version whose files come back."`
	Force   bool `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	target
}

// Run makes a version from the files of an older one. The local files stay.
func (c *restoreCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	if err := s.mayChange(p, c.Force); err != nil {
		return err
	}
	f := client.Fields{ProjectID: p.ID, Version: c.Version, IfVersion: p.Version, IdempotencyKey: env.Random()}
	a, err := asked(ctx, s, func() (client.Answer, error) { return s.Restore(ctx, f) })
	if err != nil {
		return err
	}
	if err := s.remember(work{place: s.place}, a.Change, false); err != nil {
		return err
	}
	if s.place.state.ID == p.ID {
		env.say("The folder is as it was: sandlot status shows what differs.")
	}
	now, of := strconv.Itoa(a.Version), strconv.Itoa(a.RestoredFrom)
	return env.print(c.JSON, a.Text, "project", a.ProjectID, "version", now, "files of", of, "url", a.URL)
}
