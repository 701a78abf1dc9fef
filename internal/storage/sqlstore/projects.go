package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

const projectColumns = `
	p.num, p.id, p.account, a.handle, a.verified, p.suspended_at IS NOT NULL OR a.suspended_at IS NOT NULL, p.unlisted, p.threads, p.tags, p.title, p.lang, p.primary_file, p.wrapper,
	p.version, p.suffix, p.size, p.file_count, p.plays, p.counted, p.likes, p.seq, p.changed + a.changed, p.created_at, p.updated_at, p.cover, a.portrait`

const selectProject = "SELECT " + projectColumns + `
	FROM projects p JOIN accounts a ON a.id = p.account
	WHERE p.deleted_at IS NULL AND a.deleted_at IS NULL AND `

// projectRow is a project with the number that other tables know it by.
type projectRow struct {
	sandlot.Project
	num int64
}

func scanProject(r row) (p projectRow, err error) {
	err = r.Scan(&p.num, &p.ID, &p.Account, &p.Handle, &p.Verified, &p.Suspended, &p.Unlisted, &p.Threads, &p.Tags, &p.Title, &p.Lang, &p.Primary, &p.Wrapper, &p.Version, &p.Suffix, &p.Size, &p.FileCount,
		&p.Plays, &p.Counted, &p.Likes, &p.Seq, &p.Change, asTime{&p.CreatedAt}, asTime{&p.UpdatedAt}, &p.Cover, &p.Portrait)
	return p, err
}

// CreateProject implements publish.Store. If p.New is set and all of its handles
// were taken the error is sandlot.ErrExists, too.
func (store Publish) CreateProject(ctx context.Context, np publish.NewProject) (sandlot.Project, error) {
	h, err := historyOf(np)
	if err != nil {
		return sandlot.Project{}, in("create project", sandlot.NoEffect(err))
	}
	var p projectRow
	err = store.db.step(ctx, h.inlined(), func(t *tx) error {
		now := store.db.Now()
		t.Reserve(idsOf(np, h)...)
		if err := t.addRecord(np.Idempotency, np.Account, "", now); err != nil {
			return err
		}
		owner, err := t.owner(np)
		if err != nil {
			return err
		}
		if p, err = t.createProject(np, h, owner, now); err != nil {
			return err
		}
		return t.ends(np, p)
	})
	return p.Project, in("create project", err)
}

// idsOf are the tables in which a new project gets rows that others know by their ids.
func idsOf(np publish.NewProject, h history) []string {
	tables := append(slices.Repeat([]string{"blobs"}, len(h.files)), "projects")
	if np.New != nil {
		tables = append(tables, "accounts")
	}
	return tables
}

// owner returns the account of a new project, for which the address is set that is to
// be.
func (t *tx) owner(np publish.NewProject) (a sandlot.Account, err error) {
	if np.New != nil {
		return t.createAccount(*np.New)
	}
	if a, err = t.mayOwn(np); err != nil {
		return a, err
	}
	return a, t.setEmail(np.Account, np.Email)
}

// mayOwn returns the account of a new project that is there already, if it may have one.
func (t *tx) mayOwn(np publish.NewProject) (a sandlot.Account, err error) {
	if err := t.lockAccount(np.Account); err != nil {
		return a, err
	}
	t.mayAct(np.By)
	ask(t, scanAccount, func(found sandlot.Account, err error) error {
		if a = found; err == nil && a.Suspended {
			err = sandlot.ErrSuspended
		}
		return err
	}, "SELECT "+accountColumns+" FROM accounts WHERE id = ? AND deleted_at IS NULL", np.Account)
	return a, t.Flush()
}

// newRow is what is recorded of a new project itself.
func newRow(np publish.NewProject, h history, owner sandlot.Account) projectRow {
	last := h.last()
	return projectRow{Project: sandlot.Project{
		ID: np.ID, Account: owner.ID, Handle: owner.Handle, Verified: owner.EmailVerified, Suspended: owner.Suspended, Title: last.Title, Lang: np.Lang,
		Primary: last.Primary, Version: last.N, Suffix: last.Suffix, Size: h.size, FileCount: h.count, CreatedAt: begun(np), UpdatedAt: last.CreatedAt,
		Unlisted: np.Unlisted, Threads: np.Threads, Tags: np.Tags, Wrapper: np.Wrapper, Portrait: owner.Portrait,
	}}
}

