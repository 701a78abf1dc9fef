package publish_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/base/spool"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// zipped is a ZIP of files, of which each name is followed by its text.
func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		expect.OK(t, err)
		_, err = io.WriteString(f, files[i+1])
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return out.String()
}

// tarred is the same as a tar.
func tarred(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		expect.OK(t, w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}))
		_, err := io.WriteString(w, files[i+1])
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return out.String()
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return out.String()
}

func (w *world) unpacked(format, archive string) (*publish.Tree, error) {
	w.t.Helper()
	tree := w.NewTree(nil)
	err := tree.Unpack(w.t.Context(), format, strings.NewReader(archive))
	if err != nil {
		w.DiscardTree(w.t.Context(), tree)
	}
	return tree, err
}

func TestATreeIsTheSameHoweverItCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := []string{"site/index.html", page, "site/img/b.png", strings.Repeat("b", 3*inlineMax), "site/__MACOSX/x", "x", "site/a.js", "a"}
	one, key := w.account(), ""
	send := func(tree *publish.Tree) publish.Published {
		by := one
		if key == "" {
			by = w.account()
		}
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Tree: tree, Idempotency: key})
		expect.OK(t, err)
		return out
	}
	plain := send(w.in.Tree(files...))
	want := w.all(plain.Project.ID, 1)
	key = "the-same-request"
	first := send(w.in.Tree(files...))
	for _, c := range []struct{ format, archive string }{
		{"zip", zipped(t, files...)},
		{"tar", tarred(t, files...)},
		{"tar.gz", gzipped(t, tarred(t, files...))},
		{".TGZ", gzipped(t, tarred(t, files...))},
	} {
		key = ""
		tree, err := w.unpacked(c.format, c.archive)
		expect.OK(t, err)
		out := send(tree)
		expect.Same(t, c.format, w.all(out.Project.ID, 1), want)
		expect.Same(t, "warnings", codes(out.Warnings), codes(plain.Warnings))
		tree, err = w.unpacked(c.format, c.archive)
		expect.OK(t, err)
		key = "the-same-request"
		if again := send(tree); !again.FromRecord || again.Project.ID != first.Project.ID {
			t.Errorf("%s: %+v", c.format, again)
		}
	}
}

// commented is the beginning of a tar: a header that belongs to no file, with a comment of n bytes.
func commented(t *testing.T, n int) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	expect.OK(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": strings.Repeat("x", n)}}))
	expect.OK(t, w.Flush())
	return out.String()
}

// TestRegressionM48WhatIsLeftOutIsNotJudged: links of node_modules/.bin and the icons of macOS's folders refuse no archive; a link that would be
// a file of the project does.
func TestRegressionM48WhatIsLeftOutIsNotJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pack := map[string]func(links ...string) string{
		"tar": func(links ...string) string {
			var out bytes.Buffer
			a := tar.NewWriter(&out)
			expect.OK(t, a.WriteHeader(&tar.Header{Name: "index.html", Size: int64(len(page)), Mode: 0o644}))
			_, err := io.WriteString(a, page)
			expect.OK(t, err)
			for _, name := range links {
				expect.OK(t, a.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: "../x"}))
			}
			expect.OK(t, a.Close())
			return out.String()
		},
		"zip": func(links ...string) string {
			var out bytes.Buffer
			a := zip.NewWriter(&out)
			f, err := a.Create("index.html")
			expect.OK(t, err)
			_, err = io.WriteString(f, page)
			expect.OK(t, err)
			for _, name := range links {
				h := &zip.FileHeader{Name: name}
				h.SetMode(fs.ModeSymlink | 0o777)
				f, err := a.CreateHeader(h)
				expect.OK(t, err)
				_, err = io.WriteString(f, "../x")
				expect.OK(t, err)
			}
			expect.OK(t, a.Close())
			return out.String()
		},
	}
	for format, packed := range pack {
		tree, err := w.unpacked(format, packed("node_modules/.bin/vite", "game/Icon\r"))
		expect.OK(t, err, format)
		out, _, err := w.Publish(t.Context(), w.account(), publish.PublishInput{Tree: tree})
		expect.OK(t, err, format)
		expect.Equal(t, format+": files", out.Project.FileCount, 1)
		_, err = w.unpacked(format, packed("level.js"))
		expect.Is(t, format+" with a link of its own", err, sandlot.CodeInvalidArchive)
	}
}

func TestRegression47HeadersOfNoFileAreCharged(t *testing.T) {
	t.Parallel()
	w, charged := newWorld(t), 0
	tree := w.NewTree(func(n int) error {
		if charged += n; charged > 100_000 {
			return sandlot.Refuse(sandlot.CodeRateLimited, "enough")
		}
		return nil
	})
	defer w.DiscardTree(t.Context(), tree)
	archive := gzipped(t, commented(t, 300_000)+tarred(t, "a", "x"))
	expect.Is(t, "headers of no file, beyond what is left", tree.Unpack(t.Context(), "tar.gz", strings.NewReader(archive)), sandlot.CodeRateLimited)
}

