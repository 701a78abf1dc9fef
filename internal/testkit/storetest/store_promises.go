package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
)

func promiseCases() []storeCase {
	return []storeCase{
		{"if a method returns nil, its effect survives a crash", survives},
		{"if a method refuses it has had no effect, and the error says so", noEffect},
		{"a context that has ended has no effect", endedContext},
		{"a missing record is ErrNotFound", missing},
	}
}

// scene is a store with something of everything in it.
type scene struct {
	Stores
	p sandlot.Project
	u publish.Upload
	k sandlot.Key
}

func newScene(t *testing.T, s Stores) *scene {
	t.Helper()
	a := s.withEmail(t, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	p = s.mustPut(t, p, file("a.js", inline("abc")))
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.js").Blob.ID, []sandlot.Variant{{Encoding: "br", Blob: inline("b")}}))
	p = s.mustPut(t, p, file("b.wasm", named("b-wasm")))
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t)
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	u = s.mustSave(t, u, part(2, named("part-2")))
	s.addCounts(t, map[sandlot.ProjectID]gallery.Counts{"pong": {Plays: 2, Likes: 1}})
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	ok(t, s.KeyUses.TouchKeys(t.Context(), map[int64]time.Time{k.ID: base()}))
	must(s.Publish.Secret(t.Context(), "service", []byte("secret")))(t)
	must(s.Operate.AddKey(t.Context(), a.ID, key("from the operator"), false, entry(sandlot.ActionNewKey, "@kim")))(t)
	return &scene{Stores: s, p: p, u: u, k: k}
}

// state reads all of a scene that can be read without changing it.
func (sc *scene) state(t *testing.T, s Stores) map[string]any {
	t.Helper()
	ctx := t.Context()
	all := map[string]any{
		"account":      must(s.Publish.Account(ctx, sc.p.Account))(t),
		"project":      must(s.Publish.Project(ctx, sc.p.ID))(t),
		"projects":     must(s.Publish.Projects(ctx, sc.p.Account, 0, 9))(t),
		"key":          must(s.Credentials.KeyByHash(ctx, sc.k.Hash))(t),
		"upload":       must(s.Publish.Upload(ctx, sc.u.Key, 0, base()))(t),
		"part":         text(t, s.Publish, sc.u.Parts[0].Blob),
		"verification": must(s.Accounts.Verification(ctx, sum("token"), base()))(t),
		"unknown":      must(s.Upkeep.Unknown(ctx, []sandlot.BlobRef{"b-wasm", "part-2", "refused"}))(t),
		"unsqueezed":   must(s.Variants.Unsqueezed(ctx, nil, 9))(t),
		"log":          must(s.Operate.Log(ctx, operate.LogQuery{Limit: 9}))(t),
	}
	for n := 1; n <= sc.p.Version; n++ {
		all[fmt.Sprint("version ", n)] = must(s.Publish.Version(ctx, sc.p.ID, n))(t)
		all[fmt.Sprint("files ", n)] = must(s.Publish.Files(ctx, sc.p.ID, n))(t)
	}
	return all
}

func survives(t *testing.T, s Stores) {
	sc := newScene(t, s)
	want := sc.state(t, s)
	same(t, "what a copy of the disk holds", sc.state(t, s.copied(t)), want)
}

// call is one that changes something if it does not fail.
type call struct {
	name string
	do   func(ctx context.Context) error
	want error
}

func drop[T any](_ T, err error) error { return err }

