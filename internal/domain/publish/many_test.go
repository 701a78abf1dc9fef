package publish_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// publishMany publishes files, of which each name is followed by its text.
func (w *world) publishMany(by sandlot.Caller, files ...string) publish.Published {
	w.t.Helper()
	out, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Tree: w.in.Tree(files...)})
	expect.OK(w.t, err)
	return out
}

func (w *world) updateMany(by sandlot.Caller, in publish.UpdateInput, files ...string) (publish.Updated, error) {
	w.t.Helper()
	in.Tree = w.in.Tree(files...)
	out, _, err := w.Update(w.t.Context(), by, in)
	return out, err
}

// all is what a version has: each name with its text.
func (w *world) all(id sandlot.ProjectID, version int) (out string) {
	w.t.Helper()
	files, err := w.Files(w.t.Context(), id, version)
	expect.OK(w.t, err)
	for _, f := range files {
		out += fmt.Sprintf("%s=%.20s ", f.Name, w.bytes(f.Blob))
	}
	return strings.TrimSpace(out)
}

func TestManyFilesAreOneVersion(t *testing.T) {
	t.Parallel()
	for name, on := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, testworld.New(t, on))
			by := w.account()
			out := w.publishMany(by, "index.html", "<title>Many</title>", "js/a.js", "a", "img/b.png", strings.Repeat("b", 3*inlineMax))
			if !out.Many || out.Project.Version != 1 || out.Project.FileCount != 3 || out.Project.Title != "Many" || out.File.Name != "index.html" {
				t.Errorf("%+v", out)
			}
			expect.Same(t, "files", names(out.Files), []string{"img/b.png", "index.html", "js/a.js"})
			expect.Same(t, "version 1", w.all(out.Project.ID, 1), "img/b.png=bbbbbbbbbbbbbbbbbbbb index.html=<title>Many</title> js/a.js=a")

			next, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID)}, "js/a.js", "other", "js/c.js", "c", "index.html", "<title>Many</title>")
			expect.OK(t, err)
			expect.Same(t, "what changed", names(next.Files), []string{"js/a.js", "js/c.js"})
			if next.Unchanged != 1 || next.Removed != 0 || next.Previous != 1 || next.Project.Version != 2 {
				t.Errorf("%+v", next)
			}
			expect.Same(t, "version 2", w.all(out.Project.ID, 2), "img/b.png=bbbbbbbbbbbbbbbbbbbb index.html=<title>Many</title> js/a.js=other js/c.js=c")

			next, err = w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true}}, "site/game.html", "page", "site/b.png", strings.Repeat("b", 3*inlineMax))
			expect.OK(t, err)
			if next.Removed != 4 || next.Project.Primary != "game.html" || next.Project.FileCount != 2 {
				t.Errorf("%+v", next)
			}
			expect.Same(t, "warnings", codes(next.Warnings)[0], "unwrapped")
			expect.Same(t, "version 3", w.all(out.Project.ID, 3), "b.png=bbbbbbbbbbbbbbbbbbbb game.html=page")
			expect.Same(t, "version 1 afterwards", w.all(out.Project.ID, 1), "img/b.png=bbbbbbbbbbbbbbbbbbbb index.html=<title>Many</title> js/a.js=a")
		})
	}
}

// TestThePrimaryFileIsNamedAsItWasSent also where the folder around all files is taken off.
func TestThePrimaryFileIsNamedAsItWasSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	for _, primary := range []string{"dist/b.html", "b.html"} {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree("dist/index.html", "a", "dist/b.html", "b"), Primary: primary})
		expect.OK(t, err)
		expect.Equal(t, primary, out.Project.Primary, "b.html")
		next, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true, Primary: primary}}, "dist/b.html", "b", "dist/index.html", "c")
		expect.OK(t, err)
		expect.Equal(t, primary, next.Project.Primary, "b.html")
	}
	_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree("dist/index.html", "a"), Primary: "dist/c.html"})
	expect.Is(t, "a page that did not come", err, sandlot.CodeNoPrimaryFile)
}

func TestOneFileMoreThanAreToldIsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := []string{"index.html", page}
	for i := range 11 {
		files = append(files, fmt.Sprintf("%02d.bin", i), gzipped(t, "packed"))
	}
	out := w.publishMany(w.account(), files...)
	i := slices.IndexFunc(out.Warnings, func(w sandlot.Warning) bool { return w.Code == "more_warnings" })
	if i < 0 {
		t.Fatalf("%v", codes(out.Warnings))
	}
	expect.Equal(t, "told", out.Warnings[i].Message, "1 more file is gzipped, base64 text or damaged.")
}

func TestBytesThatAreThereAreNotStoredAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by, big := w.account(), strings.Repeat("b", 3*inlineMax)
	out := w.publishMany(by, "index.html", page, "img/b.png", big)
	before := w.onDisk()
	next, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true}}, "index.html", page, "c.png", big)
	expect.OK(t, err)
	expect.Same(t, "version 2", names(next.Files), []string{"c.png"})
	expect.Equal(t, "blobs on the disk", w.onDisk(), before)
	expect.Equal(t, "c.png", w.text(out.Project.ID, 2, "c.png"), big)
}

func TestFilesWithoutAPageAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	send := func(primary string, files ...string) (publish.Published, error) {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree(files...), Primary: primary})
		return out, err
	}
	w.unchanged(t, func() {
		_, err := send("", "b.html", page, "a.html", page, "x/c.html", page)
		e := refused(t, err, sandlot.CodeNoPrimaryFile)
		expect.Same(t, "fix", e.Fix.Args, []sandlot.Arg{{Name: "primary_file", Value: "a.html"}})
		expect.Same(t, "candidates", e.Details, []sandlot.Detail{{Name: "candidates", Value: []string{"a.html", "b.html", "x/c.html"}}})
		_, err = send("", "a.js", "1")
		e = refused(t, err, sandlot.CodeNoPrimaryFile)
		expect.Same(t, "no candidates", e.Details, []sandlot.Detail{{Name: "candidates", Value: []string{}}}) // [] in JSON, not null
		_, err = send("index.html", "game.html", page)
		refused(t, err, sandlot.CodeNoPrimaryFile)
		_, err = send("")
		refused(t, err, sandlot.CodeMissingField)
	})
	out, err := send("a.html", "b.html", page, "a.html", page)
	expect.OK(t, err)
	expect.Equal(t, "primary file", out.Project.Primary, "a.html")
	w.unchanged(t, func() {
		_, err = w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true}}, "a.js", "1")
		e := refused(t, err, sandlot.CodeNoPrimaryFile)
		expect.Same(t, "fix", e.Fix.Args, []sandlot.Arg{{Name: "replace", Value: false}})
	})
	next, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true}}, "a.html", "x", "b.html", page)
	expect.OK(t, err)
	expect.Equal(t, "primary file, which stays", next.Project.Primary, "a.html")
	next, err = w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Primary: "b.html"}}, "c.js", "x")
	expect.OK(t, err)
	expect.Equal(t, "primary file, as chosen", next.Project.Primary, "b.html")
}

func TestOneFileThatIsRefusedRefusesAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.MaxFiles, c.MaxContent, c.MaxFile = 4, 1000, 2000 })
	_, by, p := w.owned("ada@example.com")
	key, size := w.publish(by, page).Keys.Project.Reveal(), int64(7)
	disk := w.onDisk()
	for name, c := range map[string]struct {
		code  sandlot.Code
		files []string
		told  publish.Declared
	}{
		"a name that no file has":      {sandlot.CodeInvalidFilename, []string{"../a", "x"}, publish.Declared{}},
		"a path of a machine":          {sandlot.CodeInvalidFilename, []string{"/home/ada/site/a.js", "x"}, publish.Declared{}},
		"a name that comes twice":      {sandlot.CodeInvalidField, []string{"a", "x", "./a", "y"}, publish.Declared{}},
		"names that differ in case":    {sandlot.CodeFilenameConflict, []string{"a", "x", "A", "y"}, publish.Declared{}},
		"a file and a folder":          {sandlot.CodeFilenameConflict, []string{"a", "x", "a/b", "y"}, publish.Declared{}},
		"a folder that is there":       {sandlot.CodeFilenameConflict, []string{"index.html/b", "y"}, publish.Declared{}},
		"a name that is there":         {sandlot.CodeFilenameConflict, []string{"INDEX.html", "y"}, publish.Declared{}},
		"too large a file":             {sandlot.CodeContentTooLarge, []string{"a", strings.Repeat("x", 1001)}, publish.Declared{}},
		"too much together":            {sandlot.CodeContentTooLarge, []string{"a", strings.Repeat("x", 1000), "b", strings.Repeat("x", 1000), "c", "x"}, publish.Declared{}},
		"too many files":               {sandlot.CodeContentTooLarge, []string{"a", "", "b", "", "c", "", "d", "", "e", ""}, publish.Declared{}},
		"too many files with those":    {sandlot.CodeQuotaExceeded, []string{"a", "", "b", "", "c", "", "d", ""}, publish.Declared{}},
		"a key":                        {sandlot.CodeKeyInContent, []string{"a.js", key}, publish.Declared{}},
		"a page that is packed":        {sandlot.CodeDoubleEncoded, []string{"a.html", "\x1f\x8bpacked"}, publish.Declared{}},
		"an empty page":                {sandlot.CodeInvalidField, []string{"index.html", ""}, publish.Declared{}},
		"another size":                 {sandlot.CodeDigestMismatch, []string{"a.js", "eight!!!"}, publish.Declared{Size: &size}},
		"another hash":                 {sandlot.CodeDigestMismatch, []string{"a.js", "eight!!!"}, publish.Declared{SHA256: strings.Repeat("0", 64)}},
		"a size of what did not come":  {sandlot.CodeMissingField, []string{"b.js", "x"}, publish.Declared{Size: &size}},
		"nothing but what is left out": {sandlot.CodeMissingField, []string{".DS_Store", "x"}, publish.Declared{}},
	} {
		t.Run(name, func(t *testing.T) {
			w.unchanged(t, func() {
				tree := w.NewTree(nil)
				tree.Declare("a.js", c.told)
				var err error
				for i := 0; i < len(c.files) && err == nil; i += 2 {
					err = tree.Add(t.Context(), c.files[i], publish.Declared{}, strings.NewReader(c.files[i+1]))
				}
				if err == nil {
					_, _, err = w.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Many: publish.Many{Tree: tree}})
				}
				refused(t, err, c.code)
				w.DiscardTree(t.Context(), tree)
			})
		})
	}
	expect.Equal(t, "blobs on the disk", w.onDisk(), disk)
}

