package failpoint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"sandlot/internal/base/failpoint"
	"sandlot/internal/testkit/expect"
)

func TestAllListsEveryPointOnce(t *testing.T) {
	src, err := parser.ParseFile(token.NewFileSet(), "failpoint.go", nil, 0)
	expect.OK(t, err)
	listed := map[failpoint.Point]int{}
	for _, p := range failpoint.All() {
		listed[p]++
	}
	constants := 0
	ast.Inspect(src, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		constants++
		name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil || listed[failpoint.Point(name)] != 1 {
			t.Errorf("%s is listed %d times", name, listed[failpoint.Point(name)])
		}
		return true
	})
	if constants != len(listed) {
		t.Errorf("%d constants, %d listed", constants, len(listed))
	}
}
