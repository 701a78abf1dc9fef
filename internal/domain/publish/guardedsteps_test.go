package publish_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegression32EveryStepThatTakesBlobsIsGuarded: a new step that records blobs cannot be
// forgotten, for it is found by the types of its arguments.
func TestRegression32EveryStepThatTakesBlobsIsGuarded(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "contents_held.go", nil, 0)
	expect.OK(t, err)
	var guarded, want []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && strings.HasPrefix(fmt.Sprint(f.Recv.List[0].Type), "guarded") {
			guarded = append(guarded, f.Name.Name)
		}
	}
	for _, store := range []any{new(publish.Store), new(publish.ManagementStore), new(sandlot.VariantStore), new(account.MailStore), new(account.OwnerStore), new(account.RecoveryStore), new(account.ClaimStore), new(account.LoginStore), new(operate.SweepStore), new(operate.AdminStore), new(operate.TrimStore)} {
		of := reflect.TypeOf(store).Elem()
		for i := range of.NumMethod() {
			m := of.Method(i)
			for in := range m.Type.NumIn() {
				if holdsBlob(m.Type.In(in), map[reflect.Type]bool{}) && !slices.Contains(want, m.Name) {
					want = append(want, m.Name)
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(guarded)
	if diff := cmp.Diff(want, guarded); diff != "" || len(want) < 5 {
		t.Errorf("the steps that take blobs, and those that guarded.go guards:\n%s", diff)
	}
}

// holdsBlob reports whether a value of the type may have a Blob in it.
func holdsBlob(of reflect.Type, seen map[reflect.Type]bool) bool {
	if of == reflect.TypeFor[sandlot.Blob]() {
		return true
	}
	if seen[of] {
		return false
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsBlob(of.Elem(), seen)
	case reflect.Struct:
		for i := range of.NumField() {
			if holdsBlob(of.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
