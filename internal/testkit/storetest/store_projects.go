package storetest

import (
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

func projectCases() []storeCase {
	return []storeCase{
		{"CreateProject/records a project, its version 1, its keys", createProject},
		{"CreateProject/records an account (if new)", createProjectNew},
		{"CreateProject/sets an email pending in the same step", createProjectEmail},
		{"CreateProject/a project of that ID is ErrExists", createProjectExists},
		{"CreateProject/an ID is never used again, not even after a deletion", createProjectGone},
		{"Project/returns a project as the latest commit left it", readProject},
		{"Version/returns one version of a project", readVersion},
		{"Content/returns the bytes of a blob that is kept in its record", readContent},
		{"Ping/returns nil while reads and writes can be expected to work", func(t *testing.T, s Stores) { ok(t, s.Publish.Ping(t.Context())) }},
	}
}

func createProject(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	np := newProject("pong", a.ID)
	np.Wrapper = "site/"
	got := must(s.Publish.CreateProject(t.Context(), np))(t)
	want := sandlot.Project{
		ID: "pong", Account: a.ID, Handle: "kim", Title: np.Title, Lang: "fr", Primary: "index.html", Wrapper: "site/", Version: 1, Suffix: np.Suffix,
		Size: np.Files[0].Blob.Size, FileCount: 1, Seq: got.Seq, CreatedAt: np.CreatedAt, UpdatedAt: np.CreatedAt,
	}
	same(t, "the answer", got, want)
	same(t, "the project", must(s.Publish.Project(t.Context(), "pong"))(t), want)
	same(t, "version 1", must(s.Publish.Version(t.Context(), "pong", 1))(t), sandlot.Version{N: 1, Suffix: np.Suffix, Title: np.Title, Primary: np.Primary, CreatedAt: np.CreatedAt})
	same(t, "its files", texts(t, s.Publish, "pong", 1), map[string]string{"index.html": "<p>pong"})
	same(t, "its key", must(s.Credentials.KeyByHash(t.Context(), np.Key.Hash))(t).Project, sandlot.ProjectID("pong"))
}

func createProjectNew(t *testing.T, s Stores) {
	s.mustAccount(t, newAccount("kim"))
	na := newAccount("kim", "kim-2")
	na.Email, na.Key = "kim@example.com", key("account key")
	j := job(na.Email, base())
	na.Job = &j
	np := newProject("pong", 0)
	np.New = &na
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "the owner's handle", p.Handle, "kim-2")
	same(t, "the owner", must(s.Publish.Account(t.Context(), p.Account))(t), sandlot.Account{ID: p.Account, Handle: "kim-2", Email: na.Email, Lang: "de", CreatedAt: na.CreatedAt})
	k := must(s.Credentials.KeyByHash(t.Context(), na.Key.Hash))(t)
	same(t, "the account key", []any{k.Account, k.Kind}, []any{p.Account, sandlot.AccountKey})
	j.Account = p.Account
	same(t, "the jobs", withoutIDs(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)), []sandlot.Job{j})
}

func createProjectEmail(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	np := newProject("pong", a.ID)
	j := job("kim@example.com", base())
	np.Email = &publish.NewEmail{Address: j.Address, Job: j}
	must(s.Publish.CreateProject(t.Context(), np))(t)
	a.Email = j.Address
	same(t, "the account", must(s.Publish.Account(t.Context(), a.ID))(t), a)
	j.Account = a.ID
	same(t, "the jobs", withoutIDs(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)), []sandlot.Job{j})
}

func createProjectExists(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	np := newProject("pong", p.Account)
	np.Title, np.Key = "Another", key("another key")
	_, err := s.Publish.CreateProject(t.Context(), np)
	wants(t, "the same ID", err, sandlot.ErrExists)
	same(t, "the project", must(s.Publish.Project(t.Context(), "pong"))(t), p)
	_, err = s.Credentials.KeyByHash(t.Context(), np.Key.Hash)
	wants(t, "the key of the one refused", err, sandlot.ErrNotFound)
}

func createProjectGone(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustRemove(t, p.ID)
	np := newProject("pong", p.Account)
	np.Key = key("another key")
	_, err := s.Publish.CreateProject(t.Context(), np)
	wants(t, "the ID of a deleted project", err, sandlot.ErrExists)
}