func TestWhatToolsLeaveBesideTheWorkIsLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publishMany(w.account(), "site/index.html", page, "__MACOSX/site/._index.html", "x", "site/node_modules/a/b.js", "x", "site/node_modules/a/c.js", "x", "site/.git/config", "x", "site/.DS_Store", "x")
	expect.Same(t, "files", names(out.Files), []string{"index.html"})
	i := slices.IndexFunc(out.Warnings, func(w sandlot.Warning) bool { return w.Code == "left_out" })
	if i < 0 || !strings.Contains(out.Warnings[i].Message, "5 files") || !strings.Contains(out.Warnings[i].Message, "2 of node_modules/") {
		t.Errorf("%+v", out.Warnings)
	}
}

func TestACopyOfTheScriptIsLeftOutAndTheHintSaysThatItNeedsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publishMany(w.account(), "site/index.html", page, "site/.sandlot/sdk.js", "x")
	expect.Same(t, "files", names(out.Files), []string{"index.html"})
	i := slices.IndexFunc(out.Warnings, func(w sandlot.Warning) bool { return w.Code == "left_out" })
	if i < 0 || !strings.Contains(out.Warnings[i].Hint, "needs no copy of .sandlot/sdk.js") {
		t.Errorf("%+v", out.Warnings)
	}
}

func TestAnUpdateThatChangesNothingIsAVersionWithAWarning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	out := w.publishMany(by, "index.html", page, "a.js", "a")
	next, err := w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true}}, "index.html", page, "a.js", "a")
	expect.OK(t, err)
	if next.Project.Version != 2 || next.Unchanged != 2 || len(next.Files) != 0 || !slices.Contains(codes(next.Warnings), "unchanged") {
		t.Errorf("%+v", next)
	}
}

