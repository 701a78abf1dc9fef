package sandlot_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// declaredCodes reads the constants of type Code from the source.
func declaredCodes(t *testing.T) map[sandlot.Code]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	expect.OK(t, err)
	codes := map[sandlot.Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
				text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				expect.OK(t, err)
				codes[sandlot.Code(text)] = true
			}
		}
		return true
	})
	return codes
}

func TestEveryCodeIsInTheTable(t *testing.T) {
	t.Parallel()
	declared := declaredCodes(t)
	if len(declared) < 30 {
		t.Fatalf("only %d codes were found in the source", len(declared))
	}
	for code := range declared {
		if _, ok := sandlot.Codes[code]; !ok {
			t.Errorf("%s is declared, but not in the table", code)
		}
	}
	for code, kind := range sandlot.Codes {
		if !declared[code] {
			t.Errorf("%s is in the table, but not declared", code)
		}
		if kind < sandlot.KindMistake || kind > sandlot.KindFault {
			t.Errorf("%s is of kind %d, which there is not", code, kind)
		}
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("update project: %w", err) }
	refused := sandlot.Refuse(sandlot.CodeNoProjects, "none")
	tests := []struct {
		name string
		err  error
		want sandlot.Code
	}{
		{"a refusal", refused, sandlot.CodeNoProjects},
		{"a refusal that was wrapped", wrap(refused), sandlot.CodeNoProjects},
		{"a refusal because of a full disk stays what it is", sandlot.Refuse(sandlot.CodeNoProjects, "none").Because(sandlot.ErrFull), sandlot.CodeNoProjects},
		{"a full disk", wrap(sandlot.NoEffect(sandlot.ErrFull)), sandlot.CodeStorageFull},
		{"damaged bytes", wrap(sandlot.ErrCorrupt), sandlot.CodeBlobCorrupt},
		{"a store that cannot work", wrap(sandlot.NoEffect(sandlot.ErrUnavailable)), sandlot.CodeUnavailable},
		{"another node was faster", wrap(sandlot.ErrMoved), sandlot.CodeUnavailable},
		{"a step of which nobody knows", wrap(sandlot.ErrUnavailable), sandlot.CodeUnavailable},
		{"a step of which nobody knows on a full disk", wrap(sandlot.ErrFull), sandlot.CodeUnavailable},
		{"a fault of ours in a step of which nobody knows", wrap(errors.New("broken")), ""},
		{"a record that should be there", wrap(sandlot.ErrNotFound), ""},
		{"anything else is ours", errors.New("broken"), ""},
		{"nothing", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sandlot.AsError(tt.err)
			if (got == nil) != (tt.want == "") || got != nil && got.Code != tt.want {
				t.Fatalf("got %#v, want %q", got, tt.want)
			}
			if got != nil && (!errors.Is(got, tt.want) || got.Message == "") {
				t.Errorf("%v does not say %s", got, tt.want)
			}
			if kind := sandlot.Codes[tt.want]; (kind == sandlot.KindUnavailable || kind == sandlot.KindFull) && got.RetryAfter <= 0 {
				t.Error("it does not say when to try again")
			}
		})
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("broken")
	err := error(sandlot.Refuse(sandlot.CodeInvalidField, "The field %s is wrong.", "part").In("part").With(sandlot.OpWait).Note("Wait %d s.", 3).Detail("limit", 7).After(time.Second).Because(cause))
	if !errors.Is(err, cause) || !errors.Is(err, sandlot.CodeInvalidField) || errors.Is(err, sandlot.CodeInternal) {
		t.Error("the cause or the code is not found, or another code is")
	}
	var e *sandlot.Error
	if !errors.As(fmt.Errorf("wrapped: %w", err), &e) || e.Error() != "The field part is wrong." || e.Field != "part" || e.Fix.Op != sandlot.OpWait ||
		e.Fix.Note != "Wait 3 s." || e.Details[0] != (sandlot.Detail{Name: "limit", Value: 7}) || e.RetryAfter != time.Second {
		t.Errorf("got %+v", e)
	}
}
