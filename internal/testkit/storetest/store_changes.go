package storetest

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"sandlot"
	owner "sandlot/internal/domain/account"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// change returns the change number of a project, and 0 for none.
func (s Stores) change(t *testing.T, id sandlot.ProjectID) int64 {
	t.Helper()
	return must(s.Publish.Changes(t.Context(), []sandlot.ProjectID{id}))(t)[id]
}

// numbers are the change numbers of all projects, and whose they are.
func (s Stores) numbers(t *testing.T) map[sandlot.ProjectID]sandlot.Project {
	t.Helper()
	all := map[sandlot.ProjectID]sandlot.Project{}
	for _, p := range must(s.Operate.ListProjects(t.Context(), operate.ProjectQuery{Limit: 99}))(t) {
		all[p.ID] = p.Project
	}
	return all
}

// saysWhatGrew takes a step, and fails the test unless it returns exactly the projects, or the account of exactly those, whose number grew.
func (s Stores) saysWhatGrew(t *testing.T, step string, do func() (sandlot.Changed, error)) {
	t.Helper()
	before := s.numbers(t)
	changed, err := do()
	ok(t, err)
	after := s.numbers(t)
	grew, said := map[sandlot.ProjectID]bool{}, map[sandlot.ProjectID]bool{}
	for id, p := range before {
		if now, there := after[id]; !there || now.Change > p.Change {
			grew[id] = true
		}
		if slices.Contains(changed.Projects, id) || changed.Account != 0 && p.Account == changed.Account {
			said[id] = true
		}
	}
	same(t, step+": the projects that it returns", said, grew)
	same(t, step+": whether any changed", len(grew) > 0, true)
}

