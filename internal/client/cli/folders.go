package cli

import (
	"fmt"
	"path/filepath"

	"sandlot/internal/client/client"
)

// A knownFolder is one line of the file of folders, which says which projects this person has published from where. The state beside
// the work does not, for it may have come with somebody else's repository, and name any project.
type knownFolder struct {
	Folder string `json:"folder"`
	Server string `json:"server"`
	ID     string `json:"project_id"`
}

// folder is the line for the folder at hand and a project, and the file where it would be.
func (s *session) folder(id string) (file string, line knownFolder, err error) {
	ring, err := s.env.keyring()
	if err != nil {
		return "", line, err
	}
	dir, err := filepath.Abs(s.place.dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	return filepath.Join(filepath.Dir(ring.path), "folders"), knownFolder{dir, s.server(), id}, err
}

// knows reports whether this person has published the project from the folder at hand. Where that cannot be read, nobody has.
func (s *session) knows(id string) (known bool) {
	file, line, err := s.folder(id)
	if err == nil {
		err = readLines(file, func(f knownFolder) { known = known || f == line })
	}
	return known && err == nil
}

// note writes down that somebody meant the project with the folder at hand.
func (s *session) note(id string) {
	if !s.meant || s.knows(id) {
		return
	}
	file, line, err := s.folder(id)
	if err == nil {
		err = appendLines(file, []knownFolder{line})
	}
	if err != nil {
		s.env.say("warning: the next command here needs --id again, for the folder cannot be noted down: %v", err)
	}
}

// confirm refuses a project that only the state of the folder names: whoever can write that file could otherwise have files published
// as any project of whoever gives the command.
func (s *session) confirm(p client.Project) error {
	if s.meant || s.place.state.ID != p.ID || s.knows(p.ID) {
		s.meant = true
		return nil
	}
	text := "%s names %s, which you never published from this folder on this machine; nothing was sent"
	return &Failure{
		Message: fmt.Sprintf(text, s.place.path(stateFile), p.ID),
		Notes:   []string{"If you mean to change that project, name it once:"}, Fix: []string{s.env.again("--id", p.ID)}, Exit: exitUsage,
	}
}
