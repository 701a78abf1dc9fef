package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
)

func coverCases() []storeCase {
	return []storeCase{
		{"Lease/keeps a project to its caller, and Begin counts the tries", leaseCovers},
		{"Settle/if the lease is another one by now it is ErrMoved", settleLate},
		{"Settle/the pictures that it replaces are gone, and Sweep lets go of their bytes", settleAgain},
		{"Choose/what an owner wishes ends the lease of a worker", chooseMeanwhile},
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
