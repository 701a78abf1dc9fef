package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

// spooled is inline, but that the bytes wait in a file.
func spooled(text string) sandlot.Blob {
	b := inline(text)
	all := strings.NewReader("before" + text + "after")
	b.Inline, b.Spooled = nil, &sandlot.Spooled{File: all, Off: int64(len("before")), Size: len(text)}
	return b
}

// several is how many files a project of many has: more than a statement inserts.
const several = 320

// manyTree is a project of many files, which bring their bytes in each of the ways.
func manyTree(id string, owner sandlot.AccountID) (np publish.NewProject, want map[string]string) {
	np, want = newProject(id, owner), map[string]string{"a.js": "a", "b/c.js": "c", "empty": "", "start.html": "<p>start"}
	np.Files = []sandlot.File{
		file("a.js", inline("a")), file("b/c.js", spooled("c")), file("empty", spooled("")),
		file("start.html", spooled("<p>start")),
	}
	np.Primary = "start.html"
	for _, f := range manyFiles(id, several, spooled) {
		np.Files, want[f.Name] = append(np.Files, f), f.Name
	}
	return np, want
}

// namedTree is one of many files, the bytes of which are elsewhere.
func namedTree(id string, owner sandlot.AccountID) (np publish.NewProject, refs []sandlot.BlobRef) {
	np = newProject(id, owner)
	np.Files = append(manyFiles("named", several, named), np.Files...)
	for _, f := range np.Files[:several] {
		refs = append(refs, f.Blob.Ref)
	}
	return np, refs
}

// inOrder fails the test unless records are in order.
func inOrder(t *testing.T, s Stores, what string) {
	t.Helper()
	list, _ := s.mistakes(t)
	same(t, what+": mistakes", list, nil)
	of, _, _, err := s.Upkeep.AccountMistakes(t.Context(), 0, 99)
	ok(t, err)
	same(t, what+": mistakes of accounts", of, nil)
}

// clean is inOrder, and there is nothing to be swept.
func (s Stores) clean(t *testing.T, what string) {
	t.Helper()
	inOrder(t, s, what)
	same(t, what+": what may go", s.sweepAll(t), nil)
}

func createMany(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	before := must(s.Publish.CreateProject(t.Context(), newProject("before", a.ID)))(t)
	np, want := manyTree("pong", a.ID)
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	np.Upload, np.Wrapper = completion(u, np.ID), "site/"
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	np.By, np.Within = k.ID, publish.Quota{Projects: 2, Bytes: 1 << 20}
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "the project", p, sandlot.Project{
		ID: "pong", Account: a.ID, Handle: "kim", Verified: p.Verified, Title: np.Title, Lang: "fr", Primary: "start.html",
		Wrapper: "site/", Version: 1, Suffix: np.Suffix,
		Size: p.Size, FileCount: several + 4, Seq: p.Seq, Change: p.Change, CreatedAt: np.CreatedAt, UpdatedAt: np.CreatedAt,
	})
	same(t, "whether it is the newest", p.Seq > before.Seq, true)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "the owner's", must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t), []sandlot.Project{p, before})
	same(t, "its files", texts(t, s.Publish, p.ID, 1), want)
	same(t, "version 1", must(s.Publish.Version(t.Context(), p.ID, 1))(t),
		sandlot.Version{N: 1, Suffix: np.Suffix, Title: np.Title, Primary: "start.html", CreatedAt: np.CreatedAt})
	same(t, "its key", must(s.Credentials.KeyByHash(t.Context(), np.Key.Hash))(t).Project, p.ID)
	same(t, "the upload", must(s.Publish.Upload(t.Context(), u.Key, 0, base()))(t).Done.Project, p.ID)
	s.lists(t, "all", gallery.ListedQuery{}, "pong", "before")
	same(t, "read from the disk", texts(t, s.copied(t).Publish, p.ID, 1), want)
	s.mustPut(t, p, file("a.js", inline("other")))
	s.clean(t, "then")
}

func sizeOf(files []sandlot.File) (n int64) {
	for _, f := range files {
		n += f.Blob.Size
	}
	return n
}

