package publish

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sandlot"
)

// TrashLife is the time within which the owner of a deleted project can take it back.
const TrashLife = 7 * 24 * time.Hour

// TrashKept is the time that a deleted project is really kept: the node that ends the time may have another clock than
// the one that began it, and no owner may lose an hour of TrashLife.
const TrashKept = TrashLife + time.Hour

// trashPage is the number of deleted projects on a page.
const trashPage = 50

// Trashed is a project that its owner deleted and can take back.
type Trashed struct {
	sandlot.Project
	DeletedAt time.Time
}

// GoneAt returns the time at which the project is purged.
func (t Trashed) GoneAt() time.Time { return t.DeletedAt.Add(TrashLife) }

// DeletedProject is the answer to DeleteProject.
type DeletedProject struct {
	Trashed
	TakeBack string // the page on which its owner takes it back
	Warnings []sandlot.Warning
}

// A TrashStore keeps deleted projects for a while, under the same promises as a Store. For all other methods such a
// project does not exist.
type TrashStore interface {
	// Trash deletes a project so that it can be taken back, and records e. It is in the trash from e.At on, or from the
	// time that was recorded last, whichever is later: a clock that is behind takes none of the days. key is the
	// caller's: a revoked one is ErrRevoked, one of a suspended account ErrSuspended; 0 is none.
	Trash(ctx context.Context, id sandlot.ProjectID, key int64, e sandlot.LogEntry) error
	// TakeBack restores such a project as it was, and records e. An owner who would have more projects than within is
	// ErrTooManyProjects.
	TakeBack(ctx context.Context, id sandlot.ProjectID, within Quota, e sandlot.LogEntry) error
	// Purge deletes such a project for good, and records e. Its title and description are then in no file of the store;
	// its files are left to Sweep. A suspended one is ErrSuspended.
	Purge(ctx context.Context, id sandlot.ProjectID, e sandlot.LogEntry) error
	// Trashed returns such projects, newest change first.
	Trashed(ctx context.Context, q TrashQuery) ([]Trashed, error)
}

// TrashQuery selects the deleted projects to list.
type TrashQuery struct {
	Project sandlot.ProjectID // this one
	Account sandlot.AccountID // or those of this account
	Before  int64             // with a Seq below; 0: all
	Limit   int
}

// Trash holds the calls by which owners of accounts, in a session, take back or purge deleted projects. Its methods
// keep the promises of a Service.
type Trash struct{ service *Service }

// DeleteProject takes a project, named by its id or one of its addresses, off all its addresses at once. For TrashLife
// its owner can take it back; then it is gone for good, and its id is never used again. Its bytes count for the account
// until then. confirm must be the id: none is CodeMissingField, another CodeInvalidField. A second call returns the
// same answer again.
func (s *Service) DeleteProject(ctx context.Context, by sandlot.Caller, ref, confirm string) (DeletedProject, error) {
	if err := sandlot.Authorize(by, sandlot.ActDeleteProject, nil); err != nil {
		return DeletedProject{}, err
	}
	p, err := s.find(ctx, ref)
	var t Trashed
	if err == nil {
		t, err = s.Trash.put(ctx, by, p, confirm)
	}
	before := errors.Is(err, sandlot.CodeProjectNotFound)
	if before {
		var missing error
		t, missing = found(s.management.Trashed(ctx, TrashQuery{Project: s.Places.ProjectID(ref), Limit: 1}))
		switch {
		case missing != nil && !errors.Is(missing, sandlot.ErrNotFound):
			return DeletedProject{}, fmt.Errorf("read deleted project: %w", missing)
		case missing == nil && t.Account == by.Account():
			err = confirmed(t.ID, confirm)
		}
	}
	if err != nil {
		return DeletedProject{}, err
	}
	owner, err := s.store.Account(ctx, t.Account)
	if err != nil {
		return DeletedProject{}, fmt.Errorf("read account: %w", err)
	}
	return deletedProject(t, owner, s.Places.Base.String()+"/account", before), nil
}

// put deletes a project. If another call was faster it is CodeProjectNotFound.
func (t *Trash) put(ctx context.Context, by sandlot.Caller, p sandlot.Project, confirm string) (Trashed, error) {
	if err := sandlot.Authorize(by, sandlot.ActDeleteProject, &p); err != nil {
		return Trashed{}, err
	}
	if err := confirmed(p.ID, confirm); err != nil {
		return Trashed{}, err
	}
	e := ownerEntry(t.service.now(), sandlot.ActionDelete, p.ID, "on the website")
	if by.HasKey() {
		e.Reason = "by the API"
	}
	err := t.service.evenFull(func() error { return t.service.management.Trash(ctx, p.ID, by.Key().ID, e) })
	if errors.Is(err, sandlot.ErrNotFound) {
		err = noProject(string(p.ID))
	}
	return Trashed{p, e.At}, lostRight(by, sandlot.ActDeleteProject, err)
}

// found returns the only project of a list.
func found(list []Trashed, err error) (Trashed, error) {
	if err == nil && len(list) == 0 {
		err = sandlot.ErrNotFound
	}
	if err != nil {
		return Trashed{}, err
	}
	return list[0], nil
}

