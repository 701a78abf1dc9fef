package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

// mustTrash deletes a project so that it can be taken back.
func mustTrash(t *testing.T, s Stores, id sandlot.ProjectID, at time.Time) {
	t.Helper()
	e := entry(sandlot.ActionDelete, string(id))
	e.At = at
	ok(t, s.Management.Trash(t.Context(), id, 0, e))
}

func (s Stores) takeBack(t *testing.T, id sandlot.ProjectID) error {
	return s.Management.TakeBack(t.Context(), id, publish.Quota{}, entry(sandlot.ActionTakeBack, string(id)))
}

func (s Stores) purge(t *testing.T, id sandlot.ProjectID) error {
	return s.Management.Purge(t.Context(), id, entry(sandlot.ActionDelete, string(id)))
}

func trashHides(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	p := s.titled(t, "pong", a.ID, "Pong")
	s.lists(t, "before", gallery.ListedQuery{}, "pong")
	e := entry(sandlot.ActionDelete, "pong")
	ok(t, s.Management.Trash(t.Context(), p.ID, 0, e))
	s.logged(t, e)
	for name, err := range map[string]error{
		"the project": drop(s.Publish.Project(t.Context(), p.ID)), "its version": drop(s.Publish.Version(t.Context(), p.ID, 1)),
		"its files":      drop(s.Publish.Files(t.Context(), p.ID, 1)),
		"its key":        drop(s.Credentials.KeyByHash(t.Context(), sum("key of project pong"))),
		"its details":    drop(s.Management.Details(t.Context(), p.ID)),
		"an edit":        drop(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), edit(p))),
		"details":        s.Management.SetDetails(t.Context(), p.ID, publish.Details{}.Change()),
		"a version less": s.Management.EraseVersion(t.Context(), p.ID, 1, base()),
		"deleting it":    s.Management.Trash(t.Context(), p.ID, 0, e),
	} {
		wants(t, name, err, sandlot.ErrNotFound)
	}
	s.lists(t, "listed", gallery.ListedQuery{})
	same(t, "of its account", len(must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t)), 0)
	same(t, "its change number", len(must(s.Publish.Changes(t.Context(), []sandlot.ProjectID{p.ID}))(t)), 0)
	d := must(s.Operate.AccountByHandle(t.Context(), "kim"))(t)
	same(t, "of the account", d.Projects, 0)
	again := newProject("pong", a.ID)
	again.Key = key("another")
	wants(t, "a project of that id", drop(s.Publish.CreateProject(t.Context(), again)), sandlot.ErrExists)
	same(t, "for the operator", must(s.Operate.ProjectDetail(t.Context(), p.ID))(t).DeletedAt, e.At)
	same(t, "when it was", s.trashed(t, p.ID).DeletedAt, e.At)
	same(t, "swept", s.sweep(t, base().Add(publish.TrashKept-time.Minute), base().Add(publish.TrashKept)), nil)
	ok(t, s.takeBack(t, p.ID))
}

func takeBack(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	s.titled(t, "older", a.ID, "Older")
	p := s.titled(t, "pong", a.ID, "Pong")
	ok(t,
		s.Management.SetDetails(t.Context(), p.ID, publish.Details{Title: "Pong", Description: "two\nlines", Threads: true}.Change()))
	p = s.mustPut(t, p, file("a.wasm", named("version-2")))
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.wasm").Blob.ID,
		[]sandlot.Variant{{Encoding: "br", Blob: named("variant")}}))
	s.titled(t, "newer", a.ID, "Newer")
	mustLike(t, s, p, "somebody", 1)
	p = must(s.Publish.Project(t.Context(), p.ID))(t)
	account := must(s.Operate.AccountByHandle(t.Context(), "kim"))(t)
	details, files := must(s.Management.Details(t.Context(), p.ID))(t), must(s.Publish.Files(t.Context(), p.ID, 2))(t)
	versions := must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t)

	mustTrash(t, s, p.ID, base())
	same(t, "swept meanwhile", s.sweep(t, base().Add(publish.TrashKept-time.Minute), base().Add(2*publish.TrashLife)), nil)
	e := entry(sandlot.ActionTakeBack, "pong")
	ok(t, s.Management.TakeBack(t.Context(), p.ID, publish.Quota{Projects: 3}, e))
	s.logged(t, e)
	p.Change += 2
	same(t, "the project", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "its details", must(s.Management.Details(t.Context(), p.ID))(t), details)
	same(t, "its files", must(s.Publish.Files(t.Context(), p.ID, 2))(t), files)
	same(t, "its versions", must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t), versions)
	same(t, "its account", must(s.Operate.AccountByHandle(t.Context(), "kim"))(t), account)
	same(t, "its key", must(s.Credentials.KeyByHash(t.Context(), sum("key of project pong")))(t).Project, p.ID)
	mustLike(t, s, p, "somebody", 1)
	s.lists(t, "listed", gallery.ListedQuery{}, "newer", "pong", "older")
	wants(t, "again", s.takeBack(t, p.ID), sandlot.ErrNotFound)
	found, _, _, err := s.Upkeep.Mistakes(t.Context(), 0, 9)
	ok(t, err)
	same(t, "mistakes", found, nil)
	s.mustPut(t, p, file("b.js", inline("b")))
}

