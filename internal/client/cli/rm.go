package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

type rmCommand struct {
	File    string `arg:"" optional:"" placeholder:"FILE" help:"File of the project."`
	Project bool   `help:"Delete the whole project, which its owner can take back for 7 days. (default: one file)"`
	Confirm string `placeholder:"PROJECT" help:"With --project: its project_id, where nobody can be asked. (default: ask on the terminal)"`
	Force   bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	target
}

// Run deletes one file of the project, or all of it. What lies here stays.
func (c *rmCommand) Run(ctx context.Context, env *Env) error {
	switch {
	case c.Project == (c.File != ""):
		return usage("name one file of the project, or --project for all of it")
	case c.Confirm != "" && !c.Project:
		return usage("--confirm is for --project alone")
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
	if err := s.mayChange(ctx, p, c.Force); err != nil {
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

// whole deletes the project, once somebody has given its id for that.
func (c *rmCommand) whole(ctx context.Context, s *session) error {
	p, err := s.project(ctx)
	if err != nil {
		return err
	}
	if err := s.owned(p); err != nil {
		return err
	}
	if err := c.confirmed(ctx, s.env, p); err != nil {
		return err
	}
	var d client.Deleted
	if err := s.call(ctx, func() (err error) { d, err = s.DeleteProject(ctx, p.ID); return err }); err != nil {
		return s.explain(ctx, err)
	}
	if !c.JSON {
		s.env.warn(d.Warnings)
	}
	return s.env.print(c.JSON, d.Text, "deleted", d.ID, "take back", d.TakeBackURL, "until", d.GoneAt.Local().Format(time.DateTime))
}

// confirmed asks for the id of the project that is to be deleted, if it is not there.
func (c *rmCommand) confirmed(ctx context.Context, env *Env, p client.Project) error {
	given := c.Confirm
	if given == "" && env.terminal() {
		var err error
		if given, err = env.typed(ctx, fmt.Sprintf("This deletes %s with all its versions: %s\nType %s to delete it: ", clean(p.Title), clean(p.URL), clean(p.ID))); err != nil {
			return err
		}
	}
	if given == p.ID {
		return nil
	}
	return &Failure{
		Message: "a project is deleted only if its project_id is given once more; nothing was deleted",
		Fix:     []string{env.again("--confirm", p.ID)}, Exit: exitUsage,
	}
}
