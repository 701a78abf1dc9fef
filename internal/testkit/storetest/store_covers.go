package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
)

func coverCases() []storeCase {
	return []storeCase{
		{"Due/projects whose cover is to be made, until it is settled for the current version", coversDue},
		{"Lease/keeps a project to its caller, and Begin counts the tries", leaseCovers},
		{"Settle/if the lease is another one by now it is ErrMoved", settleLate},
		{"Settle/the pictures that it replaces are gone, and Sweep lets go of their bytes", settleAgain},
		{"Choose/what an owner wishes ends the lease of a worker", chooseMeanwhile},
		{"Choose/what was made of a version that is not the current one any more is due", chooseLate},
		{"Choose/a suspended project is ErrSuspended", chooseSuspended},
		{"Choose/a picture that is to be the first is ErrMoved where the owner has chosen", chooseFirst},
		{"Shoot/is recorded in the place of the shot before, and the cover is due", shoot},
		{"Portray/is the account's, until it is suspended or deleted", portray},
		{"Portray/a picture that is to be the first is ErrMoved where there is one", portrayFirst},
		{"Sweep/lets go of the pictures of a deleted project", sweepCovers},
	}
}

// fresh is a new picture with two widths.
func fresh(id string) *cover.Fresh {
	return &cover.Fresh{ID: sandlot.PictureID(id), Sizes: map[int]sandlot.Blob{320: inline("small " + id), 640: named("large-" + id)}}
}

// leased is the one project whose cover is due.
func (s Stores) leased(t *testing.T) (cover.Task, int64) {
	t.Helper()
	due := must(s.Covers.Due(t.Context(), 0, 10))(t)
	if len(due) != 1 {
		t.Fatalf("%d are due", len(due))
	}
	tasks, lease, err := s.Covers.Lease(t.Context(), []int64{due[0].Number}, time.Minute)
	ok(t, err)
	if len(tasks) != 1 {
		t.Fatalf("%d are leased", len(tasks))
	}
	return tasks[0], lease
}

func (s Stores) settle(t *testing.T, id string) cover.Task {
	t.Helper()
	task, lease := s.leased(t)
	err := s.Covers.Settle(t.Context(), task, lease, cover.Settled{Cover: sandlot.PictureID(id), Fresh: fresh(id), Source: cover.FromCover, Made: "of " + id, Findings: "[]"}, base())
	ok(t, err)
	return task
}

func coversDue(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	before := s.change(t, "pong")
	s.settle(t, "jone")
	same(t, "due when it is settled", len(must(s.Covers.Due(t.Context(), 0, 10))(t)), 0)
	found := must(s.Publish.Project(t.Context(), "pong"))(t)
	same(t, "its cover", found.Cover, sandlot.PictureID("jone"))
	if s.change(t, "pong") == before {
		t.Error("its change number is as before")
	}
	_, state, err := s.Covers.Cover(t.Context(), "pong")
	ok(t, err)
	same(t, "its state", state, cover.State{Source: cover.FromCover, Made: "of jone", Findings: "[]"})
	kept := must(s.Covers.Picture(t.Context(), "jone", 640))(t)
	same(t, "whose the picture is", kept.Project, p.ID)
	same(t, "its bytes", kept.Blob.Ref, sandlot.BlobRef("large-jone"))
	_, err = s.Covers.Picture(t.Context(), "jone", 641)
	wants(t, "another width", err, sandlot.ErrNotFound)
	s.mustPut(t, found, file("cover.png", inline("png")))
	due := must(s.Covers.Due(t.Context(), 0, 10))(t)
	same(t, "due at the next version", len(due), 1)
	same(t, "after it", len(must(s.Covers.Due(t.Context(), due[0].Number, 10))(t)), 0)
	files := must(s.Covers.FilesFolded(t.Context(), "pong", []string{"cover.png", "cover.jpg"}))(t)
	if len(files) != 1 || files[0].Name != "cover.png" {
		t.Errorf("its files are %v", files)
	}
}

