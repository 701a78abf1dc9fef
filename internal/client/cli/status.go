package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"sandlot/internal/client/client"
)

type statusCommand struct {
	target
	Files bool `help:"List the project's files. (default: what differs)"`
}

// quarantined holds the printed form of a project's quarantine. It never changes.
var quarantined = map[bool]string{false: "no", true: "yes: it reaches no other site, until the email of its account is confirmed"}

// heldWords returns the printed form of a hold.
func heldWords(h *client.Held) string {
	if h == nil {
		return "no"
	}
	return "yes (" + h.Rule + "): others do not see it until " + h.Ends
}

// Run prints the project, and the files that differ here.
func (c *statusCommand) Run(ctx context.Context, env *Env) error {
	s, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	files := plural(p.FileCount, "file", "files") + ", " + amount(p.Size)
	if err := env.print(c.JSON, p.Text, "project", p.ID, "title", p.Title, "url", p.URL, "page", p.PageURL, "server", s.server(),
		"version", s.versions(p), "files", files, "quarantine", quarantined[p.Quarantined], "held", heldWords(p.Held), "status", p.Status); err != nil {
		return err
	}
	if c.Files && !c.JSON {
		for _, f := range p.Files {
			fmt.Fprintf(env.Out, "%10s  %s\n", amount(f.Size), clean(f.Filename))
		}
		return nil
	}
	if !c.JSON {
		env.warn(p.Warnings)
	}
	return s.differences(ctx, p)
}

// versions returns the version of the project, with the version that the folder knows if it is another.
func (s *session) versions(p client.Project) string {
	text := strconv.Itoa(p.Version)
	if known := s.place.state; known.ID == p.ID && known.Version != p.Version {
		text += fmt.Sprintf(" (this folder knows %d: it was changed elsewhere)", known.Version)
	}
	return text
}

// differences prints the files of the folder that are missing or different in the project.
func (s *session) differences(ctx context.Context, p client.Project) error {
	known := s.place.state
	switch {
	case known.ID != p.ID:
		return nil
	case s.Key == "" || p.Files == nil && p.FileCount > 0:
		s.env.say("Without a key that covers the project the files cannot be compared: sandlot login")
		return nil
	}
	path := filepath.Join(s.place.dir, known.Path)
	w, err := readWork(path, false)
	if err != nil {
		return err
	}
	t, err := w.files(ctx, page(p))
	if err != nil {
		return err
	}
	defer t.root.Close()
	t.report(s.env)
	d := compare(t.files, p.Files)
	if !w.folder {
		d.only = nil
	}
	if s.env.describe(d); d.none() {
		s.env.say("Nothing differs.")
	}
	return nil
}
