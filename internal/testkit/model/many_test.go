package model_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// seldom is true once in four times.
func seldom(t *rapid.T, what string) bool { return !often(t, "not "+what) }

// publishMany makes a project of many files, or looks whether it would be made.
func (m *machine) publishMany(t *rapid.T) {
	by, tr := m.actor(t), drawTree(t, nil)
	in := publish.PublishInput{Title: orEmpty(maybe(t, "title", "Space Cats")), Primary: wanted(t), DryRun: seldom(t, "dry run")}
	in.Email = rapid.SampledFrom([]string{"ada@example.org", "bob@example.org", ""}).Draw(t, "email")
	files, page, why := tr.refusedNew(tr.format != "", in.Primary)
	if by.scoped() {
		why = append(why, sandlot.CodeAccountKeyRequired)
	}
	if by.nobody() && in.Email == "" {
		why = append(why, sandlot.CodeEmailRequired)
	}
	if m.full(by) {
		why = append(why, sandlot.CodeQuotaExceeded)
	}
	in.Idempotency = m.onceKey(t)
	asked := by
	var out publish.Published
	err := m.call(t, func() (err error) {
		if in.Tree, err = m.stageTree(t, tr); err == nil {
			out, _, err = m.Publish(t.Context(), m.caller(t, asked), in)
		}
		return err
	})
	if !m.happened(t, "publish many", err, why) {
		return
	}
	first := version{files: m.files(files), primary: page}
	words := project{title: in.Title, wrapper: tr.folder()}
	if words.title == "" {
		words.title = title(files[page])
	}
	if !out.Many || out.DryRun != in.DryRun {
		t.Fatalf("the answer is that of one file, or of a dry run: %+v", out)
	}
	sameNames(t, "published", out.Files, slices.Sorted(maps.Keys(files)))
	if in.DryRun {
		m.tried(t, out, words, first)
		return
	}
	if by.nobody() {
		by.account = m.newAccount(t, *out.Account, out.Keys.Account, in.Email)
		m.accounts = append(m.accounts, by.account)
	} else if in.Email != "" {
		by.account.email = in.Email
	}
	p := m.published(t, by.account, out, words, first)
	m.keep(in.Idempotency, kept{project: p, version: 1, account: by.account, again: func(t *rapid.T, other bool) (firstAnswer, error) {
		in, tr := in, *tr
		tr.drawFormat(t) // however they come, the same files are the same request
		if other {
			in.Title += "x"
		}
		var err error
		if in.Tree, err = m.stageTree(t, &tr); err != nil {
			return firstAnswer{}, err
		}
		out, _, err := m.Publish(t.Context(), m.caller(t, asked), in)
		return firstAnswer{out.FromRecord, out.Project, out.Keys}, err
	}})
}

// tried compares the answer to a dry run of a publish. That nothing was made all comparisons show.
func (m *machine) tried(t *rapid.T, out publish.Published, words project, first version) {
	got := out.Project
	if got.ID != "" || out.Keys != (publish.Minted{}) || out.Account != nil || out.Mailed {
		t.Fatalf("a dry run made %+v", out)
	}
	if got.Title != words.title || got.Version != 1 || got.FileCount != len(first.files) || got.Size != first.size() || got.Primary != first.primary {
		t.Fatalf("a dry run tells of %+v, want %q with %d files of %d bytes", got, words.title, len(first.files), first.size())
	}
}

// updateMany changes a project by many files, or looks whether it would be changed.
func (m *machine) updateMany(t *rapid.T) {
	by := m.actor(t)
	in := publish.UpdateInput{Title: maybe(t, "title", "Renamed", ""), Many: publish.Many{Replace: rapid.Bool().Draw(t, "replace"), Primary: wanted(t)}, DryRun: seldom(t, "dry run")}
	var p *project
	var why []sandlot.Code
	in.Project, p, why = m.target(t, by)
	in.IfVersion = ifVersion(t, p)
	var have map[string]file
	if p != nil {
		have = p.current().files
	}
	tr := drawTree(t, have)
	var next merge
	if p != nil {
		if in.IfVersion != nil && *in.IfVersion != len(p.versions) {
			why = append(why, sandlot.CodeVersionConflict)
		}
		var more []sandlot.Code
		next, more = m.merge(p, tr, tr.format != "", in.Replace, in.Primary)
		why = append(why, more...)
	} else {
		folder := ""
		if in.Replace {
			folder = tr.folder()
		}
		_, more := tr.arranged(folder, tr.format != "")
		why = append(why, more...)
	}
	in.Idempotency = m.onceKey(t)
	var out publish.Updated
	err := m.call(t, func() (err error) {
		if in.Tree, err = m.stageTree(t, tr); err == nil {
			out, _, err = m.Update(t.Context(), m.caller(t, by), in)
		}
		return err
	})
	if !m.happened(t, "update many", err, why) {
		return
	}
	if in.DryRun {
		m.triedUpdate(t, p, out, next, in.Title)
		return
	}
	m.updatedMany(t, p, out, next, in.Title)
	m.keep(in.Idempotency, kept{project: p, version: len(p.versions), again: func(t *rapid.T, other bool) (firstAnswer, error) {
		in, tr := in, *tr
		tr.drawFormat(t)
		if other {
			in.Replace = !in.Replace
		}
		var err error
		if in.Tree, err = m.stageTree(t, &tr); err != nil {
			return firstAnswer{}, err
		}
		out, _, err := m.Update(t.Context(), m.caller(t, by), in)
		return firstAnswer{replayed: out.FromRecord, project: out.Project}, err
	}})
}

// updatedMany compares the answer of an update of many files and records the version.
func (m *machine) updatedMany(t *rapid.T, p *project, out publish.Updated, next merge, title *string) {
	if title != nil {
		p.title = *title
	}
	p.wrapper = next.wrapper
	m.add(p, version{suffix: out.Project.Suffix, at: m.now, files: next.files, primary: next.primary})
	m.changed(t, p, out.Project, out.Previous)
	next.compare(t, out)
}

// compare compares what an answer says of the files, and of which is the primary one.
func (next merge) compare(t *rapid.T, out publish.Updated) {
	sameNames(t, "changed", out.Files, next.changed)
	if !out.Many || out.Unchanged != next.unchanged || out.Removed != next.removed || out.Project.Primary != next.primary {
		t.Fatalf("%d unchanged, %d removed, opens %s; want %d, %d, %s", out.Unchanged, out.Removed, out.Project.Primary, next.unchanged, next.removed, next.primary)
	}
}

// triedUpdate compares the answer to a dry run of an update.
func (m *machine) triedUpdate(t *rapid.T, p *project, out publish.Updated, next merge, title *string) {
	would, got := version{files: next.files}, out.Project
	want := p.title
	if title != nil {
		want = *title
	}
	next.compare(t, out)
	if !out.DryRun || got.ID != p.id || got.Version != len(p.versions)+1 || out.Previous != len(p.versions) || got.Title != want || got.Size != would.size() || got.FileCount != len(would.files) || got.Suffix != "" {
		t.Fatalf("a dry run of %s tells of %+v, want %d files of %d bytes", p.id, got, len(would.files), would.size())
	}
}