// refused are calls that fail, each as late in its step as it can.
func (sc *scene) refused() []call {
	s, p, a := sc.Stores, sc.p, sc.p.Account
	bad := publish.NewAccount{Handles: []string{"lee"}, Email: "lee@example.com", CreatedAt: base(), Key: key("key of kim")}
	project := newProject("tetra", a)
	project.Key = key("key of kim") // that key is there already, and it comes last
	project.Files = files("index.html", named("refused"))
	taken, withNew := project, project
	taken.ID, taken.Key = p.ID, key("fresh")
	withNew.New = &bad
	stale, late := edit(p), edit(p)
	stale.Expect--
	late.Upload, late.Title = completion(sc.u, p.ID), new(string)
	late.Upload.Generation++
	folded := sandlot.File{Name: "B.wasm", Folded: "b.wasm", Blob: named("refused")}
	u := sc.u
	u.Generation, u.Total = 0, 9
	return []call{
		{"CreateAccount", func(ctx context.Context) error { return drop(s.Publish.CreateAccount(ctx, bad)) }, sandlot.ErrExists},
		{"CreateProject with a taken key", func(ctx context.Context) error { return drop(s.Publish.CreateProject(ctx, project)) }, sandlot.ErrExists},
		{"CreateProject with a taken ID", func(ctx context.Context) error { return drop(s.Publish.CreateProject(ctx, taken)) }, sandlot.ErrExists},
		{"CreateProject with an account that fails", func(ctx context.Context) error { return drop(s.Publish.CreateProject(ctx, withNew)) }, sandlot.ErrExists},
		{"PutFile at another version", func(ctx context.Context) error {
			return drop(s.Publish.PutFile(ctx, p.ID, file("c.js", named("refused")), stale))
		}, sandlot.ErrMoved},
		{"PutFile with an upload that moved on", func(ctx context.Context) error {
			return drop(s.Publish.PutFile(ctx, p.ID, file("c.js", named("refused")), late))
		}, sandlot.ErrUploadMoved},
		{"PutFile with a name in another case", func(ctx context.Context) error { return drop(s.Publish.PutFile(ctx, p.ID, folded, edit(p))) }, sandlot.ErrExists},
		{"DeleteFile", func(ctx context.Context) error { return drop(s.Publish.DeleteFile(ctx, p.ID, "none.js", edit(p))) }, sandlot.ErrNotFound},
		{"SaveUpload", func(ctx context.Context) error {
			return drop(s.Publish.SaveUpload(ctx, u, part(1, named("refused")), publish.UploadQuota{}))
		}, sandlot.ErrUploadMoved},
		{"AddKey with a taken key", func(ctx context.Context) error {
			return drop(s.Operate.AddKey(ctx, a, key("key of kim"), true, entry(sandlot.ActionNewKey, "@kim")))
		}, sandlot.ErrExists},
		{"Suspend", func(ctx context.Context) error {
			return s.Operate.Suspend(ctx, ofProject("none"), entry(sandlot.ActionSuspend, "none"))
		}, sandlot.ErrNotFound},
		{"PutVariants", func(ctx context.Context) error {
			return s.Variants.PutVariants(ctx, 1<<40, []sandlot.Variant{{Encoding: "br", Blob: named("refused")}})
		}, sandlot.ErrNotFound},
	}
}

func noEffect(t *testing.T, s Stores) {
	sc := newScene(t, s)
	before := sc.state(t, s)
	for _, c := range sc.refused() {
		err := c.do(t.Context())
		wants(t, c.name, err, c.want)
		wants(t, c.name+" says so", err, sandlot.ErrNoEffect)
		same(t, "after "+c.name, sc.state(t, s), before)
	}
	_, err := s.Credentials.KeyByHash(t.Context(), sum("fresh"))
	wants(t, "the key of a project that was refused", err, sandlot.ErrNotFound)
	na := newAccount("lee")
	same(t, "a handle that was refused is still free", s.mustAccount(t, na).Handle, "lee")
}

