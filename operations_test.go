package sandlot_test

import (
	"slices"
	"testing"

	"sandlot"
)

func TestEveryOperationHasARowThatHoldsTogether(t *testing.T) {
	t.Parallel()
	seen := map[sandlot.Op]bool{}
	for _, o := range sandlot.Operations {
		if seen[o.Op] || o.Op == "" || o.Cost == "" {
			t.Errorf("%q is there twice, has no name or no cost", o.Op)
		}
		seen[o.Op] = true
		for i, f := range o.Fields {
			if slices.Contains(o.Names()[:i], f.Name) {
				t.Errorf("%s has the field %s twice", o.Op, f.Name)
			}
			if f.Required && !slices.ContainsFunc(o.Example, func(a sandlot.Arg) bool { return a.Name == f.Name }) {
				t.Errorf("the example of %s lacks %s", o.Op, f.Name)
			}
		}
	}
	for _, op := range []sandlot.Op{sandlot.OpNone, sandlot.OpSame, sandlot.OpPack, sandlot.OpWait} {
		if op.Row().Op != "" {
			t.Errorf("%q has a row, and is no operation", op)
		}
	}
}