// confirmed refuses to delete a project unless its id was sent a second time.
func confirmed(id sandlot.ProjectID, confirm string) error {
	refusal := sandlot.Refuse(sandlot.CodeInvalidField, "The field confirm is not the id of the project. Nothing was deleted.")
	switch strings.TrimSpace(confirm) {
	case string(id):
		return nil
	case "":
		refusal = sandlot.Refuse(sandlot.CodeMissingField,
			"The field confirm is missing: it has to repeat the id of the project. Nothing was deleted.")
	}
	return refusal.In("confirm").With(sandlot.OpDeleteProject, sandlot.Set("id", string(id)), sandlot.Set("confirm", string(id))).
		Note("This takes %s off all its addresses, with all its versions:", id)
}

// deletedProject returns the answer for a project that is deleted now, or was before.
func deletedProject(t Trashed, owner sandlot.Account, page string, before bool) DeletedProject {
	out := DeletedProject{Trashed: t, TakeBack: page + "#deleted"}
	if before {
		out.Warnings = append(out.Warnings,
			sandlot.Warn("deleted_already", "The project was deleted before; nothing was changed.",
				"It can be taken back at "+out.TakeBack+" until "+t.GoneAt().Format(time.RFC3339)+"."))
	}
	if !owner.EmailVerified {
		out.Warnings = append(out.Warnings, sandlot.Warn(
			"needs_email", "The account has no confirmed e-mail address, and only its owner, logged in, can take the project back.",
			"Have an address confirmed until then: send email with update, or log in at "+page+" if one was given.",
		))
	}
	return out
}

// ownerEntry returns the entry of the audit log for an act of a project's owner.
func ownerEntry(now time.Time, action string, id sandlot.ProjectID, reason string) sandlot.LogEntry {
	return sandlot.LogEntry{At: now.UTC().
		Truncate(time.Microsecond), Actor: sandlot.ActorOwner, Action: action, Target: string(id), Reason: reason}
}

// TrashPage selects the deleted projects to list: one, or a page.
type TrashPage struct {
	Project sandlot.ProjectID // this one alone
	Cursor  string            // next of the page before, or empty for the first
}

// List returns projects that the owner of an account, in a session, can take back, the last changed first. next is the
// Cursor of the next page, empty on the last. A project that the caller cannot take back, and any other Cursor, are
// ErrNotFound.
func (t *Trash) List(ctx context.Context, by sandlot.Caller, q TrashPage) (list []Trashed, next string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, "", err
	}
	if q.Project != "" {
		found, err := t.one(ctx, by, q.Project)
		return []Trashed{found}, "", err
	}
	seq, err := readCursor(q.Cursor, 36, sandlot.OpWhoami)
	if err != nil {
		return nil, "", sandlot.ErrNotFound
	}
	list, err = t.service.management.Trashed(ctx, TrashQuery{Account: by.Account(), Before: seq, Limit: trashPage + 1})
	if err != nil {
		return nil, "", fmt.Errorf("read deleted projects: %w", err)
	}
	if len(list) > trashPage {
		list = list[:trashPage]
		next = strconv.FormatInt(list[trashPage-1].Seq, 36)
	}
	return list, next, nil
}

// one returns a project that the owner of an account, in a session, can take back.
func (t *Trash) one(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (Trashed, error) {
	if err := sandlot.Authorize(by, sandlot.ActDelete, nil); err != nil {
		return Trashed{}, err
	}
	found, err := found(t.service.management.Trashed(ctx, TrashQuery{Project: id, Limit: 1}))
	if err == nil {
		err = sandlot.Authorize(by, sandlot.ActDelete, &found.Project)
	}
	return found, err
}

// TakeBack restores a deleted project of the owner of an account, in a session, with its addresses, versions, keys,
// plays and likes, and returns it. A project that the operator has suspended stays so. If the account would have too
// many projects it is CodeQuotaExceeded. A second call has no further effect; another account's project, or a purged
// one, is ErrNotFound.
func (t *Trash) TakeBack(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	gone, err := t.one(ctx, by, id)
	p := gone.Project
	if err == nil {
		err = t.service.evenFull(func() error {
			return t.service.management.TakeBack(ctx, id, t.service.Quota,
				ownerEntry(t.service.now(), sandlot.ActionTakeBack, id, "on the website"))
		})
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		p, err = t.service.owned(ctx, by, sandlot.ActDelete, id) // it exists, or was never theirs
	}
	return p, t.service.exceeded(ctx, by.Account(), err)
}

// Purge deletes a project for good that its owner, in a session, could have taken back, and returns it as it was; any
// other is ErrNotFound. A suspended project stays for the operator: CodeTakenDown.
func (t *Trash) Purge(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error) {
	gone, err := t.one(ctx, by, id)
	if err != nil {
		return sandlot.Project{}, err
	}
	err = t.service.evenFull(func() error {
		return t.service.management.Purge(ctx, id, ownerEntry(t.service.now(), sandlot.ActionDelete, id, "for good, on the website"))
	})
	if errors.Is(err, sandlot.ErrSuspended) {
		err = sandlot.TakenDown(gone.Project)
	}
	return gone.Project, err
}
