package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"sandlot/internal/client"
)

type rmCommand struct {
	File  string `arg:"" placeholder:"FILE" help:"File of the project."`
	Force bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	target
}

// Run deletes one file of the project. What lies here stays.
func (c *rmCommand) Run(ctx context.Context, env *Env) error {
	s, err := c.here(env)
	if err != nil {
		return err
	}
	p, err := s.asOwner().project(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(s.owned(p), s.movedOn(p, c.Force)); err != nil {
		return err
	}
	name := c.File
	if s.place.state.ID == p.ID {
		if inside, err := s.place.name(c.File); err == nil {
			name = inside
		}
	}
	f := client.Fields{ProjectID: p.ID, Filename: name, IfVersion: p.Version, IdempotencyKey: env.Random()}
	var a client.Answer
	if err := s.call(ctx, func() (err error) { a, err = s.DeleteFile(ctx, f); return err }); err != nil {
		return s.explain(ctx, err)
	}
	if err := s.remember(work{place: s.place}, a.Change, false); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(s.place.dir, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) && s.place.state.Path == "." {
		env.say("It is still in this folder: publishing the folder brings it back.")
	}
	return env.print(c.JSON, a.Text, "deleted", a.Deleted, "project", a.ProjectID, "version", strconv.Itoa(a.Version))
}
