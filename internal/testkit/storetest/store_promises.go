package storetest

import (
	"context"
	"errors"
	"fmt"
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
	a := withEmail(t, s, "kim")
	p := must(s.Publish.CreateProject(t.Context(), newProject("pong", a.ID)))(t)
	p = s.mustPut(t, p, file("a.js", inline("abc")))
	ok(t, s.Variants.PutVariants(t.Context(), s.fileNamed(t, p, "a.js").Blob.ID, []sandlot.Variant{{Encoding: "br", Blob: inline("b")}}))
	p = s.mustPut(t, p, file("b.wasm", named("b-wasm")))
	p = must(s.Publish.DeleteFile(t.Context(), p.ID, "a.js", edit(p)))(t)
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	u = s.mustSave(t, u, part(2, named("part-2")))
	addCounts(t, s, map[sandlot.ProjectID]gallery.Counts{"pong": {Plays: 2, Likes: 1}})
	s.mustVerification(t, a, "token", base().Add(time.Hour))
	k := must(s.Credentials.KeyByHash(t.Context(), sum("key of kim")))(t)
	ok(t, s.Credentials.TouchKeys(t.Context(), map[int64]time.Time{k.ID: base()}))
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
	do   func() error
	want error
}

func drop[T any](_ T, err error) error { return err }

// refused are calls that fail, each as late in its step as it can.
func (sc *scene) refused(ctx context.Context) []call {
	s, p, a := sc.Stores, sc.p, sc.p.Account
	bad := publish.NewAccount{Handles: []string{"lee"}, Email: "lee@example.com", CreatedAt: base(), Key: key("key of kim")}
	project := newProject("tetra", a)
	project.Key = key("key of kim") // that key is there already, and it comes last
	project.Files = files("index.html", named("refused"))
	project.New = &bad
	stale, late := edit(p), edit(p)
	stale.Expect--
	late.Upload, late.Title = completion(sc.u, p.ID), new(string)
	late.Upload.Generation++
	folded := sandlot.File{Name: "B.wasm", Folded: "b.wasm", Blob: named("refused")}
	u := sc.u
	u.Generation, u.Total = 0, 9
	return []call{
		{"CreateAccount", func() error { return drop(s.Publish.CreateAccount(ctx, bad)) }, sandlot.ErrExists},
		{
			"CreateProject with an account that fails",
			func() error { return drop(s.Publish.CreateProject(ctx, project)) }, sandlot.ErrExists,
		},
		{"PutFile at another version", func() error {
			return drop(s.Publish.PutFile(ctx, p.ID, file("c.js", named("refused")), stale))
		}, sandlot.ErrMoved},
		{"PutFile with an upload that moved on", func() error {
			return drop(s.Publish.PutFile(ctx, p.ID, file("c.js", named("refused")), late))
		}, sandlot.ErrUploadMoved},
		{
			"PutFile with a name in another case",
			func() error { return drop(s.Publish.PutFile(ctx, p.ID, folded, edit(p))) }, sandlot.ErrExists,
		},
		{"DeleteFile", func() error {
			return drop(s.Publish.DeleteFile(ctx, p.ID, "none.js", edit(p)))
		}, sandlot.ErrNotFound},
		{"SaveUpload", func() error {
			return drop(s.Publish.SaveUpload(ctx, u, part(1, named("refused")), publish.UploadQuota{}))
		}, sandlot.ErrUploadMoved},
		{"AddKey with a taken key", func() error {
			return drop(s.Operate.AddKey(ctx, a, key("key of kim"), true, entry(sandlot.ActionNewKey, "@kim")))
		}, sandlot.ErrExists},
		{"Suspend", func() error {
			return s.Operate.Suspend(ctx, ofProject("none"), entry(sandlot.ActionSuspend, "none"))
		}, sandlot.ErrNotFound},
		{"PutVariants", func() error {
			return s.Variants.PutVariants(ctx, 1<<40, []sandlot.Variant{{Encoding: "br", Blob: named("refused")}})
		}, sandlot.ErrNotFound},
	}
}

func noEffect(t *testing.T, s Stores) {
	sc := newScene(t, s)
	before := sc.state(t, s)
	for _, c := range sc.refused(t.Context()) {
		err := c.do()
		wants(t, c.name, err, c.want)
		wants(t, c.name+" says so", err, sandlot.ErrNoEffect)
		same(t, "after "+c.name, sc.state(t, s), before)
	}
	na := newAccount("lee")
	same(t, "a handle that was refused is still free", s.mustAccount(t, na).Handle, "lee")
}

