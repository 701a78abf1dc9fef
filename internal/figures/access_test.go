package figures_test

import (
	"errors"
	"reflect"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/figures"
	"sandlot/internal/gallery"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

const page = "<!doctype html><title>Space Cats</title><p>meow"

// TestWhoIsLetInToFigures calls every exported method as every kind of caller: an account's keys and sessions, and the key of a project, for
// its own alone.
func TestWhoIsLetInToFigures(t *testing.T) {
	t.Parallel()
	for name, set := range testworld.Sets {
		t.Run(name, func(t *testing.T) { lettingIn(t, testworld.New(t, set)) })
	}
}

func lettingIn(t *testing.T, w *testworld.World) {
	owner, another, suspended := w.NewAccount(), w.NewAccount(), w.NewAccount()
	made, sister, others := w.PublishPage(owner, page), w.PublishPage(owner, page), w.PublishPage(another, page)
	id, taken := made.Project.ID, w.PublishPage(suspended, page).Project.ID
	_, err := w.Operate.Suspend(t.Context(), publish.AsOperator(""), string(taken), "spam")
	expect.OK(t, err)
	w.Gallery.Play(t.Context(), testworld.Nobody(), id, gallery.Player{ID: "x"})
	expect.OK(t, w.Counters.Flush(t.Context()))
	calls := map[string]func(by publish.Caller, id publish.ProjectID) (worked bool, err error){
		"ByDay": func(by publish.Caller, id publish.ProjectID) (bool, error) {
			of, err := w.Figures.ByDay(t.Context(), by, string(id), 1)
			return len(of.Days) == 1 && of.Days[0].Plays == 1 && of.Project.ID == id, err
		},
		"ByVersion": func(by publish.Caller, id publish.ProjectID) (bool, error) {
			of, err := w.Figures.ByVersion(t.Context(), by, string(id))
			return len(of.Versions) == 1 && of.Versions[0].Plays == 1 && of.Project.ID == id, err
		},
	}
	service := reflect.TypeFor[*figures.Service]()
	for i := range service.NumMethod() {
		name := service.Method(i).Name
		call := calls[name]
		if call == nil {
			t.Errorf("nobody says who may call %s", name)
			continue
		}
		for who, c := range map[string]struct {
			by   publish.Caller
			id   publish.ProjectID
			want error
		}{
			"the account's key":                {owner, id, nil},
			"the project's key":                {w.CallerOf(made.Keys.Project), id, nil},
			"a session of the account":         {w.OwnerOf(owner.Account()), id, nil},
			"nobody":                           {testworld.Nobody(), id, publish.CodeKeyRequired},
			"another account's key":            {another, id, publish.CodeWrongProject},
			"another project's key":            {w.CallerOf(sister.Keys.Project), id, publish.CodeWrongProject},
			"another account's project's key":  {w.CallerOf(others.Keys.Project), id, publish.CodeWrongProject},
			"another's session":                {w.OwnerOf(another.Account()), id, publish.ErrNotFound},
			"the operator":                     {publish.AsOperator("kim"), id, publish.CodeKeyRequired},
			"the owner of one that is down":    {suspended, taken, publish.CodeTakenDown},
			"another for one that is down":     {another, taken, publish.CodeWrongProject},
			"the owner of one that never was":  {owner, "never-was-abc123", publish.CodeProjectNotFound},
			"a session for one that never was": {w.OwnerOf(owner.Account()), "never-was-abc123", publish.ErrNotFound},
			"nobody, for one that never was":   {testworld.Nobody(), "never-was-abc123", publish.CodeKeyRequired},
		} {
			worked, err := call(c.by, c.id)
			if c.want == nil && (!worked || err != nil) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s as %s: %v, %v, want %v", name, who, worked, err, c.want)
			}
		}
	}
}
