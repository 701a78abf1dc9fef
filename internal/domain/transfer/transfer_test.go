package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// world is an instance that exports and imports.
type world struct {
	*testworld.World
	t  *testing.T
	in *transfer.Service
}

func newWorld(t *testing.T, set testworld.Option) *world {
	w := &world{World: testworld.New(t, set), t: t}
	w.in = transfer.New(transfer.Config{Projects: w.Publish, Contents: w.Publish.Contents, Pictures: w.Covers, Temporary: t.TempDir(), MaxFile: 8 << 20})
	return w
}

func (w *world) account() sandlot.Caller {
	w.t.Helper()
	out, err := w.Publish.Signup(w.t.Context(), testworld.Nobody(), publish.SignupInput{})
	expect.OK(w.t, err)
	return w.CallerOf(out.Key)
}

// history makes a project of four versions, of which the third is erased, and returns its id.
func (w *world) history(by sandlot.Caller) sandlot.ProjectID {
	w.t.Helper()
	out, _, err := w.Publish.Publish(w.t.Context(), by, publish.PublishInput{Title: "Sky Hopper", Lang: "de", Tree: w.Tree("index.html", "<p>one", "a.js", "same", "lib/b.js", "same")})
	expect.OK(w.t, err)
	id := out.Project.ID
	for i, files := range [][]string{{"index.html", "<p>two", "big.bin", strings.Repeat("big", 50_000)}, {"gone.txt", "gone"}, {"index.html", "<p>one", "a.js", "other"}} {
		w.Clock.Move(time.Hour)
		_, _, err := w.Publish.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Many: publish.Many{Tree: w.Tree(files...), Replace: i == 2}})
		expect.OK(w.t, err)
	}
	own := w.OwnerOf(by.Account())
	expect.OK(w.t, w.Publish.Describe(w.t.Context(), own, id, publish.DescribeInput{Details: publish.Details{Title: "Sky Hopper", Description: "Jump.\nAgain.", Unlisted: true, Threads: true, Tags: "cats 3d"}}))
	expect.OK(w.t, w.Publish.EraseVersion(w.t.Context(), own, id, 3))
	w.Clock.Move(time.Hour)
	return id
}

func (w *world) export(by sandlot.Caller, history bool) []byte {
	w.t.Helper()
	return w.exportFrom(by, history, w.Publish.Contents)
}

func (w *world) exportFrom(by sandlot.Caller, history bool, src transfer.Source) []byte {
	w.t.Helper()
	e, err := w.Publish.Reader.Export(w.t.Context(), by)
	expect.OK(w.t, err)
	return w.write(by, e, history, src)
}

func (w *world) write(by sandlot.Caller, e publish.Export, history bool, src transfer.Source) []byte {
	w.t.Helper()
	e.History = history
	var err error
	e.Pictures, err = w.DB.Covers().Sent(w.t.Context(), by.Account())
	expect.OK(w.t, err)
	var out bytes.Buffer
	expect.OK(w.t, transfer.Write(w.t.Context(), &out, e, src))
	return out.Bytes()
}

func (w *world) imports(by sandlot.Caller, data []byte, change ...func(*transfer.Input)) (transfer.Report, error) {
	in := transfer.Input{Archive: bytes.NewReader(data)}
	for _, c := range change {
		c(&in)
	}
	return w.in.Import(w.t.Context(), by, in)
}

// meanwhile is the source of an export whose reader has begun when something else is done.
type meanwhile struct {
	transfer.Source
	once sync.Once
	do   func()
}

func (m *meanwhile) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	m.once.Do(m.do)
	return m.Source.Open(ctx, b, off, n)
}

// versions returns each kept version of a project: its date, title, page, and each file's hash.
func (w *world) versions(id sandlot.ProjectID) (list []string) {
	w.t.Helper()
	all, err := w.Publish.Contents.VersionsBelow(w.t.Context(), id, 0, 1000)
	expect.OK(w.t, err)
	for _, v := range all {
		if v.Erased {
			continue
		}
		files, err := w.Publish.Contents.Files(w.t.Context(), id, v.N)
		expect.OK(w.t, err)
		text := fmt.Sprint(v.CreatedAt.UTC().Truncate(time.Second), v.Title, v.Primary)
		for _, f := range files {
			r, err := w.Publish.Contents.Open(w.t.Context(), f.Blob, 0, -1)
			expect.OK(w.t, err)
			data, err := io.ReadAll(r)
			expect.OK(w.t, err)
			r.Close()
			text += fmt.Sprintf("\n%s %d %s", f.Name, len(data), f.Blob.SHA256)
		}
		list = append(list, text)
	}
	return list
}

