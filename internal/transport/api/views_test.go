package api

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// file is the entry of that name in a project that was read.
func (a answer) file(name string) obj {
	a.t.Helper()
	list, _ := a.body["files"].([]any)
	for _, f := range list {
		if f.(obj)["filename"] == name {
			return f.(obj)
		}
	}
	a.t.Fatalf("no file %s in %.500s", name, a.text)
	return nil
}

func bytesOf(f obj) string {
	text, _ := f["content"].(string)
	plain, _ := base64.StdEncoding.DecodeString(text)
	return string(plain)
}

func TestProjectContent(t *testing.T) {
	t.Parallel()
	big := func(s *settings) { s.cfg.MaxContent = 4 << 20 }
	t.Run("small inlines up to 1 MiB a file", func(t *testing.T) {
		w := settled(t, big)
		exact, above := noise(smallFile), noise(smallFile+1)
		w.put("exact.bin", exact)
		w.put("above.bin", above)
		got := w.get("/v1/project/"+w.projectID, w.project).wants(200)
		if bytesOf(got.file("exact.bin")) != exact || got.file("exact.bin")["content_encoding"] != "base64" {
			t.Error("a file of 1 MiB is not there as it was published")
		}
		if _, there := got.file("above.bin")["content"]; there || !got.warned("content_omitted") {
			t.Error("a larger one is there, or nothing tells that it is not")
		}
		all := w.get("/v1/project/"+w.projectID+"?content=all", w.project).wants(200)
		if bytesOf(all.file("above.bin")) != above || all.body["warnings"] != nil {
			t.Error("content=all leaves it out")
		}
		none := w.get("/v1/project/"+w.projectID+"?content=none", w.project).wants(200)
		if _, there := none.file("logo.svg")["content"]; there {
			t.Error("content=none has content")
		}
	})
	t.Run("small inlines up to 8 MiB in all", func(t *testing.T) {
		w := settled(t, big)
		for i := range 9 {
			w.put(fmt.Sprintf("f%d.bin", i), strings.Repeat("a", smallFile))
		}
		got := w.get("/v1/project/"+w.projectID, w.project).wants(200)
		inlined := 0
		for _, f := range got.body["files"].([]any) {
			inlined += len(bytesOf(f.(obj)))
		}
		if inlined > smallAll || inlined < smallAll-smallFile {
			t.Errorf("%d bytes are inlined", inlined)
		}
	})
	t.Run("names are told and linked as they are", func(t *testing.T) {
		w := settled(t)
		w.put("a b/caf\u00e9 #1.txt", "x")
		f := w.get("/v1/project/"+w.projectID, w.project).file("a b/caf\u00e9 #1.txt")
		if f["url"] != "http://"+w.projectID+".localhost:8080/a%20b/caf%C3%A9%20%231.txt" || f["content_type"] != "text/plain; charset=utf-8" {
			t.Errorf("%v", f)
		}
	})
	t.Run("the ETag is the version, and no validator", func(t *testing.T) {
		w := settled(t)
		got := w.get("/v1/project/"+w.projectID, "", with("If-None-Match", `"2"`)).wants(200)
		if got.header.Get("ETag") != `"2"` {
			t.Errorf("%v", got.header)
		}
	})
	t.Run("a damaged file is left out with a warning, the others are there", func(t *testing.T) {
		w := settled(t)
		w.put("big.bin", noise(64<<10))
		w.damage()
		got := w.get("/v1/project/"+w.projectID, w.project).wants(200)
		if _, there := got.file("big.bin")["content"]; there || !got.warned("blob_corrupt") {
			t.Errorf("damaged bytes are served, or nobody is told: %.300s", got.text)
		}
		if bytesOf(got.file("index.html")) != page {
			t.Error("another file is missing")
		}
	})
	t.Run("bytes that break off break the connection", func(t *testing.T) {
		w := settled(t)
		w.put("big.bin", noise(200<<10))
		w.Blobs.Opening = func(_ context.Context, b sandlot.Blob, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
			r, err := open()
			return io.NopCloser(io.MultiReader(io.LimitReader(r, b.Size-1), iotest.ErrReader(errors.New("read: the disk is gone")))), err
		}
		res, err := transport(w.server).RoundTrip(w.request("/v1/project/" + w.projectID + "?content=all"))
		expect.OK(t, err)
		defer res.Body.Close()
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Error("the short answer looks whole")
		}
	})
	t.Run("a store that fails before the first byte is a plain error", func(t *testing.T) {
		w := settled(t)
		w.Faults.Step = func(step string) (before, after error) {
			if step == "Files" {
				return sandlot.ErrUnavailable, nil
			}
			return nil, nil
		}
		w.get("/v1/project/"+w.projectID, w.project).refused(503, sandlot.CodeUnavailable)
	})
}

