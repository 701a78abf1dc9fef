package sqlstore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// quiet are the steps that make a change number grow and do not return what they changed, with the reason.
var quiet = map[string]string{
	"CreateAccount": "nothing is cached of a new account",
	"CreateProject": "nothing is cached of a new project, nor of its new account",
	"Follow":        "it finishes what other steps began, which returned it",
	"Purge":         "the project was deleted before, by a step that returned it",
	"Sweep":         "it finishes what other steps began, which returned it",
}

// TestRegressionM05AStepThatChangesHowProjectsAreReadReturnsIt follows each statement that makes a change number grow up to the
// exported methods that lead to it.
func TestRegressionM05AStepThatChangesHowProjectsAreReadReturnsIt(t *testing.T) {
	src := readFunctions(t)
	says := map[string]bool{} // by step
	for f, d := range src.decls {
		if counts(d) {
			src.above(f, map[*types.Func]bool{}, func(step *types.Func) { says[step.Name()] = saysChanged(src.decls[step]) })
		}
	}
	if len(says) < 15 {
		t.Fatalf("only %d steps were found", len(says))
	}
	for _, name := range slices.Sorted(maps.Keys(says)) {
		if !says[name] && quiet[name] == "" {
			t.Errorf("%s changes how projects are read and does not return what it changed", name)
		}
	}
	for name := range quiet {
		if said, found := says[name]; said || !found {
			t.Errorf("%s is on the list without need", name)
		}
	}
}

// functions are those of the package, and who uses each.
type functions struct {
	decls map[*types.Func]*ast.FuncDecl
	users map[*types.Func][]*types.Func
}

// above calls do with each step that leads to f.
func (src functions) above(f *types.Func, seen map[*types.Func]bool, do func(*types.Func)) {
	switch {
	case seen[f]:
		return
	case f.Exported() && f.Signature().Recv() != nil:
		do(f)
	}
	seen[f] = true
	for _, user := range src.users[f] {
		src.above(user, seen, do)
	}
}

// readFunctions knows nothing of other packages, which would take long and lead nowhere.
func readFunctions(t *testing.T) functions {
	t.Helper()
	product := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	set := token.NewFileSet()
	//lint:ignore SA1019 Build tags do not matter here.
	packages, err := parser.ParseDir(set, ".", product, 0)
	expect.OK(t, err)
	files := slices.Collect(maps.Values(packages["sqlstore"].Files))
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: hollow{}, Error: func(error) {}}
	_, _ = config.Check("sqlstore", set, files, info)
	src := functions{map[*types.Func]*ast.FuncDecl{}, map[*types.Func][]*types.Func{}}
	for _, file := range files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				src.add(d, info)
			}
		}
	}
	return src
}

func (src functions) add(d *ast.FuncDecl, info *types.Info) {
	f := info.Defs[d.Name].(*types.Func)
	src.decls[f] = d
	ast.Inspect(d, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			if used, ok := info.Uses[name].(*types.Func); ok {
				src.users[used.Origin()] = append(src.users[used.Origin()], f)
			}
		}
		return true
	})
}

// hollow imports packages that have nothing.
type hollow struct{}

func (hollow) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	p.MarkComplete()
	return p, nil
}

// counts tells whether a function has a statement that makes a change number grow.
func counts(d *ast.FuncDecl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		found = found || ok && strings.Contains(text.Value, "changed = changed + 1")
		return true
	})
	return found
}

func saysChanged(d *ast.FuncDecl) bool {
	return d.Type.Results != nil && slices.ContainsFunc(d.Type.Results.List, func(r *ast.Field) bool {
		s, ok := r.Type.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Changed"
	})
}
