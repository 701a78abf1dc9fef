package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"sandlot/internal/client/client"
)

type updateCommand struct {
	Path    string `arg:"" optional:"" default:"." placeholder:"PATH" help:"File or folder (default: the folder you are in)."`
	As      string `placeholder:"NAME" help:"Name of the file in the project. (default: its path below the folder with .sandlot)"`
	Force   bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	Damaged bool   `help:"Also files that look damaged. (default: refuse them in an update)"`
	DryRun  bool   `help:"Check everything, and change nothing. (default: update)"`
	NoWait  bool   `help:"Leave without what the play-tester finds. (default: wait 20 s for it, where there is one)"`
	target
}

// Run sends files to the project, and removes none.
func (c *updateCommand) Run(ctx context.Context, env *Env) error {
	w, err := readWork(c.Path, true)
	if err != nil {
		return err
	}
	if w.folder && c.As != "" {
		return usage("--as names one file, and %s is a folder", c.Path)
	}
	w.as = c.As
	s, err := c.connect(env, w.place)
	if err != nil {
		return err
	}
	s.leave = c.NoWait
	return s.update(ctx, w, change{force: c.Force, damaged: c.Damaged, dryRun: c.DryRun})
}

// A change holds the options of an update.
type change struct {
	title, page   string // empty: unchanged
	force, dryRun bool
	damaged       bool // accept files that look damaged
	exact         bool // remove files from the project that are not here
	adopt         bool // the folder becomes this project's, if it has no other
}

// update brings a project to the state of the files here, if they differ.
func (s *session) update(ctx context.Context, w work, c change) error {
	p, err := s.asOwner().project(ctx)
	if err != nil {
		return err
	}
	if err := s.owned(p); err != nil {
		return err
	}
	t, err := w.files(ctx, page(p))
	if err != nil {
		return err
	}
	defer t.root.Close()
	t.report(s.env)
	d := compare(t.files, p.Files)
	if !w.folder || !c.exact {
		d.only = nil
	}
	if c.title == p.Title {
		c.title = ""
	}
	if c.page == p.PrimaryFile {
		c.page = ""
	}
	if d.none() && c.title+c.page == "" {
		return s.nothing(w, p, c)
	}
	if err := s.mayChange(p, c.force); err != nil {
		return err
	}
	if d.none() {
		return s.amend(ctx, w, c, p)
	}
	return s.apply(ctx, w, c, p, t, d)
}

// apply sends the files that differ, as one version.
func (s *session) apply(ctx context.Context, w work, c change, p client.Project, t *tree, d difference) error {
	s.env.describe(d)
	if len(d.only) == 0 {
		t = t.only(append(d.added, d.changed...))
	}
	out := delivery{call: "update", tree: t, many: w.folder, replace: len(d.only) > 0}
	out.fields = client.Fields{ProjectID: p.ID, Title: c.title, PrimaryFile: c.page, IfVersion: p.Version, Force: c.damaged}
	if c.dryRun {
		return s.try(ctx, out)
	}
	a, err := s.send(ctx, out)
	if err != nil {
		return err
	}
	kept := s.remember(w, a.Change, c.adopt)
	return errors.Join(s.made(ctx, a, "updated"), kept)
}

// nothing prints that the project has these files already.
func (s *session) nothing(w work, p client.Project, c change) error {
	if !c.dryRun {
		if err := s.remember(w, client.Change{ProjectID: p.ID, URL: p.URL, Version: p.Version}, c.adopt); err != nil {
			return err
		}
	}
	s.env.say("nothing differs, nothing was sent")
	return s.env.print(s.quiet, p.Text, "project", p.ID, "url", p.URL, "version", strconv.Itoa(p.Version))
}

// mayChange refuses a project of another account, one that the user did not name, and one that has changed since the
// folder last saw it.
func (s *session) mayChange(p client.Project, force bool) error {
	if err := s.owned(p); err != nil {
		return err
	}
	if err := s.confirm(p); err != nil {
		return err
	}
	known := s.place.state
	if force || known.ID != p.ID || known.Version == 0 || known.Version == p.Version {
		return nil
	}
	text := fmt.Sprintf("it has version %d, and this folder knows version %d", p.Version, known.Version)
	return s.refused(&client.Error{Code: "version_conflict", Status: 412, Message: text})
}

// owned refuses a project whose files the key may not see, since nothing could be compared.
func (s *session) owned(p client.Project) error {
	if s.Key == "" {
		return s.refused(&client.Error{Code: "key_required", Status: 401, Message: "there is no key here for " + s.server()})
	}
	if p.Files == nil && p.FileCount > 0 {
		return s.refused(&client.Error{Code: "wrong_project", Status: 403, Message: "the key does not cover " + p.ID})
	}
	s.id = p.ID
	return nil
}

// amend changes the title or the primary file of the project without sending a file.
func (s *session) amend(ctx context.Context, w work, c change, p client.Project) error {
	if c.dryRun {
		s.env.say("would change the title or the page of %s at %s, and send no file; nothing was changed", p.ID, s.server())
		return s.env.print(s.quiet, p.Text)
	}
	a := client.Amendment{}
	if c.title != "" {
		a.Title = &c.title
	}
	if c.page != "" {
		a.PrimaryFile = &c.page
	}
	made, err := asked(ctx, s, func() (client.Project, error) { return s.Amend(ctx, p.ID, a) })
	if err != nil {
		return err
	}
	if err := s.remember(w, client.Change{ProjectID: made.ID, URL: made.URL, Version: made.Version}, c.adopt); err != nil {
		return err
	}
	if !s.quiet {
		s.env.warn(made.Warnings)
	}
	return s.env.print(s.quiet, made.Text, "updated", made.ID, "title", made.Title, "url", made.URL, "version", strconv.Itoa(made.Version))
}