func TestATreeIsChargedForItsBytesAndItsRecords(t *testing.T) {
	t.Parallel()
	w, charged := newWorld(t), 0
	tree := w.NewTree(func(n int) error { charged += n; return nil })
	archive := tarred(t, "a", strings.Repeat("x", 5000), "node_modules/b", strings.Repeat("x", 3000), "c", "")
	expect.OK(t, tree.Unpack(t.Context(), "tar.gz", strings.NewReader(gzipped(t, archive))))
	w.DiscardTree(t.Context(), tree)
	if records := 2 * 8 << 10; charged < len(archive)+records || charged > len(archive)+records+1024 {
		t.Errorf("charged %d bytes for a tar of %d and two records", charged, len(archive))
	}
	over := sandlot.Refuse(sandlot.CodeRateLimited, "enough")
	tree = w.NewTree(func(int) error { return over })
	expect.Is(t, "over the limit", tree.Add(t.Context(), "a", publish.Declared{}, strings.NewReader("x")), sandlot.CodeRateLimited)
	w.DiscardTree(t.Context(), tree)
}

// sendParts sends an archive as an upload of parts of 1,000 bytes.
func (w *world) sendParts(id, archive string, send func(publish.Content, *publish.PartInput) error) (err error) {
	w.t.Helper()
	pieces := slices.Collect(slices.Chunk([]byte(archive), 1000))
	for i, piece := range pieces {
		n, total := i+1, len(pieces)
		if err = send(w.stage(string(piece)), &publish.PartInput{UploadID: id, N: &n, Total: &total}); err != nil {
			return err
		}
	}
	return nil
}

func TestAnUploadCarriesAnArchive(t *testing.T) {
	t.Parallel()
	for name, on := range testworld.Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, testworld.New(t, on))
			by := w.account()
			archive := zipped(t, "site/a.html", page, "site/b.html", page, "site/noise.bin", noise(5000))
			sum := sha256.Sum256([]byte(archive))
			var out publish.Published
			publishIn := publish.PublishInput{Archive: "ZIP", Primary: "site/b.html", Declared: publish.Declared{SHA256: hex.EncodeToString(sum[:])}}
			send := func(c publish.Content, part *publish.PartInput) (err error) {
				in := publishIn
				if in.Content, in.Part = c, part; *part.N > 1 {
					in.Archive, in.Primary = "", ""
				}
				out, _, err = w.Publish(t.Context(), by, in)
				return err
			}
			expect.OK(t, w.sendParts("one", archive, send))
			if !out.Many || out.Project.FileCount != 3 || out.Project.Primary != "site/b.html" {
				t.Errorf("%+v", out)
			}
			first := out
			expect.OK(t, w.sendParts("one", archive[len(archive)/1000*1000:], func(c publish.Content, part *publish.PartInput) error {
				last := len(archive)/1000 + 1
				part.N, part.Total = &last, nil
				return send(c, part)
			}))
			expect.Same(t, "the answer to the last part again", names(out.Files), names(first.Files))
			expect.Equal(t, "its key", out.Keys, first.Keys)

			var next publish.Updated
			update := func(replace bool, declared publish.Declared) func(publish.Content, *publish.PartInput) error {
				return func(c publish.Content, part *publish.PartInput) (err error) {
					in := publish.UpdateInput{Project: string(first.Project.ID), Many: publish.Many{Archive: "tar.gz", Replace: replace}, Content: c, Part: part, Declared: declared}
					next, _, err = w.Update(t.Context(), by, in)
					return err
				}
			}
			packed := gzipped(t, tarred(t, "site/index.html", page, "site/noise.bin", noise(6000)))
			expect.OK(t, w.sendParts("two", packed, update(true, publish.Declared{})))
			expect.Same(t, "files", names(next.Files), []string{"index.html", "noise.bin"})
			expect.Equal(t, "removed", next.Removed, 3)

			w.unchangedBut(t, "a damaged archive leaves its upload open", func() {
				err := w.sendParts("three", packed[:3000]+"damaged"+packed[3007:], update(false, publish.Declared{}))
				refused(t, err, sandlot.CodeInvalidArchive)
			})
			n := 4
			expect.OK(t, update(false, publish.Declared{})(w.stage(packed[3000:4000]), &publish.PartInput{UploadID: "three", N: &n}))
			expect.Equal(t, "version, after the damaged part was sent again", next.Project.Version, 3)

			other := publish.Declared{SHA256: strings.Repeat("0", 64)}
			refused(t, w.sendParts("four", packed, update(false, other)), sandlot.CodeDigestMismatch)
		})
	}
}