func TestRegressionM01AnExportDuringAnEraseComesInAgain(t *testing.T) {
	t.Parallel()
	for name, set := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, set)
			by := w.account()
			id := w.history(by)
			want := w.versions(id)
			data := w.exportFrom(by, true, &meanwhile{Source: w.Publish.Contents, do: func() {
				expect.OK(t, w.Publish.EraseVersion(t.Context(), w.OwnerOf(by.Account()), id, 2))
			}})
			report, err := w.imports(w.account(), data)
			expect.OK(t, err)
			if len(report.Projects) != 1 || report.Projects[0].Refused != nil {
				t.Fatalf("%+v", report)
			}
			expect.Same(t, "versions", w.versions(report.Projects[0].Adopted.Project.ID), want)
		})
	}
}

func TestRegressionM02AnExportWithAProjectDeletedMeanwhileComesInAgain(t *testing.T) {
	t.Parallel()
	for name, set := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, set)
			by := w.account()
			ids := []sandlot.ProjectID{w.history(by), w.history(by)}
			want := w.versions(ids[0])
			e, err := w.Publish.Reader.Export(t.Context(), by)
			expect.OK(t, err)
			_, err = w.Publish.DeleteProject(t.Context(), by, string(ids[0]), string(ids[0]))
			expect.OK(t, err)
			_, err = w.Operate.Delete(t.Context(), sandlot.AsOperator(""), string(ids[1]), "spam")
			expect.OK(t, err)
			report, err := w.imports(w.account(), w.write(by, e, true, w.Publish.Contents))
			expect.OK(t, err)
			expect.Equal(t, "projects", len(report.Projects), 2)
			for _, p := range report.Projects {
				if p.Refused != nil {
					t.Fatalf("%+v", p)
				}
				expect.Equal(t, "versions", len(w.versions(p.Adopted.Project.ID)), len(want))
			}
		})
	}
}

func TestAnExportComesInWithItsWholeHistory(t *testing.T) {
	t.Parallel()
	for name, sets := range map[string][2]testworld.Option{"between SQLite and the full set": {testworld.Embedded(), testworld.Full()}, "from the full set to SQLite": {testworld.Full(), testworld.Embedded()}} {
		t.Run(name, func(t *testing.T) {
			from, to := newWorld(t, sets[0]), newWorld(t, sets[1])
			by := from.account()
			id := from.history(by)
			to.Clock.Move(24 * time.Hour)
			me := to.account()
			report, err := to.imports(me, from.export(by, true))
			expect.OK(t, err)
			if len(report.Projects) != 1 || report.Projects[0].Refused != nil {
				t.Fatalf("%+v", report)
			}
			o := report.Projects[0]
			expect.Same(t, "versions", to.versions(o.Adopted.Project.ID), from.versions(id))
			was, err := from.Publish.Reader.Project(t.Context(), by, string(id))
			expect.OK(t, err)
			is, err := to.Publish.Reader.Project(t.Context(), me, string(o.Adopted.Project.ID))
			expect.OK(t, err)
			if p := is.Project; p.ID == id || p.Title != "Sky Hopper" || p.Lang != "de" || !p.Unlisted || !p.Threads || p.Tags != "cats 3d" || p.Version != 3 || p.Size != was.Project.Size || !p.CreatedAt.Equal(was.Project.CreatedAt.Truncate(time.Second)) || p.Account != me.Account() {
				t.Errorf("%+v", p)
			}
			d, err := to.Publish.Contents.Described(t.Context(), is.Project.ID)
			expect.OK(t, err)
			expect.Equal(t, "description", d.Description, "Jump.\nAgain.")
			if keys := to.Query("SELECT count(*) FROM keys WHERE project IS NOT NULL"); keys[0] != "0" {
				t.Errorf("%s project keys were made", keys)
			}
			to.publishesOn(me, is.Project.ID)
		})
	}
}

