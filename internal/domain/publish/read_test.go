package publish_test

import (
	"errors"
	"fmt"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestWhoSeesWhat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, stranger := w.publish(nobody(), page), w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), string(out.Project.ID)
	sibling := w.publish(by, page)
	tests := []struct {
		who      string
		by       sandlot.Caller
		owner    bool // sees the files of the project
		projects []sandlot.ProjectID
		email    string
	}{
		{"nobody", nobody(), false, nil, ""},
		{"the account", by, true, []sandlot.ProjectID{sibling.Project.ID, out.Project.ID}, address},
		{"the project's key", w.caller(out.Keys.Project), true, []sandlot.ProjectID{out.Project.ID}, ""},
		{"the key of another project of the account", w.caller(sibling.Keys.Project), false, []sandlot.ProjectID{sibling.Project.ID}, ""},
		{"another account", w.caller(stranger.Keys.Account), false, []sandlot.ProjectID{stranger.Project.ID}, address},
	}
	for _, tt := range tests {
		t.Run("Project/"+tt.who, func(t *testing.T) {
			v, err := w.Project(t.Context(), tt.by, id)
			if err != nil || v.Project.ID != out.Project.ID || v.Project.Handle != out.Account.Handle || v.Addresses.URL != out.Addresses.URL {
				t.Fatalf("%+v, %v", v, err)
			}
			if v.Owner != tt.owner || (v.Files != nil) != tt.owner || (v.Addresses.Version != "") != tt.owner {
				t.Errorf("owner %v, %d files, version address %q", v.Owner, len(v.Files), v.Addresses.Version)
			}
		})
		t.Run("Whoami/"+tt.who, func(t *testing.T) {
			who, err := w.Whoami(t.Context(), tt.by, 10, "")
			if tt.projects == nil {
				refused(t, err, sandlot.CodeKeyRequired)
				return
			}
			if err != nil || who.Account.Email != tt.email {
				t.Fatalf("%+v, %v", who, err)
			}
			expect.Same(t, "projects", ids(who.Projects), tt.projects)
		})
		t.Run("Export/"+tt.who, func(t *testing.T) {
			e, err := w.Export(t.Context(), tt.by)
			if tt.projects == nil {
				refused(t, err, sandlot.CodeKeyRequired)
				return
			}
			if err != nil || !e.ExportedAt.Equal(w.clock.now()) {
				t.Fatalf("%+v, %v", e, err)
			}
			expect.Same(t, "projects", ids(e.Projects), tt.projects)
		})
	}
	t.Run("an unknown project is not there for anybody", func(t *testing.T) {
		for _, tt := range tests {
			_, err := w.Project(t.Context(), tt.by, "nope-000000")
			refused(t, err, sandlot.CodeProjectNotFound)
			_, err = w.Current(t.Context(), nobody(), "nope-000000")
			refused(t, err, sandlot.CodeProjectNotFound)
			_, _, err = w.in.Gallery.Stats(t.Context(), nobody(), "nope-000000")
			refused(t, err, sandlot.CodeProjectNotFound)
		}
	})
}

func ids(views []publish.ProjectView) (out []sandlot.ProjectID) {
	for _, v := range views {
		out = append(out, v.Project.ID)
	}
	return out
}

func TestWhoamiIsReadInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	var want []sandlot.ProjectID
	for range 7 {
		want = append([]sandlot.ProjectID{w.publish(by, page).Project.ID}, want...)
	}
	for _, limit := range []int{1, 3, 7, 8, publish.MaxPage} {
		t.Run(fmt.Sprint(limit, " a page"), func(t *testing.T) {
			var got []sandlot.ProjectID
			cursor := ""
			for more := true; more; more = cursor != "" {
				who, err := w.Whoami(t.Context(), by, limit, cursor)
				if err != nil || len(who.Projects) > limit || len(who.Projects) == 0 {
					t.Fatalf("%d projects, %v", len(who.Projects), err)
				}
				got, cursor = append(got, ids(who.Projects)...), who.Next
			}
			expect.Same(t, "projects", got, want)
		})
	}
	t.Run("a project key has one page", func(t *testing.T) {
		out := w.publish(by, page)
		who, err := w.Whoami(t.Context(), w.caller(out.Keys.Project), 1, "")
		if err != nil || len(who.Projects) != 1 || who.Next != "" {
			t.Errorf("%+v, %v", who, err)
		}
		if who, err = w.Whoami(t.Context(), w.caller(out.Keys.Project), 1, "1"); err != nil || len(who.Projects) != 0 {
			t.Errorf("behind its cursor %+v, %v", who.Projects, err)
		}
	})
	t.Run("a cursor that is none is refused", func(t *testing.T) {
		for _, c := range []string{"0", "-1", "x y", "zzzzzzzzzzzzzzzzzzzz", "\x00"} {
			_, err := w.Whoami(t.Context(), by, 1, c)
			refused(t, err, sandlot.CodeInvalidField)
		}
	})
	t.Run("a limit outside of 1 to 1000 is refused", func(t *testing.T) {
		for _, limit := range []int{0, -1, publish.MaxPage + 1} {
			_, err := w.Whoami(t.Context(), by, limit, "")
			expect.Equal(t, "field", refused(t, err, sandlot.CodeInvalidField).Field, "limit")
		}
	})
}

func TestExportIsOneSnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	first, second := w.publish(by, page), w.publish(by, large)
	e, err := w.Export(t.Context(), by)
	expect.OK(t, err)
	w.put(by, first.Project.ID, "index.html", "<p>later")
	if _, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(second.Project.ID), Filename: "x"}); err == nil {
		t.Fatal("deleted what was not there")
	}
	got := map[sandlot.ProjectID]string{}
	for _, v := range e.Projects {
		got[v.Project.ID] = w.text(v.Project.ID, v.Project.Version, v.Project.Primary)
	}
	expect.Same(t, "what is read after an update", got, map[sandlot.ProjectID]string{first.Project.ID: page, second.Project.ID: large})
}

func TestAReadShowsEveryAcknowledgedWriteAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	by, id := w.caller(out.Keys.Account), out.Project.ID
	loads := 0
	w.store.Step = func(step string) (error, error) {
		if step == "Project" {
			loads++
		}
		return nil, nil
	}
	version := func() int {
		t.Helper()
		p, err := w.Current(t.Context(), nobody(), id)
		expect.OK(t, err)
		return p.Version
	}
	for range 10 {
		version()
	}
	if loads != 1 {
		t.Errorf("read %d times", loads)
	}
	w.put(by, id, "a", "x")
	if v := version(); v != 2 {
		t.Errorf("version %d after an update", v)
	}
	_, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a"})
	expect.OK(t, err)
	if v := version(); v != 3 {
		t.Errorf("version %d after a deletion", v)
	}
	t.Run("also when the answer to the write was lost", func(t *testing.T) {
		w.store.Step = func(step string) (error, error) {
			if step == "PutFile" {
				return nil, errors.New("connection lost")
			}
			return nil, nil
		}
		if _, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "b", Content: w.stage("x")}); err == nil {
			t.Fatal("acknowledged")
		}
		expect.Equal(t, "version", version(), 4)
	})
}