// begun is when a new project was made: with its version 1, if nothing else is said.
func begun(np publish.NewProject) time.Time {
	if np.Begun.IsZero() {
		return stored(np.CreatedAt)
	}
	return stored(np.Begun)
}

func (t *tx) createProject(np publish.NewProject, h history, owner sandlot.Account, now time.Time) (projectRow, error) {
	p := newRow(np, h, owner)
	if err := t.complete(np.Upload); err != nil {
		return p, err
	}
	t.within(owner.ID, np.Within, publish.Quota{Projects: 1, Bytes: h.bytes()}, now)
	seq, err := t.nextSeq(owner.ID, 1)
	if err != nil {
		return p, err
	}
	p.Seq, p.Change = seq.n, seq.changed
	may := !p.Suspended && !p.Unlisted && (p.Verified || seq.unverified)
	p.num, err = t.Insert("projects", `INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, listed, description, unlisted, threads, tags, wrapper)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(p.ID), p.Account, p.Title, p.Lang, p.Primary, p.Version, p.Suffix, p.Size, p.FileCount, p.Seq, micros(p.CreatedAt), micros(p.UpdatedAt), may, np.Description, p.Unlisted, p.Threads, string(p.Tags), p.Wrapper)
	if err != nil {
		return p, err
	}
	if err := t.list(p, may); err != nil {
		return p, err
	}
	if err := t.addVersions(p.num, h.versions); err != nil {
		return p, err
	}
	return p, t.addFiles(p.num, h.files, now)
}

// ends holds the last records of a step that makes a project: its key, and whose the record of
// the call is.
func (t *tx) ends(np publish.NewProject, p projectRow) error {
	if np.Log != nil {
		if err := t.log(*np.Log); err != nil {
			return err
		}
	}
	if np.Key.Hash != (sandlot.Digest{}) {
		if err := t.createKey(np.Key, p.Account, &p.num); err != nil {
			return err
		}
	}
	if np.New == nil {
		return nil
	}
	return t.ownRecord(np.Idempotency, p.Account)
}

// A seq is the number of a change of one of an account's projects, with the account's
// change number, and whether projects of accounts without a verified address are listed.
type seq struct {
	n, changed int64
	unverified bool
}

// nextSeq counts a change of one of an account's projects, of which there are so many
// more. The account's row is written in every such step, so the numbers are in the
// order of commits.
func (t *tx) nextSeq(id sandlot.AccountID, more int) (seq, error) {
	return one(context.Background(), t, func(r row) (s seq, err error) {
		err = r.Scan(&s.n, &s.changed, &s.unverified)
		return s, err
	}, "UPDATE accounts SET seq = seq + 1, projects = projects + ? WHERE id = ? RETURNING seq, changed, ("+readListing+")", more, id)
}

// addVersions records versions of the project of that number.
func (t *tx) addVersions(project int64, list []sandlot.Version) error {
	for _, v := range list {
		err := t.later("INSERT INTO versions (project, n, suffix, title, primary_file, created_at, restored_from) VALUES (?, ?, ?, ?, ?, ?, ?)",
			project, v.N, v.Suffix, v.Title, v.Primary, micros(v.CreatedAt), v.RestoredFrom)
		if err != nil {
			return err
		}
	}
	return nil
}

// Project implements publish.Store.
func (store Publish) Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	p, err := one(ctx, store.db, scanProject, selectProject+"p.id = ?", string(id))
	return p.Project, in("read project", err)
}

// Projects implements publish.Store.
func (store Publish) Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	page := func(q querier) ([]projectRow, error) {
		return all(ctx, q, scanProject, selectProject+"p.account = ? AND p.seq < ? ORDER BY p.seq DESC LIMIT ?", id, before, limit)
	}
	rows, err := page(store.db)
	if err == nil && len(rows) == 0 {
		err = store.db.snapshot(ctx, func(q querier) error {
			if rows, err = page(q); err != nil || len(rows) > 0 {
				return err
			}
			_, err := one(ctx, q, scanValue[int64], "SELECT id FROM accounts WHERE id = ? AND deleted_at IS NULL", id)
			return err
		})
	}
	if err != nil || len(rows) == 0 {
		return nil, in("list projects", err)
	}
	list := make([]sandlot.Project, len(rows))
	for i, r := range rows {
		list[i] = r.Project
	}
	return list, nil
}

// Version implements publish.Store.
func (store Publish) Version(ctx context.Context, id sandlot.ProjectID, n int) (sandlot.Version, error) {
	v, err := versionOf(ctx, store.db, id, n)
	return v, in("read version", err)
}

// findVersion looks a version up.
type findVersion func(ctx context.Context, q querier, id sandlot.ProjectID, n int) (sandlot.Version, error)

const selectVersion = `SELECT v.n, v.suffix, v.title, v.primary_file, v.created_at, v.restored_from FROM projects p JOIN versions v ON v.project = p.num
		WHERE p.id = ? AND v.n = ? AND v.erased_at IS NULL`

// versionKept also finds one of a deleted project, until Sweep takes it.
func versionKept(ctx context.Context, q querier, id sandlot.ProjectID, n int) (sandlot.Version, error) {
	return one(ctx, q, scanVersion, selectVersion, string(id), n)
}

func versionOf(ctx context.Context, q querier, id sandlot.ProjectID, n int) (sandlot.Version, error) {
	return one(ctx, q, scanVersion, selectVersion+" AND p.deleted_at IS NULL"+ofAccount, string(id), n)
}

func scanVersion(r row) (v sandlot.Version, err error) {
	err = r.Scan(&v.N, &v.Suffix, &v.Title, &v.Primary, asTime{&v.CreatedAt}, &v.RestoredFrom)
	return v, err
}

// edit makes the next version of a project: change adds, replaces or removes a
// file and keeps the project's totals.
func (store Publish) edit(ctx context.Context, id sandlot.ProjectID, at publish.Edit, bytes int, change func(*tx, *projectRow) error) (sandlot.Project, error) {
	var p projectRow
	err := store.db.step(ctx, bytes, func(t *tx) (err error) {
		p, err = t.edit(id, at, store.db.Now(), change)
		return err
	})
	return p.Project, err
}

// edit is that step.
func (t *tx) edit(id sandlot.ProjectID, at publish.Edit, now time.Time, change func(*tx, *projectRow) error) (p projectRow, err error) {
	t.Reserve("blobs") // most edits put a file
	if err := t.addRecord(at.Idempotency, 0, id, now); err != nil {
		return p, err
	}
	if p, err = t.editable(id, at); err != nil {
		return p, err
	}
	if err := t.complete(at.Upload); err != nil {
		return p, err
	}
	if err := t.setEmail(p.Account, at.Email); err != nil {
		return p, err
	}
	p.Version, p.Suffix, p.UpdatedAt = p.Version+1, at.Suffix, stored(at.At)
	if at.Title != nil {
		p.Title = *at.Title
	}
	p.Wrapper = cmp.Or(at.Wrapper, p.Wrapper)
	if err := change(t, &p); err != nil {
		return p, err
	}
	if at.Details != (publish.DetailsChange{}) {
		if err := t.describe(&p, at.Details); err != nil {
			return p, err
		}
	}
	return p, t.saveEdit(&p, at.RestoredFrom)
}

// editable returns the project that an edit was computed against, if it may be made now.
func (t *tx) editable(id sandlot.ProjectID, at publish.Edit) (p projectRow, err error) {
	if err := t.lockOwner(id); err != nil {
		return p, err
	}
	ask(t, scanProject, func(found projectRow, err error) error {
		if p = found; err == nil && p.Version != at.Expect {
			err = sandlot.ErrMoved
		}
		return err
	}, selectProject+"p.id = ?", string(id))
	t.mayAct(at.By)
	if err := t.Flush(); err != nil {
		return p, err
	}
	if p.Suspended {
		return p, sandlot.ErrSuspended
	}
	return p, nil
}

func (t *tx) saveEdit(p *projectRow, restoredFrom int) error {
	seq, err := t.nextSeq(p.Account, 0)
	if err != nil {
		return err
	}
	p.Seq = seq.n
	p.Change++
	v := sandlot.Version{N: p.Version, Suffix: p.Suffix, Title: p.Title, Primary: p.Primary, CreatedAt: p.UpdatedAt, RestoredFrom: restoredFrom}
	if err := t.addVersions(p.num, []sandlot.Version{v}); err != nil {
		return err
	}
	return t.later("UPDATE projects SET title = ?, primary_file = ?, wrapper = ?, version = ?, suffix = ?, size = ?, file_count = ?, seq = ?, updated_at = ?, changed = changed + 1 WHERE num = ?",
		p.Title, p.Primary, p.Wrapper, p.Version, p.Suffix, p.Size, p.FileCount, p.Seq, micros(p.UpdatedAt), p.num)
}
