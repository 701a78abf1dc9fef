package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// Stores are Records as the cases use them. Each step that returns a sandlot.Changed is
// checked whenever a case takes it, so the Changed itself is left out: the step fails unless
// that is exactly the projects, or all of the account, whose change number grew.
type Stores struct {
	Records
	Publish    publishSteps
	Management managementSteps
	Accounts   accountSteps
	Operate    operateSteps
	Upkeep     upkeepSteps
	Covers     coverSteps
}

func newStores(r Records) Stores {
	w := &watch{Records: r}
	return Stores{
		r,
		publishSteps{r.Publish, w},
		managementSteps{r.Management, w},
		accountSteps{r.Accounts, w},
		operateSteps{r.Operate, w},
		upkeepSteps{r.Upkeep, w},
		coverSteps{r.Covers, w},
	}
}

// copied are the stores on what a crash would leave now.
func (s Stores) copied(t *testing.T) Stores { return newStores(s.Copy(t)) }

// watch compares what steps say they changed with the change numbers before and after.
type watch struct {
	Records
	begun, ended atomic.Int64 // steps
}

// errChanged is the error of a step that changed something else than it says.
var errChanged = errors.New("a step changed something else than it says")

// step takes a step and checks what it says, unless others run beside it.
func step[T any](ctx context.Context, w *watch, do func() (T, sandlot.Changed, error)) (T, error) {
	n := w.begun.Add(1)
	defer w.ended.Add(1)
	alone := w.ended.Load() == n-1
	before, unread := w.projects(ctx)
	out, changed, err := do()
	after, unreadAfter := w.projects(ctx)
	if !alone || w.begun.Load() != n || unread != nil || unreadAfter != nil {
		return out, err
	}
	grew, said := map[sandlot.ProjectID]bool{}, map[sandlot.ProjectID]bool{}
	if errors.Is(err, sandlot.ErrNoEffect) {
		changed = sandlot.Changed{}
	}
	for id, p := range before {
		if now, there := after[id]; !there || now.Change != p.Change {
			grew[id] = true
		}
		if slices.Contains(changed.Projects, id) || changed.Account != 0 && p.Account == changed.Account {
			said[id] = true
		}
	}
	if diff := cmp.Diff(grew, said); diff != "" {
		return out, fmt.Errorf("%w (-whose number grew +as it says; its own error is %v):\n%s", errChanged, err, diff)
	}
	return out, err
}

// projects are all that are there.
func (w *watch) projects(ctx context.Context) (map[sandlot.ProjectID]sandlot.Project, error) {
	list, err := w.Records.Operate.ListProjects(ctx, operate.ProjectQuery{Limit: 1000})
	all := map[sandlot.ProjectID]sandlot.Project{}
	for _, p := range list {
		all[p.ID] = p.Project
	}
	return all, err
}

// plain is step for one that returns nothing else.
func plain(ctx context.Context, w *watch, do func() (sandlot.Changed, error)) error {
	_, err := step(ctx, w, func() (none struct{}, _ sandlot.Changed, _ error) {
		changed, err := do()
		return none, changed, err
	})
	return err
}

// The methods below are those of the interfaces, but for what they say they changed.

type publishSteps struct {
	publish.Store
	w *watch
}

func (s publishSteps) PutFile(ctx context.Context, id sandlot.ProjectID, f sandlot.File, at publish.Edit) (sandlot.Project, error) {
	return step(ctx, s.w, func() (sandlot.Project, sandlot.Changed, error) { return s.Store.PutFile(ctx, id, f, at) })
}

func (s publishSteps) DeleteFile(ctx context.Context, id sandlot.ProjectID, name string, at publish.Edit) (sandlot.Project, error) {
	return step(ctx, s.w, func() (sandlot.Project, sandlot.Changed, error) { return s.Store.DeleteFile(ctx, id, name, at) })
}

type managementSteps struct {
	publish.ManagementStore
	w *watch
}