// publishesOn shows that an imported project is like any other.
func (w *world) publishesOn(by sandlot.Caller, id sandlot.ProjectID) {
	w.t.Helper()
	out, _, err := w.Publish.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "index.html", Content: w.Stage("<p>four")})
	expect.OK(w.t, err)
	restored, err := w.Publish.Restore(w.t.Context(), by, publish.RestoreInput{Project: string(id), Version: 1})
	expect.OK(w.t, err)
	expect.Equal(w.t, "versions", fmt.Sprint(out.Project.Version, restored.Project.Version), "4 5")
}

func TestAnExportOfFormat1ComesInAsOneVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	by, me := w.account(), w.account()
	id := w.history(by)
	report, err := w.imports(me, w.export(by, false))
	expect.OK(t, err)
	o := report.Projects[0]
	if o.Refused != nil || o.Versions != 1 || o.Files != 2 {
		t.Fatalf("%+v", o)
	}
	expect.Same(t, "the version", w.versions(o.Adopted.Project.ID), w.versions(id)[:1])
}

func TestTheSameImportAgainMakesNothingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	by, me := w.account(), w.account()
	w.history(by)
	w.history(by)
	data := w.export(by, true)
	keyed := func(in *transfer.Input) { in.Idempotency = "once" }
	first, err := w.imports(me, data, keyed)
	expect.OK(t, err)
	w.Unchanged(t, func() {
		again, err := w.imports(me, data, keyed)
		expect.OK(t, err)
		for i, o := range again.Projects {
			if !o.Adopted.FromRecord || o.Adopted.Project.ID != first.Projects[i].Adopted.Project.ID {
				t.Errorf("%+v", o)
			}
		}
		_, err = w.imports(me, w.export(by, false), keyed)
		expect.Is(t, "another archive under the same key", err, sandlot.CodeIdempotencyMismatch)
	})
}

func TestAnotherArchiveUnderTheSameKeyMakesNothingWhateverCameInOfTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me := w.account()
	keyed := func(in *transfer.Input) { in.Idempotency = "once" }
	good := one(func(obj) {})["projects"].([]obj)
	bad := one(func(p obj) { p["files"] = []obj{} })["projects"].([]obj)
	later := one(func(p obj) { p["description"] = strings.Repeat("x", 2000) })["projects"].([]obj)
	of := func(lists ...[]obj) []byte {
		return pack(t, obj{"format": 1, "projects": slices.Concat(lists...)}, "sky-abc123/index.html", page)
	}
	report, err := w.imports(me, of(bad, later, good), keyed)
	expect.OK(t, err)
	if report.Projects[0].Refused == nil || report.Projects[1].Refused == nil || report.Projects[2].Refused != nil {
		t.Fatalf("%+v", report)
	}
	for name, other := range map[string][]byte{"that would make the first": of(good, good, good), "that has fewer": of(good), "whose first is refused": of(bad, good)} {
		w.Unchanged(t, func() {
			_, err := w.imports(me, other, keyed)
			expect.Is(t, "another archive "+name, err, sandlot.CodeIdempotencyMismatch)
		})
	}
	again, err := w.imports(me, of(bad, later, good), keyed)
	expect.OK(t, err)
	expect.Equal(t, "of the record", again.Projects[2].Adopted.FromRecord, true)
}

func TestAProjectThatGrewToMoreThanOneCallBringsComesIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	w.World = w.Node(t, testworld.With(func(c *publish.Config) { c.MaxFile = 100_000 }))
	w.in = transfer.New(transfer.Config{Projects: w.Publish, Contents: w.Publish.Contents, Pictures: w.Covers, Temporary: t.TempDir(), MaxFile: 100_000})
	by, me := w.account(), w.account()
	out, _, err := w.Publish.Publish(t.Context(), by, publish.PublishInput{Tree: w.Tree("index.html", "<p>one", "a.bin", strings.Repeat("a", 90_000))})
	expect.OK(t, err)
	_, _, err = w.Publish.Update(t.Context(), by, publish.UpdateInput{Project: string(out.Project.ID), Filename: "b.bin", Content: w.Stage(strings.Repeat("b", 90_000))})
	expect.OK(t, err)
	report, err := w.imports(me, w.export(by, true))
	expect.OK(t, err)
	if o := report.Projects[0]; o.Refused != nil || o.Files != 3 || o.Versions != 2 {
		t.Errorf("%+v, %v", o, o.Refused)
	}
}

func TestAnImportThatWasCutOffGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	by, me := w.account(), w.account()
	w.history(by)
	w.history(by)
	data := w.export(by, true)
	ctx, cut := context.WithCancel(t.Context())
	once := w.in.Projects
	w.in.Projects = adopts(func(ctx context.Context, by sandlot.Caller, in publish.Adoption) (publish.Adopted, error) {
		defer cut()
		return once.Adopt(ctx, by, in)
	})
	_, err := w.in.Import(ctx, me, transfer.Input{Archive: bytes.NewReader(data), Idempotency: "once"})
	expect.Is(t, "the one that was cut off", err, context.Canceled)
	w.in.Projects = once
	report, err := w.imports(me, data, func(in *transfer.Input) { in.Idempotency = "once" })
	expect.OK(t, err)
	expect.Equal(t, "replayed", fmt.Sprint(report.Projects[0].Adopted.FromRecord, report.Projects[1].Adopted.FromRecord), "true false")
	who, err := w.Publish.Reader.Whoami(t.Context(), me, 10, "")
	expect.OK(t, err)
	expect.Equal(t, "projects", len(who.Projects), 2)
}

type adopts func(context.Context, sandlot.Caller, publish.Adoption) (publish.Adopted, error)

func (a adopts) Adopt(ctx context.Context, by sandlot.Caller, in publish.Adoption) (publish.Adopted, error) {
	return a(ctx, by, in)
}

// pack makes an export of a manifest and files, the manifest first unless the files have one.
func pack(t *testing.T, manifest any, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	text, ok := manifest.(string)
	if !ok {
		data, err := json.Marshal(manifest)
		expect.OK(t, err)
		text = string(data)
	}
	if text != "" {
		files = append([]string{"manifest.json", text}, files...)
	}
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		expect.OK(t, err)
		_, err = io.WriteString(w, files[i+1])
		expect.OK(t, err)
	}
	expect.OK(t, z.Close())
	return out.Bytes()
}

const page = "<p>page"

// sum is the hash of a text, as a manifest has it.
func sum(text string) string { return sandlot.Digest(sha256.Sum256([]byte(text))).String() }

type obj = map[string]any

// fileAt is a file as a manifest names it.
func fileAt(name, path, text string) obj {
	return obj{"filename": name, "path": path, "size": len(text), "sha256": sum(text)}
}

// one is a manifest with a project, changed.
func one(change func(project obj)) obj {
	p := obj{
		"project_id": "sky-abc123", "title": "Sky", "primary_file": "index.html", "created_at": "2026-01-02T03:04:05Z",
		"updated_at": "2026-01-03T03:04:05Z", "files": []obj{fileAt("index.html", "sky-abc123/index.html", page)},
	}
	change(p)
	return obj{"format": 2, "projects": []obj{p}}
}

func version(n int, at string, files ...obj) obj {
	return obj{"version": n, "created_at": at, "title": "Sky", "primary_file": "index.html", "files": append([]obj{}, files...)}
}

func TestWhatIsNoExportIsRefusedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me := w.account()
	plain := one(func(obj) {})
	text, err := json.Marshal(plain)
	expect.OK(t, err)
	var twice bytes.Buffer
	z := zip.NewWriter(&twice)
	for range 2 {
		_, err := z.Create("manifest.json")
		expect.OK(t, err)
	}
	expect.OK(t, z.Close())
	newer := one(func(obj) {})
	newer["format"] = 3
	large := strings.Repeat("\x00", 7<<20)
	bomb := `{"format":2,"projects":[` + strings.Repeat(" ", 65<<20) + `]}`
	for name, c := range map[string]struct {
		data []byte
		code sandlot.Code
	}{
		"no ZIP":                        {[]byte("<p>no ZIP"), sandlot.CodeInvalidArchive},
		"nothing":                       {nil, sandlot.CodeInvalidArchive},
		"a ZIP that was cut":            {pack(t, plain, "sky-abc123/index.html", page)[:99], sandlot.CodeInvalidArchive},
		"no manifest":                   {pack(t, "", "sky-abc123/index.html", page), sandlot.CodeInvalidArchive},
		"two manifests":                 {twice.Bytes(), sandlot.CodeInvalidArchive},
		"a newer format":                {pack(t, newer, "sky-abc123/index.html", page), sandlot.CodeInvalidArchive},
		"a manifest of another kind":    {pack(t, `[1]`), sandlot.CodeInvalidArchive},
		"a manifest without a format":   {pack(t, `{}`), sandlot.CodeInvalidArchive},
		"a manifest that ends early":    {pack(t, string(text[:len(text)-3])), sandlot.CodeInvalidArchive},
		"something behind the manifest": {pack(t, string(text)+"{}"), sandlot.CodeInvalidArchive},
		"a name twice in the manifest":  {pack(t, `{"format":1,"format":2,"projects":[]}`), sandlot.CodeInvalidArchive},
		"a date that is none":           {pack(t, one(func(p obj) { p["created_at"] = "yesterday" })), sandlot.CodeInvalidArchive},
		"a size that is no number":      {pack(t, `{"format":1,"projects":[{"files":[{"size":"1"}]}]}`), sandlot.CodeInvalidArchive},
		"a text of 1 MiB":               {pack(t, one(func(p obj) { p["title"] = strings.Repeat("x", 1<<20) })), sandlot.CodeInvalidArchive},
		"a gap of 1 MiB":                {pack(t, `{"format":2,`+strings.Repeat(" ", 1<<20)+`"projects":[]}`), sandlot.CodeInvalidArchive},
		"lists 1,000 deep":              {pack(t, `{"format":2,"x":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`,"projects":[]}`), sandlot.CodeInvalidArchive},
		"100,001 files":                 {pack(t, `{"format":2,"projects":[`+strings.Repeat(`{"files":[`+strings.Repeat(`{},`, 9_999)+`{}]},`, 10)+`{"files":[{}]}]}`), sandlot.CodeContentTooLarge},
		"a manifest of 65 MiB":          {pack(t, bomb), sandlot.CodeContentTooLarge},
		"a file that unpacks to more than may be": {pack(t, one(func(p obj) {
			p["files"] = []obj{fileAt("index.html", "sky-abc123/index.html", page), fileAt("big", "big", large+large)}
		}), "sky-abc123/index.html", page, "big", large+large), ""},
		"files that do so together":      {pack(t, plain, "1", large, "2", large, "3", large, "4", large, "5", large), sandlot.CodeContentTooLarge},
		"a path out of the archive":      {pack(t, plain, "../index.html", page), ""},
		"an archive over the data limit": {append(pack(t, plain), make([]byte, 33<<20)...), sandlot.CodeContentTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w.Unchanged(t, func() {
				report, err := w.imports(me, c.data)
				if c.code != "" {
					expect.Is(t, name, err, c.code)
				} else if err == nil && report.Projects[0].Refused == nil {
					t.Errorf("it was taken: %+v", report)
				}
			})
		})
	}
}

func TestAProjectThatIsNotAsItsManifestSaysIsRefusedAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me := w.account()
	const early, late = "2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z"
	index := fileAt("index.html", "sky-abc123/index.html", page)
	for name, c := range map[string]struct {
		change func(p obj)
		says   string
	}{
		"a file that is not there": {func(p obj) { p["files"] = []obj{index, fileAt("a.js", "sky-abc123/a.js", "a")} }, `lacks the file "a.js"`},
		"a path upwards":           {func(p obj) { p["files"] = []obj{index, fileAt("a.js", "../a.js", "a")} }, `lacks the file`},
		"another size": {func(p obj) {
			index := fileAt("index.html", "sky-abc123/index.html", page+"!")
			p["files"] = []obj{index}
		}, `7 bytes in the archive`},
		"another hash": {func(p obj) { p["files"] = []obj{fileAt("index.html", "sky-abc123/index.html", "<p>PAGE")} }, `"index.html" has other bytes`},
		"a hash that is none": {func(p obj) {
			index := fileAt("index.html", "sky-abc123/index.html", page)
			index["sha256"] = "x"
			p["files"] = []obj{index}
		}, `no SHA-256`},
		"a name that cannot be":      {func(p obj) { p["files"] = []obj{index, fileAt("../a.js", "sky-abc123/index.html", page)} }, `cannot be used`},
		"a file twice":               {func(p obj) { p["files"] = []obj{index, index} }, `twice`},
		"names that clash":           {func(p obj) { p["files"] = []obj{index, fileAt("Index.html", "sky-abc123/index.html", page)} }, `beside each other`},
		"no files":                   {func(p obj) { p["files"] = []obj{} }, `names no files`},
		"no page":                    {func(p obj) { p["primary_file"] = "a.html" }, `first page`},
		"a key in a file":            {func(p obj) { p["files"] = []obj{index, fileAt("key.txt", "sky-abc123/key.txt", leaked)} }, `holds one of this service's keys`},
		"a description that is long": {func(p obj) { p["description"] = strings.Repeat("x", 2000) }, `description`},
		"no last version":            {func(p obj) { p["versions"] = []obj{} }, `last version`},
		"another last version": {func(p obj) {
			p["versions"] = []obj{version(1, early, fileAt("index.html", "sky-abc123/old.html", "old"))}
		}, `last version`},
		"versions out of order":      {func(p obj) { p["versions"] = []obj{version(2, early, index), version(1, late, index)} }, `not in their order`},
		"a version without its page": {func(p obj) { p["versions"] = []obj{version(1, early), version(2, late, index)} }, `lacks its first page`},
	} {
		t.Run(name, func(t *testing.T) {
			data := pack(t, one(c.change), "sky-abc123/index.html", page, "sky-abc123/old.html", "old", "sky-abc123/key.txt", leaked)
			w.Unchanged(t, func() {
				report, err := w.imports(me, data)
				expect.OK(t, err)
				if e := report.Projects[0].Refused; e == nil || !strings.Contains(e.Message, c.says) {
					t.Errorf("%v", e)
				}
			})
		})
	}
	t.Run("and the others come in", func(t *testing.T) {
		good := one(func(obj) {})["projects"].([]obj)
		bad := one(func(p obj) { p["files"] = []obj{} })["projects"].([]obj)
		report, err := w.imports(me, pack(t, obj{"format": 1, "projects": append(bad, good...)}, "sky-abc123/index.html", page, "notes.txt", "extra"))
		expect.OK(t, err)
		if report.Projects[0].Refused == nil || report.Projects[1].Refused != nil {
			t.Errorf("%+v", report)
		}
	})
}

func TestAnErasedVersionLeavesNoGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	index := fileAt("index.html", "sky-abc123/index.html", page)
	erased := obj{"version": 1, "created_at": "2024-01-01T00:00:00Z", "erased": true}
	data := pack(t, one(func(p obj) { p["versions"] = []obj{erased, version(2, "2025-01-01T00:00:00Z", index)} }), "sky-abc123/index.html", page)
	report, err := w.imports(w.account(), data)
	expect.OK(t, err)
	expect.Equal(t, "version", report.Projects[0].Adopted.Project.Version, 1)
}

func TestAForgedManifestClaimsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me := w.account()
	index := fileAt("index.html", "sky-abc123/index.html", page)
	old := fileAt("index.html", "sky-abc123/old.html", "old")
	forged := one(func(p obj) {
		p["created_at"], p["handle"], p["stats"] = "1066-10-14T09:00:00Z", "admin", obj{"plays": 1000, "likes": 1000}
		p["versions"] = []obj{version(5, "2199-01-01T00:00:00Z", old), version(7, "2020-01-01T00:00:00Z", index)}
	})
	report, err := w.imports(me, pack(t, forged, "sky-abc123/index.html", page, "sky-abc123/old.html", "old"))
	expect.OK(t, err)
	o := report.Projects[0]
	if o.Refused != nil {
		t.Fatal(o.Refused)
	}
	p := o.Adopted.Project
	if p.ID == "sky-abc123" || p.Handle == "admin" || p.Plays != 0 || p.Likes != 0 || p.CreatedAt.Year() < 1990 || p.UpdatedAt.After(w.Clock.Now()) || p.Version != 2 {
		t.Errorf("%+v", p)
	}
	if len(o.Adopted.Warnings) == 0 || o.Adopted.Warnings[0].Code != "date_changed" {
		t.Errorf("%+v", o.Adopted.Warnings)
	}
}

func TestAnAccountHasOneImportAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me := w.account()
	r, send := io.Pipe()
	first := make(chan error)
	go func() {
		_, err := w.in.Import(t.Context(), me, transfer.Input{Archive: r})
		first <- err
	}()
	_, err := send.Write([]byte("P")) // which is read when it is in progress
	expect.OK(t, err)
	_, err = w.imports(me, nil)
	expect.Is(t, "the second", err, sandlot.CodeRequestInProgress)
	_, err = w.imports(w.account(), nil)
	expect.Is(t, "another account's", err, sandlot.CodeInvalidArchive)
	send.Close()
	expect.Is(t, "the first", <-first, sandlot.CodeInvalidArchive)
}

