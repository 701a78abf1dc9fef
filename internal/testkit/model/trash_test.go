package model_test

import (
	"errors"
	"slices"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// over reports whether a project in the trash can be taken back no more.
func (m *machine) over(p *project) bool { return !m.now.Before(p.deleted.Add(publish.TrashKept)) }

// deleteProject deletes one, which its owner may take back. It leaves those alone that an upload is about.
func (m *machine) deleteProject(t *rapid.T) {
	by := m.actor(t)
	ref, p, why := m.target(t, by)
	if ref == "" && !by.nobody() {
		ref, p, why = "no-such-project-1", nil, []sandlot.Code{sandlot.CodeProjectNotFound}
	}
	if by.scoped() {
		why = append(why, sandlot.CodeAccountKeyRequired)
	}
	if p != nil && m.uploading(p) {
		m.update(t)
		return
	}
	confirm := ""
	if p != nil {
		if confirm = rapid.SampledFrom([]string{string(p.id), string(p.id), "no", ""}).Draw(t, "confirm"); confirm != string(p.id) {
			why = append(why, sandlot.CodeInvalidField, sandlot.CodeMissingField)
		}
	}
	out, err := m.DeleteProject(t.Context(), m.caller(t, by), ref, confirm)
	if !m.happened(t, "delete a project", err, why) {
		return
	}
	if out.ID != p.id || !out.DeletedAt.Equal(m.now) {
		t.Fatalf("deleted %s at %v, want %s at %v", out.ID, out.DeletedAt, p.id, m.now)
	}
	p.deleted = m.now
	m.projects = slices.DeleteFunc(m.projects, func(other *project) bool { return other == p })
	m.trash = append(m.trash, p)
	m.change(p, change{by: m.here})
	m.recent = slices.DeleteFunc(m.recent, func(c partCall) bool { return c.project == p || c.by.project == p })
	m.kept = slices.DeleteFunc(m.kept, func(k kept) bool { return k.project == p })
	for _, n := range m.nodes {
		_, err := n.Identify(t.Context(), sandlot.Presented{Key: p.key}, nobody.From)
		m.happened(t, "present the key of a project that was deleted", err, []sandlot.Code{sandlot.CodeInvalidKey})
	}
	if again, err := m.DeleteProject(t.Context(), m.caller(t, actor{account: p.owner}), string(p.id), string(p.id)); err != nil ||
		again.ID != p.id || !again.DeletedAt.Equal(p.deleted) {
		t.Fatalf("deleted again: %+v, %v", again, err)
	}
}

// uploading reports whether an upload is about a project, or was begun or completed with its key.
func (m *machine) uploading(p *project) bool {
	for _, u := range m.uploads {
		if u.project == p || u.first.project == p || u.first.by.project == p {
			return true
		}
	}
	return false
}

// takeBack makes a deleted project again what it was, unless it is over or there are too many.
func (m *machine) takeBack(t *rapid.T) {
	if len(m.trash) == 0 {
		m.deleteProject(t)
		return
	}
	p := pick(t, "deleted project", m.trash)
	me := m.owner(t, p.owner)
	if seldom(t, "for good") {
		if _, err := m.Trash.Purge(t.Context(), me, p.id); err != nil {
			t.Fatalf("delete for good: %v", err)
		}
		m.empty(func(other *project) bool { return other == p })
		if _, err := m.Trash.TakeBack(t.Context(), me, p.id); !errors.Is(err, sandlot.ErrNotFound) {
			t.Fatalf("take back what is gone: %v", err)
		}
		return
	}
	var why []sandlot.Code
	if m.full(actor{account: p.owner}) {
		why = append(why, sandlot.CodeQuotaExceeded)
	}
	_, err := m.Trash.TakeBack(t.Context(), me, p.id)
	if !m.happened(t, "take back", err, why) {
		return
	}
	m.trash = slices.DeleteFunc(m.trash, func(other *project) bool { return other == p })
	m.projects = append(m.projects, p)
	m.change(p, change{version: len(p.versions), by: m.here})
}

// compareTrash compares what an account's owner may take back.
func (m *machine) compareTrash(t *rapid.T, a *account) {
	got, _, err := m.Trash.List(t.Context(), m.owner(t, a), publish.TrashPage{})
	if err != nil {
		t.Fatalf("list deleted projects: %v", err)
	}
	for _, p := range m.trash {
		listed := slices.IndexFunc(got, func(g publish.Trashed) bool { return g.ID == p.id })
		if p.owner != a {
			continue
		}
		if listed < 0 || !got[listed].DeletedAt.Equal(p.deleted) || got[listed].Title != p.title || got[listed].Version != len(p.versions) {
			t.Fatalf("%s is not among the deleted projects as it was: %+v", p.id, got)
		}
		got = slices.Delete(got, listed, listed+1)
	}
	if len(got) > 0 {
		t.Fatalf("more projects are deleted than were: %+v", got)
	}
}
