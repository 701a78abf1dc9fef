package cli

import (
	"context"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

type rmCommand struct {
	File    string `arg:"" optional:"" placeholder:"FILE" help:"File of the project."`
	Project bool   `help:"Delete the whole project, which its owner can take back for 7 days. (default: one file)"`
	Confirm string `placeholder:"PROJECT" help:"With --project: its project_id once more. (default: nothing is deleted)"`
	Force   bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	target
}

// Run deletes one file of the project, or the whole project. The local files stay.
func (c *rmCommand) Run(ctx context.Context, env *Env) error {
	if c.Project == (c.File != "") || c.Confirm != "" && !c.Project {
		return usage("name one file of the project, or --project and --confirm for all of it")
	}
	s, err := c.here(env)
	if err != nil {
		return err
	}
	if c.Project {
		return c.whole(ctx, s.asAccount())
	}
	p, err := s.asOwner().project(ctx)
	if err != nil {
		return err
	}
	if err := s.mayChange(p, c.Force); err != nil {
		return err
	}
	name := c.File
	if s.place.state.ID == p.ID {
		if inside, err := s.place.name(c.File); err == nil {
			name = inside
		}
	}
	f := client.Fields{ProjectID: p.ID, Filename: name, IfVersion: p.Version, IdempotencyKey: env.Random()}
	a, err := asked(ctx, s, func() (client.Answer, error) { return s.DeleteFile(ctx, f) })
	if err != nil {
		return err
	}
	if err := s.remember(work{place: s.place}, a.Change, false); err != nil {
		return err
	}
	return env.print(c.JSON, a.Text, "deleted", a.Deleted, "project", a.ProjectID, "version", strconv.Itoa(a.Version))
}

// whole deletes the project, once the user has confirmed its id.
func (c *rmCommand) whole(ctx context.Context, s *session) error {
	p, err := s.project(ctx)
	if err != nil {
		return err
	}
	if err := s.owned(p); err != nil {
		return err
	}
	if c.Confirm != p.ID {
		text := "a project is deleted only if its project_id is given once more; nothing was deleted"
		return &Failure{Message: text, Fix: []string{s.env.again("--confirm", p.ID)}, Exit: exitUsage}
	}
	d, err := asked(ctx, s, func() (client.Deleted, error) { return s.DeleteProject(ctx, p.ID) })
	if err != nil {
		return err
	}
	if !c.JSON {
		s.env.warn(d.Warnings)
	}
	return s.env.print(c.JSON, d.Text, "deleted", d.ID, "take back", d.TakeBackURL, "until", d.GoneAt.Local().Format(time.DateTime))
}