func chooseLate(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustPut(t, p, file("a.png", inline("other")))
	settled := cover.Settled{Cover: "jold", Fresh: fresh("jold"), Source: cover.FromChosen, Version: 1}
	ok(t, s.Covers.Choose(t.Context(), "pong", cover.OfFile, "a.png", &settled, base()))
	p, state, err := s.Covers.Cover(t.Context(), "pong")
	ok(t, err)
	same(t, "the cover, and whether it is due", []any{p.Cover, state.Due}, []any{sandlot.PictureID("jold"), true})
}

func leaseCovers(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	begun := func() (cover.Task, int64, int) {
		t.Helper()
		task, lease := s.leased(t)
		return task, lease, must(s.Covers.Begin(t.Context(), task.Number, lease))(t)
	}
	task, lease, tries := begun()
	same(t, "tries", []int{task.Tries, tries}, []int{0, 1})
	_, err := s.Covers.Begin(t.Context(), task.Number, lease+1)
	wants(t, "begun under another lease", err, sandlot.ErrMoved)
	same(t, "due while it is leased", len(must(s.Covers.Due(t.Context(), 0, 10))(t)), 0)
	tasks, _, err := s.Covers.Lease(t.Context(), []int64{task.Number}, time.Minute)
	ok(t, err)
	same(t, "leased a second time", len(tasks), 0)
	ok(t, s.Covers.GiveBack(t.Context(), []int64{task.Number}, lease+1, false))
	same(t, "due after another's lease ended", len(must(s.Covers.Due(t.Context(), 0, 10))(t)), 0)
	ok(t, s.Covers.GiveBack(t.Context(), []int64{task.Number}, lease, false))
	task, lease, tries = begun()
	same(t, "tries of the second time", []int{task.Tries, tries}, []int{1, 2})
	ok(t, s.Covers.GiveBack(t.Context(), []int64{task.Number}, lease, true))
	_, lease, tries = begun()
	same(t, "tries when the last does not count", tries, 2)
	s.Later(2 * time.Minute)
	_, err = s.Covers.Begin(t.Context(), task.Number, lease)
	same(t, "begun late, while nobody else has it", err, nil)
	_, _, tries = begun()
	same(t, "tries when the lease lapsed", tries, 4)
}

func settleLate(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	task, lease := s.leased(t)
	s.Later(2 * time.Minute)
	s.leased(t)
	err := s.Covers.Settle(t.Context(), task, lease, cover.Settled{Cover: "jlate", Fresh: fresh("jlate")}, base())
	wants(t, "settling late", err, sandlot.ErrMoved)
	_, err = s.Covers.Picture(t.Context(), "jlate", 320)
	wants(t, "its picture", err, sandlot.ErrNotFound)
}

func settleAgain(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	s.settle(t, "jone")
	s.mustPut(t, must(s.Publish.Project(t.Context(), "pong"))(t), file("a.js", inline("a")))
	s.settle(t, "jtwo")
	now := base()
	kept := must(s.Covers.Picture(t.Context(), "jone", 320))(t)
	if kept.GoneAt.IsZero() || !must(s.Covers.Picture(t.Context(), "jtwo", 320))(t).GoneAt.IsZero() {
		t.Errorf("the first is gone since %v", kept.GoneAt)
	}
	gone, _, err := s.Upkeep.Sweep(t.Context(), now.Add(2*time.Hour), now.Add(time.Hour), 1000)
	ok(t, err)
	same(t, "bytes that Sweep let go of", gone, []sandlot.BlobRef{"large-jone"})
	_, err = s.Covers.Picture(t.Context(), "jone", 320)
	wants(t, "the first after that", err, sandlot.ErrNotFound)
	must(s.Covers.Picture(t.Context(), "jtwo", 640))(t)
}

