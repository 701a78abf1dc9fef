package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// unlimited are the doors that no operation of admission is asked for, beside owns, each with its reason. The routes of api
// and web, and play's own names, have operations by the tests of their tables.
var unlimited = map[string]string{
	"/debug/pprof/":        "on the listener of metrics-listen alone, for the operator",
	"/debug/pprof/profile": "likewise",
	"/debug/pprof/trace":   "likewise",
	"play":                 "files are free to read; its own names are doors, with an operation each",
	"refused":              "nothing is read",
	"api":                  "a table of routes with an operation each",
	"pages":                "likewise",
	"mcp":                  "a call of a tool is charged as its call of the API, any other message as a look",
	"oauth":                "a table of endpoints with an operation each",
	"guide":                "its documents are free to read, and made once; the sitemap takes one",
}

// TestEveryDoorHasAnOperationOrAReason: it reads the program, so that a path that is added beside the tables is found.
func TestEveryDoorHasAnOperationOrAReason(t *testing.T) {
	names, err := filepath.Glob("*.go")
	expect.OK(t, err)
	files := token.NewFileSet()
	seen := map[string]bool{}
	door := func(at token.Pos, of ast.Expr) {
		name := ""
		switch of := of.(type) {
		case *ast.BasicLit:
			name = strings.Trim(of.Value, `"`)
		case *ast.SelectorExpr:
			if of.Sel.Name == "path" || of.Sel.Name == "area" {
				return // of owns
			}
		}
		if seen[name] = true; unlimited[name] == "" {
			t.Errorf("%s: %q has neither an operation nor a reason", files.Position(at), name)
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		expect.OK(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Handle" || f.Sel.Name == "HandleFunc") && len(n.Args) == 2 {
					door(n.Pos(), n.Args[0])
				}
			case *ast.FuncDecl:
				if n.Name.Name == "route" {
					ast.Inspect(n.Body, func(n ast.Node) bool {
						if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 2 {
							door(r.Pos(), r.Results[0])
						}
						return true
					})
				}
			}
			return true
		})
	}
	for name := range unlimited {
		if !seen[name] {
			t.Errorf("there is no %q any more", name)
		}
	}
}
