package model_test

import (
	"crypto/sha256"
	"io"
	"time"

	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/heads"
	"sandlot/internal/domain/publish"
)

// glance compares, after every action, what costs little: the order of each
// account's projects, and what each node serves of them.
func (m *machine) glance(t *rapid.T) {
	m.anywhere(t, func(t *rapid.T) {
		for _, a := range m.accounts {
			m.compareList(t, actor{account: a}, publish.MaxPage)
		}
	})
	m.checkHeads(t)
}

// compareAll compares all that can be seen, a second later.
func (m *machine) compareAll(t *rapid.T) {
	m.elapsed += heads.Hold + time.Millisecond
	m.anywhere(t, m.compareHere)
}

func (m *machine) compareHere(t *rapid.T) {
	for _, p := range m.gone {
		m.checkHead(t, m.node, p)
	}
	for _, a := range m.accounts {
		m.compareTrash(t, a)
		m.compareList(t, actor{account: a}, rapid.IntRange(1, 4).Draw(t, "page"))
	}
	for _, p := range m.projects {
		by := actor{account: p.owner, project: p}
		m.compareList(t, by, 1)
		m.compareViews(t, p)
		m.compareVersions(t, p)
		m.compareHistory(t, p)
		m.comparePlayers(t, p)
	}
}

// compareList reads whoami page by page.
func (m *machine) compareList(t *rapid.T, by actor, limit int) {
	caller, want, cursor := m.caller(t, by), m.covered(by), ""
	for {
		got, err := m.Reader.Whoami(t.Context(), caller, limit, cursor)
		if err != nil {
			t.Fatalf("whoami: %v", err)
		}
		email := by.account.email
		if by.scoped() {
			email = ""
		}
		if got.Account.Handle != by.account.handle || got.Account.Email != email || len(got.Projects) > limit {
			t.Fatalf("whoami tells of %+v with %d projects, want %q %q", got.Account, len(got.Projects), by.account.handle, email)
		}
		for _, v := range got.Projects {
			if len(want) == 0 {
				t.Fatalf("whoami lists %s too", v.Project.ID)
			}
			m.compareHead(t, v.Project, want[0])
			want = want[1:]
		}
		if cursor = got.Next; cursor == "" {
			break
		}
	}
	if len(want) > 0 {
		t.Fatalf("whoami does not list %s", want[0].id)
	}
}

// compareHead compares the answers about a project's current version.
func (m *machine) compareHead(t *rapid.T, got sandlot.Project, want *project) {
	v := want.current()
	if got.ID != want.id || got.Title != want.title || got.Lang != want.lang || got.Version != len(want.versions) ||
		got.Suffix != v.suffix ||
		got.Size != v.size() || got.FileCount != len(v.files) || got.Primary != primary ||
		got.Account != want.owner.id || got.Handle != want.owner.handle || !got.UpdatedAt.Equal(v.at) {
		t.Fatalf("got %+v, want %s %q at version %d with %d files of %d bytes", got, want.id, want.title, len(want.versions),
			len(v.files), v.size())
	}
}

// compareViews compares what the owner, another and nobody see of a project.
func (m *machine) compareViews(t *rapid.T, p *project) {
	who := []actor{{}, {account: p.owner}, {account: p.owner, project: p}}
	for _, a := range m.accounts {
		who = append(who, actor{account: a})
	}
	for _, other := range m.projects {
		who = append(who, actor{account: other.owner, project: other})
	}
	for _, by := range who {
		got, err := m.Reader.Project(t.Context(), m.caller(t, by), m.address(t, p))
		if err != nil {
			t.Fatalf("read %s: %v", p.id, err)
		}
		m.compareHead(t, got.Project, p)
		if mine := by.may(p); got.Owner != mine || (got.Addresses.Version != "") != mine || !mine && got.Files != nil {
			t.Fatalf("%s shows %d files to an owner: %v, %v", p.id, len(got.Files), got.Owner, mine)
		} else if mine && (len(got.Files) != len(p.current().files)) {
			t.Fatalf("%s shows its owner %d files, and says %+v", p.id, len(got.Files), got.About)
		}
	}
}

// compareVersions reads every version of a project, byte for byte.
func (m *machine) compareVersions(t *rapid.T, p *project) {
	for i, v := range p.versions {
		got, err := m.Reader.AtVersion(t.Context(), nobody, p.id, i+1, v.suffix)
		if v.erased {
			m.happened(t, "read an erased version", err, []sandlot.Code{sandlot.CodeProjectNotFound})
			continue
		}
		if err != nil || got.Version != i+1 {
			t.Fatalf("version %d of %s: %v", i+1, p.id, err)
		}
		files, err := m.Contents.Files(t.Context(), p.id, i+1)
		if err != nil || len(files) != len(v.files) {
			t.Fatalf("version %d of %s has %d files, %v, want %d", i+1, p.id, len(files), err, len(v.files))
		}
		for j, f := range files {
			if j > 0 && files[j-1].Name >= f.Name {
				t.Fatalf("version %d of %s lists %s after %s", i+1, p.id, f.Name, files[j-1].Name)
			}
			want, there := v.files[f.Name]
			if got := m.bytes(t, f.Blob); !there || got != want.text || f.Blob.SHA256 != sha256.Sum256([]byte(got)) {
				t.Fatalf("%s of version %d of %s has %q, want %q", f.Name, i+1, p.id, got, want.text)
			}
		}
	}
	for n, suffix := range map[int]string{len(p.versions): "0000000000", len(p.versions) + 1: p.current().suffix, 0: p.current().suffix} {
		if _, err := m.Reader.AtVersion(t.Context(), nobody, p.id, n, suffix); sandlot.AsError(err) == nil {
			t.Fatalf("version %d with %s of %s: %v", n, suffix, p.id, err)
		}
	}
}

func (m *machine) bytes(t *rapid.T, b sandlot.Blob) string {
	r, err := m.Contents.Open(t.Context(), b, 0, -1)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return string(data)
}
