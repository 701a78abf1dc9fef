package model_test

import (
	"slices"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// restore makes a version of the files of an earlier one.
func (m *machine) restore(t *rapid.T) {
	by := m.actor(t)
	var in publish.RestoreInput
	var p *project
	var why []sandlot.Code
	in.Project, p, why = m.target(t, by)
	if in.Project == "" && !by.nobody() {
		p, why = nil, []sandlot.Code{sandlot.CodeProjectIDRequired}
	}
	in.IfVersion, in.Version, in.Idempotency = ifVersion(t, p), rapid.IntRange(0, 3).Draw(t, "version"), m.onceKey(t)
	if p != nil {
		if often(t, "one that was made") {
			in.Version = rapid.IntRange(1, len(p.versions)).Draw(t, "which")
		}
		why = refusedRestore(p, in)
	}
	var out publish.Restored
	err := m.call(t, func() (err error) {
		out, err = m.Restore(t.Context(), m.caller(t, by), in)
		return err
	})
	if !m.happened(t, "restore", err, why) {
		return
	}
	next := p.versions[in.Version-1].next(out.Project.Suffix, m.now)
	next.from = in.Version
	m.add(p, next)
	m.changed(t, p, out.Project, out.Previous)
	if out.From != in.Version || out.Project.Primary != primary {
		t.Fatalf("restored version %d, which opens %s; want %d, %s", out.From, out.Project.Primary, in.Version, primary)
	}
	m.keep(in.Idempotency,
		kept{project: p, version: len(p.versions), reads: true, again: func(t *rapid.T, other bool) (firstAnswer, error) {
			in := in
			if other {
				in.Version++
			}
			out, err := m.Restore(t.Context(), m.caller(t, by), in)
			return firstAnswer{replayed: out.FromRecord, project: out.Project}, err
		}})
}

func refusedRestore(p *project, in publish.RestoreInput) (why []sandlot.Code) {
	if in.IfVersion != nil && *in.IfVersion != len(p.versions) {
		why = append(why, sandlot.CodeVersionConflict)
	}
	if in.Version < 1 || in.Version > len(p.versions) || p.versions[in.Version-1].erased {
		why = append(why, sandlot.CodeVersionNotFound)
	}
	return why
}

// compareHistory compares what a project's owner sees of its versions.
func (m *machine) compareHistory(t *rapid.T, p *project) {
	by, n, cursor := m.caller(t, actor{account: p.owner, project: p}), len(p.versions), ""
	limit := rapid.IntRange(1, 5).Draw(t, "versions at once")
	for {
		got, err := m.Reader.Versions(t.Context(), by, string(p.id), limit, cursor)
		if err != nil {
			t.Fatalf("versions of %s: %v", p.id, err)
		}
		for _, v := range got.Versions {
			if v.N != n {
				t.Fatalf("version %d of %s is listed as version %d", n, p.id, v.N)
			}
			p.compareVersion(t, v.VersionChange)
			n--
		}
		if cursor = got.Next; cursor == "" {
			break
		}
	}
	if n != 0 {
		t.Fatalf("version %d of %s is not listed", n, p.id)
	}
}

// compareVersion compares one, with what it changed.
func (p *project) compareVersion(t *rapid.T, got sandlot.VersionChange) {
	v := p.versions[got.N-1]
	if got.Erased != v.erased {
		t.Fatalf("version %d of %s is erased: %v", got.N, p.id, got.Erased)
	}
	if v.erased {
		return
	}
	if got.Suffix != v.suffix || got.Title != v.title || got.Primary != primary || got.RestoredFrom != v.from ||
		!got.CreatedAt.Equal(v.at) {
		t.Fatalf("version %d of %s is %+v, want %q that opens %s, restored from %d", got.N, p.id, got, v.title, primary, v.from)
	}
	if !got.Known || got.N == 1 {
		return
	}
	before := p.versions[got.N-2].files
	var added, changed, removed []string
	for name, f := range v.files {
		if old, there := before[name]; !there {
			added = append(added, name)
		} else if old.put != f.put {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, there := v.files[name]; !there {
			removed = append(removed, name)
		}
	}
	for _, of := range []struct{ got, want []string }{{got.Added, added}, {got.Changed, changed}, {got.Removed, removed}} {
		slices.Sort(of.want)
		if !slices.Equal(slices.Sorted(slices.Values(of.got)), of.want) {
			t.Fatalf("version %d of %s changed %+v, want %v, %v and %v", got.N, p.id, got, added, changed, removed)
		}
	}
}
