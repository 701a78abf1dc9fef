package storetest

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

func checkpointCases() []storeCase {
	return []storeCase{
		{"Checkpoints/returns those that a blob was recorded with, as they are, and none where there are none", checkpointsOfUses},
	}
}

// pointed is a blob that comes with checkpoints: its name, often, for a store looks at nothing of them.
func pointed(ref string) sandlot.Blob {
	b := named(ref)
	b.Checkpoints = strings.Repeat(ref, 32)
	return b
}

func (s Stores) checkpoints(t *testing.T, b sandlot.Blob) string {
	t.Helper()
	return must(s.Publish.Checkpoints(t.Context(), b.ID))(t)
}

func checkpointsOfUses(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.wasm", pointed("a-blob")))
	b := s.fileNamed(t, p, "a.wasm").Blob
	same(t, "a list has", b.Checkpoints, "")
	same(t, "of a file", s.checkpoints(t, b), pointed("a-blob").Checkpoints)
	ok(t, s.Variants.PutVariants(t.Context(), b.ID, []sandlot.Variant{{Encoding: "br", Blob: pointed("variant")}}))
	same(t, "of a variant", s.checkpoints(t, s.fileNamed(t, p, "a.wasm").Variants[0].Blob), pointed("variant").Checkpoints)
	p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: []sandlot.File{file("b.wasm", pointed("b-blob"))}}, publish.Edit{At: base(), Expect: p.Version, Suffix: "next"}))(t)
	same(t, "of a file of several", s.checkpoints(t, s.fileNamed(t, p, "b.wasm").Blob), pointed("b-blob").Checkpoints)
	u := s.mustSave(t, upload("u"), part(1, pointed("part")))
	same(t, "of a part", s.checkpoints(t, u.Parts[0].Blob), pointed("part").Checkpoints)
	same(t, "of a blob without", s.checkpoints(t, s.fileNamed(t, p, "index.html").Blob), "")
	same(t, "of no blob", s.checkpoints(t, sandlot.Blob{ID: 1 << 40}), "")
}
