package publish_test

import (
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
