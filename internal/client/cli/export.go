package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sandlot/internal/client/client"
)

type exportCommand struct {
	host
	Output  string `name:"output" short:"o" placeholder:"FILE" help:"New file to save it in. (default: sandlot-export.zip)"`
	History bool   `name:"all-versions" help:"With all versions that are kept. (default: the current ones)"`
}

// exportName is the default name of an export.
const exportName = "sandlot-export.zip"

// Run saves an export, whole or not at all.
func (c *exportCommand) Run(ctx context.Context, env *Env) error {
	to := c.Output
	if to == "" {
		to = exportName
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		text := to + " is there already; nothing was sent"
		return &Failure{Message: text, Fix: []string{env.again("-o", "<another file>")}, Exit: exitUsage}
	}
	s, err := target{host: c.host}.here(env)
	if err != nil {
		return err
	}
	if s.asAccount(); s.Key == "" {
		s.asOwner()
	}
	part, err := os.CreateTemp(filepath.Dir(to), ".sandlot-export-*")
	if err != nil {
		return unwritten(to, err)
	}
	defer os.Remove(part.Name()) // removes the temporary name once the export has its own
	defer part.Close()
	n, err := s.fetchExport(ctx, part, c.History)
	var full *fs.PathError
	if errors.As(err, &full) {
		return unwritten(to, err)
	}
	if err != nil {
		return err
	}
	if err := checkExport(part, n); err != nil {
		return fmt.Errorf("the answer of the server was not kept: %w", err)
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return unwritten(to, err)
	}
	if err := os.Link(part.Name(), to); err != nil { // unlike a rename it overwrites nothing
		if err = os.Rename(part.Name(), to); err != nil {
			return unwritten(to, err)
		}
	}
	text := encoded(struct {
		File string `json:"file"`
		Size int64  `json:"size"`
	}{to, n})
	return env.print(c.JSON, client.Text{JSON: text}, "saved", to, "size", amount(n))
}

func unwritten(to string, err error) error {
	return fmt.Errorf("%s cannot be written: %w; nothing is kept of it", to, cause(err))
}

// fetchExport writes the export into a file, from its beginning.
func (s *session) fetchExport(ctx context.Context, f *os.File, history bool) (n int64, err error) {
	err = s.call(ctx, func() error {
		body, err := s.Export(ctx, history)
		if err != nil {
			return err
		}
		defer body.Close()
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := f.Truncate(0); err != nil {
			return err
		}
		n, err = io.Copy(f, body)
		return err
	})
	return n, s.explain(ctx, err)
}
