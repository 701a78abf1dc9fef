package sqlstore

import (
	"context"
	"errors"

	"sandlot/internal/publish"
)

// undo takes back what is left of a draft. Blobs that came with it are forgotten, as
// if they had never been recorded; all others are looked at by Sweep.
func (db *DB) undo(ctx context.Context, d draft) error {
	after := "" // the last file that was taken back
	for done := false; !done; {
		last := after
		err := db.patient(ctx, 0, func(t *tx) (err error) {
			s := &sweep{tx: t, left: draftStep}
			last, err = s.undo(d, after, db.name, db.lease(draftLease))
			done = s.left > 0
			return err
		})
		if err != nil {
			return err
		}
		after = last
	}
	return nil
}

// undo takes back as many files as the call has left, those after a name, and tells the
// last. What was put goes first, for it may stand where a file was dropped. A draft whose
// lease somebody else has is left alone.
func (s *sweep) undo(d draft, after, by string, l lease) (last string, err error) {
	if err := s.lockOwnerOf(d.project); err != nil {
		return after, err
	}
	n, err := s.exec("UPDATE drafts SET undone = 1 WHERE id = ? AND (undone = 1 OR leased_until <= ? OR leased_until > ? OR holder = ?)", d.id, micros(l.now), l.never(), by)
	if err != nil || n == 0 {
		return after, err
	}
	version, err := s.number("SELECT version FROM projects WHERE num = ?", d.project)
	if err != nil {
		return after, err
	}
	if version == unborn {
		return after, s.undoUnborn(d)
	}
	put, err := all(context.Background(), s, func(r row) (f draftFile, err error) {
		err = r.Scan(&f.folded, &f.blob)
		return f, err
	}, "SELECT folded, blob FROM files WHERE project = ? AND until = 9223372036854775807 AND folded > ? AND since = ? ORDER BY folded LIMIT ?", d.project, after, d.n, s.left)
	if err != nil {
		return after, err
	}
	for _, f := range put {
		if err := s.undoPut(d, f); err != nil {
			return after, err
		}
		after = f.folded
		s.left--
	}
	if s.left > 0 {
		err = s.times("UPDATE files SET until = 9223372036854775807 WHERE project = ?1 AND until = ?2 AND folded IN (SELECT folded FROM files WHERE project = ?1 AND until = ?2 LIMIT ?3)", d.project, d.n)
	}
	if err == nil && s.left > 0 {
		_, err = s.exec("DELETE FROM drafts WHERE id = ?", d.id)
	}
	return after, err
}

type draftFile struct {
	folded string
	blob   int64
}

func (s *sweep) undoPut(d draft, f draftFile) error {
	if _, err := s.exec("DELETE FROM files WHERE project = ? AND until = 9223372036854775807 AND folded = ?", d.project, f.folded); err != nil {
		return err
	}
	return s.undoKeep(d, f.blob)
}

// undoKeep takes a blob back that a file of a draft was. The last such file takes one back
// that came with the draft.
func (s *sweep) undoKeep(d draft, blob int64) error {
	if blob <= d.known {
		return s.loosen(blob)
	}
	_, err := s.number("SELECT 1 FROM files WHERE blob = ? LIMIT 1", blob)
	if errors.Is(err, publish.ErrNotFound) {
		return s.dropBlob(looseBlob{id: blob})
	}
	return err
}

// undoUnborn takes back as much as the call has left of a project that was never there. Its
// row stays, as that of a deleted one, and that of an account which was to come with it: to
// take them away would be to look for what refers to them in every table.
func (s *sweep) undoUnborn(d draft) error {
	files, err := all(context.Background(), s, func(r row) (f unbornFile, err error) {
		err = r.Scan(&f.until, &f.folded, &f.blob)
		return f, err
	}, "SELECT until, folded, blob FROM files WHERE project = ? LIMIT ?", d.project, s.left)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := s.exec("DELETE FROM files WHERE project = ? AND until = ? AND folded = ?", d.project, f.until, f.folded); err != nil {
			return err
		}
		if err := s.undoKeep(d, f.blob); err != nil {
			return err
		}
		s.left--
	}
	if s.left > 0 {
		err = s.times("DELETE FROM versions WHERE project = ?1 AND n IN (SELECT n FROM versions WHERE project = ?1 LIMIT ?2)", d.project)
	}
	if err == nil && s.left > 0 {
		_, err = s.exec("DELETE FROM drafts WHERE id = ?", d.id)
	}
	return err
}

type unbornFile struct {
	until  int64
	folded string
	blob   int64
}
