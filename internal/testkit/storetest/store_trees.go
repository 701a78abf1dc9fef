package storetest

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
)

func treeCases() []storeCase {
	return []storeCase{
		{"CreateProject/version 1 has all its files", createTree},
		{"CreateProject/a version without its primary file is ErrNoPrimary", createNoPrimary},
		{"CreateProject/of many files is as of few", createMany},
		{"CreateProject/of many files may come with its account", createManyNew},
		{"CreateProject/of many files that is refused has had no effect, and may be asked for again with the same bytes", createManyRefused},
		{"CreateProject/of many files that is refused leaves no account", createManyNewRefused},
		{"CreateProject/of many files is there wholly or not at all", createManyWhole},
		{"CreateProject/of many files is made once under an idempotency record", createManyOnce},
		{"CreateProject/many at once, of which an owner would have more projects than p.Within, are ErrTooManyProjects", createManyWithin},
		{"CreateProject/files of one content have one record", createShared},
		{"Rearrange/files of one content have one record", rearrangeShared},
	}
}

// spooled is inline, but that the bytes wait in a file.
func spooled(text string) sandlot.Blob {
	b := inline(text)
	all := strings.NewReader("before" + text + "after")
	b.Inline, b.Spooled = nil, &sandlot.Spooled{File: all, Off: int64(len("before")), Size: len(text)}
	return b
}

// tree is a project whose files bring their bytes in each of the ways.
func tree(id string, owner sandlot.AccountID) (np publish.NewProject, want map[string]string) {
	np = newProject(id, owner)
	np.Files = []sandlot.File{file("a.js", inline("a")), file("b/c.js", spooled("c")), file("empty", spooled("")), file("start.html", spooled("<p>start"))}
	np.Primary = "start.html"
	return np, map[string]string{"a.js": "a", "b/c.js": "c", "empty": "", "start.html": "<p>start"}
}

// several is how many files a project of many has: more than a statement inserts.
const several = 320

// manyTree is a tree with several files besides.
func manyTree(id string, owner sandlot.AccountID) (np publish.NewProject, want map[string]string) {
	np, want = tree(id, owner)
	np.Files = append(np.Files, manyFiles(id, several, spooled)...)
	for _, f := range np.Files[len(np.Files)-several:] {
		want[f.Name] = f.Name
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

// clean fails the test unless records are in order, and there is nothing to be swept.
func (s Stores) clean(t *testing.T, what string) {
	t.Helper()
	list, _ := s.mistakes(t)
	same(t, what+": mistakes", list, nil)
	list, _, _, err := s.Upkeep.AccountMistakes(t.Context(), 0, 99)
	ok(t, err)
	same(t, what+": mistakes of accounts", list, nil)
	same(t, what+": what may go", s.sweepAll(t), nil)
}

func createTree(t *testing.T, s Stores) {
	np, want := tree("pong", s.mustAccount(t, newAccount("kim")).ID)
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "the totals", []any{p.Version, p.FileCount, p.Size, p.Primary}, []any{1, 4, int64(10), "start.html"})
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "its files", texts(t, s.Publish, p.ID, 1), want)
	same(t, "version 1", must(s.Publish.Version(t.Context(), p.ID, 1))(t).Primary, "start.html")
	s.clean(t, "then")
}

