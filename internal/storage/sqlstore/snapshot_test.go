package sqlstore

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// method is a method of DB, or of a consumer's part of it, as far as it reads.
type method struct {
	reads []token.Pos // statements outside of any snapshot or step
	loop  bool        // one of them runs once for each of several things
	calls []call      // other such methods
}

type call struct {
	name string
	at   token.Pos
	loop bool
}

// TestRegression34EveryReadOfSeveralStatementsIsOneSnapshot reads this package's source: what asks
// the database more than once outside of a snapshot or a step would mix two states.
func TestRegression34EveryReadOfSeveralStatementsIsOneSnapshot(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	sources, err := filepath.Glob("*.go")
	expect.OK(t, err)
	var parsed []*ast.File
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, source, nil, 0)
		expect.OK(t, err)
		parsed = append(parsed, f)
	}
	parts, methods := partsOfDB(parsed), map[string]*method{}
	for _, f := range parsed {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && (receiver(fn) == "DB" || parts[receiver(fn)]) && fn.Name.Name != "query" {
				methods[receiver(fn)+"."+fn.Name.Name] = reading(fn)
			}
		}
	}
	if len(methods) < 60 || len(methods["Publish.Project"].reads) != 1 || len(methods["Gallery.Liked"].reads) != 1 || !readsAtAll(methods, "Gallery.Project", nil) {
		t.Fatalf("%d methods found, of which Project reads %d times", len(methods), len(methods["Publish.Project"].reads))
	}
	for name, m := range methods {
		if anew[name] {
			continue
		}
		var at []string
		loop := m.loop
		for _, p := range m.reads {
			at = append(at, files.Position(p).String())
		}
		for _, c := range m.calls {
			if readsAtAll(methods, c.name, nil) {
				at, loop = append(at, fmt.Sprint(files.Position(c.at), " (", c.name, ")")), loop || c.loop
			}
		}
		if len(at) > 1 || loop {
			t.Errorf("%s reads in several statements (in a loop: %v), which have to be one snapshot: %s", name, loop, strings.Join(at, ", "))
		}
	}
}

// anew are the methods that mostly find with one statement what they look for, and otherwise begin
// anew, with a snapshot that does not rely on that; and those that look for what is left to empty,
// again and again until there is nothing.
var anew = map[string]bool{"Publish.files": true, "Publish.Projects": true, "DB.forget": true, "DB.forgetKind": true, "DB.finishForgets": true}

// partsOfDB are the structs that have a DB in a field db: what a consumer keeps in it.
func partsOfDB(files []*ast.File) map[string]bool {
	parts := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					star, ok := field.Type.(*ast.StarExpr)
					if ok && isName(star.X, "DB") && len(field.Names) == 1 && field.Names[0].Name == "db" {
						parts[spec.Name.Name] = true
					}
				}
			}
			return true
		})
	}
	return parts
}

// receiver is the type that a method is of, without the star.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	of := fn.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if id, ok := of.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// reading finds what a method asks of the database itself: by db.query, by methods of db, and by
// whatever db is handed to, such as one and all. What is inside db.snapshot(...) asks that.
func reading(fn *ast.FuncDecl) *method {
	m := &method{}
	of, self := receiver(fn), ""
	if names := fn.Recv.List[0].Names; len(names) > 0 {
		self = names[0].Name
	}
	isDB := func(e ast.Expr) bool {
		part, ok := e.(*ast.SelectorExpr)
		return of == "DB" && isName(e, self) || ok && isName(part.X, self) && part.Sel.Name == "db"
	}
	partOf := func(e ast.Expr) string { // of db.Publish(), say: the accessor has the name of its type
		made, ok := e.(*ast.CallExpr)
		if !ok {
			return ""
		}
		if f, ok := made.Fun.(*ast.SelectorExpr); ok && isDB(f.X) {
			return f.Sel.Name
		}
		return ""
	}
	var walk func(n ast.Node, loop bool)
	walk = func(n ast.Node, loop bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				walk(n.Body, true)
				return false
			case *ast.RangeStmt:
				walk(n.X, loop)
				walk(n.Body, true)
				return false
			case *ast.CallExpr:
				if slices.ContainsFunc(n.Args, isDB) {
					m.reads, m.loop = append(m.reads, n.Pos()), m.loop || loop
				}
				switch f := n.Fun.(type) {
				case *ast.SelectorExpr:
					switch {
					case isDB(f.X) && f.Sel.Name == "query":
						m.reads, m.loop = append(m.reads, n.Pos()), m.loop || loop
					case isDB(f.X):
						m.calls = append(m.calls, call{"DB." + f.Sel.Name, n.Pos(), loop})
					case partOf(f.X) != "":
						m.calls = append(m.calls, call{partOf(f.X) + "." + f.Sel.Name, n.Pos(), loop})
					case isName(f.X, self):
						m.calls = append(m.calls, call{of + "." + f.Sel.Name, n.Pos(), loop})
					}
				}
			}
			return true
		})
	}
	walk(fn.Body, false)
	return m
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// readsAtAll reports whether a method reads outside of a step: a snapshot is a read, too, and two
// of them are two states.
func readsAtAll(methods map[string]*method, name string, seen []string) bool {
	if name == "DB.snapshot" {
		return true
	}
	m := methods[name]
	if m == nil || slices.Contains(seen, name) {
		return false
	}
	if len(m.reads) > 0 {
		return true
	}
	return slices.ContainsFunc(m.calls, func(c call) bool { return readsAtAll(methods, c.name, append(seen, name)) })
}
