package sqlstore

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

// changesLimit bounds the changed files of a page of versions: a version by hand has a few, one by a form some hundred,
// the largest 10,000. A page with more shows no changes.
const changesLimit = 20_000

func (store ProjectStore) Details(ctx context.Context, id sandlot.ProjectID) (publish.Details, error) {
	return one(ctx, store.db, fields(func(d *publish.Details) []any {
		return []any{
			&d.Title, &d.Description, &d.Unlisted, &d.Threads,
			&d.Tags,
		}
	}), `SELECT title, description, unlisted, threads, tags FROM projects
			WHERE id = ? AND deleted_at IS NULL`+ofAccount, string(id))
}

func (store ProjectStore) SetDetails(ctx context.Context, id sandlot.ProjectID, d publish.DetailsChange) error {
	return in("set details", store.db.step(ctx, nil, func(t *tx) error {
		t.changed = changed(id)
		p, err := ownProject(t, id)
		if err == nil && d.Expect != 0 && d.Expect != p.Version {
			err = sandlot.ErrMoved
		}
		if err != nil {
			return err
		}
		if err := t.mayAct(d.By); err != nil {
			return err
		}
		if err := replaces(t, p, d); err != nil {
			return err
		}
		if d.Title != nil {
			p.Title = *d.Title
		}
		return t.Run(append([]engine.Statement{describe(&p, d)}, sameBlocks(t, d.Blocks)...)...)
	}))
}

// replaces returns ErrMoved if the details of p are not those that the change replaces.
func replaces(t *tx, p projectRow, d publish.DetailsChange) error {
	if d.Seen == "" {
		return nil
	}
	text, err := one(context.Background(), t, scanValue[string], "SELECT description FROM projects WHERE num = ?", p.num)
	if err == nil && !d.Replaces(publish.Details{
		Title: p.Title, Description: text, Unlisted: p.Unlisted, Threads: p.Threads,
		Tags: p.Tags,
	}) {
		err = sandlot.ErrMoved
	}
	return err
}

func describe(p *projectRow, d publish.DetailsChange) engine.Statement {
	var description any
	if d.Description != nil {
		description = *d.Description
	}
	p.Unlisted, p.Threads, p.Lang = said(d.Unlisted, p.Unlisted), said(d.Threads, p.Threads), said(d.Lang, p.Lang)
	p.Tags, p.Runtime = said(d.Tags, p.Tags), said(d.Runtime, p.Runtime)
	p.Change++
	return do(`UPDATE projects SET changed = changed + 1, title = ?, description = coalesce(?, description), unlisted = ?, threads = ?,
		lang = ?,
		tags = ?, runtime = ? WHERE num = ?`,
		p.Title, description, p.Unlisted, p.Threads, p.Lang, string(p.Tags), string(p.Runtime), p.num)
}

// said returns the value of v, or before if v is nil.
func said[T any](v *T, before T) T {
	if v == nil {
		return before
	}
	return *v
}

func (store ProjectStore) Rearrange(
	ctx context.Context, id sandlot.ProjectID, c publish.Change, at publish.Edit,
) (sandlot.Project, error) {
	p, err := store.edit(ctx, id, at, blobsOf(c.Put), func(t *tx, p *projectRow) ([]engine.Statement, error) {
		if err := t.closeFiles(p, c.Drop); err != nil {
			return nil, err
		}
		if err := setPrimary(t, p, c); err != nil {
			return nil, err
		}
		return t.putFiles(p, c.Put, store.db.Now())
	})
	return p, in("rearrange", err)
}

func blobsOf(files []sandlot.File) []sandlot.Blob {
	blobs := make([]sandlot.Blob, len(files))
	for i, f := range files {
		blobs[i] = f.Blob
	}
	return blobs
}

// setPrimary sets the primary file, if the change names one, and checks that the version has it. The check reads the
// project's current files, some ten thousand at most, so only a change that drops or moves the primary file pays it.
func setPrimary(t *tx, p *projectRow, c publish.Change) error {
	is := func(f sandlot.File) bool { return f.Name == p.Primary }
	dropped := slices.ContainsFunc(c.Drop, is)
	if !dropped && (c.Primary == "" || c.Primary == p.Primary) {
		return nil
	}
	if c.Primary != "" {
		p.Primary = c.Primary
	}
	if slices.ContainsFunc(c.Put, is) {
		return nil
	}
	_, err := t.number("SELECT 1 FROM files WHERE project = ? AND until = 9223372036854775807 AND name = ?", p.num, p.Primary)
	if errors.Is(err, sandlot.ErrNotFound) {
		return sandlot.ErrNoPrimary
	}
	return err
}

