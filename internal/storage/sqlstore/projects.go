package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

const projectColumns = `
	p.num, p.id, p.account, a.handle, (a.verified = 1 OR a.trusted_at IS NOT NULL), p.suspended_at IS NOT NULL OR a.suspended_at IS NOT NULL,
	CASE WHEN p.hold_end = 0 THEN p.hold ELSE '' END, CASE WHEN p.hold_end = 0 THEN p.hold_at ELSE 0 END, p.unlisted, p.threads, p.runtime, p.tags, p.title, p.lang, p.primary_file, p.wrapper,
	p.version, p.suffix, p.size, p.file_count, p.plays, p.counted, p.likes, p.seq, p.changed + a.changed, p.created_at, p.updated_at,
	p.cover, a.portrait`

const (
	selectProject = "SELECT " + fromProjects
	fromProjects  = projectColumns + `
	FROM projects p JOIN accounts a ON a.id = p.account
	WHERE p.deleted_at IS NULL AND a.deleted_at IS NULL AND `
)

type projectRow struct {
	sandlot.Project
	num int64
}

func scanProject(r row) (p projectRow, err error) {
	err = r.Scan(&p.num, &p.ID, &p.Account, &p.Handle, &p.Verified, &p.Suspended, &p.Held.Rule, sometime{&p.Held.At},
		&p.Unlisted, &p.Threads, &p.Runtime, &p.Tags, &p.Title, &p.Lang, &p.Primary, &p.Wrapper, &p.Version, &p.Suffix, &p.Size, &p.FileCount,
		&p.Plays, &p.Counted, &p.Likes, &p.Seq, &p.Change, asTime{&p.CreatedAt}, asTime{&p.UpdatedAt}, &p.Cover, &p.Portrait)
	return p, err
}

// If p.New is set and all of its handles were taken the error is sandlot.ErrExists, too.
func (store ProjectStore) CreateProject(ctx context.Context, np publish.NewProject) (sandlot.Project, error) {
	h, err := historyOf(np)
	if err != nil {
		return sandlot.Project{}, in("create project", sandlot.NoEffect(err))
	}
	var p projectRow
	err = store.db.step(ctx, h.blobs(), func(t *tx) error {
		p, err = t.createProject(np, h, store.db.Now())
		return err
	})
	return p.Project, in("create project", err)
}

// createProject is that step. It records everything that depends on no answer in one list at its end.
func (t *tx) createProject(np publish.NewProject, h history, now time.Time) (p projectRow, err error) {
	if err := t.addRecord(np.Idempotency, np.Account, "", now); err != nil {
		return p, err
	}
	owner, records, err := t.owner(np, now)
	if err != nil {
		return p, err
	}
	over, held, err := t.complete(np.Upload, owner.ID)
	if err != nil {
		return p, err
	}
	has := publish.Quota{Projects: owner.has.Projects + 1, Bytes: owner.has.Bytes + h.bytes() - held}
	if err := exceeds(has, np.Within.Of(owner.Account)); err != nil {
		return p, err
	}
	p = newRow(np, h, owner, now)
	listed := !p.Suspended && !p.Unlisted && p.Held.Rule == sandlot.NotHeld && (p.Verified || owner.unverified)
	k := keepFiles(h.files)
	var nums []int64
	if err := t.Run(newBlobs(k.fresh, asFile, now, &k.ids), newProject(p, np.Description, listed, &nums)); err != nil {
		return p, err
	}
	p.num = nums[0]
	contents, err := t.newContents(k)
	if err != nil {
		return p, err
	}
	records = append(records, do("UPDATE accounts SET seq = seq + 1, projects = projects + 1 WHERE id = ?", p.Account),
		newVersions(p.num, h.versions), newFiles(p.num, h.files, k))
	if listed {
		records = append(records, newTags(p))
	}
	if np.Log != nil {
		records = append(records, newEntry(*np.Log))
	}
	if np.Key.Hash != (sandlot.Digest{}) {
		records = append(records, newKey(np.Key, p.Account, &p.num))
	}
	if !p.Verified {
		records = append(records, newPublisher(p.Account, np.Publisher, np.CreatedAt)...)
	}
	return p, t.Run(slices.Concat(over, contents, records, useTicket(np.Idempotency), sameBlocks(t, np.Blocks))...)
}

type owner struct {
	sandlot.Account
	has          publish.Quota
	seq, changed int64
	unverified   bool // whether projects of accounts without a verified address are listed
}

