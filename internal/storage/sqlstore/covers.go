package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

const coverLeaseMax = 10 * time.Minute

func (store Covers) Picture(ctx context.Context, id sandlot.PictureID, width int) (cover.Kept, error) {
	return one(ctx, store.db, fields(func(k *cover.Kept) []any {
		b := &k.Blob
		return []any{&k.Project, &k.Account, sometime{&k.GoneAt}, &b.ID, &b.Ref, &b.Size, asDigest{&b.SHA256}, &b.Text}
	}), `SELECT coalesce(p.id, ''), coalesce(i.account, 0), i.gone_at, b.id, coalesce(b.ref, ''), b.size, b.sha256, b.is_text
		FROM pictures i JOIN picture_sizes s ON s.picture = i.id JOIN blobs b ON b.id = s.blob
		LEFT JOIN projects p ON p.num = i.project LEFT JOIN accounts a ON a.id = i.account
		WHERE i.id = ? AND s.width = ? AND (i.account IS NULL OR a.deleted_at IS NULL AND a.suspended_at IS NULL)`, string(id), width)
}

const coverColumns = `coalesce(c.wish, ''), coalesce(c.file, ''), coalesce(c.upload, ''), coalesce(c.shot, ''), coalesce(c.source, ''),
	coalesce(c.made, ''), coalesce(c.findings, ''), coalesce(c.tries, 0), p.covered <> p.version, ` + projectColumns + `
	FROM projects p JOIN accounts a ON a.id = p.account LEFT JOIN covers c ON c.project = p.num
	WHERE p.deleted_at IS NULL AND a.deleted_at IS NULL AND `

func scanCover(r row) (t cover.Task, err error) {
	s := &t.State
	p, err := scanProject(before{r, []any{&s.Wish, &s.File, &s.Upload, &s.Shot, &s.Source, &s.Made, &s.Findings, &s.Tries, &s.Due}})
	t.Number, t.Project = p.num, p.Project
	return t, err
}

func (store Covers) Cover(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, cover.State, error) {
	t, err := one(ctx, store.db, scanCover, "SELECT "+coverColumns+"p.id = ?", string(id))
	return t.Project, t.State, in("read cover", err)
}

func (store Covers) Sent(ctx context.Context, id sandlot.AccountID) (map[sandlot.ProjectID]publish.SentPicture, error) {
	list, err := all(ctx, store.db, fields(func(p *publish.SentPicture) []any {
		return []any{&p.Project, &p.ID, &p.Blob.ID, &p.Blob.Ref, &p.Blob.Size, asDigest{&p.Blob.SHA256}, &p.Blob.Text}
	}), `SELECT x.project, x.picture, b.id, coalesce(b.ref, ''), b.size, b.sha256, b.is_text
		FROM (SELECT p.id AS project, c.upload AS picture FROM projects p JOIN covers c ON c.project = p.num
			WHERE p.account = ?1 AND p.deleted_at IS NULL AND c.upload <> ''
			UNION ALL SELECT '', portrait FROM accounts WHERE id = ?1 AND deleted_at IS NULL AND portrait <> '') x
		JOIN picture_sizes s ON s.picture = x.picture JOIN blobs b ON b.id = s.blob
		WHERE s.width = (SELECT max(w.width) FROM picture_sizes w WHERE w.picture = x.picture)`, id)
	sent := make(map[sandlot.ProjectID]publish.SentPicture, len(list))
	for _, p := range list {
		sent[p.Project] = p
	}
	return sent, in("list pictures that were sent", err)
}

func (store Covers) FilesFolded(ctx context.Context, id sandlot.ProjectID, folded []string) ([]sandlot.File, error) {
	return all(ctx, store.db, scanFile, selectCurrent+store.db.amongTexts("f.folded"), string(id), engine.List(folded))
}

func (store Covers) Due(ctx context.Context, after int64, limit int) ([]cover.Waiting, error) {
	l := store.db.lease(coverLeaseMax)
	return all(ctx, store.db, fields(func(w *cover.Waiting) []any { return []any{&w.Number, &w.Account} }),
		`SELECT p.num, p.account FROM projects p WHERE p.covered <> p.version AND p.deleted_at IS NULL AND p.num > ?
		AND NOT EXISTS (SELECT 1 FROM covers c WHERE c.project = p.num AND c.leased_until > ? AND c.leased_until <= ?)
		ORDER BY p.num LIMIT ?`, after, micros(l.now), l.never(), limit)
}

