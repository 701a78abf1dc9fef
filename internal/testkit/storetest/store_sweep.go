package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// sweep sweeps until there is no more, and returns the names in order.
func (s Stores) sweep(t *testing.T, now, before time.Time) (gone []sandlot.BlobRef) {
	t.Helper()
	for range 100 {
		refs, more, err := s.Upkeep.Sweep(t.Context(), now, before, 50)
		ok(t, err)
		gone = append(gone, refs...)
		if !more {
			slices.Sort(gone)
			return gone
		}
	}
	t.Fatal("a sweep of 100 calls found no end")
	return nil
}

// sweepAll sweeps what nothing refers to, however new.
func (s Stores) sweepAll(t *testing.T) []sandlot.BlobRef {
	t.Helper()
	return s.sweep(t, base(), base().Add(time.Hour))
}

func sweepKeeps(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("version-2")))
	variants := []sandlot.Variant{{Encoding: "gzip", Blob: named("variant")}}
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.wasm").Blob.ID, variants))
	p = s.mustPut(t, p, file("a.wasm", named("version-3")))
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.wasm", edit(p)))(t)
	s.mustPut(t, p, file("index.html", inline("changed")))
	s.mustSave(t, upload("u"), part(1, named("part")))
	same(t, "the names", s.sweepAll(t), nil)
	refs := []sandlot.BlobRef{"version-2", "variant", "version-3", "part"}
	same(t, "without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), nil)
	same(t, "version 1", texts(t, s.Publish, p.ID, 1), map[string]string{"index.html": "<p>pong"})
}

func sweepNewIDs(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	s.sweep(t, u.ExpiresAt.Add(time.Second), base().Add(time.Hour))
	swept := u.Parts[0].Blob.ID
	next := s.mustSave(t, upload("another"), part(1, inline("two"))).Parts[0].Blob.ID
	if next <= swept {
		t.Errorf("a new blob has the ID %d after one of %d was forgotten", next, swept)
	}
}

func unsqueezedNames(t *testing.T, s Stores, limit int) (names []string) {
	t.Helper()
	for _, f := range must(s.Variants.Unsqueezed(t.Context(), nil, limit))(t) {
		names = append(names, f.Name)
	}
	return names
}

func claimSqueezingLapses(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	same(t, "at first", claimSqueezing(t, s, p, time.Minute, "index.html"), 1)
	s.Later(59 * time.Second)
	same(t, "shortly before its end", claimSqueezing(t, s, p, time.Minute, "index.html"), 0)
	s.Later(time.Second)
	same(t, "at its end", unsqueezedNames(t, s, 9), []string{"index.html"})
	same(t, "claimed by another", claimSqueezing(t, s, p, sandlot.SqueezeLeaseMax, "index.html"), 1)
	s.Later(-48 * time.Hour)
	same(t, "when the clock that was ahead goes right", claimSqueezing(t, s, p, time.Minute, "index.html"), 1)
}

func lapsedSqueezing(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	blobs := []int64{s.fileNamed(t, p, "index.html").Blob.ID}
	_, claim, err := s.Variants.ClaimSqueezing(t.Context(), blobs, time.Minute)
	ok(t, err)
	s.Later(time.Minute)
	same(t, "claimed by another", claimSqueezing(t, s, p, time.Minute, "index.html"), 1)
	ok(t, s.Variants.EndSqueezing(t.Context(), blobs, claim))
	same(t, "claimed by a third", claimSqueezing(t, s, p, time.Minute, "index.html"), 0)
}

func putVariantsGone(t *testing.T, s Stores) {
	u := s.mustSave(t, upload("u"), part(1, inline("replaced")))
	s.mustSave(t, u, part(1, inline("kept")))
	s.sweepAll(t)
	err := s.Variants.PutVariants(t.Context(), u.Parts[0].Blob.ID, []sandlot.Variant{{Encoding: "br", Blob: named("variant")}})
	wants(t, "a blob that was swept", err, sandlot.ErrNotFound)
	same(t, "the variant has no record", must(s.Upkeep.Unknown(t.Context(), []sandlot.BlobRef{"variant"}))(t), []sandlot.BlobRef{"variant"})
}

// claimSqueezing claims the files of these names, and returns how many it got.
func claimSqueezing(t *testing.T, s Stores, p sandlot.Project, lease time.Duration, names ...string) int {
	t.Helper()
	var blobs []int64
	for _, name := range names {
		blobs = append(blobs, s.fileNamed(t, p, name).Blob.ID)
	}
	mine, _, err := s.Variants.ClaimSqueezing(t.Context(), blobs, lease)
	ok(t, err)
	return len(mine)
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

// unusedBytes are far more than any store keeps for the records of the next minutes.
const unusedBytes = 40 << 20

// leaveRoom fills a store and collects what it held.
func leaveRoom(t *testing.T, s Stores) {
	t.Helper()
	text := bytes.Repeat([]byte("a game "), (1<<20)/7)
	p := s.mustProject(t, "pong")
	for range unusedBytes / len(text) {
		p = s.mustPut(t, p, file("a.js", inline(string(text))))
	}
	mustRemove(t, s, p.ID)
	for more := true; more; {
		var err error
		later := base().Add(48 * time.Hour)
		_, more, err = s.Upkeep.Sweep(t.Context(), later, later.Add(-24*time.Hour), 100)
		ok(t, err)
	}
}

// tendsRoom proves that there is nothing to do for who tends to a store that does so
// itself.
func tendsRoom(t *testing.T, s Stores) {
	t.Helper()
	mustRemove(t, s, s.mustProject(t, "pong").ID)
	if unused := must(s.Upkeep.Unused(t.Context()))(t); unused != 0 {
		t.Errorf("%d bytes are unused", unused)
	}
	if more := must(s.Upkeep.GiveBack(t.Context()))(t); more {
		t.Error("there is room to give back")
	}
}

func giveBack(t *testing.T, s Stores) {
	if s.TendsRoom {
		tendsRoom(t, s)
		return
	}
	keep := s.mustProject(t, "kept")
	leaveRoom(t, s)
	before := must(s.Upkeep.Unused(t.Context()))(t)
	ok(t, (&operate.Shrinker{Space: s.Upkeep}).Shrink(t.Context()))
	after := must(s.Upkeep.Unused(t.Context()))(t)
	if after <= 0 || after > before/2 {
		t.Errorf("%d of %d unused bytes are left", after, before)
	}
	if more := must(s.Upkeep.GiveBack(t.Context()))(t); more {
		t.Error("there is more to return after all was")
	}
	same(t, "a project that was not deleted", must(s.Publish.Project(t.Context(), keep.ID))(t), keep)
}

func leaseWork(t *testing.T, s Stores) {
	first := must(s.Upkeep.LeaseWork(t.Context(), "dig", 0, time.Minute))(t)
	for _, held := range []int64{0, first - 1, first + 1} {
		_, err := s.Upkeep.LeaseWork(t.Context(), "dig", held, time.Minute)
		wants(t, "a second lease", err, sandlot.ErrLeased)
	}
	must(s.Upkeep.LeaseWork(t.Context(), "fill", 0, time.Minute))(t)
	s.Later(time.Minute)
	must(s.Upkeep.LeaseWork(t.Context(), "dig", 0, time.Minute))(t)
	for _, length := range []time.Duration{0, time.Minute} {
		_, err := s.Upkeep.LeaseWork(t.Context(), "dig", first, length)
		wants(t, "one that lapsed and is another's", err, sandlot.ErrLeased)
	}
}
