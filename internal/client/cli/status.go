package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"sandlot/internal/client/client"
)

type statusCommand struct {
	target
	Files bool `help:"List the project's files. (default: what differs)"`
}

// Run shows the project, and what is not the same here.
func (c *statusCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	s.id = p.ID
	if err := env.print(c.JSON, p.Text, "project", p.ID, "title", p.Title, "url", p.URL, "page", p.PageURL, "server", s.server(),
		"version", s.versions(p), "files", plural(p.FileCount, "file", "files")+", "+amount(p.Size), "quarantine", quarantine(p), "status", unusual(p.Status)); err != nil {
		return err
	}
	if c.Files && !c.JSON {
		for _, f := range p.Files {
			fmt.Fprintf(env.Out, "%10s  %s\n", amount(f.Size), clean(f.Filename))
		}
		return nil
	}
	return s.differences(p)
}

// versions are that of the project, and the one that is known here if it is another.
func (s *session) versions(p client.Project) string {
	text := strconv.Itoa(p.Version)
	if known := s.place.state; known.ID == p.ID && known.Version != p.Version {
		text += fmt.Sprintf(" (this folder knows %d: it was changed elsewhere)", known.Version)
	}
	return text
}

func quarantine(p client.Project) string {
	if !p.Quarantined {
		return "no"
	}
	return "yes: it reaches no other site, until the email of its account is confirmed"
}

// unusual is a status that is to be told.
func unusual(status string) string {
	if status == "active" {
		return ""
	}
	return status
}

// differences says what of the folder the project does not have as it is here.
func (s *session) differences(p client.Project) error {
	known := s.place.state
	switch {
	case known.ID != p.ID:
		return nil
	case s.Key == "" || p.Files == nil && p.FileCount > 0:
		s.env.say("Without a key that covers the project it cannot be told what differs: sandlot login")
		return nil
	}
	path := filepath.Join(s.place.dir, known.Path)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		s.env.say("%s, which was published, is not here any more.", path)
		return nil
	}
	w, err := readWork(path, false)
	if err != nil {
		return err
	}
	t, err := w.files(page(p))
	if err != nil {
		return err
	}
	defer t.root.Close()
	t.tell(s.env)
	d := compare(t.files, p.Files)
	if !w.folder {
		d.only = nil
	}
	if s.describe(d); d.none() {
		s.env.say("Nothing differs.")
	}
	return nil
}
