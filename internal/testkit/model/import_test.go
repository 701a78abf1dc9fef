package model_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
)

// importExport takes what an account, or one of its projects, exports into an account, under an Idempotency-Key. Sent again,
// at any node, it makes nothing more.
func (m *machine) importExport(t *rapid.T) {
	var from []actor
	for _, a := range m.accounts {
		from = append(from, actor{account: a})
	}
	for _, p := range m.projects {
		from = append(from, actor{account: p.owner, project: p})
	}
	if len(from) == 0 {
		m.publish(t)
		return
	}
	of, by, history := pick(t, "export of", from), m.actor(t), rapid.Bool().Draw(t, "with its history")
	projects, data := m.covered(of), m.export(t, of, history)
	m.onceKeys++
	in := transfer.Input{Idempotency: fmt.Sprint("import-", m.onceKeys)}
	var why []sandlot.Code
	switch {
	case by.nobody():
		why = []sandlot.Code{sandlot.CodeKeyRequired}
	case by.scoped():
		why = []sandlot.Code{sandlot.CodeAccountKeyRequired}
	}
	send := func(data []byte) (transfer.Report, error) {
		in := in
		in.Archive = bytes.NewReader(data)
		return m.imports.Import(t.Context(), m.caller(t, by), in)
	}
	out, err := send(data)
	if m.lost(err) { // some of it may have happened
		m.crashNow(t)
		out, err = send(data)
	}
	if !m.happened(t, "import", err, why) {
		return
	}
	if len(out.Projects) != len(projects) {
		t.Fatalf("%d projects were exported, and %d come in", len(projects), len(out.Projects))
	}
	for i, p := range projects {
		m.adopted(t, by.account, p, history, out.Projects[i])
	}
	if m.cut { // or the power could go in what follows: what was refused is tried again, and may take more steps than were left
		m.crashNow(t)
	}
	m.mintKeys(t, out)
	m.anywhere(t, func(t *rapid.T) {
		again, err := send(data)
		if err != nil {
			t.Fatalf("the same import again: %v", err)
		}
		for i, o := range again.Projects {
			if first := out.Projects[i]; o.Adopted.Project.ID != first.Adopted.Project.ID || o.Adopted.FromRecord != (first.Refused == nil) {
				t.Fatalf("the same import again yields %+v, and it yielded %+v", o, first)
			}
		}
	})
}

// crashNow is the crash that the power was to go for, at once. Without certainty of what it did, the calls go to the other node.
func (m *machine) crashNow(t *rapid.T) {
	if !m.sure() {
		m.fall(t)
		return
	}
	m.cut = false
	m.crash(t, rapid.Uint64().Draw(t, "what the crash leaves"))
}

// mintKeys gives each project that came in a key, so that it is one like any other.
func (m *machine) mintKeys(t *rapid.T, out transfer.Report) {
	for _, o := range out.Projects {
		for _, p := range m.projects {
			if o.Refused != nil || p.id != o.Adopted.Project.ID {
				continue
			}
			var err error
			if p.key, err = m.Keyring.MintKey(t.Context(), m.owner(t, p.owner), publish.NewKey{Project: p.id, Name: "imported", Form: "form of " + string(p.id)}); err != nil {
				t.Fatalf("mint a key of what was imported: %v", err)
			}
		}
	}
}

func (m *machine) export(t *rapid.T, of actor, history bool) []byte {
	e, err := m.Export(t.Context(), m.caller(t, of))
	if err != nil {
		t.Fatalf("export: %v", err)
	}
	e.History = history
	var out bytes.Buffer
	if err := transfer.Write(context.WithoutCancel(t.Context()), &out, e, m.Contents); err != nil {
		t.Fatalf("write the export: %v", err)
	}
	return out.Bytes()
}

// adopted compares what became of a project, and records the new one.
func (m *machine) adopted(t *rapid.T, owner *account, old *project, history bool, o transfer.Outcome) {
	if m.full(actor{account: owner}) {
		if o.Refused == nil || o.Refused.Code != sandlot.CodeQuotaExceeded {
			t.Fatalf("one project too many is imported: %+v", o)
		}
		return
	}
	if o.Refused != nil || o.From != string(old.id) {
		t.Fatalf("import of %s: %+v, %v", old.id, o, o.Refused)
	}
	got := o.Adopted.Project
	for _, other := range append(append([]*project{}, m.projects...), m.trash...) {
		if other.id == got.ID {
			t.Fatalf("the import has the id of %s", got.ID)
		}
	}
	p := &project{id: got.ID, owner: owner, title: old.title, lang: old.lang, about: old.about, unlisted: old.unlisted, threads: old.threads, tags: old.tags, seen: map[int]int{}}
	m.takeVersions(t, p, old, history)
	m.projects = append(m.projects, p)
	m.seq++
	p.seq = m.seq
	m.change(p, change{version: len(p.versions), by: m.here})
	m.compareHead(t, got, p)
}

// takeVersions gives a project the versions that another has: without a history the current one. The same bytes are put once.
func (m *machine) takeVersions(t *rapid.T, p, old *project, history bool) {
	last := time.Date(1991, time.January, 1, 0, 0, 0, 0, time.UTC)
	date := func(at time.Time) time.Time {
		if at = at.Truncate(time.Second); at.After(m.now) {
			at = m.now
		}
		if at.Before(last) {
			at = last
		}
		last = at
		return at
	}
	p.made = date(old.made)
	puts, numbers := map[string]file{}, map[int]int{}
	for i, v := range old.versions {
		if v.erased || !history && i < len(old.versions)-1 {
			continue
		}
		next := version{at: date(v.at), title: v.title, primary: v.primary, files: map[string]file{}}
		if history {
			next.from = numbers[v.from]
		}
		for name, f := range v.files {
			if _, there := puts[f.text]; !there {
				puts[f.text] = m.file(f.text)
			}
			next.files[name] = puts[f.text]
		}
		p.versions = append(p.versions, next)
		numbers[i+1] = len(p.versions)
	}
	p.versions[len(p.versions)-1].title = p.title
	for i := range p.versions {
		v, err := m.db.Publish().Version(t.Context(), p.id, i+1)
		if err != nil {
			t.Fatalf("version %d of what was imported: %v", i+1, err)
		}
		p.versions[i].suffix = v.Suffix
	}
}
