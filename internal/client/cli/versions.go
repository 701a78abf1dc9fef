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
	Limit int `default:"20" placeholder:"N" help:"Versions to list, newest first, at most 1000. (default: ${default})"`
}

// Run lists the project's versions.
func (c *versionsCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	s.id = p.ID
	var list client.Versions
	if err := s.call(ctx, func() (err error) { list, err = s.Versions(ctx, p.ID, c.Limit, ""); return err }); err != nil {
		return s.explain(ctx, err)
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

// changes says in a few words what a version did.
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

// Run makes a version with the files of an older one. What lies here stays.
func (c *restoreCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	if err := s.mayChange(ctx, p, c.Force); err != nil {
		return err
	}
	f := client.Fields{ProjectID: p.ID, Version: c.Version, IfVersion: p.Version, IdempotencyKey: env.Random()}
	var a client.Answer
	if err := s.call(ctx, func() (err error) { a, err = s.Restore(ctx, f); return err }); err != nil {
		return s.explain(ctx, err)
	}
	if err := s.remember(work{place: s.place}, a.Change, false); err != nil {
		return err
	}
	if s.place.state.ID == p.ID {
		env.say("The folder is as it was: sandlot status tells what differs.")
	}
	return env.print(c.JSON, a.Text, "project", a.ProjectID, "version", strconv.Itoa(a.Version), "files of", strconv.Itoa(a.RestoredFrom), "url", a.URL)
}