func endedContext(t *testing.T, s Stores) {
	sc := newScene(t, s)
	before := sc.state(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	put := drop(s.Publish.PutFile(ctx, sc.p.ID, file("c.js", inline("c")), edit(sc.p)))
	wants(t, "PutFile", put, context.Canceled)
	wants(t, "PutFile says so", put, sandlot.ErrNoEffect)
	wants(t, "SaveUpload", drop(s.Publish.SaveUpload(ctx, sc.u, part(9, inline("nine")), publish.UploadQuota{})), context.Canceled)
	wants(t, "Project", drop(s.Publish.Project(ctx, sc.p.ID)), context.Canceled)
	same(t, "the state", sc.state(t, s), before)
}

func missing(t *testing.T, s Stores) {
	s.mustProject(t, "pong")
	ctx := t.Context()
	p := sandlot.Project{ID: "nothing"}
	f := file("a.js", inline("a"))
	for name, err := range map[string]error{
		"Account":              drop(s.Publish.Account(ctx, 99)),
		"SetEmail":             s.Publish.SetEmail(ctx, 99, "a@b.example", job("a@b.example", base()), 0),
		"KeyByHash":            drop(s.Credentials.KeyByHash(ctx, sum("nothing"))),
		"CreateProject":        drop(s.Publish.CreateProject(ctx, newProject("tetra", 99))),
		"PutFile":              drop(s.Publish.PutFile(ctx, p.ID, f, edit(p))),
		"DeleteFile":           drop(s.Publish.DeleteFile(ctx, p.ID, "a.js", edit(p))),
		"Project":              drop(s.Publish.Project(ctx, p.ID)),
		"Version":              drop(s.Publish.Version(ctx, p.ID, 1)),
		"Version of a project": drop(s.Publish.Version(ctx, "pong", 2)),
		"Files":                drop(s.Publish.Files(ctx, p.ID, 1)),
		"Files of a version":   drop(s.Publish.Files(ctx, "pong", 2)),
		"FilesWith":            drop(s.Publish.FilesWith(ctx, p.ID, 1, "gzip")),
		"Projects":             drop(s.Publish.Projects(ctx, 99, 0, 9)),
		"Content":              drop(s.Publish.Content(ctx, 99)),
		"IdempotencyRecord":    drop(s.Publish.IdempotencyRecord(ctx, sum("nothing"), base())),
		"Upload":               drop(s.Publish.Upload(ctx, sum("nothing"), 0, base())),
		"FinishJob":            s.Mail.FinishJob(ctx, sandlot.Job{ID: 99}, true, base()),
		"RetryJob":             s.Mail.RetryJob(ctx, sandlot.Job{ID: 99}, base()),
		"AddVerification":      drop(s.Mail.AddVerification(ctx, account.Verification{Token: sum("t"), Account: 99, Email: "a@b.example"})),
		"Verification":         drop(s.Accounts.Verification(ctx, sum("nothing"), base())),
		"UseVerification":      drop(s.Accounts.UseVerification(ctx, sum("nothing"), base(), 0)),
		"RefuseVerification":   drop(s.Accounts.RefuseVerification(ctx, sum("nothing"), base())),
		"PutVariants":          s.Variants.PutVariants(ctx, 99, nil),
	} {
		wants(t, name, err, sandlot.ErrNotFound)
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
	p := s.mustProject(t, "pong")
	for round := range 4 {
		same(t, "winners", atOnce(t, 50, sandlot.ErrMoved, func(i int) error {
			at := edit(p)
			at.Suffix = fmt.Sprint("racer-", i)
			return drop(s.Publish.PutFile(background(), p.ID, file(fmt.Sprintf("%d.js", i), inline(fmt.Sprint(i))), at))
		}), 1)
		p = must(s.Publish.Project(t.Context(), p.ID))(t)
		same(t, "the version", p.Version, round+2)
		same(t, "its suffix", must(s.Publish.Version(t.Context(), p.ID, p.Version))(t).Suffix, p.Suffix)
	}
	same(t, "the number of files", len(fileNames(t, s.Publish, p.ID, p.Version)), p.FileCount)
}

func lastParts(t *testing.T, s Stores) {
	const racers = 50
	a := s.mustAccount(t, newAccount("kim"))
	u := s.mustSave(t, upload("u"), part(1, inline("one")))
	won := race(t, s, racers, a.ID, sandlot.ErrUploadMoved, func(np *publish.NewProject) { np.Upload = completion(u, np.ID) })
	same(t, "the upload's project", uploadOf(t, s, u.Key, base()).Done.Project, won)
}

// race has racers make projects of an account at once, of which one is made, and the others are refused. It returns the one's id.
func race(t *testing.T, s Stores, racers int, owner sandlot.AccountID, refused error, change func(*publish.NewProject)) sandlot.ProjectID {
	t.Helper()
	same(t, "projects made", atOnce(t, racers, refused, func(i int) error {
		np := newProject(fmt.Sprint("pong-", i), owner)
		change(&np)
		return drop(s.Publish.CreateProject(background(), np))
	}), 1)
	list := must(s.Publish.Projects(t.Context(), owner, 0, racers))(t)
	same(t, "projects there", len(list), 1)
	return list[0].ID
}

// atOnce makes n calls at once, and returns how many succeeded. It fails the test where one fails with another error than refused.
func atOnce(t *testing.T, n int, refused error, call func(i int) error) (done int) {
	t.Helper()
	results := make(chan error, n)
	for i := range n {
		go func() { results <- call(i) }()
	}
	for range n {
		if err := <-results; err == nil {
			done++
		} else if !errors.Is(err, refused) {
			t.Error(err)
		}
	}
	return done
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
			if p, err = s.Publish.PutFile(background(), p.ID, file("a.js", inline(fmt.Sprintf("%0*d", p.Version, 0))),
				edit(p)); err != nil {
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