// sent are the bytes of the pictures that an owner sent, each in its widest form.
func (s Stores) sent(t *testing.T, id sandlot.AccountID) map[sandlot.ProjectID]sandlot.BlobRef {
	t.Helper()
	refs := map[sandlot.ProjectID]sandlot.BlobRef{}
	for project, p := range must(s.Covers.Sent(t.Context(), id))(t) {
		refs[project] = p.Blob.Ref
	}
	return refs
}

func chooseMeanwhile(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	task, lease := s.leased(t)
	settled := cover.Settled{Cover: "jmine", Fresh: fresh("jmine"), Source: cover.FromUpload}
	ok(t, s.Covers.Choose(t.Context(), "pong", cover.Uploaded, "", &settled, base()))
	err := s.Covers.Settle(t.Context(), task, lease, cover.Settled{}, base())
	wants(t, "settling meanwhile", err, sandlot.ErrMoved)
	p, state, err := s.Covers.Cover(t.Context(), "pong")
	ok(t, err)
	same(t, "the cover", p.Cover, sandlot.PictureID("jmine"))
	same(t, "what is kept", state, cover.State{Wish: cover.Uploaded, Upload: "jmine", Source: cover.FromUpload})
	same(t, "what was sent", s.sent(t, p.Account), map[sandlot.ProjectID]sandlot.BlobRef{"pong": "large-jmine"})
	ok(t, s.Covers.Choose(t.Context(), "pong", cover.Automatic, "", nil, base()))
	task = s.settle(t, "jauto")
	same(t, "what was sent and is not wished", s.sent(t, p.Account), map[sandlot.ProjectID]sandlot.BlobRef{})
	same(t, "the wish then", task.Wish, cover.Automatic)
	if must(s.Covers.Picture(t.Context(), "jmine", 320))(t).GoneAt.IsZero() {
		t.Error("what was uploaded is not gone")
	}
}

func chooseSuspended(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	ok(t, s.Operate.Suspend(t.Context(), ofProject("pong"), entry(sandlot.ActionSuspend, "pong")))
	err := s.Covers.Choose(t.Context(), "pong", cover.None, "", &cover.Settled{}, base())
	wants(t, "choosing", err, sandlot.ErrSuspended)
	err = s.Covers.Choose(t.Context(), "other", cover.None, "", nil, base())
	wants(t, "of none", err, sandlot.ErrNotFound)
}

// first is a new picture that is to be the first.
func first(id string) *cover.Fresh {
	n := fresh(id)
	n.First = true
	return n
}

func chooseFirst(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	s.leased(t)
	choose := func(id string) error {
		return s.Covers.Choose(t.Context(), "pong", cover.Uploaded, "", &cover.Settled{Cover: sandlot.PictureID(id), Fresh: first(id), Source: cover.FromUpload}, base())
	}
	ok(t, choose("jone"))
	wants(t, "another", choose("jtwo"), sandlot.ErrMoved)
	_, err := s.Covers.Picture(t.Context(), "jtwo", 320)
	wants(t, "its picture", err, sandlot.ErrNotFound)
	ok(t, s.Covers.Choose(t.Context(), "pong", cover.None, "", &cover.Settled{}, base()))
	wants(t, "where none is wished", choose("jthree"), sandlot.ErrMoved)
	p, state, err := s.Covers.Cover(t.Context(), "pong")
	ok(t, err)
	same(t, "the cover, and the wish", []any{p.Cover, state.Wish}, []any{sandlot.PictureID(""), cover.None})
	ok(t, s.Covers.Choose(t.Context(), "pong", cover.Automatic, "", nil, base()))
	ok(t, choose("jfour"))
}

func portrayFirst(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	ok(t, s.Covers.Portray(t.Context(), a.ID, first("jone"), base()))
	wants(t, "another", s.Covers.Portray(t.Context(), a.ID, first("jtwo"), base()), sandlot.ErrMoved)
	same(t, "the account's", must(s.Publish.Account(t.Context(), a.ID))(t).Portrait, sandlot.PictureID("jone"))
	_, err := s.Covers.Picture(t.Context(), "jtwo", 320)
	wants(t, "the other picture", err, sandlot.ErrNotFound)
	ok(t, s.Covers.Portray(t.Context(), a.ID, nil, base()))
	ok(t, s.Covers.Portray(t.Context(), a.ID, first("jthree"), base()))
}