func createNoPrimary(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	for _, of := range []func(string, sandlot.AccountID) (publish.NewProject, map[string]string){tree, manyTree} {
		np, _ := of("pong", a.ID)
		np.Primary = "index.html"
		err := drop(s.Publish.CreateProject(t.Context(), np))
		wants(t, "without it", err, sandlot.ErrNoPrimary)
		wants(t, "without it", err, sandlot.ErrNoEffect)
	}
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
		ID: "pong", Account: a.ID, Handle: "kim", Verified: p.Verified, Title: np.Title, Lang: "fr", Primary: "start.html", Wrapper: "site/", Version: 1, Suffix: np.Suffix,
		Size: p.Size, FileCount: several + 4, Seq: p.Seq, Change: p.Change, CreatedAt: np.CreatedAt, UpdatedAt: np.CreatedAt,
	})
	same(t, "whether it is the newest", p.Seq > before.Seq, true)
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "the owner's", must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t), []sandlot.Project{p, before})
	same(t, "its files", texts(t, s.Publish, p.ID, 1), want)
	same(t, "version 1", must(s.Publish.Version(t.Context(), p.ID, 1))(t), sandlot.Version{N: 1, Suffix: np.Suffix, Title: np.Title, Primary: "start.html", CreatedAt: np.CreatedAt})
	same(t, "its key", must(s.Credentials.KeyByHash(t.Context(), np.Key.Hash))(t).Project, p.ID)
	same(t, "the upload", must(s.Publish.Upload(t.Context(), u.Key, 0, base()))(t).Done.Project, p.ID)
	s.lists(t, "all", gallery.ListedQuery{}, "pong", "before")
	same(t, "read from the disk", texts(t, s.copied(t).Publish, p.ID, 1), want)
	s.mustPut(t, p, file("a.js", inline("other")))
	s.clean(t, "then")
}

func createManyNew(t *testing.T, s Stores) {
	s.mustAccount(t, newAccount("kim"))
	na := newAccount("kim", "kim-2")
	na.Email, na.Key = "kim@example.com", key("account key")
	j := job(na.Email, base())
	na.Job = &j
	np, want := manyTree("pong", 0)
	np.New = &na
	np.Idempotency = &publish.IdempotencyRecord{Key: sum("call"), Project: np.ID, Version: 1, ExpiresAt: base().Add(aDay)}
	np.Within = publish.Quota{Projects: 1, Bytes: sizeOf(np.Files)}
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "the owner's handle", p.Handle, "kim-2")
	same(t, "read again", must(s.Publish.Project(t.Context(), p.ID))(t), p)
	same(t, "its files", texts(t, s.Publish, p.ID, 1), want)
	same(t, "the owner", must(s.Publish.Account(t.Context(), p.Account))(t), sandlot.Account{ID: p.Account, Handle: "kim-2", Email: na.Email, Lang: "de", CreatedAt: na.CreatedAt})
	same(t, "by the handle", must(s.Gallery.AccountOfHandle(t.Context(), "kim-2"))(t).ID, p.Account)
	same(t, "whose the account key is", must(s.Credentials.KeyByHash(t.Context(), na.Key.Hash))(t).Account, p.Account)
	same(t, "whose the record is", must(s.Publish.IdempotencyRecord(t.Context(), sum("call"), base()))(t).Account, p.Account)
	j.Account = p.Account
	same(t, "the jobs", withoutIDs(must(s.Mail.ClaimJobs(t.Context(), base(), base().Add(time.Minute), account.Busy{}, 9))(t)), []sandlot.Job{j})
	s.verify(t, p.Account)
	s.lists(t, "of a proved address", gallery.ListedQuery{}, "pong")
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
		"a taken id":  {func(np *publish.NewProject) { np.ID = there.ID }, sandlot.ErrExists},
		"a taken key": {func(np *publish.NewProject) { np.Key = key("key of kim") }, sandlot.ErrExists},
		"two files of a name": {func(np *publish.NewProject) {
			np.Files = append(np.Files[:several:several], np.Files[several], np.Files[0])
		}, sandlot.ErrExists},
		"a recorded blob that is not there": {func(np *publish.NewProject) {
			np.Files = append(np.Files[:several+1:several+1], file("missing", sandlot.Blob{ID: 1 << 40, Size: 1}))
		}, sandlot.ErrNotFound},
		"too many bytes":          {func(np *publish.NewProject) { np.Within.Bytes = there.Size + sizeOf(np.Files) - 1 }, sandlot.ErrTooManyBytes},
		"too many projects":       {func(np *publish.NewProject) { np.Within.Projects = 1 }, sandlot.ErrTooManyProjects},
		"an upload that moved on": {func(np *publish.NewProject) { np.Upload = completion(u, np.ID); np.Upload.Generation++ }, sandlot.ErrUploadMoved},
		"a key that was revoked":  {func(np *publish.NewProject) { np.By = revoked.ID }, sandlot.ErrRevoked},
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