func TestRegression49AnImportIsNotReceivedWhileTheDiskIsNearlyFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	full := testworld.New(t, testworld.Embedded(), testworld.With(func(c *publish.Config) { c.Room = func() bool { return false } }))
	w.in.Contents = full.Publish.Contents
	sent := strings.NewReader("PK")
	_, err := w.in.Import(t.Context(), w.account(), transfer.Input{Archive: sent})
	expect.Is(t, "the import", err, sandlot.CodeStorageFull)
	expect.Equal(t, "bytes that were not read", sent.Len(), 2)
}

// fullAfter adopts so many projects, and then has no room.
type fullAfter struct {
	transfer.Projects
	left int
}

func (f *fullAfter) Adopt(ctx context.Context, by sandlot.Caller, in publish.Adoption) (publish.Adopted, error) {
	if f.left--; f.left < 0 {
		return publish.Adopted{}, sandlot.NoEffect(sandlot.ErrFull)
	}
	return f.Projects.Adopt(ctx, by, in)
}

// TestAnImportThatStopsMidwaySaysThatSomeOfItCameIn, also to a client without an idempotency key: it would send the first projects twice.
func TestAnImportThatStopsMidwaySaysThatSomeOfItCameIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	from := w.account()
	w.history(from)
	w.history(from)
	data := w.export(from, false)
	for _, c := range []struct {
		came      int
		key, says string
	}{
		{0, "", "Nothing was changed."},
		{1, "", "What came in before stays; projects: 1."},
		{1, "again", "What came in before stays; projects: 1."},
	} {
		w.in.Projects = &fullAfter{w.Publish, c.came}
		_, err := w.imports(w.account(), data, func(in *transfer.Input) { in.Idempotency = c.key })
		e := sandlot.AsError(err)
		expect.Is(t, "the import", e, sandlot.CodeStorageFull)
		if !strings.HasSuffix(e.Message, c.says) || e.RetryAfter == 0 {
			t.Errorf("%+v: %+v", c, e)
		}
		if twice := strings.Contains(e.Fix.Note, "once more"); twice != (c.came > 0 && c.key == "") {
			t.Errorf("%+v: %s", c, e.Fix.Note)
		}
	}
}

func TestAnImportThatIsSaidToBeTooLargeIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	sent := strings.NewReader("PK")
	_, err := w.in.Import(t.Context(), w.account(), transfer.Input{Archive: sent, Size: 4*w.in.MaxFile + 1})
	expect.Is(t, "the import", err, sandlot.CodeContentTooLarge)
	expect.Equal(t, "bytes that were not read", sent.Len(), 2)
}

// ids are those of the projects of a report, or why there is none.
func ids(r transfer.Report) (list []string) {
	for _, o := range r.Projects {
		if o.Refused != nil {
			list = append(list, o.Refused.Message)
			continue
		}
		list = append(list, string(o.Adopted.Project.ID))
	}
	return list
}

func TestTheOperatorKeepsIdsThatNoProjectEverHad(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]testworld.Option{"SQLite": testworld.Embedded(), "the full set": testworld.Full()} {
		t.Run(name, func(t *testing.T) {
			from, to := newWorld(t, testworld.Embedded()), newWorld(t, set)
			by, me := from.account(), to.account()
			small, deleted := from.history(by), from.history(by)
			large := from.history(by)
			for range 3 { // more than one step of the database brings
				many := []string{"index.html", "<p>many"}
				for i := range 300 {
					many = append(many, fmt.Sprintf("f%d-%d.txt", i, from.Clock.Now().Unix()), fmt.Sprint(i))
				}
				from.Clock.Move(time.Hour)
				_, _, err := from.Publish.Update(t.Context(), by, publish.UpdateInput{Project: string(large), Many: publish.Many{Tree: from.Tree(many...)}})
				expect.OK(t, err)
			}
			data := from.export(by, true)
			to.Clock.Move(48 * time.Hour)
			operator := sandlot.AsOperator("grace")
			in := transfer.Input{Account: me.Account(), Reason: "moved house"}
			run := func() transfer.Report {
				t.Helper()
				in.Stored = io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
				report, err := to.in.Import(t.Context(), operator, in)
				expect.OK(t, err)
				return report
			}
			first := run()
			expect.Equal(t, "projects", len(first.Projects), 3)
			for _, o := range first.Projects {
				if o.Refused != nil || string(o.Adopted.Project.ID) != o.From || o.Adopted.Project.Account != me.Account() {
					t.Errorf("%+v", o)
				}
			}
			expect.Same(t, "versions", to.versions(large), from.versions(large))
			expect.Same(t, "versions", to.versions(small), from.versions(small))
			if log := to.Query("SELECT count(*) FROM acts WHERE action = 'import' AND name = 'grace' AND reason = 'moved house' AND actor = 'operator'"); log[0] != "3" {
				t.Errorf("%s entries of the audit log", log)
			}
			own := to.OwnerOf(me.Account())
			_, err := to.Publish.DeleteProject(t.Context(), own, string(deleted), string(deleted))
			expect.OK(t, err)
			to.Unchanged(t, func() {
				for _, said := range ids(run()) {
					if !strings.Contains(said, "was used here before") {
						t.Errorf("an id that was used: %s", said)
					}
				}
			})
		})
	}
}

