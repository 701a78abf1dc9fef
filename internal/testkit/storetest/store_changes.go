package storetest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

func changeCases() []storeCase {
	return []storeCase{
		{"Changes/grows with every commit after which something else is read of a project, and the step says of which", changesGrow},
		{"Changes/stays with plays and likes, and with what others do", changesStay},
		{"Changes/of the projects that are there, neither deleted nor their account", changesGone},
	}
}

// change returns the change number of a project, and 0 for none.
func (s Stores) change(t *testing.T, id sandlot.ProjectID) int64 {
	t.Helper()
	return must(s.Publish.Changes(t.Context(), []sandlot.ProjectID{id}))(t)[id]
}

func changesGrow(t *testing.T, s Stores) {
	na := newAccount("kim")
	na.Email = "kim@example.com"
	a := s.mustAccount(t, na)
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	second := must(s.Publish.CreateProject(t.Context(), newProject("tetra", a.ID)))(t)
	s.mustProject(t, "another's")
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	project, account := ofProject(p.ID), ofAccount(a.ID)
	at := entry(sandlot.ActionSuspend, "it")
	before := s.change(t, p.ID)
	steps := []struct {
		step, name string
		do         func() error
	}{
		{"Publish.PutFile", "a file that is put", func() (err error) {
			p, err = s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), edit(p))
			return err
		}},
		{"Publish.DeleteFile", "a file that is deleted", func() (err error) { p, err = s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)); return err }},
		{"Management.Rearrange", "a rearrangement", func() (err error) {
			p, err = s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: []sandlot.File{file("b.js", inline("b"))}, Primary: p.Primary}, edit(p))
			return err
		}},
		{"Management.SetDetails", "details", func() error {
			return s.Management.SetDetails(t.Context(), p.ID, publish.Details{Title: "Other", Unlisted: true}.Change())
		}},
		{"Management.EraseVersion", "a version that is erased", func() error { return s.Management.EraseVersion(t.Context(), p.ID, 1, base()) }},
		{"Upkeep.Trim", "versions that are trimmed", func() error { s.trim(t, 1, base().Add(time.Hour), 9); return nil }},
		{"Operate.Suspend", "a suspension", func() error { return s.Operate.Suspend(t.Context(), project, at) }},
		{"Operate.Reinstate", "its end", func() error { return s.Operate.Reinstate(t.Context(), project, at) }},
		{"Operate.Suspend", "a suspension of the account", func() error { return s.Operate.Suspend(t.Context(), account, at) }},
		{"Operate.Reinstate", "the end of that", func() error { return s.Operate.Reinstate(t.Context(), account, at) }},
		{"Accounts.Rename", "another handle", func() error { return s.rename(t, a, "kimberly") }},
		{"Accounts.UseVerification", "a verification", func() error { _, err := s.Accounts.UseVerification(t.Context(), sum("token"), base()); return err }},
		{"Accounts.TakeEmail", "another address", func() error { s.move(t, a, "new@example.com", "back"); return nil }},
		{"Accounts.TakeEmailBack", "the address before", func() error {
			_, err := s.Accounts.TakeEmailBack(t.Context(), token("back"), base())
			return err
		}},
		{"Accounts.TakeOver", "projects that another account takes over", func() error {
			to, from := s.verified(t, "max", "max@example.com"), s.named(t, "guest", "max@example.com")
			return s.Accounts.TakeOver(t.Context(), from.ID, to.ID, "max@example.com")
		}},
		{"Covers.Choose", "a wish for a cover", func() error {
			return s.Covers.Choose(t.Context(), p.ID, cover.Automatic, "", nil, base())
		}},
		{"Covers.Settle", "a cover", func() error {
			due := must(s.Covers.Due(t.Context(), 0, 1))(t)
			tasks, lease, err := s.Covers.Lease(t.Context(), []int64{due[0].Number}, time.Minute)
			ok(t, err)
			return s.Covers.Settle(t.Context(), tasks[0], lease, cover.Settled{}, base())
		}},
		{"Covers.Portray", "a portrait", func() error { return s.Covers.Portray(t.Context(), p.Account, fresh("jkim"), base()) }},
		{"Management.Trash", "a deletion", func() error { return s.Management.Trash(t.Context(), p.ID, 0, at) }},
		{"Management.TakeBack", "its end", func() error { return s.Management.TakeBack(t.Context(), p.ID, publish.Quota{}, at) }},
		{"Operate.Remove", "a deletion by the operator", func() error { return s.Operate.Remove(t.Context(), ofProject(second.ID), at) }},
		{"Accounts.Remove", "a deletion of the account", func() error {
			return s.Accounts.Remove(t.Context(), ofAccount(s.mustProject(t, "last").Account), at)
		}},
	}
	taken := map[string]bool{}
	for _, step := range steps {
		ok(t, step.do())
		taken[step.step] = true
		if strings.HasSuffix(step.step, ".Remove") || strings.HasSuffix(step.step, ".Trash") || strings.HasSuffix(step.step, ".TakeOver") {
			continue // changesGone and takeOver have what is read then
		}
		after := s.change(t, p.ID)
		if after <= before {
			t.Errorf("%s: the change number was %d and is %d", step.name, before, after)
		}
		same(t, step.name+": as it is read", must(s.Publish.Project(t.Context(), p.ID))(t).Change, after)
		before = after
	}
	same(t, "the steps that say what they changed", slices.Sorted(maps.Keys(taken)), stepsOf(t))
}

// stepsOf are the steps of Records that return a sandlot.Changed, by field and method. Each is
// checked whenever a case takes it: as Stores have it, it returns none.
func stepsOf(t *testing.T) (steps []string) {
	t.Helper()
	for i := range reflect.TypeFor[Records]().NumField() {
		field := reflect.TypeFor[Records]().Field(i)
		checked, _ := reflect.TypeFor[Stores]().FieldByName(field.Name)
		for j := range field.Type.NumMethod() {
			name := field.Type.Method(j).Name
			if !changes(field.Type, name) {
				continue
			}
			steps = append(steps, field.Name+"."+name)
			if changes(checked.Type, name) {
				t.Errorf("nobody checks what %s.%s says it changed", field.Name, name)
			}
		}
	}
	slices.Sort(steps)
	return steps
}

func changes(of reflect.Type, method string) bool {
	m, _ := of.MethodByName(method)
	for i := range m.Type.NumOut() {
		if m.Type.Out(i) == reflect.TypeFor[sandlot.Changed]() {
			return true
		}
	}
	return false
}

func changesStay(t *testing.T, s Stores) {
	p, other := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	s.addCounts(t, map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 3, Likes: 1, Batch: 1}})
	must(s.Gallery.Like(t.Context(), p.ID, sum("player"), true))(t)
	s.mustPut(t, other, file("a.js", inline("a")))
	ok(t, s.Operate.Suspend(t.Context(), ofAccount(other.Account), entry(sandlot.ActionSuspend, "@tetra")))
	same(t, "the number", s.change(t, p.ID), p.Change)
}

func changesGone(t *testing.T, s Stores) {
	p, q := s.mustProject(t, "pong"), s.mustProject(t, "tetra")
	kept := s.mustProject(t, "kept")
	s.mustRemove(t, p.ID)
	ok(t, s.Operate.Remove(t.Context(), ofAccount(q.Account), entry(sandlot.ActionDelete, "@tetra")))
	same(t, "what is left", must(s.Publish.Changes(t.Context(), []sandlot.ProjectID{p.ID, q.ID, kept.ID}))(t), map[sandlot.ProjectID]int64{kept.ID: kept.Change})
}