func (w *world) put(name, content string) {
	w.t.Helper()
	w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": name, "content": b64(content)}).wants(200)
}

func (w *world) request(path string) *http.Request {
	r, err := http.NewRequest("GET", "http://localhost"+path, nil)
	expect.OK(w.t, err)
	r.Header.Set("Authorization", "Bearer "+w.project)
	return r
}

func TestWhoami(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for range 3 {
		w.post("/v1/publish", w.account, obj{"content": page64}).wants(201)
	}
	t.Run("pages go on where the last one ended, newest change first", func(t *testing.T) {
		w.in(t)
		whole := w.get("/v1/whoami", w.account).wants(200)
		var want, got []any
		for _, p := range whole.body["projects"].([]any) {
			want = append(want, p.(obj)["project_id"])
		}
		path := "/v1/whoami?limit=1"
		for path != "" {
			one := w.get(path, w.account).wants(200)
			got = append(got, one.body["projects"].([]any)[0].(obj)["project_id"])
			path = ""
			if next := one.str("next_cursor"); next != "" {
				path = "/v1/whoami?limit=1&cursor=" + next
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 4 {
			t.Errorf("paged %v, whole %v", got, want)
		}
	})
	t.Run("limits and cursors that cannot be are invalid_field", func(t *testing.T) {
		w.in(t)
		for _, q := range []string{"limit=0", "limit=-1", "limit=1001", "limit=x", "limit=1.5", "cursor=%21", "cursor=-5"} {
			w.get("/v1/whoami?"+q, w.account).refused(400, sandlot.CodeInvalidField)
		}
		w.get("/v1/whoami?limit=1000", w.account).wants(200)
	})
}

func TestExport(t *testing.T) {
	t.Parallel()
	t.Run("holds the original bytes, under a name that tells whose it is", func(t *testing.T) {
		w := settled(t)
		got := w.get("/v1/export", w.account).wants(200)
		z, err := zip.NewReader(bytes.NewReader([]byte(got.text)), int64(len(got.text)))
		expect.OK(t, err)
		f, err := z.Open(w.projectID + "/index.html")
		expect.OK(t, err)
		if text, _ := io.ReadAll(f); string(text) != page || z.File[0].Name != "manifest.json" {
			t.Errorf("%q, first is %s", text, z.File[0].Name)
		}
		handle := w.get("/v1/whoami", w.account).str("handle")
		if d := got.header.Get("Content-Disposition"); !strings.HasPrefix(d, `attachment; filename="sandlot-`+handle+`-20`) || !strings.HasSuffix(d, `.zip"`) {
			t.Error(d)
		}
	})
	t.Run("with versions=all it holds the files of earlier versions, too", func(t *testing.T) {
		w := settled(t)
		w.put("index.html", "<h1>Second</h1>")
		got := w.get("/v1/export?versions=all", w.account).wants(200)
		z, err := zip.NewReader(bytes.NewReader([]byte(got.text)), int64(len(got.text)))
		expect.OK(t, err)
		f, err := z.Open(w.projectID + ".v1/index.html")
		expect.OK(t, err)
		if text, _ := io.ReadAll(f); string(text) != page {
			t.Errorf("%q", text)
		}
		w.get("/v1/export?versions=some", w.account).refused(400, sandlot.CodeInvalidField)
	})
	t.Run("row 88: Range is ignored", func(t *testing.T) {
		w := settled(t)
		got := w.get("/v1/export", w.account, with("Range", "bytes="+strings.TrimSuffix(strings.Repeat("0-0,", 1000), ","))).wants(200)
		if !strings.HasPrefix(got.text, "PK") || got.header.Get("Accept-Ranges") != "" {
			t.Errorf("%v", got.header)
		}
	})
	t.Run("row 88: HEAD builds nothing", func(t *testing.T) {
		w := settled(t, func(s *settings) {
			s.archive = func(context.Context, io.Writer, publish.Export) error { t.Error("built"); return nil }
		})
		got := w.send("HEAD", "/v1/export", w.account, nil).wants(200)
		if got.header.Get("Content-Type") != "application/zip" || got.header.Get("Content-Disposition") == "" {
			t.Errorf("%v", got.header)
		}
	})
	t.Run("a failure midway breaks the connection", func(t *testing.T) {
		w := settled(t, func(s *settings) {
			s.archive = func(_ context.Context, out io.Writer, _ publish.Export) error {
				out.Write([]byte("PK\x03\x04 the beginning"))
				return errors.New("the rest cannot be read")
			}
		})
		res, err := transport(w.server).RoundTrip(w.request("/v1/export"))
		if err == nil {
			defer res.Body.Close()
			_, err = io.ReadAll(res.Body)
		}
		if err == nil {
			t.Error("the short archive looks whole")
		}
		if !strings.Contains(w.Logs.String(), "the rest cannot be read") {
			t.Error("nothing is logged")
		}
	})
	t.Run("a damaged file is named in the answer, with the call that mends it, and logged once", func(t *testing.T) {
		w := settled(t)
		w.put("big.bin", noise(20<<10))
		w.damage()
		got := w.get("/v1/export", w.account).refused(500, sandlot.CodeBlobCorrupt)
		if !strings.Contains(got.str("message"), `"big.bin"`) || !strings.Contains(got.str("message"), w.projectID) {
			t.Errorf("%s", got.text)
		}
		if n := strings.Count(w.Logs.String(), "level=ERROR"); n != 1 || !strings.Contains(w.Logs.String(), "open blob") {
			t.Errorf("%d faults are logged, or not why:\n%s", n, w.Logs)
		}
		line := strings.Replace(pasted(got.str("hint")), "<api_key>", w.account, 1)
		w.curl(line).wants(200)
		w.get("/v1/export", w.account).wants(200)
	})
	t.Run("a failure before the first byte is a plain error", func(t *testing.T) {
		w := settled(t, func(s *settings) {
			s.archive = func(context.Context, io.Writer, publish.Export) error {
				return fmt.Errorf("read: %w", sandlot.ErrCorrupt)
			}
		})
		if got := w.get("/v1/export", w.account).refused(500, sandlot.CodeBlobCorrupt); got.header.Get("Content-Disposition") != "" {
			t.Errorf("%v", got.header)
		}
	})
}

func TestImport(t *testing.T) {
	t.Parallel()
	t.Run("takes an export in, with its versions, and tells what became of each project", func(t *testing.T) {
		w := settled(t)
		w.put("index.html", "<h1>Second</h1>")
		data := w.get("/v1/export?versions=all", w.account).wants(200).text
		me := w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
		dry := w.post("/v1/import?dry_run=true", me, data, asZIP).wants(200)
		first := w.post("/v1/import", me, data, asZIP, with("Idempotency-Key", "once")).wants(200)
		again := w.post("/v1/import", me, data, asZIP, with("Idempotency-Key", "once")).wants(200)
		made := first.body["projects"].([]any)[0].(obj)
		expect.Equal(t, "counts", fmt.Sprint(dry.body["dry_run"], dry.body["imported"], first.body["imported"], again.body["replayed"]), "true 1 1 1")
		if made["from"] != w.projectID || made["versions"] != 3.0 || made["error"] != nil || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s", first.text)
		}
		id := made["project_id"].(string)
		expect.Equal(t, "the first version's page", w.get("/v1/project/"+id+"/files/index.html?version=1", me).wants(200).text, page)
		expect.Equal(t, "projects", len(w.get("/v1/whoami", me).wants(200).body["projects"].([]any)), 1)
	})
	t.Run("tells of a project that cannot be taken as of a call", func(t *testing.T) {
		w := settled(t)
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		f, err := z.Create("manifest.json")
		expect.OK(t, err)
		fmt.Fprint(f, `{"format":1,"projects":[{"project_id":"sky","primary_file":"index.html","files":[]}]}`)
		expect.OK(t, z.Close())
		got := w.post("/v1/import", w.account, out.String(), asZIP).wants(200)
		e, _ := got.body["projects"].([]any)[0].(obj)["error"].(obj)
		if e["error"] != "invalid_archive" || e["hint"] == "" || got.body["failed"] != 1.0 {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("refuses what is no export, and names the call", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/import", w.account, "<p>no ZIP", asZIP).refused(422, sandlot.CodeInvalidArchive)
		w.post("/v1/import", w.account, obj{}).refused(415, sandlot.CodeUnsupportedMediaType)
		w.post("/v1/import?dry_run=perhaps", w.account, "PK", asZIP).refused(400, sandlot.CodeInvalidField)
	})
}

func asZIP(r *http.Request) { r.Header.Set("Content-Type", "application/zip") }

func TestTheOwnersKeysLearnWhyAPictureIsNotTheCover(t *testing.T) {
	t.Parallel()
	w := settled(t)
	path := "/v1/project/" + w.projectID + "/checks"
	expect.Same(t, "of no picture", w.get(path, w.project).wants(200).body["cover_findings"], any([]any{}))
	w.Exec(`INSERT INTO covers (project, findings) SELECT num, ? FROM projects WHERE id = ?`,
		`[{"source":"cover","file":"cover.png","kind":"format","format":"movie"},{"source":"shot","file":"","kind":"slow"}]`, w.projectID)
	want := []any{
		obj{"source": "cover", "filename": "cover.png", "message": "Its format is movie. Save one picture of it as a PNG, JPEG or WebP file, and take that."},
		obj{"source": "shot", "filename": nil, "message": "It takes too long to read. Make it smaller: 1280 by 720 pixels are enough. Or save it as an ordinary JPEG or PNG file."},
	}
	for _, key := range []string{w.account, w.project} {
		expect.Same(t, "what could not be used", w.get(path, key).wants(200).body["cover_findings"], any(want))
	}
}

// TestFewListsOfFilesAreOnTheirWayAtOnce: a call that waits too long is refused with a time to come back, a call without
// a list does not wait, and each answer gives its place back.
func TestFewListsOfFilesAreOnTheirWayAtOnce(t *testing.T) {
	t.Parallel()
	w := settled(t)
	paths := []string{"/v1/project/" + w.projectID, "/v1/project/" + w.projectID + "/versions", "/v1/project/" + w.projectID + "/checks"}
	w.api.lists = turns.NewLists[sandlot.AccountID](1, 1, 10*time.Millisecond)
	made, sent, err := w.api.lists.Begin(t.Context(), 1<<40) // another account's
	expect.OK(t, err)
	for _, path := range paths {
		refused := w.get(path, w.project).refused(503, sandlot.CodeUnavailable)
		expect.Equal(t, "when to come again to "+path, refused.header.Get("Retry-After"), "5")
	}
	w.get(paths[0], "").wants(200)
	made()
	w.api.lists = turns.NewLists[sandlot.AccountID](1, 1, time.Minute)
	for _, path := range paths {
		for range 2 {
			w.get(path, w.project).wants(200)
		}
		w.get(path, "slp_wrong").refused(401, sandlot.CodeInvalidKey)
	}
	w.get("/v1/project/none-aaaaaa", w.project)
	w.get(paths[0], w.project).wants(200)
	sent()
}
