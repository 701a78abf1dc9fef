package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
)

func sweepCases() []storeCase {
	return []storeCase{
		{"Sweep/keeps what a file of any version, a part of an open upload or a variant refers to", sweepKeeps},
		{"Sweep/the ID of a blob that was forgotten is not used again", sweepNewIDs},
		{"Sweep/forgets the files of projects that were deleted before the time given", sweepDeleted},
		{"Sweep/at most limit records a call, and tells whether there is more", sweepLimit},
	}
}

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

func sweepDeleted(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("a")))
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.wasm", edit(p)))(t)
	deleted := base().Add(48 * time.Hour)
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Project: p.ID}, sandlot.LogEntry{At: deleted, Action: sandlot.ActionDelete, Target: "pong"}))
	same(t, "deleted later", s.sweep(t, deleted, deleted.Add(-time.Minute)), nil)
	for n := 1; n <= p.Version; n++ { // FilesWith: and of a deleted project, too, until Sweep lets go of its files
		if list := must(s.Publish.FilesWith(t.Context(), p.ID, n, "gzip"))(t); len(list) == 0 {
			t.Errorf("no files of version %d", n)
		}
		wants(t, "Files", drop(s.Publish.Files(t.Context(), p.ID, n)), sandlot.ErrNotFound)
	}
	same(t, "its versions", len(must(s.Management.Versions(t.Context(), p.ID, 0, 9))(t)), p.Version)
	same(t, "deleted before", s.sweep(t, deleted, deleted.Add(time.Minute)), []sandlot.BlobRef{"a"})
	wants(t, "FilesWith", drop(s.Publish.FilesWith(t.Context(), p.ID, p.Version, "gzip")), sandlot.ErrNotFound)
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

func sweepLimit(t *testing.T, s Stores) {
	u := upload("u")
	for i := range 7 {
		u = s.mustSave(t, u, part(i+1, named(fmt.Sprint("part-", i))))
	}
	later := u.ExpiresAt.Add(time.Second)
	total, calls := 0, 0
	for more := true; more; calls++ {
		if calls == 50 {
			t.Fatal("there is more after 50 calls")
		}
		var gone []sandlot.BlobRef
		var err error
		gone, more, err = s.Upkeep.Sweep(t.Context(), later, later, 3)
		ok(t, err)
		if len(gone) > 3 {
			t.Fatalf("a call forgot %d records", len(gone))
		}
		total += len(gone)
	}
	same(t, "the names in all", total, 7)
}

func variantCases() []storeCase {
	return []storeCase{
		{"Unsqueezed/one of over 16 MiB comes behind its account's smaller ones, and uses up a turn for each 16 MiB", unsqueezedLarge},
		{"ClaimSqueezing/keeps blobs from others for a while", claimSqueezingLapses},
		{"ClaimSqueezing/a claim ends with PutVariants, and with EndSqueezing", claimSqueezingEnds},
		{"EndSqueezing/gives back nothing that somebody else has claimed since", lapsedSqueezing},
		{"PutVariants/a blob that is gone is ErrNotFound", putVariantsGone},
	}
}

func unsqueezedNames(t *testing.T, s Stores, limit int) (names []string) {
	t.Helper()
	for _, f := range must(s.Variants.Unsqueezed(t.Context(), nil, limit))(t) {
		names = append(names, f.Name)
	}
	return names
}

func unsqueezedLarge(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "pong"), s.mustProject(t, "maze")
	large := named("a large one")
	large.Size = 40 << 20
	p = s.mustPut(t, p, file("game.wasm", large))
	s.mustPut(t, p, file("later.js", inline("later")))
	for _, name := range []string{"1.js", "2.js", "3.js"} {
		q = s.mustPut(t, q, file(name, inline(name)))
	}
	same(t, "turns", unsqueezedNames(t, s, 9), []string{"index.html", "index.html", "later.js", "1.js", "2.js", "3.js", "game.wasm"})
	for range 6 { // all but the oldest of all
		for _, f := range must(s.Variants.Unsqueezed(t.Context(), nil, 9))(t) {
			if f.Name != "game.wasm" {
				ok(t, s.Variants.PutVariants(t.Context(), f.Blob.ID, nil))
				break
			}
		}
	}
	same(t, "in the end", unsqueezedNames(t, s, 9), []string{"game.wasm"})
}

func claimSqueezingLapses(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	same(t, "at first", s.claimSqueezing(t, p, time.Minute, "index.html"), 1)
	s.Later(59 * time.Second)
	same(t, "shortly before its end", s.claimSqueezing(t, p, time.Minute, "index.html"), 0)
	s.Later(time.Second)
	same(t, "at its end", unsqueezedNames(t, s, 9), []string{"index.html"})
	same(t, "claimed by another", s.claimSqueezing(t, p, sandlot.SqueezeLeaseMax, "index.html"), 1)
	s.Later(-48 * time.Hour)
	same(t, "when the clock that was ahead goes right", s.claimSqueezing(t, p, time.Minute, "index.html"), 1)
}

func claimSqueezingEnds(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("a")))
	js := []int64{s.fileNamed(t, p, "a.js").Blob.ID}
	_, claim, err := s.Variants.ClaimSqueezing(t.Context(), append(js, s.fileNamed(t, p, "index.html").Blob.ID), time.Minute)
	ok(t, err)
	ok(t, s.Variants.EndSqueezing(t.Context(), js, claim))
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "index.html").Blob.ID, nil))
	same(t, "left", unsqueezedNames(t, s, 9), []string{"a.js"})
	same(t, "one that has its variants", s.claimSqueezing(t, p, time.Minute, "index.html"), 0)
}

func lapsedSqueezing(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	blobs := []int64{s.fileNamed(t, p, "index.html").Blob.ID}
	_, claim, err := s.Variants.ClaimSqueezing(t.Context(), blobs, time.Minute)
	ok(t, err)
	s.Later(time.Minute)
	same(t, "claimed by another", s.claimSqueezing(t, p, time.Minute, "index.html"), 1)
	ok(t, s.Variants.EndSqueezing(t.Context(), blobs, claim))
	same(t, "claimed by a third", s.claimSqueezing(t, p, time.Minute, "index.html"), 0)
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
func (s Stores) claimSqueezing(t *testing.T, p sandlot.Project, lease time.Duration, names ...string) int {
	t.Helper()
	var blobs []int64
	for _, name := range names {
		blobs = append(blobs, s.fileNamed(t, p, name).Blob.ID)
	}
	mine, _, err := s.Variants.ClaimSqueezing(t.Context(), blobs, lease)
	ok(t, err)
	return len(mine)
}