func (store Covers) Lease(ctx context.Context, numbers []int64, length time.Duration) (list []cover.Task, name int64, err error) {
	err = store.db.step(ctx, nil, func(t *tx) error {
		l := store.db.lease(coverLeaseMax)
		name = lease{l.now, length}.until()
		var mine []int64
		for _, n := range numbers {
			id, err := t.number(`INSERT INTO covers (project, tries, leased_until) SELECT num, 0, ?2 FROM projects
				WHERE num = ?1 AND deleted_at IS NULL AND covered <> version
				ON CONFLICT (project) DO UPDATE SET leased_until = excluded.leased_until
				WHERE covers.leased_until <= ?3 OR covers.leased_until > ?4 RETURNING project`, n, name, micros(l.now), l.never())
			if errors.Is(err, sandlot.ErrNotFound) {
				continue // another node has it, or has done it
			}
			if err != nil {
				return err
			}
			mine = append(mine, id)
		}
		list, err = all(ctx, t, scanCover, "SELECT "+coverColumns+t.amongNumbers("p.num"), engine.List(mine))
		return err
	})
	return list, name, in("lease covers", err)
}

func (store Covers) Begin(ctx context.Context, number, lease int64) (tries int, err error) {
	return tries, in("begin cover", store.db.step(ctx, nil, func(t *tx) error {
		n, err := t.number("UPDATE covers SET tries = tries + 1 WHERE project = ? AND leased_until = ? RETURNING tries", number, lease)
		if errors.Is(err, sandlot.ErrNotFound) {
			err = sandlot.ErrMoved
		}
		tries = int(n)
		return err
	}))
}

func (store Covers) GiveBack(ctx context.Context, numbers []int64, lease int64, forget bool) error {
	return in("give back covers", store.db.step(ctx, nil, func(t *tx) error {
		query := "UPDATE covers SET leased_until = 0 WHERE "
		if forget {
			query = "UPDATE covers SET leased_until = 0, tries = CASE WHEN tries > 0 THEN tries - 1 ELSE 0 END WHERE "
		}
		return t.do(query+t.amongNumbers("project")+" AND leased_until = ?", engine.List(numbers), lease)
	}))
}

func (store Covers) Settle(ctx context.Context, of cover.Task, lease int64, s cover.Settled, now time.Time) error {
	return in("settle cover", store.db.step(ctx, sizesOf(s.Fresh), func(t *tx) error {
		t.changed = changed(of.Project.ID)
		if err := t.lockOwner(of.Project.ID); err != nil {
			return err
		}
		err := t.must(sandlot.ErrMoved, "UPDATE covers SET leased_until = 0, tries = 0 WHERE project = ? AND leased_until = ?",
			of.Number, lease)
		if err != nil {
			return err
		}
		return coverIs(t, of.Number, of.Project.Version, s, now)
	}))
}

func sizesOf(n *cover.Fresh) []sandlot.Blob {
	if n == nil {
		return nil
	}
	return slices.Collect(maps.Values(n.Sizes))
}

func coverIs(t *tx, project int64, version int, s cover.Settled, now time.Time) error {
	if err := addPicture(t, s.Fresh, &project, nil, now); err != nil {
		return err
	}
	err := t.do("UPDATE covers SET source = ?, made = ?, findings = ? WHERE project = ?", string(s.Source), s.Made, s.Findings, project)
	if err != nil {
		return err
	}
	err = t.must(sandlot.ErrNotFound, `UPDATE projects SET changed = changed + 1, cover = ?1, covered = ?2
		WHERE num = ?3 AND deleted_at IS NULL`, string(s.Cover), version, project)
	if err != nil {
		return err
	}
	return letGo(t, project, now)
}

func letGo(t *tx, project int64, now time.Time) error {
	return t.do(`UPDATE pictures SET gone_at = ?1 WHERE project = ?2 AND gone_at = 0
		AND id NOT IN (SELECT cover FROM projects WHERE num = ?2)
		AND id NOT IN (SELECT shot FROM covers WHERE project = ?2)
		AND id NOT IN (SELECT upload FROM covers WHERE project = ?2)`, micros(now), project)
}

func addPicture(t *tx, n *cover.Fresh, project, account *int64, now time.Time) error {
	if n == nil {
		return nil
	}
	if err := t.do("INSERT INTO pictures (id, project, account, made_at) VALUES (?, ?, ?, ?)",
		string(n.ID), project, account, micros(now)); err != nil {
		return err
	}
	for _, width := range slices.Sorted(maps.Keys(n.Sizes)) {
		blob, err := t.keep(n.Sizes[width], asVariant, now)
		if err != nil {
			return err
		}
		if err := t.do("INSERT INTO picture_sizes (picture, width, blob) VALUES (?, ?, ?)", string(n.ID), width, blob); err != nil {
			return err
		}
	}
	return nil
}

