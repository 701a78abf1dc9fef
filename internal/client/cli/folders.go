package cli

import (
	"fmt"
	"path/filepath"

	"sandlot/internal/client/client"
)

// A knownFolder is one line of the file of folders, which records the folders and projects that this user has
// published. The state beside the work is no such record: it may have come with a stranger's repository, and name any
// project.
type knownFolder struct {
	Folder string `json:"folder"`
	Server string `json:"server"`
	ID     string `json:"project_id"`
}

// folder returns the file of folders, and the line in it for the current folder and a project.
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

// knows reports whether this user has published the project from the current folder. It returns false if the file
// cannot be read.
func (s *session) knows(id string) (known bool) {
	file, line, err := s.folder(id)
	if err == nil {
		err = readLines(file, func(f knownFolder) { known = known || f == line })
	}
	return known && err == nil
}

// note records the current folder for the project if the user named the project.
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

// confirm refuses a project that only the state of the folder names: a stranger who can write that file could otherwise
// have files published as any project of the user.
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