func (store ProjectStore) Versions(ctx context.Context, id sandlot.ProjectID, before, limit int) ([]sandlot.VersionChange, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	var list []sandlot.VersionChange
	err := store.db.snapshot(ctx, func(q querier) error {
		num, err := one(ctx, q, scanValue[int64], "SELECT num FROM projects WHERE id = ?", string(id)) // also of a deleted project
		if err != nil {
			return err
		}
		// One more than the limit: the changes of a version are those since the previous one.
		list, err = all(ctx, q, scanVersionChange,
			`SELECT n, suffix, title, primary_file, created_at, restored_from, erased_at IS NOT NULL FROM versions
			WHERE project = ? AND n < ? ORDER BY n DESC LIMIT ?`, num, before, limit+1)
		if err != nil || len(list) == 0 {
			return err
		}
		changes, err := all(ctx, q, scanFileSpan,
			`SELECT f.since, f.until, f.name, b.size, b.sha256 FROM files f JOIN blobs b ON b.id = f.blob
			WHERE f.project = ? AND f.until >= ? AND (f.since BETWEEN ? AND ?
			OR f.until <= ?) LIMIT ?`, num, list[len(list)-1].N, list[len(list)-1].N, list[0].N, list[0].N, changesLimit+1)
		if len(changes) <= changesLimit {
			fillChanges(list, changes)
		}
		return err
	})
	return list[:min(len(list), limit)], in("list versions", err)
}

func scanVersionChange(r row) (v sandlot.VersionChange, err error) {
	err = r.Scan(&v.N, &v.Suffix, &v.Title, &v.Primary, asTime{&v.CreatedAt}, &v.RestoredFrom, &v.Erased)
	return v, err
}

// fileSpan is a file from the version in which it came to the one in which it went.
type fileSpan struct {
	since, until int
	name         string
	size         int64
	sha256       sandlot.Digest
}

func scanFileSpan(r row) (f fileSpan, err error) {
	err = r.Scan(&f.since, &f.until, &f.name, &f.size, asDigest{&f.sha256})
	return f, err
}

// fillChanges fills in the changes of each version since the previous one, which follows it in the list, if neither was
// erased.
func fillChanges(list []sandlot.VersionChange, files []fileSpan) {
	came, went := map[int][]fileSpan{}, map[int][]fileSpan{}
	slices.SortFunc(files, func(a, b fileSpan) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		came[f.since] = append(came[f.since], f)
		went[f.until] = append(went[f.until], f)
	}
	for i := range list {
		v := &list[i]
		v.Known = !v.Erased && (v.N == 1 || i+1 < len(list) && !list[i+1].Erased)
		if v.Known {
			fillFiles(v, came[v.N], went[v.N])
		}
	}
}

// fillFiles fills in the added and removed files of a version, by name.
func fillFiles(v *sandlot.VersionChange, came, went []fileSpan) {
	old := make(map[string]fileSpan, len(went))
	for _, f := range went {
		old[f.name] = f
	}
	fresh := make(map[string]bool, len(came))
	for _, f := range came {
		fresh[f.name] = true
	}
	gone := map[sandlot.Digest][]string{} // removed names by content: a file that came with it was renamed
	for _, f := range went {
		if !fresh[f.name] {
			v.Removed = append(v.Removed, f.name)
			gone[f.sha256] = append(gone[f.sha256], f.name)
		}
	}
	moved := map[string]bool{}
	for _, f := range came {
		c := sandlot.FileChange{Name: f.name, Before: -1, Size: f.size}
		before, stays := old[f.name]
		from := gone[f.sha256]
		switch {
		case stays:
			v.Changed, c.Before = append(v.Changed, f.name), before.size
		case len(from) > 0:
			c.From, c.Before, gone[f.sha256] = from[0], f.size, from[1:]
			moved[c.From] = true
			fallthrough
		default:
			v.Added = append(v.Added, f.name)
		}
		v.Files = append(v.Files, c)
	}
	for _, name := range v.Removed {
		if !moved[name] {
			v.Files = append(v.Files, sandlot.FileChange{Name: name, Before: old[name].size, Size: -1})
		}
	}
	slices.SortFunc(v.Files, func(a, b sandlot.FileChange) int { return strings.Compare(a.Name, b.Name) })
}

// A change number is the sum of two that only grow: the project's own, and its account's, which one statement
// increments for all of its projects. Each statement that changes the readable state of a project increments its
// number; a guard in the tests rejects one that does not.
func (store ProjectStore) Changes(ctx context.Context, ids []sandlot.ProjectID) (map[sandlot.ProjectID]int64, error) {
	type change struct {
		id sandlot.ProjectID
		n  int64
	}
	list, err := all(ctx, store.db, fields(func(c *change) []any { return []any{&c.id, &c.n} }),
		`SELECT p.id, p.changed + a.changed FROM `+store.db.dialect.Texts("?", "j")+` CROSS JOIN projects p
		JOIN accounts a ON a.id = p.account
		WHERE p.id = j.value AND p.deleted_at IS NULL AND a.deleted_at IS NULL`, engine.List(ids))
	if err != nil {
		return nil, in("read change numbers", err)
	}
	changes := make(map[sandlot.ProjectID]int64, len(list))
	for _, c := range list {
		changes[c.id] = c.n
	}
	return changes, nil
}

func changed(id sandlot.ProjectID) sandlot.Changed { return sandlot.Subject{Project: id}.Changed() }