func purge(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("first")))
	mustTrash(t, s, p.ID, base().Add(-time.Minute))
	e := entry(sandlot.ActionDelete, "pong")
	ok(t, s.Management.Purge(t.Context(), p.ID, e))
	s.logged(t, e)
	isGone(t, s, p.ID)
	same(t, "for who began to read before", s.sweep(t, base(), base().Add(-time.Hour)), nil)
	same(t, "the names", s.sweepAll(t), []sandlot.BlobRef{"first"})
	same(t, "what it counts", must(s.Operate.AccountByHandle(t.Context(), "pong"))(t).Projects, 0)
}

// isGone fails the test unless a project is deleted for good.
func isGone(t *testing.T, s Stores, id sandlot.ProjectID) {
	t.Helper()
	wants(t, "taken back", s.takeBack(t, id), sandlot.ErrNotFound)
	wants(t, "for good again", s.purge(t, id), sandlot.ErrNotFound)
	wants(t, "for the operator", drop(s.Operate.ProjectDetail(t.Context(), id)), sandlot.ErrNotFound)
	same(t, "in the trash", len(must(s.Management.Trashed(t.Context(), publish.TrashQuery{Project: id, Limit: 1}))(t)), 0)
	must(s.Operate.DeletedProject(t.Context(), id))(t)
}

func sweepTrash(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("first")))
	later := s.mustProject(t, "tetra")
	mustTrash(t, s, p.ID, base())
	mustTrash(t, s, later.ID, base().Add(time.Minute))
	end := base().Add(publish.TrashKept)
	same(t, "the names", s.sweep(t, end, end.Add(-24*time.Hour)), []sandlot.BlobRef{"first"})
	isGone(t, s, p.ID)
	ok(t, s.takeBack(t, later.ID))
	mustTrash(t, s, later.ID, end.Add(48*time.Hour)) // by a clock that was ahead
	s.sweep(t, end, end)
	same(t, "of a clock that was ahead", s.trashed(t, later.ID).DeletedAt, end)
}

func keepTakenDown(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("first")))
	ok(t, s.Operate.Suspend(t.Context(), ofProject(p.ID), entry(sandlot.ActionSuspend, "pong")))
	mustTrash(t, s, p.ID, base())
	end := base().Add(2 * publish.TrashKept)
	same(t, "while it is down", s.sweep(t, end, end.Add(-time.Hour)), nil)
	wants(t, "for good by its owner", s.purge(t, p.ID), sandlot.ErrSuspended)
	ok(t, s.Operate.Reinstate(t.Context(), ofProject(p.ID), entry(sandlot.ActionReinstate, "pong")))
	same(t, "once it is not", s.sweep(t, end, end.Add(-time.Hour)), []sandlot.BlobRef{"first"})
	isGone(t, s, p.ID)
}

// trashed is a project that can be taken back.
func (s Stores) trashed(t *testing.T, id sandlot.ProjectID) publish.Trashed {
	t.Helper()
	list := must(s.Management.Trashed(t.Context(), publish.TrashQuery{Project: id, Limit: 1}))(t)
	if len(list) != 1 {
		t.Fatalf("%s is not in the trash", id)
	}
	return list[0]
}

func setDetails(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	same(t, "before", must(s.Management.Details(t.Context(), p.ID))(t), publish.Details{Title: p.Title})
	want := publish.Details{Title: "Pong", Description: "two\nlines", Unlisted: true, Threads: true, Tags: "cats 3d"}
	ok(t, s.Management.SetDetails(t.Context(), p.ID, want.Change()))
	same(t, "after", must(s.Management.Details(t.Context(), p.ID))(t), want)
	got := must(s.Publish.Project(t.Context(), p.ID))(t)
	if got.Version != 1 || !got.Unlisted || !got.Threads || got.Title != "Pong" {
		t.Errorf("the project is %+v", got)
	}
	other, lang, yes := "Other", "de", false
	part := publish.DetailsChange{Title: &other, Lang: &lang, Unlisted: &yes, Expect: 1}
	ok(t, s.Management.SetDetails(t.Context(), p.ID, part))
	want.Title, want.Unlisted = "Other", false
	same(t, "after a part", must(s.Management.Details(t.Context(), p.ID))(t), want)
	part.Expect = 2
	wants(t, "at another version", s.Management.SetDetails(t.Context(), p.ID, part), sandlot.ErrMoved)
	part.Expect, part.Seen = 1, "another"
	ok(t, s.Management.SetDetails(t.Context(), p.ID, part)) // they are so already
	next := "next"
	part.Title = &next
	wants(t, "where others are by now", s.Management.SetDetails(t.Context(), p.ID, part), sandlot.ErrMoved)
	part.Title, part.Seen = &other, ""
	part.Expect, part.By = 0, 1<<40
	wants(t, "by a key that is gone", s.Management.SetDetails(t.Context(), p.ID, part), sandlot.ErrRevoked)
	got = must(s.Publish.Project(t.Context(), p.ID))(t)
	at, text := edit(got), "with a version"
	at.Details = publish.DetailsChange{Description: &text, Unlisted: &want.Threads}
	made := must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{}, at))(t)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), made)
	want.Description, want.Unlisted = text, true
	same(t, "with a version", must(s.Management.Details(t.Context(), p.ID))(t), want)
	want = publish.Details{Title: "Pong"}
	wants(t, "of nothing", s.Management.SetDetails(t.Context(), "never-there", want.Change()), sandlot.ErrNotFound)
	wants(t, "of nothing", drop(s.Management.Details(t.Context(), "never-there")), sandlot.ErrNotFound)
}