// owner returns the account of a new project, made or locked, and the records of it that are left to make.
func (t *tx) owner(np publish.NewProject, now time.Time) (o owner, records []engine.Statement, err error) {
	if np.New != nil {
		if o.Account, records, err = t.createAccount(*np.New); err != nil {
			return o, nil, err
		}
		if o.Handle != np.New.Handles[0] {
			o.changed = 1
		}
		o.unverified, err = one(context.Background(), t, scanValue[bool], readListing)
		return o, slices.Concat(records, ownRecord(np.Idempotency, o.ID)), err
	}
	if err := t.lockAccount(np.Account); err != nil {
		return o, nil, err
	}
	var valid bool
	o.Account, err = one(context.Background(), t, func(r row) (sandlot.Account, error) {
		return scanAccount(before{r, []any{&valid, &o.has.Projects, &o.has.Bytes, &o.seq, &o.changed, &o.unverified}})
	}, selectOwner, micros(now), np.By, np.Account)
	switch {
	case err != nil:
	case o.Suspended:
		err = sandlot.ErrSuspended
	case !valid:
		err = sandlot.ErrRevoked
	default:
		records, err = t.newEmail(o.ID, o.EmailVerified, np.Email)
	}
	return o, records, err
}

// selectOwner reads the account ?3 at ?1, and whether its key ?2 is in force; 0 is none.
const (
	selectOwner = "SELECT " + keyInForce + ", a.projects, " + bytesOf + ", a.seq, a.changed, (" + readListing + "), " + accountColumns +
		" FROM accounts a WHERE a.id = ?3 AND a.deleted_at IS NULL"
	keyInForce = "(CAST(?2 AS BIGINT) = 0 OR EXISTS (SELECT 1 FROM keys k WHERE k.id = ?2 AND k.account = a.id AND k.revoked_at IS NULL))"
)

func newRow(np publish.NewProject, h history, owner owner, now time.Time) projectRow {
	last := h.last()
	begun := np.Begun
	if begun.IsZero() {
		begun = np.CreatedAt
	}
	return projectRow{Project: sandlot.Project{
		ID: np.ID, Account: owner.ID, Handle: owner.Handle, Verified: owner.Vouched(), Suspended: owner.Suspended,
		Held:  heldFrom(np, owner.Account, now),
		Title: last.Title, Lang: np.Lang, Primary: last.Primary, Wrapper: np.Wrapper, Tags: np.Tags, Unlisted: np.Unlisted,
		Threads: np.Threads, Portrait: owner.Portrait, Version: last.N, Suffix: last.Suffix, Size: h.size, FileCount: h.count,
		Seq: owner.seq + 1, Change: owner.changed,
		CreatedAt: stored(begun), UpdatedAt: last.CreatedAt,
	}}
}

