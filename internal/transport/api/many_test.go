package api

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// tree is a small game of several files.
var tree = [][2]string{{"index.html", page}, {"js/a b.js", "let a = \"ä\"\n"}, {"levels/1.json", strings.Repeat("[1]", 5000)}, {"empty.txt", ""}}

func treeZIP(t *testing.T) string { return zipOf(t, tree) }

func zipOf(t *testing.T, tree [][2]string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range tree {
		part, err := w.Create(f[0])
		expect.OK(t, err)
		io.WriteString(part, f[1])
	}
	expect.OK(t, w.Close())
	return b.String()
}

func tarOf(t *testing.T, tree [][2]string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range tree {
		expect.OK(t, w.WriteHeader(&tar.Header{Name: "game/" + f[0], Size: int64(len(f[1])), Mode: 0o644}))
		io.WriteString(w, f[1])
	}
	expect.OK(t, w.Close())
	return b.String()
}

func packed(t *testing.T, open func(io.Writer) io.WriteCloser, text string) string {
	var b bytes.Buffer
	w := open(&b)
	io.WriteString(w, text)
	expect.OK(t, w.Close())
	return b.String()
}

func gzipped(t *testing.T, text string) string {
	return packed(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, text)
}

// A way is one to send the same files.
type way struct {
	kind, query string
	body        any
}

func waysOf(t *testing.T, tree [][2]string) map[string]way {
	zst := packed(t, func(w io.Writer) io.WriteCloser { z, err := zstd.NewWriter(w); expect.OK(t, err); return z }, tarOf(t, tree))
	var files []obj
	for i, f := range tree {
		one := obj{"text": f[1], "filename": f[0], "size": len(f[1]), "sha256": sum(f[1])}
		if i%2 == 1 {
			one = obj{"filename": f[0], "content": base64.StdEncoding.EncodeToString([]byte(gzipped(t, f[1]))), "content_encoding": "gzip+base64"}
		}
		files = append(files, one)
	}
	form := func(parts [][3]string) way {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for _, p := range parts {
			header := http.Header{}
			header.Set("Content-Disposition", fmt.Sprintf(`form-data; name=%q; filename=%q`, p[0], p[1]))
			part, err := w.CreatePart(map[string][]string(header))
			expect.OK(t, err)
			io.WriteString(part, p[2])
		}
		expect.OK(t, w.Close())
		return way{w.FormDataContentType(), "", b.String()}
	}
	named := func(name string) (parts [][3]string) {
		for _, f := range tree {
			parts = append(parts, [3]string{name, f[0], f[1]})
		}
		return parts
	}
	return map[string]way{
		"a ZIP as the body": {"application/zip", "title=Game", zipOf(t, tree)},
		"a tar":             {"application/x-tar", "", tarOf(t, tree)},
		"a tar.gz":          {"application/gzip", "", gzipped(t, tarOf(t, tree))},
		"a tar.zst":         {"application/zstd", "", zst},
		"a part archive":    form([][3]string{{"archive", "site.zip", zipOf(t, tree)}}),
		"parts named file":  form(named("file")),
		"parts named files": form(named("files")),
		"files[] of PHP":    form(named("files[]")),
		"files in JSON":     {"application/json", "", obj{"files": files}},
		"archive in JSON":   {"application/json", "", obj{"archive": b64(zipOf(t, tree)), "archive_format": "zip"}},
	}
}

func TestManyFilesMakeTheSameVersionWhicheverWayTheyCome(t *testing.T) {
	t.Parallel()
	w := settled(t)
	want := map[string]string{}
	for _, f := range tree {
		want[f[0]] = fmt.Sprint(len(f[1]), " ", sum(f[1]))
	}
	for name, way := range waysOf(t, tree) {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			typed := with("Content-Type", way.kind)
			got := w.post("/v1/publish?"+way.query, w.account, way.body, typed, lax).wants(201)
			id := got.str("project_id")
			expect.Same(t, "answer", filesOf(got), want)
			expect.Same(t, "project", filesOf(w.get("/v1/project/"+id, w.account).wants(200)), want)
			query := "/v1/update?replace=true&project_id=" + id
			if way.kind == "application/json" || strings.HasPrefix(way.kind, "multipart") {
				query = "/v1/update" // they are of the newest project
			}
			again := w.post(query, w.account, way.body, typed, lax).wants(200)
			if again.body["unchanged"] != 4.0 || again.str("project_id") != id {
				t.Errorf("%s", again.text)
			}
			if strings.Contains(again.text, "field filename is absent") {
				t.Errorf("files have their own names, and yet: %s", again.text)
			}
		})
	}
}

