package publish

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRegression32EveryStepThatTakesBlobsIsGuarded: a new step that records blobs cannot be
// forgotten, for it is found by the types of its arguments.
func TestRegression32EveryStepThatTakesBlobsIsGuarded(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "guarded.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var guarded, want []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name != "Variants" {
			guarded = append(guarded, f.Name.Name)
		}
	}
	for _, store := range []any{new(Store), new(SiteStore), new(VariantStore), new(JobStore), new(SweepStore), new(AdminStore), new(TrimStore)} {
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
	if of == reflect.TypeFor[Blob]() {
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

func TestStaging(t *testing.T) {
	broken := errors.New("broken")
	try := func(s *staging, refs []BlobRef, err error) error {
		blobs := make([]Blob, len(refs))
		for i, r := range refs {
			s.add(r)
			blobs[i].Ref = r
		}
		return s.use(func() error {
			for _, r := range refs {
				if s.discardable(r) || !s.holds(r) {
					t.Errorf("%s may go while a step refers to it", r)
				}
			}
			return err
		}, blobs...)
	}
	for name, tt := range map[string]struct {
		err                error
		discardable, holds bool
	}{
		"a step that succeeds lets go of them":              {nil, false, false},
		"one that certainly had no effect gives them back":  {NoEffect(ErrMoved), true, true},
		"that it had none is found in what wraps it":        {fmt.Errorf("put: %w", NoEffect(ErrFull)), true, true},
		"a refusal that does not say so is no such error":   {ErrMoved, false, true},
		"after any other error they are neither's":          {broken, false, true},
		"a store that is not there may have had its effect": {ErrUnavailable, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStaging()
			err := try(s, []BlobRef{"a", "b"}, tt.err)
			if !errors.Is(err, tt.err) {
				t.Errorf("got %v", err)
			}
			for _, r := range []BlobRef{"a", "b"} {
				if s.discardable(r) != tt.discardable || s.holds(r) != tt.holds {
					t.Errorf("%s: discardable %v, held %v", r, s.discardable(r), s.holds(r))
				}
			}
		})
	}
	t.Run("a step that panics may have had its effect", func(t *testing.T) {
		s := newStaging()
		s.add("a")
		func() {
			defer func() { _ = recover() }()
			_ = s.use(func() error { panic("x") }, Blob{Ref: "a"})
		}()
		if s.discardable("a") || !s.holds("a") {
			t.Error("it may go")
		}
	})
	t.Run("that a second step had no effect says nothing of the first; that it had settles it", func(t *testing.T) {
		s := newStaging()
		_ = try(s, []BlobRef{"a"}, broken)
		again := func(err error) error { return s.use(func() error { return err }, Blob{Ref: "a"}) }
		if _ = again(NoEffect(ErrExists)); s.discardable("a") || !s.holds("a") {
			t.Error("it may go")
		}
		if _ = again(nil); s.holds("a") || s.doubts != 0 {
			t.Error("it is held still")
		}
	})
	t.Run("blobs that were never staged are none of its business", func(t *testing.T) {
		s := newStaging()
		_ = s.use(func() error { return broken }, Blob{Ref: "x"}, Blob{})
		if len(s.names) != 0 {
			t.Errorf("it holds %v", s.names)
		}
	})
	t.Run("what is doubtful is bounded, and beyond the bound nothing is given up", func(t *testing.T) {
		s := newStaging()
		for i := range maxDoubtful + 1 {
			_ = try(s, []BlobRef{BlobRef(fmt.Sprint(i))}, broken)
		}
		if len(s.names) != maxDoubtful || !s.holds("another") || s.discardable(BlobRef(fmt.Sprint(maxDoubtful))) {
			t.Errorf("%d names", len(s.names))
		}
	})
}
