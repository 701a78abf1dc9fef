package internal_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTargets checks the types of the program as other systems compile it, without most of its modules. To compile
// all of it takes minutes, which a release spends.
func TestTargets(t *testing.T) {
	for _, target := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			system, processor, _ := strings.Cut(target, "/")
			cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Name,Dir,GoFiles,ImportMap,Standard,Module", "sandlot/cmd/sandlot")
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
			cmd.Stderr = os.Stderr
			list, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			checkTypes(t, processor, json.NewDecoder(strings.NewReader(string(list))))
		})
	}
}

// listedPackage is a package as go list prints it.
type listedPackage struct {
	ImportPath, Name, Dir string
	GoFiles               []string
	ImportMap             map[string]string
	Standard              bool
	Module                *struct{ Main bool }
}

// ours reports whether a package is of this module.
func (p listedPackage) ours() bool { return p.Module != nil && p.Module.Main }

// left reports whether the checker may do without a package: it then accepts any use of it. It guesses the name of such
// a package by its path.
func (p listedPackage) left() bool {
	return !p.ours() && !p.Standard && path.Base(p.ImportPath) == p.Name &&
		!slices.ContainsFunc(whole, func(folder string) bool { return strings.HasPrefix(p.ImportPath, folder) })
}

// whole lists the packages that differ between systems, or whose types are embedded in the module's.
var whole = []string{"golang.org/x/sys/", "golang.org/x/net/html", "github.com/jackc/pgx/", "github.com/caddyserver/certmagic"}

// checkTypes reports the faults of the module's packages. The list has each package after those that it imports.
func checkTypes(t *testing.T, processor string, list *json.Decoder) {
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for {
		var p listedPackage
		err := list.Decode(&p)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || p.left() {
			continue
		}
		config := types.Config{
			IgnoreFuncBodies: !p.ours(),
			Sizes:            types.SizesFor("gc", processor),
			Importer:         importer(func(name string) *types.Package { return known[cmp.Or(p.ImportMap[name], name)] }),
			Error: func(err error) {
				if p.ours() && !strings.Contains(err.Error(), errLeft.Error()) {
					t.Error(err)
				}
			},
		}
		fset := token.NewFileSet()
		known[p.ImportPath], _ = config.Check(p.ImportPath, fset, parse(t, fset, p), nil)
	}
}

func parse(t *testing.T, fset *token.FileSet, p listedPackage) (files []*ast.File) {
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// An importer returns the packages that were checked before.
type importer func(path string) *types.Package

func (f importer) Import(path string) (*types.Package, error) {
	if p := f(path); p != nil {
		return p, nil
	}
	return nil, errLeft
}

var errLeft = errors.New("left out")
