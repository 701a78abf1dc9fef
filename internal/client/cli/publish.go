package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"sandlot/internal/client/client"
)

type publishCommand struct {
	Path    string `arg:"" optional:"" default:"." placeholder:"PATH" help:"File or folder (default: the folder you are in)."`
	Email   string `placeholder:"ADDRESS" help:"Address of the account: a new one needs it, and it takes the place of one that is not confirmed. (default: none)"`
	Title   string `placeholder:"TEXT" help:"Title of the project. (default: the page's own)"`
	Handle  string `placeholder:"NAME" help:"For a first publish without a key: the name of the new account. (default: one is made up)"`
	Page    string `name:"primary" placeholder:"NAME" help:"Of a folder: the file that opens first. (default: index.html, or the one page at the top)"`
	New     bool   `help:"Publish another project, whatever .sandlot/project.json names. (default: update that one)"`
	Force   bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	Damaged bool   `help:"Also files that look damaged. (default: refuse them in an update)"`
	DryRun  bool   `help:"Check everything, and change nothing. (default: publish)"`
	target
}

// Run makes the project what PATH is.
func (c *publishCommand) Run(ctx context.Context, env *Env) error {
	w, err := env.work(c.Path, false)
	if err != nil {
		return err
	}
	adopt := true
	if known := w.place.state.ID; c.New || c.ID != "" && c.ID != known {
		adopt = c.New || known == "" // the folder stays what it is, unless it is to become another project
		w.place.state = state{Server: w.place.state.Server}
	}
	w.alone = true
	s, err := c.connect(env, w.place)
	if err != nil {
		return err
	}
	if s.id == "" {
		return s.publish(ctx, w, client.Fields{Title: c.Title, Email: c.Email, Handle: c.Handle, PrimaryFile: c.Page}, c.DryRun)
	}
	if !w.folder && w.place.state.ID != "" && w.place.state.Path != "." && !w.isPage() {
		return &Failure{
			Message: w.place.path(stateFile) + " says that the project is " + w.place.state.Path + ", so it is not clear what " + w.path + " is",
			Notes:   []string{"As a project of its own it belongs into another folder. To add it to that project:"},
			Fix:     []string{command("sandlot", "update", w.path)}, Exit: exitUsage,
		}
	}
	return s.update(ctx, w, change{title: c.Title, page: c.Page, force: c.Force, damaged: c.Damaged, exact: true, dryRun: c.DryRun, adopt: adopt})
}

type updateCommand struct {
	Path    string `arg:"" optional:"" default:"." placeholder:"PATH" help:"File or folder (default: the folder you are in)."`
	As      string `placeholder:"NAME" help:"Name of the file in the project. (default: its path below the folder with .sandlot)"`
	Force   bool   `help:"Also if the project was changed elsewhere since. (default: refuse then)"`
	Damaged bool   `help:"Also files that look damaged. (default: refuse them in an update)"`
	DryRun  bool   `help:"Check everything, and change nothing. (default: update)"`
	target
}

// Run puts files into the project, and takes none away.
func (c *updateCommand) Run(ctx context.Context, env *Env) error {
	w, err := env.work(c.Path, true)
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
	return s.update(ctx, w, change{force: c.Force, damaged: c.Damaged, dryRun: c.DryRun})
}

// publish makes a new project, and an account for it if there is no key.
func (s *session) publish(ctx context.Context, w work, f client.Fields, dryRun bool) error {
	t, err := w.files("index.html")
	if err != nil {
		return err
	}
	defer t.root.Close()
	if err := s.unwrapped(w, t); err != nil {
		return err
	}
	t.tell(s.env)
	out := delivery{call: "publish", fields: f, tree: t, many: w.folder}
	if dryRun {
		return s.asAccount().would(ctx, out)
	}
	s.meant = true
	ring, err := s.readyToPublish(w)
	if err != nil {
		return err
	}
	a, err := s.asAccount().send(ctx, w, out)
	if err != nil {
		return err
	}
	// Without them nobody could change the project any more: before all else.
	if err := ring.add(s.keysOf(a)...); err != nil {
		return err
	}
	kept := errors.Join(s.remember(w, a.Change, true), s.delivered(w.place))
	err = errors.Join(s.told(a, "published", "handle", "@"+a.Handle, "keys in", ring.path), s.unkept(a.Change, kept))
	s.opened(ctx, a)
	return err
}

// unwrapped refuses a folder that only wraps another one with the page: the server would take it off, and the names here and there
// would never be the same.
func (s *session) unwrapped(w work, t *tree) error {
	top, inner := "", false
	for i, f := range t.files {
		first, _, below := strings.Cut(f.name, "/")
		if !below || i > 0 && first != top {
			return nil
		}
		top, inner = first, inner || strings.HasSuffix(f.name, ".html")
	}
	if !inner || !w.folder {
		return nil
	}
	return &Failure{
		Message: w.path + " has only the folder " + clean(top) + ", and the page is in there; nothing was sent", Notes: []string{"Publish that one:"},
		Fix: []string{command("sandlot", "publish", filepath.Join(w.path, top))}, Exit: exitUsage,
	}
}

// readyToPublish finds out, before anything is sent, whether what comes back can be kept.
func (s *session) readyToPublish(w work) (keyring, error) {
	ring, err := s.env.keyring()
	if err == nil {
		err = ring.add()
	}
	if err == nil {
		err = w.place.prepare()
	}
	return ring, err
}

// keysOf are the keys of an answer. That of the account is there only if it is new here.
func (s *session) keysOf(a client.Answer) (keys []keptKey) {
	if a.APIKey != "" && a.APIKey != accountKey(s.keys).Key {
		keys = append(keys, keptKey{Server: s.server(), Key: a.APIKey, Handle: a.Handle})
	}
	if a.ProjectAPIKey != "" {
		keys = append(keys, keptKey{Server: s.server(), Key: a.ProjectAPIKey, Handle: a.Handle, Project: a.ProjectID})
	}
	return keys
}