func createManyRefused(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	there := must(s.Publish.CreateProject(t.Context(), newProject("there", a.ID)))(t)
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	revoked := s.mint(t, there, "revoked")
	s.Revoke(t, revoked.Hash)
	np, refs := namedTree("pong", a.ID)
	np.By = k.ID
	for what, r := range map[string]struct {
		change func(*publish.NewProject)
		want   error
	}{
		"a taken id":      {func(np *publish.NewProject) { np.ID = there.ID }, sandlot.ErrExists},
		"a taken key":     {func(np *publish.NewProject) { np.Key = key("key of kim") }, sandlot.ErrExists},
		"no primary file": {func(np *publish.NewProject) { np.Primary = "none.html" }, sandlot.ErrNoPrimary},
		"two files of a name": {func(np *publish.NewProject) {
			np.Files = append(np.Files[:several:several], np.Files[several], np.Files[0])
		}, sandlot.ErrExists},
		"a recorded blob that is not there": {func(np *publish.NewProject) {
			np.Files = append(np.Files[:several+1:several+1], file("missing", sandlot.Blob{ID: 1 << 40, Size: 1}))
		}, sandlot.ErrNotFound},
		"too many bytes": {
			func(np *publish.NewProject) { np.Within.Bytes = there.Size + sizeOf(np.Files) - 1 },
			sandlot.ErrTooManyBytes,
		},
		"too many projects": {func(np *publish.NewProject) { np.Within.Projects = 1 }, sandlot.ErrTooManyProjects},
		"an upload that moved on": {
			func(np *publish.NewProject) { np.Upload = completion(u, np.ID); np.Upload.Generation++ },
			sandlot.ErrUploadMoved,
		},
		"a key that was revoked": {func(np *publish.NewProject) { np.By = revoked.ID }, sandlot.ErrRevoked},
		"an account that is proved": {func(np *publish.NewProject) {
			np.Email = &publish.NewEmail{Address: "b@example.com", Job: job("b@example.com", base())}
		}, sandlot.ErrVerified},
		"an account that is gone": {func(np *publish.NewProject) { np.Account = 1 << 40 }, sandlot.ErrNotFound},
	} {
		refused := np
		r.change(&refused)
		err := drop(s.Publish.CreateProject(t.Context(), refused))
		wants(t, what, err, r.want)
		wants(t, what+" says that it had no effect", err, sandlot.ErrNoEffect)
		wants(t, what+": the project", drop(s.Publish.Project(t.Context(), "pong")), sandlot.ErrNotFound)
		same(t, what+": the owner's", must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t), []sandlot.Project{there})
		same(t, what+": names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), refs)
		s.lists(t, what, gallery.ListedQuery{}, "there")
		s.clean(t, what)
	}
	np.Within = publish.Quota{Projects: 2, Bytes: there.Size + sizeOf(np.Files)}
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "in the end", p.FileCount, several+1)
	same(t, "names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), nil)
	s.clean(t, "in the end")
}

// twins are files of which each two have one content, as far apart as can be, and what is in them.
func twins(n int, blob func(string) sandlot.Blob) (list []sandlot.File, want map[string]string) {
	want = map[string]string{}
	for _, folder := range []string{"a", "b"} {
		for i := range n {
			text, name := fmt.Sprint("text ", i), fmt.Sprintf("%s/%04d.js", folder, i)
			list = append(list, file(name, blob(text)))
			want[name] = text
		}
	}
	return list, want
}

// blobsOf counts the records that files have.
func blobsOf(t *testing.T, s Stores, p sandlot.Project) int {
	t.Helper()
	ids := map[int64]bool{}
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		ids[f.Blob.ID] = true
	}
	return len(ids)
}

func createShared(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	for id, blob := range map[string]func(string) sandlot.Blob{"pong": spooled, "tetra": named} {
		np := newProject(id, a.ID)
		list, want := twins(several, blob)
		np.Files = append(np.Files, list...)
		missing := np
		missing.Files = append(np.Files[:len(np.Files):len(np.Files)], file("missing", sandlot.Blob{ID: 1 << 40}))
		wants(t, "a recorded blob that is not there", drop(s.Publish.CreateProject(t.Context(), missing)), sandlot.ErrNotFound)
		s.clean(t, "of one refused")
		p := must(s.Publish.CreateProject(t.Context(), np))(t)
		if id == "pong" {
			want["index.html"] = "<p>pong"
			same(t, "files", texts(t, s.Publish, p.ID, 1), want)
		}
		same(t, "records", blobsOf(t, s, p), several+1)
		same(t, "size", p.Size, sizeOf(np.Files))
	}
	s.clean(t, "then")
}

