package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
)

func trimCases() []storeCase {
	return []storeCase{
		{"Trim/their files are left to Sweep, and what is kept has all of its own", trimFiles},
		{"Trim/a step changes at most limit records, and what is left comes later", trimSteps},
	}
}

// trim trims all projects, in steps of limit.
func (s Stores) trim(t *testing.T, keep int, before time.Time, limit int) {
	t.Helper()
	last, more := int64(0), true
	for calls := 0; more; calls++ {
		if calls == 1000 {
			t.Fatal("a trim of 1000 calls found no end")
		}
		var err error
		last, more, err = s.Upkeep.Trim(t.Context(), keep, before, last, limit)
		ok(t, err)
	}
	list, _ := s.mistakes(t)
	same(t, "mistakes after a trim", list, nil)
}

// kept lists the versions of a project that are there.
func (s Stores) kept(t *testing.T, p sandlot.Project) (list []int) {
	t.Helper()
	for n := 1; n <= p.Version; n++ {
		if _, err := s.Publish.Version(t.Context(), p.ID, n); err == nil {
			list = append(list, n)
		} else {
			wants(t, fmt.Sprint("version ", n), err, sandlot.ErrNotFound)
			wants(t, fmt.Sprint("files of version ", n), drop(s.Publish.Files(t.Context(), p.ID, n)), sandlot.ErrNotFound)
		}
	}
	return list
}

// versions makes versions up to n, one a minute from base on; each replaces the
// same file.
func (s Stores) versions(t *testing.T, p sandlot.Project, n int) sandlot.Project {
	t.Helper()
	for p.Version < n {
		at := edit(p)
		at.At = base().Add(time.Duration(p.Version) * time.Minute)
		p = must(s.Publish.PutFile(t.Context(), p.ID, file("a.wasm", named(fmt.Sprintf("%s-%d", p.ID, p.Version+1))), at))(t)
	}
	return p
}

func trimFiles(t *testing.T, s Stores) {
	p := s.versions(t, s.mustProject(t, "pong"), 4)
	p = s.mustPut(t, p, file("b.js", inline("b")))
	s.trim(t, 2, base().Add(time.Hour), 50)
	same(t, "the names", s.sweepAll(t), []sandlot.BlobRef{"pong-2", "pong-3"})
	for _, n := range []int{4, 5} {
		want := []string{"a.wasm", "b.js", "index.html"}
		if n == 4 {
			want = slices.Delete(want, 1, 2)
		}
		same(t, fmt.Sprint("version ", n), fileNames(t, s.Publish, p.ID, n), want)
	}
	same(t, "the bytes", text(t, s.Publish, s.fileNamed(t, p, "index.html").Blob), "<p>pong")
}

func trimSteps(t *testing.T, s Stores) {
	p := s.versions(t, s.mustProject(t, "pong"), 12)
	later := base().Add(time.Hour)
	_, more, err := s.Upkeep.Trim(t.Context(), 1, later, 0, 4)
	ok(t, err)
	same(t, "after one step", []any{more, s.kept(t, p)}, []any{true, []int{5, 6, 7, 8, 9, 10, 11, 12}})
	// Another run begins anew, as after a restart, and finds what is left.
	s.trim(t, 1, later, 3)
	same(t, "after all of them", s.kept(t, p), []int{12})
	same(t, "the names", len(s.sweepAll(t)), 10)
	same(t, "the current file", s.fileNamed(t, p, "a.wasm").Blob.Ref, "pong-12")
}
