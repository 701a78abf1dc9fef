package operate_test

import (
	"errors"
	"reflect"
	"testing"

	"sandlot/internal/operate"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

func open(t *testing.T, w *testworld.World) *operate.Service {
	t.Helper()
	s, err := operate.New(t.Context(), operate.Config{}, w.DB.Operate(), operate.WithClock(w.Now))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOnlyTheOperatorOperates calls every method of the Service, found by reflection, as everybody else.
func TestOnlyTheOperatorOperates(t *testing.T) {
	w := testworld.New(t)
	s := reflect.ValueOf(open(t, w))
	out := w.PublishPage(testworld.Nobody(), "<p>")
	me, err := w.Account.Verify(t.Context(), testworld.Nobody(), w.Token("/verify"))
	if err != nil {
		t.Fatal(err)
	}
	forAnybody := map[string]bool{"Reportable": true, "Report": true}
	callers := map[string]publish.Caller{
		"nobody": testworld.Nobody(), "an account's key": w.CallerOf(out.Keys.Account), "a project's key": w.CallerOf(out.Keys.Project), "an owner's session": w.OwnerOf(me.ID),
	}
	before := w.Written()
	for name, by := range callers {
		for i := range s.NumMethod() {
			method := s.Type().Method(i)
			if method.Type.NumIn() < 3 || method.Type.In(2) != reflect.TypeFor[publish.Caller]() {
				t.Fatalf("%s does not take a caller after its context", method.Name)
			}
			args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(by)}
			for in := 3; in < method.Type.NumIn(); in++ {
				arg := reflect.New(method.Type.In(in)).Elem()
				if arg.Kind() == reflect.String {
					arg.SetString(string(out.Project.ID))
				}
				args = append(args, arg)
			}
			results := s.Method(i).Call(args)
			err, _ := results[len(results)-1].Interface().(error)
			if refused := errors.Is(err, publish.ErrOperatorNeeded); refused == forAnybody[method.Name] {
				t.Errorf("%s as %s: %v", method.Name, name, err)
			}
		}
	}
	if w.Written() != before {
		t.Error("something was written")
	}
	if n := s.NumMethod(); n < 15 || n > 40 {
		t.Errorf("the Service has %d methods", n)
	}
	if _, err := open(t, w).Suspend(t.Context(), byOperator, string(out.Project.ID), "spam"); err != nil {
		t.Errorf("the operator: %v", err)
	}
}
