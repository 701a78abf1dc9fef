package sqlstore

import (
	"context"
	"errors"

	"sandlot"
	"sandlot/internal/storage/sqlstore/engine"
)

// undo takes back what is left of a draft. Blobs that came with it are forgotten, as
// if they had never been recorded; all others are looked at by Sweep. A step that finds the
// disk full is done once more with the room that yield frees, if it is not nil.
func (db *DB) undo(ctx context.Context, d draft, yield func()) error {
	after := "" // the last file that was taken back
	yielded := false
	defer func() {
		if yielded {
			db.engine.Wipe() // the log is as long as all that was taken back, and takes that room
		}
	}()
	for done := false; !done; {
		last := after
		step := func() error {
			return db.patient(ctx, 0, func(t *tx) (err error) {
				s := &sweep{tx: t, left: draftStep}
				last, err = s.undo(d, after, db.name, db.lease(draftLease))
				done = s.left > 0
				return err
			})
		}
		err := step()
		if errors.Is(err, sandlot.ErrFull) && yield != nil {
			yield()
			yielded = true
			db.engine.Fold()
			err = step()
		}
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
	put, err := all(context.Background(), s, scanDraftFile, `DELETE FROM files WHERE project = ?1 AND until = 9223372036854775807 AND folded IN (
		SELECT folded FROM files WHERE project = ?1 AND until = 9223372036854775807 AND folded > ?2 AND since = ?3 ORDER BY folded LIMIT ?4) RETURNING folded, blob`, d.project, after, d.n, s.left)
	if err != nil {
		return after, err
	}
	for _, f := range put {
		after = max(after, f.folded)
	}
	if err := s.undoBlobs(d, put); err != nil {
		return after, err
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

func scanDraftFile(r row) (f draftFile, err error) {
	err = r.Scan(&f.folded, &f.blob)
	return f, err
}

// undoBlobs takes back what files of a draft had, which are gone. The last file that has a
// blob takes it back if it came with the draft; no variant was made of it.
func (s *sweep) undoBlobs(d draft, files []draftFile) error {
	var old, came []int64
	for _, f := range files {
		s.left--
		if f.blob <= d.known {
			old = append(old, f.blob)
		} else {
			came = append(came, f.blob)
		}
	}
	if _, err := s.exec("UPDATE blobs SET loose = 1 WHERE "+s.amongNumbers("id"), engine.List(old)); err != nil || len(came) == 0 {
		return err
	}
	gone, err := all(context.Background(), s, scanValue[int64], "SELECT id FROM blobs WHERE "+s.amongNumbers("id")+" AND NOT EXISTS (SELECT 1 FROM files f WHERE f.blob = blobs.id)", engine.List(came))
	if err != nil {
		return err
	}
	if _, err := s.exec("DELETE FROM contents WHERE "+s.amongNumbers("blob"), engine.List(gone)); err != nil {
		return err
	}
	_, err = s.exec("DELETE FROM blobs WHERE "+s.amongNumbers("id"), engine.List(gone))
	return err
}

// undoUnborn takes back as much as the call has left of a project that was never there. Its
// row stays, as that of a deleted one, and that of an account which was to come with it: to
// take them away would be to look for what refers to them in every table.
func (s *sweep) undoUnborn(d draft) error {
	files, err := all(context.Background(), s, scanDraftFile,
		"DELETE FROM files WHERE project = ?1 AND (until, folded) IN (SELECT until, folded FROM files WHERE project = ?1 LIMIT ?2) RETURNING folded, blob", d.project, s.left)
	if err != nil {
		return err
	}
	if err := s.undoBlobs(d, files); err != nil {
		return err
	}
	if s.left > 0 {
		err = s.times("DELETE FROM versions WHERE project = ?1 AND n IN (SELECT n FROM versions WHERE project = ?1 LIMIT ?2)", d.project)
	}
	if err == nil && s.left > 0 {
		_, err = s.exec("DELETE FROM drafts WHERE id = ?", d.id)
	}
	return err
}
