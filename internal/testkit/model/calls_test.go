package model_test

import (
	"crypto/sha256"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// nobody is who calls without a key.
var nobody = sandlot.Caller{From: sandlot.Sender{Network: "192.0.2.1"}}

// signup makes an account.
func (m *machine) signup(t *rapid.T) {
	email := orEmpty(maybe(t, "email", "ada@example.org", "bob@example.org"))
	in := publish.SignupInput{Handle: orEmpty(maybe(t, "handle", "ada")), Email: email, Idempotency: m.onceKey(t)}
	out, err := m.Signup(t.Context(), nobody, in)
	if !m.happened(t, "signup", err, nil) {
		return
	}
	a := m.newAccount(t, out.Account, out.Key, email)
	m.accounts = append(m.accounts, a)
	m.keep(in.Idempotency, kept{account: a, again: func(t *rapid.T, other bool) (firstAnswer, error) {
		in := in
		if other {
			in.Handle += "x"
		}
		out, err := m.Signup(t.Context(), nobody, in)
		return firstAnswer{replayed: out.FromRecord, keys: publish.Minted{Account: out.Key}}, err
	}})
}

// newAccount is an account in an answer; no other may have its handle.
func (m *machine) newAccount(t *rapid.T, a sandlot.Account, key sandlot.Secret, email string) *account {
	for _, other := range m.accounts {
		if other.handle == a.Handle || other.id == a.ID {
			t.Fatalf("two accounts have the handle %q", a.Handle)
		}
	}
	if a.Handle == "" || a.Email != email || a.EmailVerified {
		t.Fatalf("a new account is %+v", a)
	}
	return &account{id: a.ID, handle: a.Handle, email: email, key: key}
}

// publish makes a project, and an account if nobody calls.
func (m *machine) publish(t *rapid.T) {
	by, page := m.actor(t), text(t)
	in := publish.PublishInput{Title: orEmpty(maybe(t, "title", "Space Cats")), Lang: orEmpty(maybe(t, "lang", "de"))}
	in.Email = rapid.SampledFrom([]string{"ada@example.org", "bob@example.org", ""}).Draw(t, "email")
	why := refusedContent(primary, page)
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
		if in.Content, err = m.stage(t, page); err == nil {
			out, _, err = m.Publish(t.Context(), m.caller(t, asked), in)
		}
		return err
	})
	if !m.happened(t, "publish", err, why) {
		return
	}
	if by.nobody() {
		by.account = m.newAccount(t, *out.Account, out.Keys.Account, in.Email)
		m.accounts = append(m.accounts, by.account)
	} else if in.Email != "" {
		by.account.email = in.Email
	}
	want := in.Title
	if want == "" {
		want = title(page)
	}
	p := m.published(t, by.account, out, project{title: want, lang: in.Lang},
		version{files: m.files(map[string]string{primary: page})})
	m.keep(in.Idempotency, kept{project: p, version: 1, account: by.account, again: func(t *rapid.T, other bool) (firstAnswer, error) {
		in := in
		if other {
			in.Title += "x"
		}
		in.Content, _ = m.stage(t, page)
		out, _, err := m.Publish(t.Context(), m.caller(t, asked), in)
		return firstAnswer{out.FromRecord, out.Project, out.Keys}, err
	}})
}

// published compares the answer of a publish and records the project.
func (m *machine) published(t *rapid.T, owner *account, out publish.Published, words project, first version) *project {
	got := out.Project
	if got.Account != owner.id || got.Handle != owner.handle || got.Title != words.title || got.Version != 1 ||
		got.FileCount != len(first.files) || got.Size != first.size() || got.Primary != primary {
		t.Fatalf("published as %+v, want title %q of %q with %d bytes", got, words.title, owner.handle, first.size())
	}
	if out.Keys.Account != owner.key || out.Keys.Project == "" {
		t.Fatal("the answer to a publish lacks a key")
	}
	for _, other := range m.projects {
		if other.id == got.ID || other.key == out.Keys.Project {
			t.Fatalf("the project %s was there already", got.ID)
		}
	}
	p := &words
	p.id, p.owner, p.key, p.seen = got.ID, owner, out.Keys.Project, map[int]int{}
	m.projects = append(m.projects, p)
	first.suffix, first.at = got.Suffix, m.now
	p.made = first.at
	m.add(p, first)
	return p
}

// target draws how a caller names a project, mostly one of its own, and reports
// which it is, or why it is refused.
func (m *machine) target(t *rapid.T, by actor) (ref string, p *project, why []sandlot.Code) {
	if by.nobody() {
		return "", nil, []sandlot.Code{sandlot.CodeKeyRequired}
	}
	mine := m.covered(by)
	switch kind := rapid.SampledFrom([]string{"own", "own", "own", "own", "any", "none", "unknown"}).Draw(t, "project"); {
	case kind == "unknown" || len(m.projects) == 0:
		return "no-such-project-1", nil, []sandlot.Code{sandlot.CodeProjectNotFound}
	case kind == "none" && by.scoped():
		return "", nil, []sandlot.Code{sandlot.CodeProjectIDRequired}
	case kind == "none" && len(mine) == 0:
		return "", nil, []sandlot.Code{sandlot.CodeNoProjects}
	case kind == "none":
		return "", mine[0], nil
	case kind == "own" && len(mine) > 0:
		p = pick(t, "which", mine)
	default:
		p = pick(t, "which", m.projects)
	}
	ref = m.address(t, p)
	if !by.may(p) {
		return ref, nil, []sandlot.Code{sandlot.CodeWrongProject}
	}
	return ref, p, nil
}

