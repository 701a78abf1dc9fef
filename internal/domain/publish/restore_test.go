package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// history is a project at version 3, with its account's key: index.html, then a.js, then another a.js.
func (w *world) history() (sandlot.Caller, sandlot.ProjectID) {
	w.t.Helper()
	by := w.account()
	id := w.publish(by, page).Project.ID
	w.put(by, id, "a.js", "one")
	w.put(by, id, "a.js", "two")
	return by, id
}

func TestRestore(t *testing.T) {
	t.Parallel()
	t.Run("the next version has the files of the old one, and says so", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		out, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: 2})
		expect.OK(t, err)
		if out.Project.Version != 4 || out.Previous != 3 || out.From != 2 || out.Project.FileCount != 2 || len(out.Warnings) != 0 || out.Addresses.Version == "" {
			t.Errorf("%+v", out)
		}
		expect.Equal(t, "a.js", w.text(id, 4, "a.js"), "one")
		list, err := w.Versions(t.Context(), by, string(id), 10, "")
		expect.OK(t, err)
		for i, want := range []int{2, 0, 0, 0} {
			expect.Equal(t, fmt.Sprint("version ", 4-i, " is restored from"), list.Versions[i].RestoredFrom, want)
		}
	})
	t.Run("the next version opens the file that the old one has opened", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		w.put(by, id, "other.html", page)
		_, err := w.Amend(t.Context(), by, string(id), publish.AmendInput{Primary: new("other.html")})
		expect.OK(t, err)
		for version, want := range map[int]string{4: "index.html", 5: "other.html"} {
			out, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: version})
			expect.OK(t, err)
			expect.Equal(t, "primary file", out.Project.Primary, want)
		}
	})
	t.Run("what the website restores says so, too", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		expect.OK(t, w.RestoreVersion(t.Context(), w.owner(by.Account()), id, 1, publish.Form{Token: "form"}))
		v, err := w.db.Publish().Version(t.Context(), id, 4)
		expect.OK(t, err)
		expect.Equal(t, "restored from", v.RestoredFrom, 1)
	})
	t.Run("a version with the same files is made", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		for range 2 {
			out, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: 3})
			expect.OK(t, err)
			if out.Project.Version != out.Previous+1 {
				t.Errorf("%+v", out)
			}
		}
		expect.Equal(t, "a.js", w.text(id, 5, "a.js"), "two")
	})
	t.Run("the same call under its idempotency key gets the first answer, whatever was made since", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		in := publish.RestoreInput{Project: string(id), Version: 3, Idempotency: "again"}
		first, err := w.Restore(t.Context(), by, in)
		expect.OK(t, err)
		w.put(by, id, "b.js", "x")
		second, err := w.Restore(t.Context(), by, in)
		expect.OK(t, err)
		if !second.FromRecord || second.Project.Version != 4 || second.Previous != 3 || second.Project.FileCount != first.Project.FileCount || fmt.Sprint(second.Warnings) != fmt.Sprint(first.Warnings) {
			t.Errorf("%+v, and first %+v", second, first)
		}
		in.Version = 1
		_, err = w.Restore(t.Context(), by, in)
		refused(t, err, sandlot.CodeIdempotencyMismatch)
	})
	t.Run("a version that is not there is refused", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		w.put(by, id, "a.js", "four")
		expect.OK(t, w.EraseVersion(t.Context(), w.owner(by.Account()), id, 3))
		for n, why := range map[int]string{9: "was never made", 0: "was never made", -1: "was never made", 3: "is no longer kept"} {
			_, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: n})
			e := refused(t, err, sandlot.CodeVersionNotFound)
			if !strings.Contains(e.Message, why) || e.Fix.Op != sandlot.OpVersions {
				t.Errorf("version %d: %s %+v", n, e.Message, e.Fix)
			}
		}
		w.in.Exec("DELETE FROM versions WHERE n = 1")
		_, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: 1})
		if e := refused(t, err, sandlot.CodeVersionNotFound); !strings.Contains(e.Message, "no longer kept") {
			t.Error(e.Message)
		}
		p, err := w.db.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		expect.Equal(t, "the project's version", p.Version, 4)
	})
	t.Run("a project that has moved on is not restored", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		two := 2
		_, err := w.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: 1, IfVersion: &two})
		refused(t, err, sandlot.CodeVersionConflict)
		_, err = w.Restore(t.Context(), by, publish.RestoreInput{Version: 1})
		refused(t, err, sandlot.CodeProjectIDRequired)
	})
	t.Run("a key that is revoked while it restores changes nothing", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		s := w.openOver(publish.Config{Places: local()}, revoking{w.db.Publish(), func() { w.in.Exec("UPDATE keys SET revoked_at = 1") }})
		_, err := s.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: 1})
		refused(t, err, sandlot.CodeInvalidKey)
		p, err := w.db.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		expect.Equal(t, "the project's version", p.Version, 3)
	})
	t.Run("restores and updates at once on two nodes: each one version, none lost", func(t *testing.T) {
		w := newWorld(t)
		by, id := w.history()
		other := w.node()
		var at sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			on := []*world{w, other}[i%2]
			at.Go(func() {
				if i < 4 {
					_, errs[i] = on.Restore(t.Context(), by, publish.RestoreInput{Project: string(id), Version: 1 + i%3})
					return
				}
				_, _, errs[i] = on.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "b.js", Content: on.stage("b")})
			})
		}
		at.Wait()
		expect.OK(t, errors.Join(errs...))
		p, err := w.db.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		expect.Equal(t, "the project's version", p.Version, 3+len(errs))
	})
}

// revoking is a ManagementStore that revokes a key right before a version is arranged with it.
type revoking struct {
	publish.ManagementStore
	revoke func()
}

func (s revoking) Rearrange(ctx context.Context, id sandlot.ProjectID, c publish.Change, at publish.Edit) (sandlot.Project, error) {
	s.revoke()
	return s.ManagementStore.Rearrange(ctx, id, c, at)
}
