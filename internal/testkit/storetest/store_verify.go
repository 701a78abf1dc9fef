package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/operate"
)

func verifyCases() []storeCase {
	return []storeCase{
		{"BlobsAfter/returns blobs with an ID above after, in the order of their IDs, at most limit", blobsAfter},
		{"BlobUses/returns what refers to a blob, at most limit, the oldest version first", blobUses},
		{"AccountMistakes/finds none in what the store has made, deletions and collections included", noAccountMistakes},
	}
}

func blobsAfter(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("a-blob")))
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.wasm").Blob.ID, []sandlot.Variant{{Encoding: "br", Blob: named("variant")}}))
	s.mustSave(t, upload("u"), part(1, named("part")))
	var all []sandlot.Blob
	for after := int64(0); ; {
		page := must(s.Upkeep.BlobsAfter(t.Context(), after, 3))(t)
		if len(page) == 0 {
			break
		}
		if len(page) > 3 || page[0].ID <= after {
			t.Fatalf("after %d came %v", after, page)
		}
		all, after = append(all, page...), page[len(page)-1].ID
	}
	var refs []sandlot.BlobRef
	for _, b := range all {
		refs = append(refs, b.Ref)
	}
	same(t, "the names", refs, []sandlot.BlobRef{"", "a-blob", "variant", "part"})
	same(t, "one that is in its record", all[0], s.fileNamed(t, p, "index.html").Blob)
	same(t, "one that is not", all[1], s.fileNamed(t, p, "a.wasm").Blob)
}

func blobUses(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", named("a-blob")))
	b := s.fileNamed(t, p, "a.wasm").Blob
	p = s.mustPut(t, p, sandlot.File{Name: "b.wasm", Folded: "b.wasm", Blob: b})
	p = s.mustPut(t, p, file("a.wasm", named("another")))
	ok(t, s.Variants.PutVariants(t.Context(), b.ID, []sandlot.Variant{{Encoding: "br", Blob: named("variant")}}))
	u := s.mustSave(t, upload("u"), part(1, named("part")))
	a, second := operate.BlobUse{Project: p.ID, Filename: "a.wasm", Version: 2}, operate.BlobUse{Project: p.ID, Filename: "b.wasm", Version: 3}
	same(t, "of a file", must(s.Upkeep.BlobUses(t.Context(), b.ID, 9))(t), []operate.BlobUse{a, second})
	same(t, "at most one", must(s.Upkeep.BlobUses(t.Context(), b.ID, 1))(t), []operate.BlobUse{a})
	variant := s.fileNamed(t, p, "b.wasm").Variants[0].Blob
	a.Encoding, second.Encoding = "br", "br"
	same(t, "of a variant", must(s.Upkeep.BlobUses(t.Context(), variant.ID, 9))(t), []operate.BlobUse{a, second})
	same(t, "of a part", must(s.Upkeep.BlobUses(t.Context(), u.Parts[0].Blob.ID, 9))(t), []operate.BlobUse{{Upload: true}})
}

// mistakes reads all mistakes, a few projects at a time.
func (s Stores) mistakes(t *testing.T) (list []operate.Mistake, seen int) {
	t.Helper()
	for last := int64(0); ; {
		found, n, next, err := s.Upkeep.Mistakes(t.Context(), last, 2)
		ok(t, err)
		if n == 0 {
			return list, seen
		}
		list, seen, last = append(list, found...), seen+n, next
	}
}

func noAccountMistakes(t *testing.T, s Stores) {
	sc := newScene(t, s)
	p := s.versions(t, s.mustProject(t, "long"), 5)
	gone := s.versions(t, s.mustProject(t, "gone"), 3)
	check := func(when string) {
		t.Helper()
		found, seen, _, err := s.Upkeep.AccountMistakes(t.Context(), 0, 9)
		ok(t, err)
		same(t, "the mistakes "+when, found, nil)
		same(t, "the accounts seen "+when, seen, 3)
	}
	check("at first")
	ok(t, s.Operate.Remove(t.Context(), ofAccount(gone.Account), entry(sandlot.ActionDelete, "@gone")))
	s.mustRemove(t, sc.p.ID)
	check("after deletions")
	s.trim(t, 2, base().Add(time.Hour), 3)
	s.sweepAll(t)
	check("after a collection")
	same(t, "what is kept", s.kept(t, p), []int{4, 5})
}