func TestManyFilesAreAnsweredAgainFromTheirRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	send := func(files ...string) publish.Published {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree(files...), Idempotency: "one"})
		expect.OK(t, err)
		return out
	}
	first := send("site/index.html", page, "site/a.js", "a", "site/.DS_Store", "x")
	// The same files, in another order and outside of their folder.
	again := send("site/a.js", "a", "site/index.html", page, "site/.DS_Store", "x")
	if !again.FromRecord || !again.Many || again.Keys != first.Keys || again.Addresses != first.Addresses {
		t.Errorf("%+v, first %+v", again, first)
	}
	expect.Same(t, "files", names(again.Files), names(first.Files))
	expect.Same(t, "warnings", codes(again.Warnings), codes(first.Warnings))
	_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree("index.html", page, "a.js", "b"), Idempotency: "one"})
	refused(t, err, sandlot.CodeIdempotencyMismatch)

	in := publish.UpdateInput{Project: string(first.Project.ID), Idempotency: "two", Many: publish.Many{Replace: true}}
	changed, err := w.updateMany(by, in, "index.html", page, "b.js", "b", "c.js", "c")
	expect.OK(t, err)
	w.put(by, first.Project.ID, "d.js", "d")
	replayed, err := w.updateMany(by, in, "index.html", page, "b.js", "b", "c.js", "c")
	expect.OK(t, err)
	if !replayed.FromRecord || replayed.Project.Version != 2 || replayed.Unchanged != 1 || replayed.Removed != 1 || replayed.Previous != 1 {
		t.Errorf("%+v", replayed)
	}
	expect.Same(t, "files", names(replayed.Files), names(changed.Files))

	expect.OK(t, w.db.Publish().EraseVersion(t.Context(), first.Project.ID, 2, w.clock.now()))
	replayed, err = w.updateMany(by, in, "index.html", page, "b.js", "b", "c.js", "c")
	expect.OK(t, err)
	if replayed.Project.Version != 2 || replayed.Unchanged != 1 || replayed.Removed != 1 || len(replayed.Files) != 0 || replayed.Project.FileCount != 3 {
		t.Errorf("after the version was erased: %+v", replayed)
	}
	expect.OK(t, w.db.Publish().EraseVersion(t.Context(), first.Project.ID, 1, w.clock.now()))
	again = send("index.html", page, "a.js", "a")
	if !again.FromRecord || again.Project.FileCount != 2 || again.File.Name != "index.html" || len(again.Files) != 0 {
		t.Errorf("after the version was erased: %+v", again)
	}
}

func TestHeavyCallsAreReportedWhileTheyLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	var told []bool
	s := w.open(publish.Config{Places: local(), Heavy: func(some bool) { told = append(told, some) }})
	send := func(files int) {
		tree := s.Contents.NewTree(nil)
		for i := range files {
			name := "a" + strconv.Itoa(i)
			if i == 0 {
				name = "index.html"
			}
			expect.OK(t, tree.Add(t.Context(), name, publish.Declared{}, strings.NewReader("<!doctype html>")))
		}
		out, _, err := s.Publish(t.Context(), by, publish.PublishInput{Tree: tree})
		expect.OK(t, err)
		expect.Equal(t, "files", out.Project.FileCount, files)
	}
	send(10)
	expect.Same(t, "told of few", told, []bool(nil))
	send(1000)
	send(1000)
	send(1000) // as many as may be at once, and one more: each has given back what it took
	expect.Same(t, "told", told, []bool{true, false, true, false, true, false})
	for _, size := range []int{8<<20 - 1, 8 << 20} {
		_, err := s.Contents.Stage(t.Context(), strings.NewReader(strings.Repeat("a", size)))
		expect.OK(t, err)
	}
	expect.Same(t, "told of a large one", told[6:], []bool{true, false})
}

// TestTheRecordsOfACallAreBounded: files beyond 24 MiB are kept apart, but for the smallest.
func TestTheRecordsOfACallAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open(publish.Config{Places: local(), InlineMax: publish.DefaultInlineMax})
	tree, text := s.Contents.NewTree(nil), strings.Repeat("a", publish.DefaultInlineMax)
	for i := range 400 {
		expect.OK(t, tree.Add(t.Context(), fmt.Sprint("a", i), publish.Declared{}, strings.NewReader(text)))
	}
	expect.OK(t, tree.Put(t.Context(), "b", publish.Declared{}, w.stageOn(s, text)))
	expect.OK(t, tree.Add(t.Context(), "index.html", publish.Declared{}, strings.NewReader(page)))
	out, _, err := s.Publish(t.Context(), w.account(), publish.PublishInput{Tree: tree})
	expect.OK(t, err)
	files, err := w.db.Publish().Files(t.Context(), out.Project.ID, 1)
	expect.OK(t, err)
	recorded := map[string]bool{}
	for _, f := range files {
		if f.Blob.Ref == "" {
			recorded[f.Name] = true
		}
		r, err := s.Contents.Open(t.Context(), f.Blob, 0, -1)
		expect.OK(t, err)
		b, err := io.ReadAll(r)
		expect.OK(t, errors.Join(err, r.Close()))
		expect.Equal(t, f.Name, int64(len(b)), f.Blob.Size)
	}
	expect.Equal(t, "files of 24 MiB in their records, and a small one", len(recorded), 24<<20/publish.DefaultInlineMax+1)
	expect.Equal(t, "the small one", recorded["index.html"], true)
	expect.Equal(t, "one staged before", recorded["b"], false)
}
