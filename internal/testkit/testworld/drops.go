package testworld

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	"sandlot"
	"sandlot/internal/domain/heads"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// Says is what a step of a store returns: what it changed, and its error.
type Says func() (sandlot.Changed, error)

// StepsDrop proves of a store S, as a Service has it, that nothing stays cached that a step
// changed. Each step of S that says what it changed is there in a form that does not say it,
// and has dropped exactly that from the heads when it returns, also when it failed in doubt,
// but nothing when it certainly had no effect. current makes the store as a Service has it of
// one whose steps all return what says does.
func StepsDrop[S any](t *testing.T, current func(says Says, heads *heads.Cache) any) {
	t.Helper()
	steps := 0
	for i := range reflect.TypeFor[S]().NumMethod() {
		name := reflect.TypeFor[S]().Method(i).Name
		if !saysChanged(reflect.TypeFor[S]().Method(i).Type) {
			continue
		}
		steps++
		for what, said := range map[string]sandlot.Changed{
			"a project": {Projects: []sandlot.ProjectID{"pong-abc123"}}, "an account": {Account: 1}, "nothing": {},
		} {
			for how, err := range map[string]error{"done": nil, "in doubt": sandlot.ErrUnavailable, "refused": sandlot.NoEffect(sandlot.ErrMoved)} {
				t.Run(name+"/"+what+"/"+how, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						drops(t, name, said, err, current)
					})
				})
			}
		}
	}
	if steps == 0 {
		t.Error("no step says what it changed")
	}
}

// drops takes one step while pong and breakout, of account 1, and tetra, of account 2, are cached.
func drops(t *testing.T, name string, said sandlot.Changed, failure error, current func(Says, *heads.Cache) any) {
	store := &loads{of: map[sandlot.ProjectID]sandlot.AccountID{"pong-abc123": 1, "breakout-abc123": 1, "tetra-abc123": 2}, n: map[sandlot.ProjectID]int{}}
	s, err := publish.New(t.Context(), publish.Config{Places: Places()}, publish.Stores{Store: store}, slog.New(slog.DiscardHandler))
	expect.OK(t, err)
	read := func() {
		for id := range store.of {
			_, err := s.Reader.Current(t.Context(), Nobody(), id)
			expect.OK(t, err)
		}
	}
	read()
	step := reflect.ValueOf(current(func() (sandlot.Changed, error) { return said, failure }, s.Heads)).MethodByName(name)
	if saysChanged(step.Type()) {
		t.Fatal("it says what it changed, and whoever calls it may forget that")
	}
	args := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < step.Type().NumIn(); i++ {
		args = append(args, reflect.Zero(step.Type().In(i)))
	}
	out := step.Call(args)
	if err, _ := out[len(out)-1].Interface().(error); err != failure {
		t.Errorf("its error is %v, want %v", err, failure)
	}
	read()
	for id, account := range store.of {
		want := 1
		if !errors.Is(failure, sandlot.ErrNoEffect) && (slices.Contains(said.Projects, id) || account == said.Account) {
			want = 2
		}
		if store.n[id] != want {
			t.Errorf("%s was loaded %d times, want %d", id, store.n[id], want)
		}
	}
}

func saysChanged(step reflect.Type) bool {
	for i := range step.NumOut() {
		if step.Out(i) == reflect.TypeFor[sandlot.Changed]() {
			return true
		}
	}
	return false
}

// loads counts how often projects are read.
type loads struct {
	publish.Store
	of map[sandlot.ProjectID]sandlot.AccountID
	n  map[sandlot.ProjectID]int
}

// Secret implements publish.SecretStore.
func (l *loads) Secret(_ context.Context, _ string, fresh []byte) ([]byte, error) { return fresh, nil }

// Project implements publish.Store.
func (l *loads) Project(_ context.Context, id sandlot.ProjectID) (sandlot.Project, error) {
	l.n[id]++
	return sandlot.Project{ID: id, Account: l.of[id]}, nil
}