func shoot(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	s.settle(t, "jone")
	wants(t, "a shot of another version", s.Covers.Shoot(t.Context(), "pong", 2, *fresh("jother"), base()), sandlot.ErrMoved)
	ok(t, s.Covers.Shoot(t.Context(), "pong", 1, *fresh("jshot"), base()))
	task, lease := s.leased(t)
	same(t, "the shot", task.Shot, sandlot.PictureID("jshot"))
	err := s.Covers.Settle(t.Context(), task, lease, cover.Settled{Cover: task.Shot, Source: cover.FromShot}, base())
	ok(t, err)
	ok(t, s.Covers.Shoot(t.Context(), "pong", 1, *fresh("jnext"), base()))
	if !must(s.Covers.Picture(t.Context(), "jshot", 320))(t).GoneAt.IsZero() {
		t.Error("the cover is gone before there is another")
	}
	task, lease = s.leased(t)
	err = s.Covers.Settle(t.Context(), task, lease, cover.Settled{Cover: task.Shot, Source: cover.FromShot}, base())
	ok(t, err)
	if must(s.Covers.Picture(t.Context(), "jshot", 320))(t).GoneAt.IsZero() {
		t.Error("the shot before is not gone")
	}
}

func portray(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	ok(t, s.Covers.Portray(t.Context(), a.ID, fresh("jkim"), base()))
	same(t, "the account's", must(s.Publish.Account(t.Context(), a.ID))(t).Portrait, sandlot.PictureID("jkim"))
	same(t, "whose it is", must(s.Covers.Picture(t.Context(), "jkim", 320))(t).Account, a.ID)
	ok(t, s.Covers.Portray(t.Context(), a.ID, fresh("jnew"), base()))
	if must(s.Covers.Picture(t.Context(), "jkim", 320))(t).GoneAt.IsZero() {
		t.Error("the first is not gone")
	}
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(a.ID), entry(sandlot.ActionSuspend, "@kim")))
	_, err := s.Covers.Picture(t.Context(), "jnew", 320)
	wants(t, "of a suspended account", err, sandlot.ErrNotFound)
	same(t, "what its owner sent", s.sent(t, a.ID), map[sandlot.ProjectID]sandlot.BlobRef{"": "large-jnew"})
	wants(t, "another", s.Covers.Portray(t.Context(), a.ID, nil, base()), sandlot.ErrSuspended)
	ok(t, s.Operate.Reinstate(t.Context(), ofAccount(a.ID), entry(sandlot.ActionReinstate, "@kim")))
	ok(t, s.Covers.Portray(t.Context(), a.ID, nil, base()))
	same(t, "without one", must(s.Publish.Account(t.Context(), a.ID))(t).Portrait, sandlot.PictureID(""))
	ok(t, s.Covers.Portray(t.Context(), a.ID, fresh("jlast"), base()))
	ok(t, s.Operate.Remove(t.Context(), ofAccount(a.ID), entry(sandlot.ActionDelete, "@kim")))
	_, err = s.Covers.Picture(t.Context(), "jlast", 320)
	wants(t, "of a deleted account", err, sandlot.ErrNotFound)
}

func sweepCovers(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	s.settle(t, "jone")
	s.mustRemove(t, "pong")
	later := base().Add(48 * time.Hour)
	_, _, err := s.Upkeep.Sweep(t.Context(), later, later, 1000)
	ok(t, err)
	_, _, err = s.Upkeep.Sweep(t.Context(), later, later, 1000)
	ok(t, err)
	_, err = s.Covers.Picture(t.Context(), "jone", 320)
	wants(t, "its picture", err, sandlot.ErrNotFound)
}
