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

// The folder beside the work, and its files.
const (
	stateFolder = ".sandlot"
	stateFile   = "project.json"
)

// stateMax is the size limit of the state, in bytes: it has some 300.
const stateMax = 64 << 10

// idForm is the form of a project's id.
var idForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// A state names the project of a folder.
type state struct {
	Server  string `json:"server"`
	ID      string `json:"project_id"`
	URL     string `json:"url"`
	Path    string `json:"path"`             // the published file of the folder, or "." for all of it
	Version int    `json:"version"`          // the last version that this folder made, or saw
	Format  int    `json:"format,omitempty"` // 0: this format
}

// A place is a folder with its state, if it has one.
type place struct {
	dir   string // as in messages
	state state  // without an ID if the folder has no state
}

// errDamaged means that a file of the folder is not in the form of this program.
var errDamaged = errors.New("it is damaged")

// readPlace reads the state of a folder. A folder without one is no error.
func readPlace(dir string) (place, error) {
	p := place{dir: dir}
	text, err := readSmall(p.path(stateFile), stateMax)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = p.state.read(text)
	}
	if err == nil {
		return p, nil
	}
	bad := p.path(stateFile)
	f := &Failure{Message: fmt.Sprintf("%s cannot be used: %v; nothing was sent", bad, cause(err)), Exit: exitUsage, cause: err}
	if !errors.Is(err, errDamaged) {
		bad = filepath.Dir(bad)
	}
	f.Notes = []string{"Put it right, or put it aside and name the project with --id; without, the work becomes a new project:"}
	f.Fix = []string{command("mv", bad, bad+".aside")}
	return p, f
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

// findPlace searches a folder and then its parents for a state.
func findPlace(dir string) (place, error) {
	for at := dir; ; at = filepath.Join(at, "..") {
		p, err := readPlace(at)
		if err != nil || p.state.ID != "" {
			return p, err
		}
		if abs, err := filepath.Abs(at); err != nil || abs == filepath.Dir(abs) {
			return place{dir: dir}, nil
		}
	}
}

func (p place) path(name string) string { return filepath.Join(p.dir, stateFolder, name) }

// prepare checks that the folder can be written, before anything is sent that it would have to remember.
func (p place) prepare() error {
	folder := filepath.Join(p.dir, stateFolder)
	err := os.Mkdir(folder, 0o755)
	if errors.Is(err, fs.ErrExist) {
		var info fs.FileInfo
		// Not through a link, which could lead anywhere.
		if info, err = os.Lstat(folder); err == nil && !info.IsDir() {
			err = errors.New("it is no folder")
		}
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w; nothing was sent", folder, cause(err))
	}
	return nil
}

// save writes the state into the folder, whole or not at all.
func (p place) save(s state) error {
	err := p.prepare()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = os.WriteFile(p.path(".new"), append(text, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(p.path(".new"), p.path(stateFile))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", p.path(stateFile), cause(err))
	}
	return nil
}

// readSmall reads a plain file of at most most bytes.
func readSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // before opening it, which blocks for a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%w: it is no small file", errDamaged)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// cause returns the fault of a file without its name, which messages include already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
