package sqlstore

import (
	"context"
	"errors"
	"time"

	"sandlot"
)

// dropRemoved lets go of the files, versions, likes, figures and trials of projects that were deleted
// before the time given: an export that began earlier still has them.
func (s *sweep) dropRemoved(before time.Time) error {
	for s.left > 0 {
		project, err := s.next("SELECT project FROM removals WHERE at < ? ORDER BY at LIMIT ?", micros(before))
		if errors.Is(err, sandlot.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.lockOwnerOf(project); err != nil {
			return err
		}
		if err := s.dropProject(project); err != nil {
			return err
		}
	}
	return nil
}

// dropProject lets go of as much of a deleted project as the call has left, and
// of the task itself once nothing is.
func (s *sweep) dropProject(project int64) error {
	if err := s.dropFiles("SELECT until, folded, blob FROM files WHERE project = ? AND until > 0 LIMIT ?", project); err != nil || s.left <= 0 {
		return err
	}
	err := s.times("DELETE FROM versions WHERE project = ? AND n IN (SELECT n FROM versions WHERE project = ? LIMIT ?)", project, project)
	if err != nil || s.left <= 0 {
		return err
	}
	err = s.times("DELETE FROM likes WHERE project = ? AND visitor IN (SELECT visitor FROM likes WHERE project = ? LIMIT ?)", project, project)
	if err != nil || s.left <= 0 {
		return err
	}
	if err = s.uncover(project); err != nil {
		return err
	}
	if err := s.dropFiguresOf(project); err != nil || s.left <= 0 {
		return err
	}
	return s.Run(
		do("DELETE FROM trials WHERE project = ?", project),
		do("DELETE FROM removals WHERE project = ?", project),
	)
}

// dropFiles lets go of the files of a project that a query finds; its last
// argument is how many.
func (s *sweep) dropFiles(query string, project int64, args ...any) error {
	type key struct {
		until  int64
		folded string
		blob   int64
	}
	files, err := all(context.Background(), s, func(r row) (k key, err error) {
		err = r.Scan(&k.until, &k.folded, &k.blob)
		return k, err
	}, query, append(append([]any{project}, args...), s.left)...)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := s.loosen(f.blob); err != nil {
			return err
		}
		if err := s.do("DELETE FROM files WHERE project = ? AND until = ? AND folded = ?", project, f.until, f.folded); err != nil {
			return err
		}
		s.left--
	}
	return nil
}