func (s managementSteps) SetDetails(ctx context.Context, id sandlot.ProjectID, d publish.DetailsChange) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.ManagementStore.SetDetails(ctx, id, d) })
}

func (s managementSteps) Rearrange(ctx context.Context, id sandlot.ProjectID, c publish.Change, at publish.Edit) (sandlot.Project, error) {
	return step(ctx, s.w, func() (sandlot.Project, sandlot.Changed, error) { return s.ManagementStore.Rearrange(ctx, id, c, at) })
}

func (s managementSteps) Trash(ctx context.Context, id sandlot.ProjectID, key int64, e sandlot.LogEntry) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.ManagementStore.Trash(ctx, id, key, e) })
}

func (s managementSteps) TakeBack(ctx context.Context, id sandlot.ProjectID, within publish.Quota, e sandlot.LogEntry) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.ManagementStore.TakeBack(ctx, id, within, e) })
}

func (s managementSteps) EraseVersion(ctx context.Context, id sandlot.ProjectID, n int, at time.Time) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.ManagementStore.EraseVersion(ctx, id, n, at) })
}

type accountSteps struct {
	AccountRecords
	w *watch
}

func (s accountSteps) Rename(ctx context.Context, id sandlot.AccountID, handle string, at, since time.Time, limit int) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.AccountRecords.Rename(ctx, id, handle, at, since, limit) })
}

func (s accountSteps) Remove(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.AccountRecords.Remove(ctx, of, e) })
}

func (s accountSteps) UseVerification(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, error) {
	return step(ctx, s.w, func() (sandlot.Account, sandlot.Changed, error) {
		return s.AccountRecords.UseVerification(ctx, token, now)
	})
}

func (s accountSteps) TakeEmail(ctx context.Context, token sandlot.Digest, now, undoUntil time.Time, notice sandlot.Job) (sandlot.Account, error) {
	return step(ctx, s.w, func() (sandlot.Account, sandlot.Changed, error) {
		return s.AccountRecords.TakeEmail(ctx, token, now, undoUntil, notice)
	})
}

func (s accountSteps) TakeEmailBack(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, error) {
	return step(ctx, s.w, func() (sandlot.Account, sandlot.Changed, error) {
		return s.AccountRecords.TakeEmailBack(ctx, token, now)
	})
}

func (s accountSteps) TakeOver(ctx context.Context, from, to sandlot.AccountID, email string) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.AccountRecords.TakeOver(ctx, from, to, email) })
}

type operateSteps struct {
	operate.Store
	w *watch
}

func (s operateSteps) Suspend(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.Store.Suspend(ctx, of, e) })
}

func (s operateSteps) Reinstate(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.Store.Reinstate(ctx, of, e) })
}

func (s operateSteps) Remove(ctx context.Context, of sandlot.Subject, e sandlot.LogEntry) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.Store.Remove(ctx, of, e) })
}

type upkeepSteps struct {
	UpkeepRecords
	w *watch
}

func (s upkeepSteps) Trim(ctx context.Context, keep int, before time.Time, after int64, limit int) (last int64, more bool, err error) {
	err = plain(ctx, s.w, func() (changed sandlot.Changed, err error) {
		last, more, changed, err = s.UpkeepRecords.Trim(ctx, keep, before, after, limit)
		return changed, err
	})
	return last, more, err
}

type coverSteps struct {
	cover.Store
	w *watch
}

func (s coverSteps) Settle(ctx context.Context, of cover.Task, lease int64, settled cover.Settled, now time.Time) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.Store.Settle(ctx, of, lease, settled, now) })
}

func (s coverSteps) Choose(ctx context.Context, id sandlot.ProjectID, w cover.Wish, file string, settled *cover.Settled, now time.Time) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.Store.Choose(ctx, id, w, file, settled, now) })
}

func (s coverSteps) Portray(ctx context.Context, id sandlot.AccountID, portrait *cover.Fresh, now time.Time) error {
	return plain(ctx, s.w, func() (sandlot.Changed, error) { return s.Store.Portray(ctx, id, portrait, now) })
}