func newProject(p projectRow, description string, listed bool, nums *[]int64) engine.Statement {
	s := do(`INSERT INTO projects (id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at,
		listed, description, unlisted, threads, tags, wrapper, hold, hold_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(p.ID), p.Account, p.Title, p.Lang, p.Primary, p.Version, p.Suffix, p.Size, p.FileCount, p.Seq,
		micros(p.CreatedAt), micros(p.UpdatedAt), listed, description, p.Unlisted, p.Threads, string(p.Tags), p.Wrapper,
		string(p.Held.Rule), microsOr0(p.Held.At))
	s.ID, s.IDs = "num", nums
	return s
}

func newVersions(project int64, list []sandlot.Version) engine.Statement {
	s := engine.Statement{Query: `INSERT INTO versions (project, n, suffix, title, primary_file, created_at, restored_from)
		VALUES (?, ?, ?, ?, ?, ?, ?)`}
	for _, v := range list {
		s.Rows = append(s.Rows, []any{project, v.N, v.Suffix, v.Title, v.Primary, micros(v.CreatedAt), v.RestoredFrom})
	}
	return s
}

func (store ProjectStore) Project(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	p, err := one(ctx, store.db, scanProject, selectProject+"p.id = ?", string(id))
	return p.Project, in("read project", err)
}

func (store ProjectStore) Projects(ctx context.Context, id sandlot.AccountID, before int64, limit int) ([]sandlot.Project, error) {
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

func (store ProjectStore) Version(ctx context.Context, id sandlot.ProjectID, n int) (sandlot.Version, error) {
	v, err := versionOf(ctx, store.db, id, n)
	return v, in("read version", err)
}

type findVersion func(ctx context.Context, q querier, id sandlot.ProjectID, n int) (sandlot.Version, error)

const selectVersion = `SELECT v.n, v.suffix, v.title, v.primary_file, v.created_at, v.restored_from FROM projects p
	JOIN versions v ON v.project = p.num
		WHERE p.id = ? AND v.n = ? AND v.erased_at IS NULL`

// versionKept also finds versions of a deleted project, until Sweep removes them.
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

// An editing changes the files of a project: it ends the dropped files, updates the project's totals, and returns the
// records that are left to make.
type editing func(*tx, *projectRow) ([]engine.Statement, error)

func (store ProjectStore) edit(
	ctx context.Context, id sandlot.ProjectID, at publish.Edit, blobs []sandlot.Blob, change editing,
) (sandlot.Project, error) {
	more := int64(0)
	for _, b := range blobs {
		more += b.Size
	}
	var p projectRow
	err := store.db.step(ctx, blobs, func(t *tx) (err error) {
		t.changed = changed(id)
		p, err = t.edit(id, at, more, store.db.Now(), change)
		return err
	})
	return p.Project, err
}

func (t *tx) edit(id sandlot.ProjectID, at publish.Edit, more int64, now time.Time, change editing) (p projectRow, err error) {
	if err := t.addRecord(at.Idempotency, 0, id, now); err != nil {
		return p, err
	}
	p, bytes, err := t.editable(id, at, now)
	if err != nil {
		return p, err
	}
	over, held, err := t.complete(at.Upload, p.Account)
	if err != nil {
		return p, err
	}
	if err := exceeds(publish.Quota{Bytes: bytes + more - held}, publish.Quota{Bytes: at.Within.Bytes}); err != nil {
		return p, err
	}
	address, err := pendingEmail(t, p.Account, at.Email)
	if err != nil {
		return p, err
	}
	p.Version, p.Suffix, p.UpdatedAt = p.Version+1, at.Suffix, stored(at.At)
	if at.Title != nil {
		p.Title = *at.Title
	}
	p.Wrapper = cmp.Or(at.Wrapper, p.Wrapper)
	files, err := change(t, &p)
	if err != nil {
		return p, err
	}
	if at.Details != (publish.DetailsChange{}) {
		files = append(files, describe(&p, at.Details))
	}
	files = append(files, p.screened(at.Hold, at.At)...)
	p.Change++
	v := sandlot.Version{
		N: p.Version, Suffix: p.Suffix, Title: p.Title, Primary: p.Primary, CreatedAt: p.UpdatedAt,
		RestoredFrom: at.RestoredFrom,
	}
	if !p.Verified {
		files = append(files, newPublisher(p.Account, at.Publisher, at.At)...)
	}
	return p, t.Run(slices.Concat(over, address, files, []engine.Statement{
		do("UPDATE accounts SET seq = seq + 1 WHERE id = ?", p.Account),
		newVersions(p.num, []sandlot.Version{v}),
		do(`UPDATE projects SET title = ?, primary_file = ?, wrapper = ?, version = ?, suffix = ?, size = ?, file_count = ?, seq = ?,
			updated_at = ?,
			changed = changed + 1 WHERE num = ?`,
			p.Title, p.Primary, p.Wrapper, p.Version, p.Suffix, p.Size, p.FileCount, p.Seq, micros(p.UpdatedAt), p.num),
	}, useTicket(at.Idempotency), sameBlocks(t, at.Blocks))...)
}

// editable returns the project that an edit was computed against, with the number of this change, if it may be made
// now, and the bytes of its owner.
func (t *tx) editable(id sandlot.ProjectID, at publish.Edit, now time.Time) (p projectRow, bytes int64, err error) {
	if err := t.lockOwner(id); err != nil {
		return p, 0, err
	}
	var valid bool
	var seq int64
	p, err = one(context.Background(), t, func(r row) (projectRow, error) {
		return scanProject(before{r, []any{&valid, &bytes, &seq}})
	}, "SELECT "+keyInForce+", "+bytesOf+", a.seq, "+fromProjects+"p.id = ?3", micros(now), at.By, string(id))
	p.Seq = seq + 1
	switch {
	case err != nil:
	case p.Version != at.Expect:
		err = sandlot.ErrMoved
	case p.Suspended:
		err = sandlot.ErrSuspended
	case !valid:
		err = sandlot.ErrRevoked
	}
	return p, bytes, err
}
