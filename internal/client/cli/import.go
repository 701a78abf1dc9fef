package cli

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sandlot/internal/client/client"
)

type importCommand struct {
	File string `arg:"" placeholder:"FILE" help:"ZIP of an export, of this server or another."`
	host
	DryRun bool `help:"Check everything, and change nothing. (default: import)"`
}

// Run imports the projects of an export into the account of the key.
func (c *importCommand) Run(ctx context.Context, env *Env) error {
	f, err := openExport(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := target{host: c.host}.here(env)
	if err != nil {
		return err
	}
	if s.asAccount(); s.Key == "" && len(s.keys) == 0 {
		text := "there is no key here for " + s.server() + ", so nothing was sent"
		return s.refused(&client.Error{Code: "key_required", Status: 401, Message: text})
	}
	key, err := f.key()
	if err != nil {
		return err
	}
	out, err := s.sendExport(ctx, f, client.Import{Size: f.size, IdempotencyKey: key, DryRun: c.DryRun})
	if err != nil {
		return err
	}
	return s.imported(out)
}

// An export is a file that may be an export.
type export struct {
	*os.File
	size int64
}

// manifestName is the entry that every export has.
const manifestName = "manifest.json"

// openExport opens the file and checks its form, since sending it may take long.
func openExport(path string) (export, error) {
	info, err := os.Stat(path) // before opening it, which blocks for a pipe
	if err == nil && !info.Mode().IsRegular() {
		err = &Failure{Message: path + " is no export: it is no plain file; nothing was sent", Exit: ExitContent}
		return export{}, err
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return export{}, fmt.Errorf("%s cannot be read: %w; nothing was sent", path, cause(err))
	}
	if err := checkExport(f, info.Size()); err != nil {
		_ = f.Close()
		return export{}, &Failure{Message: path + " is no export: " + err.Error() + "; nothing was sent", Exit: ExitContent, cause: err}
	}
	return export{f, info.Size()}, nil
}

// checkExport refuses an incomplete archive, and an archive with a file outside of its folder.
func checkExport(f io.ReaderAt, size int64) error {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return fmt.Errorf("it is no whole ZIP: %w", err)
	}
	for _, entry := range z.File {
		if !filepath.IsLocal(entry.Name) || strings.Contains(entry.Name, `\`) {
			return fmt.Errorf("%q in it would lie outside of the folder", clean(entry.Name))
		}
	}
	if !slices.ContainsFunc(z.File, func(e *zip.File) bool { return e.Name == manifestName }) {
		return errors.New("it has no " + manifestName)
	}
	return nil
}

// key returns the idempotency key of the export. It is derived from the bytes, so that a repetition, from any machine,
// continues after a broken import.
func (f export) key() (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, f.size)); err != nil {
		return "", fmt.Errorf("%s cannot be read: %w; nothing was sent", f.Name(), cause(err))
	}
	return "import-1-" + hex.EncodeToString(h.Sum(nil)), nil
}

// sendExport sends an export, with retries: the server imports the projects that are still missing.
func (s *session) sendExport(ctx context.Context, f export, in client.Import) (client.Imported, error) {
	if !s.quiet && f.size > wholeMax {
		s.env.say("sending %s", amount(f.size))
	}
	return asked(ctx, s, func() (client.Imported, error) {
		in.Archive = io.NewSectionReader(f, 0, f.size)
		return s.Import(ctx, in)
	})
}

// imported prints the result of each project. Refused projects are an error.
func (s *session) imported(out client.Imported) error {
	if s.quiet {
		if err := s.env.print(true, out.Text); err != nil {
			return err
		}
	}
	for _, p := range out.Projects {
		switch {
		case p.Refused != nil:
			s.env.say("refused: %s: %s", clean(p.From), clean(p.Refused.Message))
			for _, note := range notes(p.Refused.Hint) {
				s.env.say("         %s", note)
			}
		case !s.quiet:
			fmt.Fprintf(s.env.Out, "%s  ->  %s\n", clean(p.From), become(p, out.DryRun))
			s.env.warn(p.Warnings)
		}
	}
	if !s.quiet {
		s.env.warn(out.Warnings)
	}
	return refusedProjects(out)
}

// become returns the result of a project as one line.
func become(p client.ImportedProject, dry bool) string {
	text := plural(p.Versions, "version", "versions") + ", " + plural(p.Files, "file", "files")
	switch {
	case dry:
		return "could be imported: " + text
	case p.Replayed:
		text = "was imported before"
	}
	return clean(p.ProjectID) + "  " + clean(p.URL) + "  " + text
}

// refusedProjects returns the error of an import with refused projects.
func refusedProjects(out client.Imported) error {
	if out.Failed == 0 {
		return nil
	}
	f := &Failure{Message: fmt.Sprintf("%d of %d projects refused", out.Failed, len(out.Projects)), Exit: ExitPartly}
	f.Notes = []string{"The same command brings the rest, and nothing twice within 24 hours."}
	if out.Failed == len(out.Projects) {
		f.Exit = exitOf(out.Projects[0].Refused.Status)
	}
	return f
}