func changesGrow(t *testing.T, s Stores) {
	a := withEmail(t, s, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	second := must(s.Publish.CreateProject(t.Context(), newProject("tetra", a.ID)))(t)
	last := s.mustProject(t, "another's").Account
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	to, from := s.verified(t, "max", "max@example.com"), s.named(t, "guest", "max@example.com")
	ctx, project, account, at := t.Context(), ofProject(p.ID), ofAccount(a.ID), entry(sandlot.ActionSuspend, "it")
	put, title := files("b.js", inline("b")), "Other"
	taken := map[string]bool{}
	for _, step := range []struct {
		name string
		do   func() (sandlot.Changed, error)
	}{
		{"Publish.PutFile", func() (c sandlot.Changed, err error) {
			p, c, err = s.Publish.PutFile(ctx, p.ID, file("a.js", inline("a")), edit(p))
			return c, err
		}},
		{"Publish.DeleteFile", func() (c sandlot.Changed, err error) {
			p, c, err = s.Publish.DeleteFile(ctx, p.ID, "a.js", edit(p))
			return c, err
		}},
		{"Management.Rearrange", func() (c sandlot.Changed, err error) {
			p, c, err = s.Management.Rearrange(ctx, p.ID, publish.Change{Put: put}, edit(p))
			return c, err
		}},
		{"Management.SetDetails", func() (sandlot.Changed, error) {
			return s.Management.SetDetails(ctx, p.ID, publish.DetailsChange{Title: &title})
		}},
		{"Management.EraseVersion", func() (sandlot.Changed, error) { return s.Management.EraseVersion(ctx, p.ID, 1, base()) }},
		{"Upkeep.Trim", func() (sandlot.Changed, error) {
			_, _, c, err := s.Upkeep.Trim(ctx, 1, base().Add(time.Hour), 0, 99)
			return c, err
		}},
		{"Operate.Suspend", func() (sandlot.Changed, error) { return s.Operate.Suspend(ctx, project, at) }},
		{"Operate.Reinstate", func() (sandlot.Changed, error) { return s.Operate.Reinstate(ctx, project, at) }},
		{"Operate.Suspend", func() (sandlot.Changed, error) { return s.Operate.Suspend(ctx, account, at) }},
		{"Operate.Reinstate", func() (sandlot.Changed, error) { return s.Operate.Reinstate(ctx, account, at) }},
		{"Accounts.Rename", func() (sandlot.Changed, error) {
			return s.Accounts.Rename(ctx, a.ID, "kimberly", base(), base().Add(-time.Hour), 3)
		}},
		{"Accounts.UseVerification", func() (sandlot.Changed, error) {
			_, c, err := s.Accounts.UseVerification(ctx, sum("token"), base())
			return c, err
		}},
		{"Accounts.TakeEmail", func() (sandlot.Changed, error) {
			s.propose(t, a, "new@example.com", "link")
			_, c, err := s.Accounts.TakeEmail(ctx, token("link"), base(), base().Add(undoLife), sandlot.Job{Kind: "notice", Due: base()})
			return c, err
		}},
		{"Accounts.TakeEmailBack", func() (sandlot.Changed, error) {
			must(s.Mail.AddEmailLink(ctx, token("back"), owner.EmailMove{Account: a.ID, Email: a.Email, Undo: true}, base()))(t)
			_, c, err := s.Accounts.TakeEmailBack(ctx, token("back"), base())
			return c, err
		}},
		{"Accounts.TakeOver", func() (sandlot.Changed, error) { return s.Accounts.TakeOver(ctx, from.ID, to.ID, "max@example.com") }},
		{"Covers.Choose", func() (sandlot.Changed, error) { return s.Covers.Choose(ctx, p.ID, cover.Automatic, "", nil, base()) }},
		{"Covers.Settle", func() (sandlot.Changed, error) {
			due := must(s.Covers.Due(ctx, 0, 1))(t)
			tasks, lease, err := s.Covers.Lease(ctx, []int64{due[0].Number}, time.Minute)
			ok(t, err)
			return s.Covers.Settle(ctx, tasks[0], lease, cover.Settled{}, base())
		}},
		{"Covers.Portray", func() (sandlot.Changed, error) { return s.Covers.Portray(ctx, a.ID, fresh("jkim"), base()) }},
		{"Management.Trash", func() (sandlot.Changed, error) { return s.Management.Trash(ctx, p.ID, 0, at) }},
		{"Operate.Remove", func() (sandlot.Changed, error) { return s.Operate.Remove(ctx, ofProject(second.ID), at) }},
		{"Accounts.Remove", func() (sandlot.Changed, error) { return s.Accounts.Remove(ctx, ofAccount(last), at) }},
	} {
		s.saysWhatGrew(t, step.name, step.do)
		taken[step.name] = true
	}
	before := s.trashed(t, p.ID)
	changed, err := s.Management.TakeBack(ctx, p.ID, publish.Quota{}, at)
	ok(t, err)
	same(t, "what is taken back", changed, sandlot.Changed{Projects: []sandlot.ProjectID{p.ID}})
	same(t, "whether its number grew", s.change(t, p.ID) > before.Change, true)
	taken["Management.TakeBack"] = true
	same(t, "the steps that return what they changed", slices.Sorted(maps.Keys(taken)), stepsOf(t))
}

// stepsOf are the steps of Records that return a sandlot.Changed, by field and method.
func stepsOf(t *testing.T) (steps []string) {
	t.Helper()
	for i := range reflect.TypeFor[Records]().NumField() {
		field := reflect.TypeFor[Records]().Field(i)
		for j := range field.Type.NumMethod() {
			if name := field.Type.Method(j).Name; changes(field.Type, name) {
				steps = append(steps, field.Name+"."+name)
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
	addCounts(t, s, map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 3, Likes: 1, Batch: 1}})
	must(s.Gallery.Like(t.Context(), p.ID, sum("player"), true))(t)
	s.mustPut(t, other, file("a.js", inline("a")))
	ok(t, done(s.Operate.Suspend(t.Context(), ofAccount(other.Account), entry(sandlot.ActionSuspend, "@tetra"))))
	same(t, "the number", s.change(t, p.ID), p.Change)
}
