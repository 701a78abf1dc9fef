package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

// lostProject is a project of a backup, with two versions.
func lostProject(id string, owner sandlot.AccountID) publish.NewProject {
	np := newProject(id, owner)
	np.Title, np.Description, np.Tags, np.Key = "As it was", "with a description", sandlot.TagsOf([]string{"maze"}), sandlot.Key{}
	np.Later = []publish.LaterVersion{later(2, publish.Change{Put: files("a.wasm", named("a-"+id)), Drop: nil})}
	e := entry(sandlot.ActionRecover, id)
	np.Log = &e
	return np
}

func recoverDeleted(t *testing.T, s Stores) {
	for name, swept := range map[string]bool{"soon": false, "later": true} {
		a := s.maker(t, "kim-"+name)
		id := "pong-" + name
		p := s.mustPut(t, s.titled(t, id, a.ID, "Pong"), file("b.wasm", named("b-"+id)))
		mustLike(t, s, p, "somebody", 1)
		mustRemove(t, s, p.ID)
		if swept {
			s.sweepAll(t)
		}
		np := lostProject(id, a.ID)
		got := must(s.Management.RecoverProject(t.Context(), np))(t)
		s.logged(t, *np.Log)
		same(t, name+": read again", must(s.Publish.Project(t.Context(), p.ID))(t), got)
		same(t, name+": the project", []any{got.Version, got.Title, got.FileCount, got.Account, got.Likes, string(got.Tags)},
			[]any{4, "Title 2", 2, a.ID, int64(0), "maze"})
		same(t, name+": its description", must(s.Management.Details(t.Context(), p.ID))(t).Description, "with a description")
		same(t, name+": its files", len(must(s.Publish.Files(t.Context(), p.ID, 4))(t)), 2)
		same(t, name+": of the version before", len(must(s.Publish.Files(t.Context(), p.ID, 3))(t)), 1)
		wants(t, name+": a version that went", drop(s.Publish.Version(t.Context(), p.ID, 2)), sandlot.ErrNotFound)
		ok(t, drop(s.Credentials.KeyByHash(t.Context(), sum("key of project "+id))))
		s.lists(t, name+": listed", gallery.ListedQuery{Tag: "maze"}, p.ID)
		s.sweepAll(t)
		s.clean(t, name)
		next := s.mustPut(t, got, file("c.js", inline("c")))
		same(t, name+": the next version", next.Version, 5)
		mustRemove(t, s, p.ID)
	}
}

func recoverThere(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	for name, gone := range map[string]bool{"there": false, "in the trash": true} {
		id := map[bool]string{false: "pong", true: "tetra"}[gone]
		p := s.mustPut(t, s.titled(t, id, a.ID, "Newer"), file("b.wasm", named("b-"+id)))
		if gone {
			mustTrash(t, s, p.ID, base())
		}
		np := lostProject(id, a.ID)
		np.Later = nil
		got := must(s.Management.RecoverProject(t.Context(), np))(t)
		same(t, name+": the project", []any{got.Version, got.Title, got.FileCount, string(got.Tags)}, []any{3, "As it was", 1, ""})
		same(t, name+": the version before", len(must(s.Publish.Files(t.Context(), p.ID, 2))(t)), 2)
		same(t, name+": its time is not that of the backup", got.UpdatedAt.Before(p.UpdatedAt), false)
		s.logged(t, *np.Log)
		s.sweepAll(t)
		s.clean(t, name)
	}
}

func recoverOthers(t *testing.T, s Stores) {
	kim, ada := s.maker(t, "kim"), s.maker(t, "ada")
	wants(t, "an id that was never used", drop(s.Management.RecoverProject(t.Context(), lostProject("never", kim.ID))), sandlot.ErrNotFound)
	s.titled(t, "pong", kim.ID, "Pong")
	wants(t, "a project of another account", drop(s.Management.RecoverProject(t.Context(), lostProject("pong", ada.ID))), sandlot.ErrMoved)
	bad := lostProject("pong", kim.ID)
	bad.Primary = "none"
	wants(t, "a version without its primary file", drop(s.Management.RecoverProject(t.Context(), bad)), sandlot.ErrNoPrimary)
	same(t, "is as it was", must(s.Publish.Project(t.Context(), "pong"))(t).Version, 1)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(kim.ID), entry(sandlot.ActionDelete, "@kim")))
	s.sweepAll(t)
	got := must(s.Management.RecoverProject(t.Context(), lostProject("pong", ada.ID)))(t)
	same(t, "of a deleted account", []any{got.Account, got.Version}, []any{ada.ID, 3})
	s.sweepAll(t)
	s.clean(t, "of a deleted account")
	same(t, "of the account", must(s.Operate.AccountByHandle(t.Context(), "ada"))(t).Projects, 1)
}
