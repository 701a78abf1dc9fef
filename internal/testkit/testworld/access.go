package testworld

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// Callers are the kinds of caller that a call is made as, each as it stands to Kim of a Scene.
var Callers = []string{
	"nobody", "the account's key", "the project's key", "the key of another project", "another account's key",
	"the owner's session", "another's session", "the operator",
}

// States are what has happened to Kim before the calls: nothing, or a suspension. In the last one the callers were made before it.
var States = []string{"active", "project suspended", "account suspended", "account suspended meanwhile"}

// owning are the callers that may change what is Kim's, where they are let in.
var owning = map[string]bool{"the account's key": true, "the project's key": true, "the owner's session": true, "the operator": true}

// A Scene is a world with an account in it, whose things the calls are about.
type Scene struct {
	*World
	Kim     sandlot.Account // with a verified address
	Project sandlot.Project // of Kim's, at version 3: index.html, a.css
	KeyID   int64           // of the key of Project
	Session int64           // of Kim

	kims map[string][]string // the rows of Kim, as the calls find them
}

// Seen says who calls: one of Callers, in one of States.
type Seen struct{ Who, State string }

// A Gate is how a method of a Service is called about a Scene, and the error that each caller is to get of it.
type Gate struct {
	Call func(s *Scene, by sandlot.Caller) error
	Want func(Seen) error
}

// CheckAccess calls every exported method of a Service as each of Callers, in each of States; a method without a gate fails
// the test, and a gate without a method. The call has to end as its gate says. One that is refused changes nothing at all, and one by who
// does
// not own them nothing of Kim's things. prepare, which may be nil, adds to the scene. The rules are the same on every set of stores, so all of
// this is on SQLite.
func CheckAccess(t *testing.T, service reflect.Type, prepare func(*Scene), gates map[string]Gate) {
	t.Helper()
	compareGates(t, service, gates)
	for _, state := range States {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			checkState(t, state, prepare, gates)
		})
	}
}

// checkState makes all calls in a state.
func checkState(t *testing.T, state string, prepare func(*Scene), gates map[string]Gate) {
	t.Helper()
	first, callers := newScene(t, state, prepare)
	first.kims = first.RowsOf(first.Kim.ID)
	now := first.copy(t)
	for _, who := range Callers {
		for name, gate := range gates {
			if now.check(t, name, gate, Seen{who, state}, callers[who]) {
				now = first.copy(t)
			}
		}
	}
}

// compareGates compares the gates with the exported methods.
func compareGates(t *testing.T, service reflect.Type, gates map[string]Gate) {
	t.Helper()
	methods := map[string]bool{}
	for i := range service.NumMethod() {
		name := service.Method(i).Name
		methods[name] = true
		if _, ok := gates[name]; !ok {
			t.Errorf("nobody says who may call %s", name)
		}
	}
	for name := range gates {
		if !methods[name] {
			t.Errorf("there is no method %s", name)
		}
	}
}

// check makes one call, and reports whether something was written.
func (s *Scene) check(t *testing.T, name string, gate Gate, seen Seen, by sandlot.Caller) (wrote bool) {
	t.Helper()
	written, blobs := s.Written(), s.BlobsOnDisk()
	err, want := gate.Call(s, by), gate.Want(seen)
	if !errors.Is(err, want) {
		t.Errorf("%s as %s, %s: got %v, want %v", name, seen.Who, seen.State, err, want)
	}
	wrote = s.Written() != written || s.BlobsOnDisk() != blobs
	if wrote && err != nil {
		t.Errorf("%s as %s, %s: refused (%v), and something was written", name, seen.Who, seen.State, err)
	}
	if wrote && !owning[seen.Who] {
		if diff := cmp.Diff(s.kims, s.RowsOf(s.Kim.ID)); diff != "" {
			t.Errorf("%s as %s, %s: what is another's was changed (-before +after):\n%s", name, seen.Who, seen.State, diff)
		}
	}
	return wrote
}

// newScene makes a scene in a state, and its callers.
func newScene(t *testing.T, state string, prepare func(*Scene)) (*Scene, map[string]sandlot.Caller) {
	t.Helper()
	s := &Scene{World: New(t)}
	out := s.PublishPage(Nobody(), "<!doctype html><title>one</title>")
	kim := s.CallerOf(out.Keys.Account)
	second := s.PublishPage(kim, "<!doctype html><title>two</title>").Keys.Project
	s.PutFile(kim, out.Project.ID, "a.css", "a {}")
	s.Project = s.PutFile(kim, out.Project.ID, "a.css", "b {}").Project
	lee := s.NewAccount()
	s.PublishPage(lee, "<!doctype html><title>three</title>")
	var err error
	if s.Kim, err = s.Account.Verify(t.Context(), Nobody(), s.Token("/verify")); err != nil {
		t.Fatal(err)
	}
	session, _, _ := s.OwnerOf(s.Kim.ID).Login()
	s.KeyID, s.Session = s.CallerOf(out.Keys.Project).Key().ID, session.ID
	if prepare != nil {
		prepare(s)
	}
	callers := func() map[string]sandlot.Caller {
		return map[string]sandlot.Caller{
			"nobody": Nobody(), "the operator": sandlot.AsOperator("kim"),
			"the account's key": s.CallerOf(out.Keys.Account), "the project's key": s.CallerOf(out.Keys.Project),
			"the key of another project": s.CallerOf(second),
			"another account's key":      lee, "the owner's session": s.OwnerOf(s.Kim.ID), "another's session": s.OwnerOf(lee.Account()),
		}
	}
	before := callers()
	switch state {
	case "project suspended":
		_, err = s.Operate.Suspend(t.Context(), sandlot.AsOperator(""), string(s.Project.ID), "spam")
	case "account suspended", "account suspended meanwhile":
		_, err = s.Operate.Suspend(t.Context(), sandlot.AsOperator(""), "@"+s.Kim.Handle, "spam")
	}
	expect.OK(t, err)
	if state == "account suspended" {
		before = callers()
	}
	return s, before
}

// copy is the scene as it is, in a world of its own.
func (s *Scene) copy(t *testing.T) *Scene {
	t.Helper()
	out := *s
	out.World = s.Copy(t)
	return &out
}

// Kims are the callers that may do everything with Kim's project. It never changes.
var Kims = map[string]bool{"the account's key": true, "the project's key": true, "the owner's session": true}

// OwnerAlone is the error of a method for the owner alone; everybody else learns only that a project was taken down.
func OwnerAlone(seen Seen) error {
	switch {
	case seen.Who == "nobody", seen.Who == "the operator":
		return sandlot.CodeKeyRequired
	case seen.State != "active":
		return sandlot.CodeTakenDown
	case Kims[seen.Who]:
		return nil
	case seen.Who == "another's session":
		return sandlot.ErrNotFound
	}
	return sandlot.CodeWrongProject
}
