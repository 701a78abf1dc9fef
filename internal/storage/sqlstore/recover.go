package sqlstore

import (
	"context"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

// A lost project gets versions of a backup.
type lost struct {
	num, version      int64
	account           sandlot.AccountID
	deleted, orphaned bool // the project for good; its account
	trashed           bool
}

const selectLost = `SELECT p.num, p.version, p.account, p.deleted_at IS NOT NULL AND t.project IS NULL, a.deleted_at IS NOT NULL,
	t.project IS NOT NULL FROM projects p JOIN accounts a ON a.id = p.account LEFT JOIN trash t ON t.project = p.num WHERE p.id = ?`

func (t *tx) lost(id sandlot.ProjectID) (l lost, err error) {
	return one(context.Background(), t, fields(func(l *lost) []any {
		return []any{&l.num, &l.version, &l.account, &l.deleted, &l.orphaned, &l.trashed}
	}), selectLost, string(id))
}

// The remains of a project that was deleted for good are removed first, in steps like those of Sweep.
func (store ProjectStore) RecoverProject(ctx context.Context, np publish.NewProject) (sandlot.Project, error) {
	const about = "recover project"
	h, err := historyOf(np)
	if err != nil {
		return sandlot.Project{}, in(about, sandlot.NoEffect(err))
	}
	if err := store.dropRemains(ctx, np.ID); err != nil {
		return sandlot.Project{}, in(about, err)
	}
	var p projectRow
	err = store.db.step(ctx, h.blobs(), func(t *tx) error {
		t.changed = changed(np.ID)
		p, err = t.recoverProject(np, h, store.db.Now())
		return err
	})
	return p.Project, in(about, err)
}

// dropRemains drops all records of a project that was deleted for good, but its own.
func (store ProjectStore) dropRemains(ctx context.Context, id sandlot.ProjectID) error {
	for done := false; !done; {
		err := store.db.step(ctx, nil, func(t *tx) error {
			if err := t.lockOwner(id); err != nil {
				return err
			}
			l, err := t.lost(id)
			if err != nil || !l.deleted {
				done = true
				return err
			}
			s := &sweep{tx: t, left: sweepStep}
			err = s.dropProject(l.num)
			done = s.left > 0
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recoverProject is the step that brings the project back.
func (t *tx) recoverProject(np publish.NewProject, h history, now time.Time) (p projectRow, err error) {
	if err := t.lockOwner(np.ID); err != nil {
		return p, err
	}
	if err := t.lockAccount(np.Account); err != nil {
		return p, err
	}
	l, err := t.lost(np.ID)
	if err != nil {
		return p, err
	}
	if !l.deleted && (l.orphaned || l.account != np.Account) {
		return p, sandlot.ErrMoved
	}
	h = h.after(l, now)
	k := keepFiles(h.files)
	if err := t.Run(newBlobs(k.fresh, asFile, now, &k.ids)); err != nil {
		return p, err
	}
	contents, err := t.newContents(k)
	if err != nil {
		return p, err
	}
	if err := t.Run(slices.Concat(contents, l.returned(np, h), []engine.Statement{
		do("DELETE FROM trash WHERE project = ?", l.num),
		do("DELETE FROM removals WHERE project = ?", l.num),
		do("UPDATE files SET until = ? WHERE project = ? AND until = ?", h.versions[0].N, l.num, int64(current)),
		newVersions(l.num, h.versions), newFiles(l.num, h.files, k),
	})...); err != nil {
		return p, err
	}
	end := sameBlocks(t, np.Blocks)
	if np.Log != nil {
		end = append([]engine.Statement{newEntry(*np.Log)}, end...)
	}
	if err := t.Run(end...); err != nil {
		return p, err
	}
	if p, err = one(context.Background(), t, scanProject, selectProject+"p.id = ?", string(np.ID)); err != nil {
		return p, err
	}
	return p, t.Run(p.screened(np.Hold, now)...)
}

// returned updates the project's own record, before its files are added, which count for its account. A project that
// was deleted for good has lost its texts and all other versions.
func (l lost) returned(np publish.NewProject, h history) (list []engine.Statement) {
	last := h.last()
	if l.deleted {
		list = append(list, do(`UPDATE projects SET changed = changed + 1, account = ?, lang = ?, description = ?, tags = ?, unlisted = ?, threads = ?, 
			oldest = ?, likes = (SELECT count(*) FROM likes WHERE project = projects.num AND counted = 1) WHERE num = ?`,
			np.Account, np.Lang, np.Description, string(np.Tags), np.Unlisted, np.Threads, h.versions[0].N, l.num))
	}
	return append(
		list,
		do("UPDATE accounts SET seq = seq + 1 WHERE id = ?", np.Account),
		do(`UPDATE projects SET deleted_at = NULL, title = ?, primary_file = ?, wrapper = ?, version = ?, suffix = ?, size = ?,
			file_count = ?, updated_at = ?, changed = changed + 1, seq = (SELECT seq FROM accounts WHERE id = ?) WHERE num = ?`,
			last.Title, last.Primary, np.Wrapper, last.N, last.Suffix, h.size, h.count, micros(last.CreatedAt), np.Account, l.num),
	)
}

// after returns a history whose versions go on after those of a project. In an existing project they are made now.
func (h history) after(l lost, now time.Time) history {
	by := int(l.version)
	versions, files := make([]sandlot.Version, len(h.versions)), make([]pastFile, len(h.files))
	for i, v := range h.versions {
		v.N += by
		if v.RestoredFrom > 0 {
			v.RestoredFrom += by
		}
		if !l.deleted {
			v.CreatedAt = stored(now)
		}
		versions[i] = v
	}
	for i, f := range h.files {
		f.since += l.version
		if f.until != current {
			f.until += l.version
		}
		files[i] = f
	}
	h.versions, h.files = versions, files
	return h
}