// unchangedBut checks that the current versions stay as they are.
func (w *world) unchangedBut(t *testing.T, what string, do func()) {
	t.Helper()
	before := w.kept()["versions"]
	do()
	expect.Equal(t, what, w.kept()["versions"], before)
}

func TestADryRunMakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.Quota = publish.Quota{Projects: 2, Bytes: 2000} })
	_, by, p := w.owned("ada@example.com")
	missing, stranger := 7, w.account()
	for name, c := range map[string]struct {
		do   func() error
		code error
	}{
		"publish": {func() error {
			out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(page), DryRun: true, Idempotency: "k"})
			if err == nil && (!out.DryRun || out.Project.Title != "Space Cats" || out.Project.ID != "" || out.Keys != (publish.Minted{}) || out.Many) {
				t.Errorf("%+v", out)
			}
			return err
		}, nil},
		"publish many as nobody": {func() error {
			out, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Tree: w.in.Tree("s/index.html", page, "s/a.js", large), DryRun: true, Email: address})
			if err == nil && (!out.DryRun || out.Project.FileCount != 2 || len(out.Files) != 2 || out.Account != nil || out.Mailed || codes(out.Warnings)[0] != "unwrapped") {
				t.Errorf("%+v", out)
			}
			return err
		}, nil},
		"update": {func() error {
			out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Filename: "a.js", Content: w.stage("a"), DryRun: true})
			if err == nil && (!out.DryRun || !out.Created || out.Project.Version != 2 || out.Project.FileCount != 2 || out.Addresses.Version != "" || out.Addresses.URL == "") {
				t.Errorf("%+v", out)
			}
			return err
		}, nil},
		"update what is there": {func() error {
			out, _, err := w.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Filename: "index.html", Content: w.stage("<p>1234567"), DryRun: true})
			if err == nil && (out.Created || out.Project.FileCount != 1 || out.Project.Size != 10) {
				t.Errorf("%+v", out)
			}
			return err
		}, nil},
		"replace": {func() error {
			out, err := w.updateMany(by, publish.UpdateInput{Project: string(p.ID), Many: publish.Many{Replace: true}, DryRun: true}, "game.html", "page")
			if err == nil && (out.Project.Primary != "game.html" || out.Removed != 1 || out.Project.FileCount != 1 || out.Project.Size != 4) {
				t.Errorf("%+v", out)
			}
			return err
		}, nil},
		"no e-mail": {func() error {
			return third(w.Publish(t.Context(), nobody(), publish.PublishInput{Content: w.stage(page), DryRun: true}))
		}, sandlot.CodeEmailRequired},
		"no page": {func() error {
			return third(w.Publish(t.Context(), by, publish.PublishInput{Tree: w.in.Tree("a.js", "x"), DryRun: true}))
		}, sandlot.CodeNoPrimaryFile},
		"another version": {func() error {
			return third(w.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Filename: "a.js", Content: w.stage("a"), IfVersion: &missing, DryRun: true}))
		}, sandlot.CodeVersionConflict},
		"too many bytes": {func() error {
			return third(w.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Filename: "a.js", Content: w.stage(strings.Repeat("x", 2000)), DryRun: true}))
		}, sandlot.CodeQuotaExceeded},
		"another's project": {func() error {
			return third(w.Update(t.Context(), stranger, publish.UpdateInput{Project: string(p.ID), Filename: "a.js", Content: w.stage("a"), DryRun: true}))
		}, sandlot.CodeWrongProject},
		"a part of an upload": {func() error {
			n := 1
			return third(w.Update(t.Context(), by, publish.UpdateInput{Project: string(p.ID), Filename: "a.js", Content: w.stage("a"), Part: &publish.PartInput{UploadID: "u", N: &n}, DryRun: true}))
		}, sandlot.CodeInvalidField},
	} {
		t.Run(name, func(t *testing.T) {
			disk := w.onDisk()
			w.unchanged(t, func() {
				if err := c.do(); c.code != nil {
					expect.Is(t, name, err, c.code)
				} else {
					expect.OK(t, err)
				}
			})
			expect.Equal(t, "blobs on the disk", w.onDisk(), disk)
		})
	}
	w.publish(by, page)
	_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(page), DryRun: true})
	refused(t, err, sandlot.CodeQuotaExceeded)
}

func third[T, U any](_ T, _ U, err error) error { return err }

func TestWithoutAPlaceForTemporaryFilesTheServiceIsUnavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.Temporary = filepath.Join(t.TempDir(), "gone") })
	_, err := w.unpacked("zip", strings.Repeat("x", 2*spool.Memory))
	if e := refusedAs(t, "an archive", err, sandlot.CodeUnavailable); e.RetryAfter == 0 || !strings.Contains(e.Message, "Nothing was changed") {
		t.Errorf("it does not say when to try again, or what happened: %v", e)
	}
}
