package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"sandlot/internal/client/client"
)

type publishCommand struct {
	Path    string `arg:"" optional:"" default:"." placeholder:"PATH" help:"File or folder (default: the folder you are in)."`
	Email   string `placeholder:"ADDRESS" help:"Address of the account, which a new one needs. (default: none)"`
	Title   string `placeholder:"TEXT" help:"Title of the project. (default: the page's own)"`
	Handle  string `placeholder:"NAME" help:"For a first publish without a key: the name of the new account. (default: one is made up)"`
	Page    string `name:"primary" placeholder:"NAME" help:"Of a folder: the file that opens first. (default: index.html, or the one page)"`
	New     bool   `help:"Publish another project, whatever .sandlot/project.json names. (default: update that one)"`
	Force   bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	Damaged bool   `help:"Also files that look damaged. (default: refuse them in an update)"`
	DryRun  bool   `help:"Check everything, and change nothing. (default: publish)"`
	NoWait  bool   `help:"Leave without what the play-tester finds. (default: wait 20 s for it, where there is one)"`
	target
}

// Run publishes PATH: it makes a project, or updates the known one.
func (c *publishCommand) Run(ctx context.Context, env *Env) error {
	w, err := readWork(c.Path, false)
	if err != nil {
		return err
	}
	adopt := true
	if known := w.place.state.ID; c.New || c.ID != "" && c.ID != known {
		adopt = c.New || known == "" // the folder keeps its project, unless it is to become another
		w.place.state = state{Server: w.place.state.Server}
	}
	w.alone = true
	s, err := c.connect(env, w.place)
	if err != nil {
		return err
	}
	if s.leave = c.NoWait; s.id == "" {
		return s.publish(ctx, w, client.Fields{Title: c.Title, Email: c.Email, Handle: c.Handle, PrimaryFile: c.Page}, c.DryRun)
	}
	if known := w.place.state; !w.folder && known.ID != "" && known.Path != "." && !w.isPage() {
		return &Failure{
			Message: w.place.path(stateFile) + " says that the project is " + known.Path + ", so it is not clear what " + w.path + " is",
			Notes:   []string{"As a project of its own it belongs into another folder. To add it to that project:"},
			Fix:     []string{command("sandlot", "update", w.path)}, Exit: exitUsage,
		}
	}
	as := change{title: c.Title, page: c.Page, force: c.Force, damaged: c.Damaged, exact: true, dryRun: c.DryRun, adopt: adopt}
	return s.update(ctx, w, as)
}

// publish makes a new project, and an account for it if there is no key.
func (s *session) publish(ctx context.Context, w work, f client.Fields, dryRun bool) error {
	t, err := w.files(ctx, "index.html")
	if err != nil {
		return err
	}
	defer t.root.Close()
	t.report(s.env)
	out := delivery{call: "publish", fields: f, tree: t, many: w.folder}
	if s.asAccount(); dryRun {
		return s.try(ctx, out)
	}
	s.meant = true
	ring, err := s.env.keyring()
	if err == nil {
		err = errors.Join(ring.add(), w.place.prepare()) // checks first that the answer can be stored
	}
	if err != nil {
		return err
	}
	a, err := s.send(ctx, out)
	if err != nil {
		return err
	}
	// Without the keys nobody could change the project any more, so they are stored first.
	keys, file := s.keysOf(a), ""
	if err := ring.add(keys...); err != nil {
		return err
	}
	if len(keys) > 0 { // a login gets none
		file = ring.path
	}
	kept := s.remember(w, a.Change, true)
	return errors.Join(s.made(ctx, a, "published", "handle", "@"+a.Handle, "keys in", file), kept)
}

// keysOf returns the keys of an answer, with the account key only if it is new here.
func (s *session) keysOf(a client.Answer) (keys []keptKey) {
	if a.APIKey != "" && a.APIKey != accountKey(s.keys).Key {
		keys = append(keys, keptKey{Server: s.server(), Key: a.APIKey, Handle: a.Handle})
	}
	if a.ProjectAPIKey != "" {
		keys = append(keys, keptKey{Server: s.server(), Key: a.ProjectAPIKey, Handle: a.Handle, Project: a.ProjectID})
	}
	return keys
}

// remember writes the state of the folder. It leaves another project's state alone.
func (s *session) remember(w work, made client.Change, adopt bool) error {
	known := w.place.state
	if known.ID != made.ProjectID && (!adopt || known.ID != "") {
		return nil
	}
	s.note(made.ProjectID)
	next := state{Server: s.server(), ID: made.ProjectID, URL: made.URL, Path: known.Path, Version: made.Version}
	if adopt {
		next.Path = w.published()
	}
	if next == known {
		return nil
	}
	if err := w.place.save(next); err != nil {
		return fmt.Errorf("version %d of %s is there, but this folder could not note it down: %w", made.Version, made.ProjectID, err)
	}
	return nil
}

// made prints the new version, the warnings about it, and the findings that the play-tester has soon.
func (s *session) made(ctx context.Context, a client.Answer, how string, more ...string) error {
	pairs := append([]string{how, a.ProjectID, "url", a.URL, "page", a.PageURL, "version", strconv.Itoa(a.Version)}, more...)
	if err := s.env.print(s.quiet, a.Text, pairs...); err != nil || s.quiet {
		return err
	}
	s.env.warn(a.Warnings)
	s.tested(ctx, a)
	return nil
}
