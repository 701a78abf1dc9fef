package sqlstore

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// unborn is the version of a project that is recorded in steps. It is seen by nobody, for
// until the last step it counts as deleted, is nobody's in the lists, and has an id that no
// project can have; so does the account that comes with it, which has no handle. What is
// left of one that is refused stays deleted for good.
const unborn = 0

// createLarge is CreateProject in steps, as a draft of version 1.
func (store Publish) createLarge(ctx context.Context, np publish.NewProject, h history) (sandlot.Project, error) {
	id := sandlot.ProjectID("+" + rand.Text())
	end, err := store.db.drafts.begin(ctx, id)
	if err != nil {
		return sandlot.Project{}, sandlot.NoEffect(err)
	}
	defer end()
	var d draft
	err = store.db.step(ctx, 0, func(t *tx) (err error) {
		d, err = t.beginUnborn(id, np, h, draft{n: 1, holder: store.db.name, until: store.db.lease(draftLease).until()}, store.db.Now())
		return err
	})
	if err != nil {
		return sandlot.Project{}, err
	}
	for _, part := range h.parts() {
		if err := store.addToUnborn(ctx, &d, part); err != nil {
			return sandlot.Project{}, store.giveUp(ctx, d, err, np.Yield)
		}
	}
	var p projectRow
	err = store.db.patient(ctx, 0, func(t *tx) (err error) {
		p, err = t.bear(np, h, d, store.db.Now())
		return err
	})
	if err != nil {
		return sandlot.Project{}, store.giveUp(ctx, d, err, np.Yield)
	}
	return p.Project, nil
}

// parts are what the steps of a draft record of a history.
func (h *history) parts() (list []history) {
	for versions := range slices.Chunk(h.versions, draftStep) {
		list = append(list, history{versions: versions})
	}
	for _, files := range inParts(h.files, func(f pastFile) sandlot.Blob { return f.Blob }) {
		list = append(list, history{files: files})
	}
	return list
}

// beginUnborn refuses what the last step would refuse at once, where that is known.
func (t *tx) beginUnborn(id sandlot.ProjectID, np publish.NewProject, h history, d draft, now time.Time) (draft, error) {
	t.Reserve(append(idsOf(np, history{}), "drafts")...)
	if err := t.refuseAlreadyDone(np.Idempotency, now); err != nil {
		return d, err
	}
	owner, err := t.mayBegin(np, h, now)
	if err != nil {
		return d, err
	}
	d.project, err = t.Insert("projects", `INSERT INTO projects (num, id, account, title, lang, primary_file, version, suffix, size, file_count, seq, created_at, updated_at, deleted_at)
		VALUES (?, ?, ?, '', '', '', 0, '', 0, 0, 0, ?, ?, 0)`, string(id), owner, micros(now), micros(now))
	if err != nil {
		return d, err
	}
	return d, t.insertDraft(&d)
}

// mayBegin returns whose a project is to be, if nothing known is in its way.
func (t *tx) mayBegin(np publish.NewProject, h history, now time.Time) (owner sandlot.AccountID, err error) {
	if np.New != nil {
		id, err := t.Insert("accounts", "INSERT INTO accounts (id, handle, email, verified, lang, created_at, deleted_at) VALUES (?, '', '', 0, '', ?, 0)", micros(now))
		if err != nil {
			return 0, err
		}
		owner = sandlot.AccountID(id)
	} else {
		a, err := t.mayOwn(np)
		if err != nil {
			return 0, err
		}
		if np.Email != nil && a.EmailVerified {
			return 0, sandlot.ErrVerified
		}
		owner = a.ID
	}
	switch _, err := t.number("SELECT 1 FROM projects WHERE id = ?", string(np.ID)); {
	case err == nil:
		return 0, sandlot.ErrExists
	case !errors.Is(err, sandlot.ErrNotFound):
		return 0, err
	}
	if err := t.roomForMore(owner, np.Within.Projects); err != nil {
		return 0, err
	}
	return owner, t.room(owner, np.Within.Bytes, h.bytes(), now)
}

// roomForMore fails if an account would have more projects with one more, those included
// that it has begun.
func (t *tx) roomForMore(id sandlot.AccountID, most int) error {
	if most == 0 {
		return nil
	}
	has, err := t.number(`SELECT projects + (SELECT count(*) FROM drafts d JOIN projects p ON p.num = d.project WHERE p.account = a.id AND p.version = 0)
		FROM accounts a WHERE id = ?`, id)
	if err == nil && has >= int64(most) {
		err = sandlot.ErrTooManyProjects
	}
	return err
}

// addToUnborn records a part of a project that is not there yet.
func (store Publish) addToUnborn(ctx context.Context, d *draft, part history) error {
	err := store.db.patient(ctx, part.inlined(), func(t *tx) error {
		t.Reserve(slices.Repeat([]string{"blobs"}, len(part.files))...)
		if err := t.renew(d, store.db.lease(draftLease)); err != nil {
			return err
		}
		if err := t.addVersions(d.project, part.versions); err != nil {
			return err
		}
		return t.addFiles(d.project, part.files, d.kept.anew(), store.db.Now())
	})
	if err == nil {
		d.kept.stay()
	}
	return err
}

// bear is the last step of a new project, with which it is there.
func (t *tx) bear(np publish.NewProject, h history, d draft, now time.Time) (p projectRow, err error) {
	if err := t.addRecord(np.Idempotency, np.Account, "", now); err != nil {
		return p, err
	}
	owner, err := t.ownerOf(np, d)
	if err != nil {
		return p, err
	}
	if err := t.endDraft(d); err != nil {
		return p, err
	}
	p = newRow(np, h, owner)
	p.num = d.project
	if err := t.complete(np.Upload); err != nil {
		return p, err
	}
	seq, err := t.nextSeq(owner.ID, 0) // a trigger counts the project
	if err != nil {
		return p, err
	}
	p.Seq, p.Change = seq.n, seq.changed+1
	err = t.later(`UPDATE projects SET changed = 1, id = ?, title = ?, lang = ?, primary_file = ?, version = ?, suffix = ?, size = ?, file_count = ?, seq = ?,
		created_at = ?, updated_at = ?, description = ?, unlisted = ?, threads = ?, tags = ?, wrapper = ?, deleted_at = NULL WHERE num = ?`,
		string(p.ID), p.Title, p.Lang, p.Primary, p.Version, p.Suffix, p.Size, p.FileCount, p.Seq, micros(p.CreatedAt), micros(p.UpdatedAt), np.Description, p.Unlisted, p.Threads, string(p.Tags), p.Wrapper, p.num)
	if err != nil {
		return p, err
	}
	return p, t.ends(np, p, now)
}

// ownerOf is owner for a project whose account may have come with its draft.
func (t *tx) ownerOf(np publish.NewProject, d draft) (a sandlot.Account, err error) {
	if np.New == nil {
		return t.owner(np)
	}
	id, err := t.number("SELECT account FROM projects WHERE num = ?", d.project)
	if err != nil {
		return a, err
	}
	a = accountOf(*np.New)
	a.ID = sandlot.AccountID(id)
	if a.Handle, err = t.takeHandle(a.ID, np.New.Handles, time.Time{}); err != nil {
		return a, err
	}
	err = t.later("UPDATE accounts SET changed = changed + 1, handle = ?, email = ?, lang = ?, created_at = ?, deleted_at = NULL WHERE id = ?",
		a.Handle, a.Email, a.Lang, micros(a.CreatedAt), a.ID)
	if err != nil {
		return a, err
	}
	return a, t.addFirst(*np.New, a.ID)
}