func (store Covers) Choose(
	ctx context.Context, id sandlot.ProjectID, w cover.Wish, file string, s *cover.Settled, now time.Time,
) error {
	var blobs []sandlot.Blob
	if s != nil {
		blobs = sizesOf(s.Fresh)
	}
	return in("choose cover", store.db.step(ctx, blobs, func(t *tx) error {
		t.changed = changed(id)
		p, err := ownProject(t, id)
		if err != nil {
			return err
		}
		var upload sandlot.PictureID
		if w == cover.Uploaded && s != nil {
			upload = s.Cover
		}
		err = t.must(sandlot.ErrMoved, `INSERT INTO covers (project, wish, file, upload) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (project) DO UPDATE
			SET wish = excluded.wish, file = excluded.file, upload = excluded.upload, tries = 0, leased_until = 0
			WHERE covers.wish = '' OR ?5`, p.num, string(w), file, string(upload), s == nil || s.Fresh == nil || !s.Fresh.First)
		switch {
		case err != nil:
			return err
		case s != nil:
			return coverIs(t, p.num, cmp.Or(s.Version, p.Version), *s, now)
		}
		return t.do("UPDATE projects SET changed = changed + 1, covered = 0 WHERE num = ?", p.num)
	}))
}

// ownProject locks the owner of a project and returns the project, or ErrSuspended.
func ownProject(t *tx, id sandlot.ProjectID) (projectRow, error) {
	if err := t.lockOwner(id); err != nil {
		return projectRow{}, err
	}
	p, err := one(context.Background(), t, scanProject, selectProject+"p.id = ?", string(id))
	if err == nil && p.Suspended {
		err = sandlot.ErrSuspended
	}
	return p, err
}

func (store Covers) Shoot(ctx context.Context, id sandlot.ProjectID, version int, shot cover.Fresh, now time.Time) error {
	return in("record shot", store.db.step(ctx, sizesOf(&shot), func(t *tx) error {
		p, err := ownProject(t, id)
		if err == nil && p.Version != version {
			err = sandlot.ErrMoved
		}
		if err != nil {
			return err
		}
		if err := addPicture(t, &shot, &p.num, nil, now); err != nil {
			return err
		}
		if err := t.Run(
			do(`INSERT INTO covers (project, shot) VALUES (?, ?) ON CONFLICT (project) DO UPDATE
			SET shot = excluded.shot, tries = 0, leased_until = 0`, p.num, string(shot.ID)),
			do("UPDATE projects SET covered = 0 WHERE num = ?", p.num),
		); err != nil {
			return err
		}
		return letGo(t, p.num, now)
	}))
}

func (store Covers) Portray(ctx context.Context, id sandlot.AccountID, portrait *cover.Fresh, now time.Time) error {
	return in("record portrait", store.db.step(ctx, sizesOf(portrait), func(t *tx) error {
		t.changed.Account = id
		if err := t.lockAccount(id); err != nil {
			return err
		}
		a, err := one(ctx, t, scanAccount, "SELECT "+accountColumns+" FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
		if err == nil && a.Suspended {
			err = sandlot.ErrSuspended
		}
		if err == nil && portrait != nil && portrait.First && a.Portrait != "" {
			err = sandlot.ErrMoved
		}
		if err != nil {
			return err
		}
		err = t.do("UPDATE pictures SET gone_at = ? WHERE account = ? AND gone_at = 0", micros(now), id)
		if err != nil {
			return err
		}
		var shown sandlot.PictureID
		if portrait != nil {
			shown = portrait.ID
		}
		number := int64(id)
		if err := addPicture(t, portrait, nil, &number, now); err != nil {
			return err
		}
		return t.do("UPDATE accounts SET changed = changed + 1, portrait = ? WHERE id = ?", string(shown), id)
	}))
}

// picturesKept is how long the bytes of an unused picture stay.
const picturesKept = time.Hour

func (s *sweep) dropPictures(now time.Time) error {
	ids, err := all(context.Background(), s, scanValue[string],
		"SELECT id FROM pictures WHERE gone_at > 0 AND gone_at <= ? ORDER BY gone_at LIMIT ?", micros(now.Add(-picturesKept)), s.left)
	if err != nil {
		return err
	}
	for _, id := range ids {
		blobs, err := all(context.Background(), s, scanValue[int64], "SELECT blob FROM picture_sizes WHERE picture = ?", id)
		if err != nil {
			return err
		}
		list := []engine.Statement{do("DELETE FROM picture_sizes WHERE picture = ?", id), do("DELETE FROM pictures WHERE id = ?", id)}
		for _, b := range blobs {
			list = append(list, loosen(b))
		}
		if err := s.Run(list...); err != nil {
			return err
		}
		s.left--
	}
	return nil
}

func (s *sweep) uncover(project int64) error {
	return s.Run(
		do("UPDATE pictures SET gone_at = 1 WHERE project = ? AND gone_at = 0", project),
		do("DELETE FROM covers WHERE project = ?", project),
	)
}
