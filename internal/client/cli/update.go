package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"sandlot/internal/client/client"
)

// A change is what is to become of a project that is there.
type change struct {
	title, page   string // empty: they stay
	force, dryRun bool
	damaged       bool // files that look damaged are sent, too
	exact         bool // what is not here goes
	adopt         bool // the folder becomes that project's, if it is no other's
}

// update brings a project to what is here, if it differs.
func (s *session) update(ctx context.Context, w work, c change) error {
	p, err := s.asOwner().project(ctx)
	if err != nil {
		return err
	}
	if err := s.owned(p); err != nil {
		return err
	}
	t, err := w.files(page(p))
	if err != nil {
		return err
	}
	defer t.root.Close()
	t.tell(s.env)
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
	switch {
	case d.none() && c.title+c.page == "":
		return s.nothing(w, p, c)
	case d.none():
		return s.amend(ctx, w, c, p)
	}
	return s.apply(ctx, w, c, p, t, d)
}

// apply sends what differs, as one version.
func (s *session) apply(ctx context.Context, w work, c change, p client.Project, t *tree, d difference) error {
	if err := s.mayChange(ctx, p, c.force); err != nil {
		return err
	}
	s.describe(d)
	if len(d.only) == 0 {
		t = t.only(append(d.added, d.changed...))
	}
	out := delivery{call: "update", tree: t, many: w.folder, replace: len(d.only) > 0}
	out.fields = client.Fields{ProjectID: p.ID, Title: c.title, PrimaryFile: c.page, IfVersion: p.Version, Force: c.damaged}
	if c.dryRun {
		return s.would(ctx, out)
	}
	a, err := s.send(ctx, w, out)
	if err != nil {
		return err
	}
	kept := errors.Join(s.remember(w, a.Change, c.adopt), s.delivered(w.place))
	err = errors.Join(s.told(a, "updated"), s.unkept(a.Change, kept))
	s.opened(ctx, a)
	return err
}

// mayChange refuses to change a project that is not the caller's, that nobody meant, or that has moved on.
func (s *session) mayChange(ctx context.Context, p client.Project, force bool) error {
	if err := s.owned(p); err != nil {
		return err
	}
	if err := s.confirm(ctx, p); err != nil {
		return err
	}
	return s.movedOn(p, force)
}

// movedOn refuses to overwrite what this folder has never seen.
func (s *session) movedOn(p client.Project, force bool) error {
	known := s.place.state
	if force || known.ID != p.ID || known.Version == 0 || known.Version == p.Version {
		return nil
	}
	return s.refused(&client.Error{
		Code: "version_conflict", Status: 412,
		Message: "it has version " + strconv.Itoa(p.Version) + ", and this folder knows version " + strconv.Itoa(known.Version),
	})
}

// owned refuses a project whose files the key does not show, for nothing could be compared.
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

// amend changes what is said about the project, for which no file has to be sent.
func (s *session) amend(ctx context.Context, w work, c change, p client.Project) error {
	if err := s.mayChange(ctx, p, c.force); err != nil {
		return err
	}
	if c.dryRun {
		s.env.say("would change the title or the page of %s at %s, and send no file; nothing was changed", p.ID, s.server())
		if s.quiet {
			return s.unchecked(p.ID, 0, 0)
		}
		return nil
	}
	a := client.Amendment{}
	if c.title != "" {
		a.Title = &c.title
	}
	if c.page != "" {
		a.PrimaryFile = &c.page
	}
	var made client.Project
	if err := s.call(ctx, func() (err error) { made, err = s.Amend(ctx, p.ID, a); return err }); err != nil {
		return s.explain(ctx, err)
	}
	if err := s.remember(w, client.Change{ProjectID: made.ID, URL: made.URL, Version: made.Version}, c.adopt); err != nil {
		return err
	}
	if !s.quiet {
		s.env.warn(made.Warnings)
	}
	return s.env.print(s.quiet, made.Text, "updated", made.ID, "title", made.Title, "url", made.URL, "version", strconv.Itoa(made.Version))
}

// only is the tree with some of its files.
func (t *tree) only(files []localFile) *tree {
	some := &tree{root: t.root, files: files}
	for _, f := range some.files {
		some.size += f.size
	}
	return some
}

// describe says what is going to change.
func (s *session) describe(d difference) {
	for _, f := range d.added {
		s.env.say("  new      %s  %s", clean(f.name), amount(f.size))
	}
	for _, f := range d.changed {
		s.env.say("  changed  %s  %s", clean(f.name), amount(f.size))
	}
	for _, name := range d.only {
		s.env.say("  removed  %s", clean(name))
	}
}

// tell says what of a folder is not sent.
func (t *tree) tell(env *Env) {
	if n := len(t.leftOut); n > 0 {
		env.say("left out: %s", some(t.leftOut))
	}
	if n := len(t.odd); n > 0 {
		env.say("warning: left out, for they are links that lead out of the folder or to folders, or no files: %s", some(t.odd))
	}
}

// some names a few of many.
func some(names []string) string {
	const most = 5
	text := ""
	for i, name := range names {
		if i == most {
			return text + fmt.Sprintf(" and %d more", len(names)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += clean(name)
	}
	return text
}

// nothing tells that the project is what is here already.
func (s *session) nothing(w work, p client.Project, c change) error {
	if !c.dryRun {
		if err := s.remember(w, client.Change{ProjectID: p.ID, URL: p.URL, Version: p.Version}, c.adopt); err != nil {
			return err
		}
	}
	s.env.say("nothing differs, nothing was sent")
	return s.env.print(s.quiet, p.Text, "project", p.ID, "url", p.URL, "version", strconv.Itoa(p.Version))
}

// remember writes what the folder knows of its project now. One that is another project's is left alone.
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
	if err := w.place.prepare(); err != nil {
		return err
	}
	return w.place.save(stateFile, next)
}

// unkept says that something was made, and that the folder does not know it: the answer is printed all the same.
func (s *session) unkept(made client.Change, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{
		Message: fmt.Sprintf("version %d of %s is there, but this folder could not note it down: %v", made.Version, made.ProjectID, err),
		Notes:   []string{"Once the folder can be written, name the project:"}, Fix: []string{s.env.again("--id", made.ProjectID)}, Exit: exitOther, cause: err,
	}
}

// told prints what was made.
func (s *session) told(a client.Answer, how string, more ...string) error {
	pairs := append([]string{how, a.ProjectID, "url", a.URL, "page", a.PageURL, "version", strconv.Itoa(a.Version)}, more...)
	if err := s.env.print(s.quiet, a.Text, pairs...); err != nil {
		return err
	}
	if !s.quiet {
		s.env.warn(a.Warnings)
	}
	return nil
}