func createManyNewRefused(t *testing.T, s Stores) {
	other := s.mustAccount(t, newAccount("kim"))
	na := newAccount("lee")
	np, refs := namedTree("pong", 0)
	np.New = &na
	for what, r := range map[string]struct {
		change func(*publish.NewProject, *publish.NewAccount)
		want   error
	}{
		"handles that are taken": {func(_ *publish.NewProject, na *publish.NewAccount) { na.Handles = []string{"kim"} }, sandlot.ErrExists},
		"a taken account key":    {func(_ *publish.NewProject, na *publish.NewAccount) { na.Key = key("key of kim") }, sandlot.ErrExists},
		"a taken key":            {func(np *publish.NewProject, _ *publish.NewAccount) { np.Key = key("key of kim") }, sandlot.ErrExists},
		"too many bytes":         {func(np *publish.NewProject, _ *publish.NewAccount) { np.Within.Bytes = sizeOf(np.Files) - 1 }, sandlot.ErrTooManyBytes},
	} {
		refused, account := np, na
		refused.New = &account
		r.change(&refused, &account)
		err := drop(s.Publish.CreateProject(t.Context(), refused))
		wants(t, what, err, r.want)
		wants(t, what+" says that it had no effect", err, sandlot.ErrNoEffect)
		wants(t, what+": the handle", drop(s.Gallery.AccountOfHandle(t.Context(), "lee")), sandlot.ErrNotFound)
		wants(t, what+": the key", drop(s.Credentials.KeyByHash(t.Context(), na.Key.Hash)), sandlot.ErrNotFound)
		same(t, what+": names without a record", must(s.Upkeep.Unknown(t.Context(), refs))(t), refs)
		list := must(s.Operate.ListAccounts(t.Context(), 0, false, 9))(t)
		same(t, what+": accounts", []any{len(list), list[0].Account.ID}, []any{1, other.ID})
		s.clean(t, what)
	}
	p := must(s.Publish.CreateProject(t.Context(), np))(t)
	same(t, "in the end", []any{p.FileCount, p.Handle}, []any{several + 1, "lee"})
	s.clean(t, "in the end")
}

// createManyWhole reads whatever may show a project while one is made.
func createManyWhole(t *testing.T, s Stores) {
	a := s.maker(t, "kim")
	var ids []sandlot.ProjectID
	for i := range 6 {
		ids = append(ids, sandlot.ProjectID(fmt.Sprint("pong-", i)))
	}
	ended := make(chan error, 1)
	go func() {
		for i, id := range ids {
			np, _ := manyTree(string(id), a.ID)
			if i%2 == 1 {
				na := newAccount(fmt.Sprint("lee-", i))
				np.New = &na
			}
			if err := drop(s.Publish.CreateProject(background(), np)); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for seen := 0; seen < len(ids) && len(ended) == 0; {
		made := 0
		for i, id := range ids {
			p, err := s.Publish.Project(t.Context(), id)
			if err != nil {
				wants(t, "a project that is not there yet", err, sandlot.ErrNotFound)
				break
			}
			made = i + 1
			same(t, "number of files", []int{len(must(s.Publish.Files(t.Context(), id, 1))(t)), p.FileCount}, []int{several + 4, several + 4})
		}
		if made < seen {
			t.Fatalf("%d projects were there, and then %d", seen, made)
		}
		seen = made
		own := must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t)
		for _, p := range own {
			same(t, "files of one of the owner's", p.FileCount, several+4)
		}
		for _, d := range must(s.Operate.ListAccounts(t.Context(), 0, false, 99))(t) {
			same(t, "whether the account has a project and a handle", []bool{d.Projects > 0 || d.Account.ID == a.ID, d.Account.Handle != ""}, []bool{true, true})
		}
		s.clean(t, "meanwhile")
	}
	ok(t, <-ended)
	same(t, "the owner's in the end", len(must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t)), len(ids)/2)
}

