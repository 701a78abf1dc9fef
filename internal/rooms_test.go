package internal_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/judge"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// Bounds of a room: a wider one is two rooms.
const (
	mostExported  = 25 // exported methods of a type
	mostMethods   = 45 // methods of a type
	mostFields    = 16 // fields of a struct, but of a Config, which has groups
	mostInterface = 24 // methods of an interface, with those of the interfaces that it embeds
)

// mostFiles bounds the files of the two largest rooms, without tests.
var mostFiles = map[string]int{"publish": 30, "web": 44}

// wide are structs with more than mostFields: a request and an answer of the API, field by field, and the findings in
// one file of a project.
var wide = []string{"client.Fields", "client.Change", "check.Look"}

func TestEveryCallOfAServiceTakesItsCaller(t *testing.T) {
	var found []string
	for _, service := range []any{(*publish.Service)(nil), (*publish.Reader)(nil), (*publish.Keyring)(nil), (*publish.Trash)(nil), (*account.Service)(nil), (*account.Logins)(nil), (*gallery.Service)(nil), (*figures.Service)(nil), (*operate.Service)(nil), (*operate.Invitations)(nil), (*desk.Service)(nil), (*account.OpenID)(nil), (*account.Profiles)(nil), (*cover.Service)(nil), (*ticket.Service)(nil), (*transfer.Service)(nil), (*trial.Service)(nil), (*trial.Requests)(nil), (*connect.Service)(nil), (*oauth.Service)(nil), (*players.Service)(nil), (*boards.Service)(nil), (*faults.Service)(nil), (*judge.Service)(nil), (*listed.Service)(nil), (*operate.Reporters)(nil), (*operate.Mailed)(nil), (*blocks.Service)(nil)} {
		of := reflect.TypeOf(service)
		for i := range of.NumMethod() {
			m := of.Method(i)
			in := m.Type
			if in.NumIn() < 3 || in.In(1) != reflect.TypeFor[context.Context]() || in.In(2) != reflect.TypeFor[sandlot.Caller]() {
				found = append(found, strings.TrimPrefix(of.String(), "*")+"."+m.Name)
			}
		}
	}
	if len(found) > 0 {
		t.Errorf("methods of a Service that do not take the caller after the context: %q", found)
	}
}

func TestNoRoomIsTooWide(t *testing.T) {
	w := readWidths(t)
	report := func(name string, n, most int) {
		if n > most {
			t.Errorf("%s has %d, and at most %d is the rule", name, n, most)
		}
		if 4*n > 3*most {
			t.Logf("%s: %d of at most %d", name, n, most)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.exported)) {
		report(name, w.exported[name], mostExported)
	}
	for _, name := range slices.Sorted(maps.Keys(w.methods)) {
		report(name, w.methods[name], mostMethods)
	}
	for _, name := range slices.Sorted(maps.Keys(w.fields)) {
		if !slices.Contains(wide, name) && !strings.HasSuffix(name, ".Config") {
			report("fields of "+name, w.fields[name], mostFields)
		}
	}
	for _, name := range w.embeds {
		if w.methods[name] > 0 {
			t.Errorf("%s has methods and only embeds a pointer to another type: give it the fields that they need", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.interfaces)) {
		report(name, len(w.all(name)), mostInterface)
	}
	for room, most := range mostFiles {
		report("files of "+room, w.files[room], most)
	}
	if len(w.interfaces) < 50 || len(w.methods) < 200 {
		t.Errorf("only %d interfaces and %d types with methods were found", len(w.interfaces), len(w.methods))
	}
}

// widths counts what the packages under internal have, by "package.Name".
type widths struct {
	exported, methods map[string]int
	fields            map[string]int
	embeds            []string // structs whose one field is an embedded pointer
	interfaces        map[string]*ast.InterfaceType
	files             map[string]int // by package
}

func readWidths(t *testing.T) widths {
	t.Helper()
	w := widths{
		exported: map[string]int{}, methods: map[string]int{}, fields: map[string]int{},
		interfaces: map[string]*ast.InterfaceType{}, files: map[string]int{},
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			w.read(file)
		}
		return err
	})
	expect.OK(t, err)
	return w
}

func (w *widths) read(file *ast.File) {
	pkg := file.Name.Name
	w.files[pkg]++
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				continue
			}
			name := pkg + "." + receiver(d.Recv.List[0].Type)
			w.methods[name]++
			if d.Name.IsExported() {
				w.exported[name]++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					w.readType(pkg+"."+spec.Name.Name, spec.Type)
				}
			}
		}
	}
}

func (w *widths) readType(name string, of ast.Expr) {
	switch of := of.(type) {
	case *ast.InterfaceType:
		w.interfaces[name] = of
	case *ast.StructType:
		for _, f := range of.Fields.List {
			w.fields[name] += max(1, len(f.Names))
		}
		if len(of.Fields.List) == 1 && len(of.Fields.List[0].Names) == 0 {
			if _, pointer := of.Fields.List[0].Type.(*ast.StarExpr); pointer { // not one that changes a method of an interface
				w.embeds = append(w.embeds, name)
			}
		}
	}
}

func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return "?"
}

// all are the names of the methods of an interface and of those that it embeds.
func (w *widths) all(name string) map[string]bool {
	out := map[string]bool{}
	of, ok := w.interfaces[name]
	if !ok {
		return out
	}
	pkg, _, _ := strings.Cut(name, ".")
	for _, m := range of.Methods.List {
		for _, n := range m.Names {
			out[n.Name] = true
		}
		switch embedded := m.Type.(type) {
		case *ast.Ident:
			maps.Copy(out, w.all(pkg+"."+embedded.Name))
		case *ast.SelectorExpr:
			if from, ok := embedded.X.(*ast.Ident); ok {
				maps.Copy(out, w.all(from.Name+"."+embedded.Sel.Name))
			}
		}
	}
	return out
}
