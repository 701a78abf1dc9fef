package storetest

import (
	"testing"
	"time"

	"sandlot/internal/gallery"
	"sandlot/internal/publish"
)

func changeCases() []storeCase {
	return []storeCase{
		{"Changes/returns Project.Change as the latest commit left it", changesOfProjects},
		{"Changes/grows with every commit after which something else is read of a project", changesGrow},
		{"Changes/stays with plays and likes, and with what others do", changesStay},
		{"Changes/of the projects that are there, neither deleted nor their account", changesGone},
	}
}

// change returns the change number of a project, and 0 for none.
func (s Stores) change(t *testing.T, id publish.ProjectID) int64 {
	t.Helper()
	return must(s.Publish.Changes(t.Context(), []publish.ProjectID{id}))(t)[id]
}

func changesOfProjects(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	p = s.mustPut(t, p, file("a.js", inline("a")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(q.Account), entry(publish.ActionSuspend, "@tetra")))
	q = must(s.Publish.Project(t.Context(), q.ID))(t)
	same(t, "of both, and of one that never was", must(s.Publish.Changes(t.Context(), []publish.ProjectID{p.ID, "none", q.ID, p.ID}))(t), map[publish.ProjectID]int64{p.ID: p.Change, q.ID: q.Change})
	same(t, "as it is read", must(s.Publish.Project(t.Context(), p.ID))(t).Change, p.Change)
	same(t, "of none", len(must(s.Publish.Changes(t.Context(), nil))(t)), 0)
}

func changesGrow(t *testing.T, s Stores) {
	na := newAccount("kim")
	na.Email = "kim@example.com"
	a := s.mustAccount(t, na)
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	project, account := ofProject(p.ID), ofAccount(a.ID)
	at := entry(publish.ActionSuspend, "it")
	before := s.change(t, p.ID)
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"a file that is put", func() (err error) {
			p, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), edit(p))
			return err
		}},
		{"a file that is deleted", func() (err error) { p, err = s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)); return err }},
		{"a rearrangement", func() (err error) {
			p, err = s.Site.Rearrange(t.Context(), p.ID, publish.Change{Put: []publish.File{file("b.js", inline("b"))}, Primary: p.Primary}, edit(p))
			return err
		}},
		{"details", func() error {
			return s.Site.SetDetails(t.Context(), p.ID, publish.Details{Title: "Other", Unlisted: true})
		}},
		{"a version that is erased", func() error { return s.Site.EraseVersion(t.Context(), p.ID, 1, base()) }},
		{"versions that are trimmed", func() error { s.trim(t, 1, base().Add(time.Hour), 9); return nil }},
		{"a suspension", func() error { return s.Operate.Suspend(t.Context(), project, at) }},
		{"its end", func() error { return s.Operate.Restore(t.Context(), project, at) }},
		{"a suspension of the account", func() error { return s.Operate.Suspend(t.Context(), account, at) }},
		{"the end of that", func() error { return s.Operate.Restore(t.Context(), account, at) }},
		{"another handle", func() error { return s.rename(t, a, "kimberly") }},
		{"a verification", func() error { _, err := s.Accounts.UseVerification(t.Context(), sum("token"), base()); return err }},
		{"another address", func() error { s.move(t, a, "new@example.com", "back"); return nil }},
	} {
		ok(t, step.do())
		after := s.change(t, p.ID)
		if after <= before {
			t.Errorf("%s: the change number was %d and is %d", step.name, before, after)
		}
		same(t, step.name+": as it is read", must(s.Publish.Project(t.Context(), p.ID))(t).Change, after)
		before = after
	}
}

func changesStay(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	ok(t, s.Gallery.AddCounts(t.Context(), map[publish.ProjectID]gallery.Counts{p.ID: {Plays: 3, Likes: 1, Batch: 1}}))
	must(s.Gallery.Like(t.Context(), p.ID, sum("player"), true))(t)
	s.mustPut(t, other, file("a.js", inline("a")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(other.Account), entry(publish.ActionSuspend, "@tetra")))
	same(t, "the number", s.change(t, p.ID), p.Change)
}

func changesGone(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	kept := s.mustProject(t, "kept")
	s.mustRemove(t, p.ID)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(q.Account), entry(publish.ActionDelete, "@tetra")))
	same(t, "what is left", must(s.Publish.Changes(t.Context(), []publish.ProjectID{p.ID, q.ID, kept.ID}))(t), map[publish.ProjectID]int64{kept.ID: kept.Change})
}
