package cli

import (
	"context"
	"strconv"

	"sandlot/internal/client/client"
)

type rmCommand struct {
	File  string `arg:"" placeholder:"FILE" help:"File of the project."`
	Force bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	target
}

// Run deletes one file of the project. The local file stays.
func (c *rmCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
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