func TestTheOperatorGivesNoProjectAnIdThatNoneCanHave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	in := transfer.Input{Account: w.account().Account()}
	for _, id := range []string{"www", "admin", "sky--v1-0123456789", "Sky-abc123", "../sky-abc123", "-abc123", "xn--sky-abc123", strings.Repeat("a", 40) + "-abc123", "sky-abc12l"} {
		data := pack(t, one(func(p obj) { p["project_id"] = id }), "sky-abc123/index.html", page)
		w.Unchanged(t, func() {
			in.Stored = io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
			report, err := w.in.Import(t.Context(), sandlot.AsOperator("grace"), in)
			expect.OK(t, err)
			if said := ids(report)[0]; !strings.Contains(said, "none that a project can have") {
				t.Errorf("%q: %s", id, said)
			}
		})
	}
}

func TestWhoIsLetInToImport(t *testing.T) {
	t.Parallel()
	data := pack(t, one(func(obj) {}), "sky-abc123/index.html", page)
	testworld.CheckAccess(t, reflect.TypeFor[*transfer.Service](), nil, map[string]testworld.Gate{"Import": {
		Call: func(s *testworld.Scene, by sandlot.Caller) error {
			in := transfer.New(transfer.Config{Projects: s.Publish, Contents: s.Publish.Contents, Pictures: s.Covers, Temporary: t.TempDir()})
			report, err := in.Import(t.Context(), by, transfer.Input{Archive: bytes.NewReader(data)})
			if err == nil && report.Projects[0].Refused != nil {
				err = report.Projects[0].Refused
			}
			return err
		},
		Want: mayImport,
	}})
}

// mayImport is who may: accounts, in their own name.
func mayImport(seen testworld.Seen) error {
	own := seen.Who == "the account's key" || seen.Who == "the owner's session"
	switch {
	case seen.Who == "nobody" || seen.Who == "the operator":
		return sandlot.CodeKeyRequired
	case strings.HasPrefix(seen.State, "account suspended") && own, seen.State == "account suspended" && seen.Who != "another account's key" && seen.Who != "another's session":
		return sandlot.CodeAccountSuspended
	case seen.Who == "the project's key" || strings.Contains(seen.Who, "another project"):
		return sandlot.CodeAccountKeyRequired
	}
	return nil
}

// leaked has the form of a key of the service, which nothing that is published may hold.
var leaked = "sla_" + strings.Repeat("0", names.KeyRandom) + names.KeyChecksum("sla_"+strings.Repeat("0", names.KeyRandom))

func TestOnlyTheOperatorIsGivenTheIDThatIsWished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me := w.account()
	for _, c := range []struct {
		by   sandlot.Caller
		kept bool
	}{{me, false}, {sandlot.AsOperator(""), true}} {
		out, err := w.Publish.Adopt(t.Context(), c.by, publish.Adoption{
			ID: "maze-7k2m9p", Account: me.Account(),
			Stage: func(_ context.Context, now time.Time) (publish.NewProject, []sandlot.Warning, error) {
				file := sandlot.File{Name: "index.html", Folded: "index.html", Blob: w.Stage(page).Blob}
				return publish.NewProject{Title: "Maze", Files: []sandlot.File{file}, Primary: file.Name, CreatedAt: now, History: publish.History{Begun: now}}, nil, nil
			},
		})
		expect.OK(t, err)
		if (out.Project.ID == "maze-7k2m9p") != c.kept {
			t.Errorf("the id is %s", out.Project.ID)
		}
	}
}