// later is a version some hours after base.
func later(hours int, c publish.Change) publish.LaterVersion {
	return publish.LaterVersion{
		Change: c, Title: fmt.Sprint("Title ", hours), Suffix: fmt.Sprint("later-", hours),
		At: base().AddDate(-1, 0, 0).Add(time.Duration(hours) * time.Hour),
	}
}

func createHistory(t *testing.T, s Stores) {
	np := newProject("pong", s.mustAccount(t, newAccount("kim")).ID)
	np.Files = append(append(np.Files, file("a.js", spooled("a")), file("b.js", inline("b"))), manyFiles("named", several, named)...)
	a2, index := file("a.js", inline("a2")), np.Files[0]
	np.Later = []publish.LaterVersion{
		later(1, publish.Change{Drop: np.Files[1:], Put: []sandlot.File{a2}}),
		later(2, publish.Change{Drop: []sandlot.File{index}, Put: files("start.html", inline("start")), Primary: "start.html"}),
	}
	np.Within.Bytes = sizeOf(np.Files) + sizeOf(np.Later[0].Change.Put) + sizeOf(np.Later[1].Change.Put)
	for what, r := range map[string]struct {
		c    publish.Change
		want error
	}{
		"a file to drop that was never there":    {publish.Change{Drop: files("none", inline(""))}, sandlot.ErrNotFound},
		"a file to drop that is gone":            {publish.Change{Drop: files("b.js", inline(""))}, sandlot.ErrNotFound},
		"a name that is taken":                   {publish.Change{Put: files("a.js", inline(""))}, sandlot.ErrExists},
		"no primary file":                        {publish.Change{Drop: files("start.html", inline(""))}, sandlot.ErrNoPrimary},
		"another primary file that is not there": {publish.Change{Primary: "index.html"}, sandlot.ErrNoPrimary},
		"a recorded blob that is not there":      {publish.Change{Put: files("c.js", sandlot.Blob{ID: 1 << 40})}, sandlot.ErrNotFound},
		"a byte too many":                        {publish.Change{Put: files("c.js", inline("c"))}, sandlot.ErrTooManyBytes},
	} {
		bad := np
		bad.Later = append(np.Later[:2:2], later(3, r.c))
		err := drop(s.Publish.CreateProject(t.Context(), bad))
		wants(t, what, err, r.want)
		wants(t, what+" says that it had no effect", err, sandlot.ErrNoEffect)
		wants(t, what+": the project", drop(s.Publish.Project(t.Context(), np.ID)), sandlot.ErrNotFound)
		s.clean(t, what)
	}
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "its last version", []any{p.Version, p.FileCount, p.Size, p.Title, p.Primary}, []any{3, 2, int64(7), "Title 2", "start.html"})
	same(t, "files of version 2", texts(t, s.Publish, p.ID, 2), map[string]string{"index.html": "<p>pong", "a.js": "a2"})
	same(t, "files of version 3", texts(t, s.Publish, p.ID, 3), map[string]string{"start.html": "start", "a.js": "a2"})
	same(t, "version 2", must(s.Publish.Version(t.Context(), p.ID, 2))(t),
		sandlot.Version{N: 2, Suffix: "later-1", Title: "Title 1", Primary: "index.html", CreatedAt: np.Later[0].At})
	s.clean(t, "then")
}

// mistakes reads all mistakes, a few projects at a time.
func (s Stores) mistakes(t *testing.T) (list []operate.Mistake, seen int) {
	t.Helper()
	for last := int64(0); ; {
		found, n, next, err := s.Upkeep.Mistakes(t.Context(), last, 2)
		ok(t, err)
		if n == 0 {
			return list, seen
		}
		list, seen, last = append(list, found...), seen+n, next
	}
}
