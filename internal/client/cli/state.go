package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The folder beside the work, and what is in it.
const (
	stateFolder = ".sandlot"
	stateFile   = "project.json"
	ignoreFile  = ".gitignore"
)

// ignored keeps what is of this machine alone out of a repository.
const ignored = "*\n!.gitignore\n!project.json\n"

// stateMax bounds a file of that folder, in bytes: it has some 300.
const stateMax = 64 << 10

// idForm is the form of a project's id.
var idForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// A state says which project the work in a folder is.
type state struct {
	Server  string `json:"server"`
	ID      string `json:"project_id"`
	URL     string `json:"url"`
	Path    string `json:"path"`             // what is published: a file of the folder, or "." for all of it
	Version int    `json:"version"`          // that this folder last made, or saw
	Format  int    `json:"format,omitempty"` // 0: this one
}

// A place is a folder with its state, if it has one.
type place struct {
	dir   string // as it is to be told
	state state  // ID is empty: none
}

// errDamaged means that a file of the folder is not as this program writes it.
var errDamaged = errors.New("it is damaged")

// readPlace reads the state of a folder. A folder without one is no error.
func readPlace(dir string) (place, error) {
	p := place{dir: dir}
	text, err := readSmall(p.path(stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = p.state.read(text)
	}
	if err != nil {
		bad := p.path(stateFile)
		f := &Failure{Message: fmt.Sprintf("%s cannot be used: %v; nothing was sent", bad, cause(err)), Exit: exitUsage, cause: err}
		if !errors.Is(err, errDamaged) {
			bad = filepath.Dir(bad)
		}
		f.Fix = []string{command("mv", bad, bad+".aside")}
		return p, f
	}
	return p, nil
}

func (s *state) read(text []byte) error {
	if err := json.Unmarshal(text, s); err != nil {
		return fmt.Errorf("%w (%w)", errDamaged, err)
	}
	server, err := parseServer(s.Server)
	switch {
	case s.Format != 0:
		return fmt.Errorf("%w, or of a newer release: it has format %d", errDamaged, s.Format)
	case err != nil:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case !idForm.MatchString(s.ID):
		return fmt.Errorf("%w: %q is no project_id", errDamaged, clean(s.ID))
	case s.Version < 0 || s.Path != "." && (!filepath.IsLocal(s.Path) || strings.ContainsAny(s.Path, `/\`)):
		return fmt.Errorf("%w: version or path cannot be", errDamaged)
	}
	s.Server = server.String()
	return nil
}

// findPlace looks for the state of a folder, and then of those above it, as far as they belong to the same person: what somebody
// else has left further up does not decide where work goes.
func findPlace(dir string) (place, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	for at := abs; ; at = filepath.Dir(at) {
		p, err := readPlace(at)
		if err != nil || p.state.ID != "" {
			return p, err
		}
		if up := filepath.Dir(at); up == at || !sameOwner(up, abs) {
			return place{dir: dir}, nil
		}
	}
}

func (p place) path(name string) string { return filepath.Join(p.dir, stateFolder, name) }

// prepare makes sure that the folder can be written, before anything is sent that it would have to remember.
func (p place) prepare() error {
	err := os.Mkdir(filepath.Join(p.dir, stateFolder), 0o755)
	if err == nil {
		err = replaceFile(p.path(ignoreFile), []byte(ignored), 0o644)
	} else if errors.Is(err, fs.ErrExist) {
		var info fs.FileInfo
		// Not through a link, which could lead anywhere.
		if info, err = os.Lstat(filepath.Join(p.dir, stateFolder)); err == nil && !info.IsDir() {
			err = errors.New("it is no folder")
		}
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w; nothing was sent", filepath.Join(p.dir, stateFolder), cause(err))
	}
	return nil
}

// save writes the state into the folder.
func (p place) save(name string, what any) error {
	text, err := json.MarshalIndent(what, "", "  ")
	if err == nil {
		err = replaceFile(p.path(name), append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", p.path(name), cause(err))
	}
	return nil
}

// readSmall reads a plain file that cannot be large.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > stateMax {
		return nil, fmt.Errorf("%w: it is no small file", errDamaged)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, stateMax))
}