// address draws one of the ways in which a project can be named.
func (m *machine) address(t *rapid.T, p *project) string {
	at := m.Places.Project(p.id, len(p.versions), "")
	return rapid.SampledFrom([]string{string(p.id), at.URL, at.Path, at.Page}).Draw(t, "named by")
}

// ifVersion draws a condition on a project: none, true or false.
func ifVersion(t *rapid.T, p *project) *int {
	if p == nil {
		return nil
	}
	n := len(p.versions)
	return rapid.SampledFrom([]*int{nil, nil, nil, new(n), new(n), new(n - 1), new(n + 1)}).Draw(t, "if_version")
}

// update puts a file.
func (m *machine) update(t *rapid.T) {
	by, name, text := m.actor(t), rapid.SampledFrom(names).Draw(t, "filename"), text(t)
	in := publish.UpdateInput{Filename: name, Title: maybe(t, "title", "Renamed", "")}
	var p *project
	var why []sandlot.Code
	in.Project, p, why = m.target(t, by)
	in.IfVersion = ifVersion(t, p)
	if p != nil {
		why = append(why, refusedPut(p, name, text, in.IfVersion)...)
	}
	in.Idempotency = m.onceKey(t)
	var out publish.Updated
	err := m.call(t, func() (err error) {
		if in.Content, err = m.stage(t, text); err == nil {
			out, _, err = m.Update(t.Context(), m.caller(t, by), in)
		}
		return err
	})
	if !m.happened(t, "update", err, why) {
		return
	}
	m.updated(t, p, out, name, text, in.Title)
	m.keep(in.Idempotency, kept{project: p, version: len(p.versions), again: func(t *rapid.T, other bool) (firstAnswer, error) {
		again := text
		if other {
			again += "x"
		}
		in := in
		in.Content, _ = m.stage(t, again)
		out, _, err := m.Update(t.Context(), m.caller(t, by), in)
		return firstAnswer{replayed: out.FromRecord, project: out.Project}, err
	}})
}

// updated compares the answer of an update and records the version.
func (m *machine) updated(t *rapid.T, p *project, out publish.Updated, name, text string, title *string) {
	_, there := p.current().files[name]
	next := p.current().next(out.Project.Suffix, m.now)
	next.files[name] = m.file(text)
	if title != nil {
		p.title = *title
	}
	m.add(p, next)
	m.changed(t, p, out.Project, out.Previous)
	if out.Created == there || out.File.Name != name || out.File.Blob.SHA256 != sha256.Sum256([]byte(text)) {
		t.Fatalf("updated %q as %+v, created %v", name, out.File, out.Created)
	}
}

// changed compares what a change left with the model.
func (m *machine) changed(t *rapid.T, p *project, got sandlot.Project, previous int) {
	n := len(p.versions)
	if got.ID != p.id || got.Version != n || previous != n-1 || got.Title != p.title || got.Size != p.current().size() ||
		got.FileCount != len(p.current().files) || !got.UpdatedAt.Equal(p.current().at) {
		t.Fatalf("version %d after %d is %+v, want version %d with %d files of %d bytes", got.Version, previous, got, n,
			len(p.current().files), p.current().size())
	}
}

// deleteFile takes a file away.
func (m *machine) deleteFile(t *rapid.T) {
	by := m.actor(t)
	var in publish.DeleteInput
	var p *project
	var why []sandlot.Code
	in.Project, p, why = m.target(t, by)
	if in.Project == "" && !by.nobody() {
		p, why = nil, []sandlot.Code{sandlot.CodeProjectIDRequired}
	}
	in.IfVersion, in.Filename = ifVersion(t, p), rapid.SampledFrom(names).Draw(t, "filename")
	if p != nil && often(t, "one that is there") {
		in.Filename = pick(t, "which", slices.Sorted(maps.Keys(p.current().files)))
	}
	in.Idempotency = m.onceKey(t)
	name := in.Filename
	if p != nil {
		why = refusedDelete(p, name, in.IfVersion)
	}
	var out publish.Deleted
	err := m.call(t, func() (err error) {
		out, err = m.DeleteFile(t.Context(), m.caller(t, by), in)
		return err
	})
	if !m.happened(t, "delete", err, why) {
		return
	}
	next := p.current().next(out.Project.Suffix, m.now)
	delete(next.files, name)
	m.add(p, next)
	m.changed(t, p, out.Project, out.Previous)
	if out.Filename != name || out.Project.FileCount != len(next.files) {
		t.Fatalf("deleted %q, %d files are left, want %q and %d", out.Filename, out.Project.FileCount, name, len(next.files))
	}
	m.keep(in.Idempotency,
		kept{project: p, version: len(p.versions), reads: true, again: func(t *rapid.T, other bool) (firstAnswer, error) {
			in := in
			if other {
				in.Filename = primary
			}
			out, err := m.DeleteFile(t.Context(), m.caller(t, by), in)
			return firstAnswer{replayed: out.FromRecord, project: out.Project}, err
		}})
}

func refusedDelete(p *project, name string, ifVersion *int) (why []sandlot.Code) {
	if ifVersion != nil && *ifVersion != len(p.versions) {
		why = append(why, sandlot.CodeVersionConflict)
	}
	if name == primary {
		return append(why, sandlot.CodePrimaryFileProtected)
	}
	if _, there := p.current().files[name]; !there {
		why = append(why, sandlot.CodeFileNotFound)
	}
	return why
}