func endedContext(t *testing.T, s Stores) {
	sc := newScene(t, s)
	before := sc.state(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []call{
		{"PutFile", func(ctx context.Context) error {
			return drop(s.Publish.PutFile(ctx, sc.p.ID, file("c.js", inline("c")), edit(sc.p)))
		}, context.Canceled},
		{"PutFile says so", func(ctx context.Context) error {
			return drop(s.Publish.PutFile(ctx, sc.p.ID, file("c.js", inline("c")), edit(sc.p)))
		}, sandlot.ErrNoEffect},
		{"SaveUpload", func(ctx context.Context) error {
			return drop(s.Publish.SaveUpload(ctx, sc.u, part(9, inline("nine")), publish.UploadQuota{}))
		}, context.Canceled},
		{"Project", func(ctx context.Context) error { return drop(s.Publish.Project(ctx, sc.p.ID)) }, context.Canceled},
	} {
		wants(t, c.name, c.do(ctx), c.want)
	}
	same(t, "the state", sc.state(t, s), before)
}

func missing(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	p := sandlot.Project{ID: "nothing"}
	f := file("a.js", inline("a"))
	for _, c := range []call{
		{name: "Account", do: func(ctx context.Context) error { return drop(s.Publish.Account(ctx, 99)) }},
		{name: "SetEmail", do: func(ctx context.Context) error {
			return s.Publish.SetEmail(ctx, 99, "a@b.example", job("a@b.example", base()))
		}},
		{name: "KeyByHash", do: func(ctx context.Context) error { return drop(s.Credentials.KeyByHash(ctx, sum("nothing"))) }},
		{name: "CreateProject", do: func(ctx context.Context) error { return drop(s.Publish.CreateProject(ctx, newProject("tetra", 99))) }},
		{name: "PutFile", do: func(ctx context.Context) error { return drop(s.Publish.PutFile(ctx, p.ID, f, edit(p))) }},
		{name: "DeleteFile", do: func(ctx context.Context) error { return drop(s.Publish.DeleteFile(ctx, p.ID, "a.js", edit(p))) }},
		{name: "Project", do: func(ctx context.Context) error { return drop(s.Publish.Project(ctx, p.ID)) }},
		{name: "Version", do: func(ctx context.Context) error { return drop(s.Publish.Version(ctx, p.ID, 1)) }},
		{name: "Version of a project", do: func(ctx context.Context) error { return drop(s.Publish.Version(ctx, "pong", 2)) }},
		{name: "Files", do: func(ctx context.Context) error { return drop(s.Publish.Files(ctx, p.ID, 1)) }},
		{name: "Files of a version", do: func(ctx context.Context) error { return drop(s.Publish.Files(ctx, "pong", 2)) }},
		{name: "FilesWith", do: func(ctx context.Context) error { return drop(s.Publish.FilesWith(ctx, p.ID, 1, "gzip")) }},
		{name: "FilesNear", do: func(ctx context.Context) error { return drop(s.Publish.FilesNear(ctx, p.ID, "a.js")) }},
		{name: "Projects", do: func(ctx context.Context) error { return drop(s.Publish.Projects(ctx, 99, 0, 9)) }},
		{name: "Content", do: func(ctx context.Context) error { return drop(s.Publish.Content(ctx, 99)) }},
		{name: "IdempotencyRecord", do: func(ctx context.Context) error { return drop(s.Publish.IdempotencyRecord(ctx, sum("nothing"), base())) }},
		{name: "Upload", do: func(ctx context.Context) error { return drop(s.Publish.Upload(ctx, sum("nothing"), 0, base())) }},
		{name: "FinishJob", do: func(ctx context.Context) error { return s.Mail.FinishJob(ctx, sandlot.Job{ID: 99}, true, base()) }},
		{name: "RetryJob", do: func(ctx context.Context) error { return s.Mail.RetryJob(ctx, sandlot.Job{ID: 99}, base()) }},
		{name: "AddVerification", do: func(ctx context.Context) error {
			return drop(s.Mail.AddVerification(ctx, account.Verification{Token: sum("t"), Account: 99, Email: "a@b.example"}))
		}},
		{name: "Verification", do: func(ctx context.Context) error { return drop(s.Accounts.Verification(ctx, sum("nothing"), base())) }},
		{name: "UseVerification", do: func(ctx context.Context) error { return drop(s.Accounts.UseVerification(ctx, sum("nothing"), base())) }},
		{name: "RefuseVerification", do: func(ctx context.Context) error {
			return drop(s.Accounts.RefuseVerification(ctx, sum("nothing"), base()))
		}},
		{name: "PutVariants", do: func(ctx context.Context) error { return s.Variants.PutVariants(ctx, 99, nil) }},
	} {
		wants(t, c.name, c.do(t.Context()), sandlot.ErrNotFound)
	}
}

func concurrencyCases() []storeCase {
	return []storeCase{
		{"all may be called concurrently/50 updaters make versions without gaps, each by one", updaters},
		{"all may be called concurrently/50 senders of a last part make exactly one project", lastParts},
		{"all may be called concurrently/a reader sees a step wholly or not at all", wholeSteps},
	}
}

func updaters(t *testing.T, s Stores) {
	const racers, rounds = 50, 4
	p := s.mustProject(t, "pong")
	won := make([]int, rounds)
	for round := range rounds {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range racers {
			wg.Go(func() {
				at := edit(p)
				at.Suffix = fmt.Sprint("racer-", i)
				_, err := s.Publish.PutFile(background(), p.ID, file(fmt.Sprintf("%d.js", i), inline(fmt.Sprint(i))), at)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won[round]++
				} else if !errors.Is(err, sandlot.ErrMoved) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		p = must(s.Publish.Project(t.Context(), p.ID))(t)
		same(t, "the version", p.Version, round+2)
		same(t, "its suffix", must(s.Publish.Version(t.Context(), p.ID, p.Version))(t).Suffix, p.Suffix)
	}
	same(t, "the winners of each version", won, []int{1, 1, 1, 1})
	same(t, "the number of files", len(fileNames(t, s.Publish, p.ID, p.Version)), p.FileCount)
}

func lastParts(t *testing.T, s Stores) {
	const racers = 50
	a := s.mustAccount(t, newAccount("kim"))
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	won := s.race(t, racers, a.ID, sandlot.ErrUploadMoved, func(np *publish.NewProject) { np.Upload = completion(u, np.ID) })
	same(t, "the upload's project", s.uploadOf(t, u.Key, base()).Done.Project, won)
}

// race has racers make projects of an account at once, of which one is made, and the others are refused. It returns the one's id.
func (s Stores) race(t *testing.T, racers int, owner sandlot.AccountID, refused error, change func(*publish.NewProject)) sandlot.ProjectID {
	t.Helper()
	var wg sync.WaitGroup
	results := make([]error, racers)
	for i := range racers {
		wg.Go(func() {
			np := newProject(fmt.Sprint("pong-", i), owner)
			change(&np)
			results[i] = drop(s.Publish.CreateProject(background(), np))
		})
	}
	wg.Wait()
	made := 0
	for _, err := range results {
		if err == nil {
			made++
		} else if !errors.Is(err, refused) {
			t.Error(err)
		}
	}
	same(t, "projects made", made, 1)
	list := must(s.Publish.Projects(t.Context(), owner, 0, racers))(t)
	same(t, "projects there", len(list), 1)
	return list[0].ID
}

// wholeSteps reads while files are replaced by ones of the version's size: the
// project's row, its files and their bytes must always belong together.
func wholeSteps(t *testing.T, s Stores) {
	p := s.mustPut(t, s.mustProject(t, "pong"), file("a.js", inline("x")))
	const last = 60
	ended := make(chan error, 1)
	go func() {
		for p := p; ; {
			if p.Version == last {
				ended <- nil
				return
			}
			var err error
			if p, err = s.Publish.PutFile(background(), p.ID, file("a.js", inline(fmt.Sprintf("%0*d", p.Version, 0))), edit(p)); err != nil {
				ended <- err
				return
			}
		}
	}()
	for seen := 0; seen < last; {
		p := must(s.Publish.Project(t.Context(), p.ID))(t)
		total := int64(0)
		for _, f := range must(s.Publish.Files(t.Context(), p.ID, p.Version))(t) {
			total += f.Blob.Size
			same(t, "the length of "+f.Name, int64(len(text(t, s.Publish, f.Blob))), f.Blob.Size)
		}
		same(t, fmt.Sprint("the size of version ", p.Version), total, p.Size)
		if p.Version < seen {
			t.Fatalf("version %d was read after %d", p.Version, seen)
		}
		seen = p.Version
	}
	ok(t, <-ended)
}