func filesOf(got answer) map[string]string {
	out := map[string]string{}
	for _, f := range got.body["files"].([]any) {
		f := f.(obj)
		out[f["filename"].(string)] = fmt.Sprint(f["size"], " ", f["sha256"])
	}
	return out
}

func TestWhatIsWrongWithManyFilesChangesNothing(t *testing.T) {
	t.Parallel()
	w := settled(t)
	zipType := with("Content-Type", "application/zip")
	for name, c := range map[string]struct {
		path string
		body any
		how  func(*http.Request)
		code sandlot.Code
	}{
		"no archive":              {"/v1/publish", "<!doctype html>", zipType, sandlot.CodeInvalidArchive},
		"a cut one":               {"/v1/publish", treeZIP(t)[:300], zipType, sandlot.CodeInvalidArchive},
		"an empty body":           {"/v1/publish", "", zipType, sandlot.CodeInvalidArchive},
		"a key in the query":      {"/v1/publish?title=" + w.account, treeZIP(t), zipType, sandlot.CodeKeyNotInHeader},
		"a field twice":           {"/v1/publish?title=a&title=b", treeZIP(t), zipType, sandlot.CodeInvalidField},
		"a filename beside":       {"/v1/update?filename=a.zip&project_id=" + w.projectID, treeZIP(t), zipType, sandlot.CodeInvalidField},
		"another project field":   {"/v1/update?slug=" + w.projectID, treeZIP(t), zipType, sandlot.CodeInvalidField},
		"another hash":            {"/v1/publish?sha256=" + sum("x"), treeZIP(t), zipType, sandlot.CodeDigestMismatch},
		"another hash of a file":  {"/v1/publish", obj{"files": []obj{{"filename": "index.html", "text": page, "sha256": sum("x")}}}, lax, sandlot.CodeDigestMismatch},
		"no page":                 {"/v1/publish", obj{"files": []obj{{"filename": "a.js", "text": "a"}}}, lax, sandlot.CodeNoPrimaryFile},
		"a bad name":              {"/v1/publish", obj{"files": []obj{{"filename": "../a.js", "text": "a"}}}, lax, sandlot.CodeInvalidFilename},
		"a bad text":              {"/v1/publish", obj{"files": []obj{{"filename": "a.js", "content": "a b"}}}, lax, sandlot.CodeInvalidContent},
		"bad gzip":                {"/v1/publish", obj{"files": []obj{{"filename": "a.js", "content": "QUJD", "content_encoding": "gzip+base64"}}}, lax, sandlot.CodeInvalidContent},
		"no files":                {"/v1/publish", obj{"files": []obj{}}, lax, sandlot.CodeMissingField},
		"no name":                 {"/v1/publish", obj{"files": []obj{{"text": "a"}}}, lax, sandlot.CodeMissingField},
		"a key in a file's field": {"/v1/publish", obj{"files": []obj{{"filename": "a.js", "text": "a", "api_key": "x"}}}, lax, sandlot.CodeKeyNotInHeader},
		"both text and content":   {"/v1/publish", obj{"text": page, "content": page64}, lax, sandlot.CodeInvalidField},
		"files in a part":         {"/v1/publish", obj{"upload_id": "u", "part": 1, "archive": b64(treeZIP(t))}, lax, sandlot.CodeInvalidField},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.unchanged(func() {
				got := w.post(c.path, w.account, c.body, c.how)
				if got.body["error"] != string(c.code) {
					t.Errorf("%s", got.text)
				}
			})
		})
	}
}

func TestTextIsTheFileItself(t *testing.T) {
	t.Parallel()
	w := settled(t)
	got := w.post("/v1/publish", w.account, obj{"text": page}).wants(201)
	expect.Equal(t, "sha256", filesOf(got)["index.html"], fmt.Sprint(len(page), " ", sum(page)))
	got = w.post("/v1/publish", w.account, obj{"html": page}).wants(201)
	expect.Equal(t, "sha256 of html", filesOf(got)["index.html"], fmt.Sprint(len(page), " ", sum(page)))
	got = w.post("/v1/publish", w.account, obj{"html": "<p>other</p>", "text": page}).wants(201)
	if filesOf(got)["index.html"] != fmt.Sprint(len(page), " ", sum(page)) || !got.warned("html_ignored") {
		t.Error(got.text)
	}
	got = w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "a.js", "text": "let é"}).wants(200)
	expect.Equal(t, "sha256 of an update", got.str("sha256"), sum("let é"))
}