func createManyOnce(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	np, _ := manyTree("pong", a.ID)
	np.Idempotency = &publish.IdempotencyRecord{Key: sum("call"), Project: np.ID, Version: 1, ExpiresAt: base().Add(aDay)}
	other := np
	other.ID, other.Key = "tetra", key("of tetra")
	results := make(chan error, 2)
	for _, np := range []publish.NewProject{np, other} {
		go func() { results <- drop(s.Publish.CreateProject(background(), np)) }()
	}
	one, two := <-results, <-results
	if one != nil {
		one, two = two, one
	}
	ok(t, one)
	wants(t, "the other", two, sandlot.ErrAlreadyDone)
	wants(t, "again", drop(s.Publish.CreateProject(t.Context(), np)), sandlot.ErrAlreadyDone)
	same(t, "projects", len(must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t)), 1)
	s.clean(t, "then")
}

func createManyWithin(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	const racers, most = 6, 2
	results := make(chan error, racers)
	for i := range racers {
		np, _ := manyTree(fmt.Sprint("pong-", i), a.ID)
		np.Within = publish.Quota{Projects: most}
		go func() { results <- drop(s.Publish.CreateProject(background(), np)) }()
	}
	made := 0
	for range racers {
		if err := <-results; err == nil {
			made++
		} else {
			wants(t, "one too many", err, sandlot.ErrTooManyProjects)
		}
	}
	same(t, "projects made", made, most)
	same(t, "projects there", len(must(s.Publish.Projects(t.Context(), a.ID, 0, 9))(t)), most)
	s.clean(t, "then")
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
func (s Stores) blobsOf(t *testing.T, p sandlot.Project) int {
	t.Helper()
	ids := map[int64]bool{}
	for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
		ids[f.Blob.ID] = true
	}
	return len(ids)
}

func createShared(t *testing.T, s Stores) {
	a := s.mustAccount(t, newAccount("kim"))
	for i, n := range []int{3, several} {
		np := newProject(fmt.Sprint("pong-", i), a.ID)
		list, want := twins(n, spooled)
		maps.Copy(want, map[string]string{"index.html": "<p>" + string(np.ID)})
		np.Files = append(np.Files, list...)
		p := must(s.Publish.CreateProject(t.Context(), np))(t)
		same(t, "files", texts(t, s.Publish, p.ID, 1), want)
		same(t, "records", s.blobsOf(t, p), n+1)
		same(t, "size", p.Size, sizeOf(np.Files))
		np.ID, np.Key = np.ID+"-named", key(string(np.ID)+"-named")
		list, _ = twins(n, named)
		np.Files = append(np.Files[:1:1], list...)
		np.Within = publish.Quota{Bytes: 1 << 30}
		missing := np
		missing.Files = append(np.Files[:len(np.Files):len(np.Files)], file("missing", sandlot.Blob{ID: 1 << 40}))
		wants(t, "a recorded blob that is not there", drop(s.Publish.CreateProject(t.Context(), missing)), sandlot.ErrNotFound)
		s.clean(t, "of one refused")
		np.Files = list
		np.Primary = list[0].Name
		p = must(s.Publish.CreateProject(t.Context(), np))(t)
		same(t, "records of names", s.blobsOf(t, p), n)
		if n < several {
			s.mustRemove(t, p.ID)
			same(t, "what may go", len(s.sweepAll(t)), n)
		}
	}
	s.clean(t, "then")
}

func rearrangeShared(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	for _, n := range []int{3, several} {
		list, _ := twins(n, named)
		for i := range list {
			list[i].Name = fmt.Sprint(n, list[i].Name)
			list[i].Folded = list[i].Name
			list[i].Blob.Ref = sandlot.BlobRef(fmt.Sprint(n, list[i].Blob.Ref))
		}
		missing := append(list[:2*n:2*n], file("missing", sandlot.Blob{ID: 1 << 40}))
		wants(t, "a recorded blob that is not there", drop(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: missing}, edit(p))), sandlot.ErrNotFound)
		s.clean(t, "of one refused")
		before := s.blobsOf(t, p)
		p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Put: list}, edit(p)))(t)
		same(t, "records", s.blobsOf(t, p)-before, n)
		p = must(s.Management.Rearrange(t.Context(), p.ID, publish.Change{Drop: list[:n]}, edit(p)))(t)
		same(t, "records with half of the files", s.blobsOf(t, p)-before, n)
		s.clean(t, "then")
	}
}
