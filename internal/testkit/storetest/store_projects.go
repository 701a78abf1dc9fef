package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

func projectCases() []storeCase {
	return []storeCase{
		{"Ping/returns nil while reads and writes can be expected to work", func(t *testing.T, s Stores) { ok(t, s.Publish.Ping(t.Context())) }},
	}
}

func (s Stores) fileNamed(t *testing.T, p sandlot.Project, name string) sandlot.File {
	t.Helper()
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s has no file %s", p.ID, name)
	return sandlot.File{}
}

func projectListCases() []storeCase {
	return []storeCase{
		{"Projects/returns an account's projects, newest change first", listProjects},
	}
}

func ids(list []sandlot.Project) (ids []sandlot.ProjectID) {
	for _, p := range list {
		ids = append(ids, p.ID)
	}
	return ids
}

func listProjects(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	s.mustProject(t, "of-another")
	var first sandlot.Project
	for i, id := range []string{"one", "two", "three"} {
		p := must(s.Publish.CreateProject(t.Context(), newProject(id, a.ID)))(t)
		if i == 0 {
			first = p
		}
	}
	s.mustPut(t, first, file("a.js", inline("a")))
	s.addCounts(t, map[sandlot.ProjectID]gallery.Counts{"two": {Plays: 1}})
	list := must(s.Publish.Projects(t.Context(), a.ID, 0, 10))(t)
	same(t, "the order", ids(list), []sandlot.ProjectID{"one", "three", "two"})
	for _, p := range list {
		same(t, string(p.ID), p, must(s.Publish.Project(t.Context(), p.ID))(t))
	}
	s.mustRemove(t, "three")
	same(t, "without a deleted one", ids(must(s.Publish.Projects(t.Context(), a.ID, 0, 10))(t)), []sandlot.ProjectID{"one", "two"})
	lee := s.mustAccount(t, newAccount("lee"))
	same(t, "of an account without any", len(must(s.Publish.Projects(t.Context(), lee.ID, 0, 10))(t)), 0)
}