func readProject(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	p = s.mustPut(t, p, file("a.js", inline("a")))
	same(t, "after an update", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	s.mustRemove(t, p.ID)
	_, err := s.Publish.Project(t.Context(), p.ID)
	wants(t, "a deleted project", err, sandlot.ErrNotFound)
}

func readVersion(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at := edit(p)
	must(s.Publish.PutFile(t.Context(), p.ID, file("a.js", inline("a")), at))(t)
	same(t, "version 1", must(s.Publish.Version(t.Context(), p.ID, 1))(t), sandlot.Version{N: 1, Suffix: p.Suffix, Title: p.Title, Primary: p.Primary, CreatedAt: p.CreatedAt})
	same(t, "version 2", must(s.Publish.Version(t.Context(), p.ID, 2))(t), sandlot.Version{N: 2, Suffix: at.Suffix, Title: p.Title, Primary: p.Primary, CreatedAt: at.At})
	_, err := s.Publish.Version(t.Context(), p.ID, 3)
	wants(t, "version 3", err, sandlot.ErrNotFound)
}

func readContent(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	p = s.mustPut(t, p, file("empty.css", inline("")))
	p = s.mustPut(t, p, file("big.wasm", named("elsewhere")))
	same(t, "what is kept", text(t, s.Publish, s.fileNamed(t, p, "index.html").Blob), "<p>pong")
	same(t, "no bytes at all", text(t, s.Publish, s.fileNamed(t, p, "empty.css").Blob), "")
	_, err := s.Publish.Content(t.Context(), s.fileNamed(t, p, "big.wasm").Blob.ID)
	wants(t, "bytes that are elsewhere", err, sandlot.ErrNotFound)
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
		{"Projects/with Seq below before, at most limit", listPages},
		{"Projects/one consistent snapshot", listSnapshot},
		{"Project/Seq grows with every commit that makes a version of one of the account's projects", seqGrows},
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

func listPages(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	for _, id := range []string{"one", "two", "three", "four", "five"} {
		must(s.Publish.CreateProject(t.Context(), newProject(id, a.ID)))(t)
	}
	var got []sandlot.ProjectID
	before := int64(0)
	for range 3 {
		page := must(s.Publish.Projects(t.Context(), a.ID, before, 2))(t)
		got = append(got, ids(page)...)
		before = page[len(page)-1].Seq
	}
	same(t, "all pages", got, []sandlot.ProjectID{"five", "four", "three", "two", "one"})
	same(t, "after the last", len(must(s.Publish.Projects(t.Context(), a.ID, before, 2))(t)), 0)
}

// listSnapshot moves one project to the front again and again: a list that is not
// of one moment would lack it or have it twice.
func listSnapshot(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	var last sandlot.Project
	for _, id := range []string{"one", "two", "three"} {
		last = must(s.Publish.CreateProject(t.Context(), newProject(id, a.ID)))(t)
	}
	stop := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		for p := last; ; {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			var err error
			if p, err = s.Publish.PutFile(background(), p.ID, file("a.js", inline("a")), edit(p)); err != nil {
				ended <- err
				return
			}
		}
	}()
	for range 200 {
		seen := map[sandlot.ProjectID]bool{}
		for _, p := range must(s.Publish.Projects(t.Context(), a.ID, 0, 10))(t) {
			seen[p.ID] = true
		}
		same(t, "what a list has", seen, map[sandlot.ProjectID]bool{"one": true, "two": true, "three": true})
	}
	close(stop)
	ok(t, <-ended)
}

func seqGrows(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	q := must(s.Publish.CreateProject(t.Context(), newProject("tetra", p.Account)))(t)
	seqs := []int64{p.Seq, q.Seq}
	p = s.mustPut(t, p, file("a.js", inline("a")))
	q = s.mustPut(t, q, file("a.js", inline("a")))
	seqs = append(seqs, p.Seq, q.Seq, must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t).Seq)
	for i := 1; i < len(seqs); i++ {
		if seqs[i] <= seqs[i-1] {
			t.Fatalf("change %d has Seq %d after %d", i+1, seqs[i], seqs[i-1])
		}
	}
}
