package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestOneFile(t *testing.T) {
	t.Parallel()
	w := settled(t, func(s *settings) { s.cfg.MaxContent = 4 << 20 })
	old, big := "old "+noise(100), noise(2<<20)
	w.put("js/a b.js", old)
	w.put("js/a b.js", big)
	path := "/v1/project/" + w.projectID + "/files/js%2Fa%20b.js"
	at := fmt.Sprintf("?version=%d", int(w.get("/v1/project/"+w.projectID, "").body["version"].(float64))-1)
	t.Run("comes as it was published, of the current version and of another", func(t *testing.T) {
		w := w.in(t)
		got := w.get(path, w.project).wants(200)
		if got.text != big || got.header.Get("Content-Length") != fmt.Sprint(len(big)) || got.header.Get("ETag") != `"`+sum(big)+`"` {
			t.Errorf("%d bytes, %v", len(got.text), got.header)
		}
		if got := w.get(path+at, w.account).wants(200); got.text != old {
			t.Errorf("of the version before come %d bytes", len(got.text))
		}
		head := w.send("HEAD", path, w.project, nil).wants(200)
		if head.text != "" || head.header.Get("Content-Length") != fmt.Sprint(len(big)) || head.header.Get("ETag") != got.header.Get("ETag") {
			t.Errorf("HEAD: %v", head.header)
		}
	})
	t.Run("never acts as a page of this origin", func(t *testing.T) {
		for _, name := range []string{"index.html", "logo.svg", "js%2Fa%20b.js"} {
			h := w.in(t).get("/v1/project/"+w.projectID+"/files/"+name, w.project).wants(200).header
			if !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || strings.Contains(h.Get("Content-Security-Policy"), "allow-") || h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %v", name, h)
			}
		}
		expect.Equal(t, "the name of the download", w.in(t).get(path, w.project).header.Get("Content-Disposition"), `attachment; filename="a b.js"`)
	})
	t.Run("in ranges and by conditions", func(t *testing.T) {
		w := w.in(t)
		etag := `"` + sum(big) + `"`
		for _, c := range []struct {
			name, value string
			status      int
			text        string
		}{
			{"Range", "bytes=0-3", 206, big[:4]},
			{"Range", "bytes=1048570-1048590", 206, big[1048570:1048591]},
			{"Range", "bytes=-5", 206, big[len(big)-5:]},
			{"Range", "bytes=0-1,5-6", 200, big},
			{"Range", "lines=1-2", 416, ""},
			{"Range", "bytes=9999999-", 416, ""},
			{"If-None-Match", etag, 304, ""},
			{"If-None-Match", "W/" + etag, 304, ""},
			{"If-None-Match", "*", 304, ""},
			{"If-None-Match", `"other"`, 200, big},
			{"If-Match", `"other"`, 412, ""},
			{"If-Match", etag, 200, big},
		} {
			got := w.get(path, w.project, with(c.name, c.value), lax)
			if got.status != c.status || c.status < 400 && got.text != c.text || c.status >= 400 && got.header.Get("ETag") != "" {
				t.Errorf("%s: %s gets %d with %d bytes: %.200s", c.name, c.value, got.status, len(got.text), got.header)
			}
		}
		both := func(r *http.Request) { r.Header.Set("Range", "bytes=0-3"); r.Header.Set("If-Range", `"other"`) }
		if got := w.get(path, w.project, both); got.status != 200 || got.text != big {
			t.Errorf("If-Range of another: %d", got.status)
		}
	})
	t.Run("with slashes as they are", func(t *testing.T) {
		r := httptest.NewRequest("GET", "/v1/project/"+w.projectID+"/files/js/a%20b.js", nil)
		r.Header.Set("Authorization", "Bearer "+w.project)
		rec := httptest.NewRecorder()
		w.api.ServeHTTP(rec, r)
		if rec.Code != 200 || rec.Body.String() != big {
			t.Errorf("%d %.200s", rec.Code, rec.Body)
		}
	})
	t.Run("what is not there is told", func(t *testing.T) {
		w := w.in(t)
		base := "/v1/project/" + w.projectID + "/files/"
		w.get(base+"js", w.project).refused(404, sandlot.CodeFileNotFound)
		w.get(base+"INDEX.html", w.project).refused(404, sandlot.CodeFileNotFound)
		w.get(base+"js%2Fa%20b.js?version=1", w.project).refused(404, sandlot.CodeFileNotFound)
		w.get(base+"..%2F..%2Fetc%2Fpasswd", w.project).refused(400, sandlot.CodeInvalidFilename)
		w.get(base+"index.html?version=99", w.project).refused(404, sandlot.CodeVersionNotFound)
		for _, bad := range []string{"", "0", "-1", "x", "1.0"} {
			w.get(base+"index.html?version="+bad, w.project).refused(400, sandlot.CodeInvalidField)
		}
		w.get(base, w.project).refused(404, sandlot.CodeNotFound)
	})
}

func TestAFileThatCannotBeReadIsAnErrorOrABrokenConnection(t *testing.T) {
	t.Parallel()
	t.Run("damaged bytes are blob_corrupt, for HEAD, too", func(t *testing.T) {
		w := settled(t)
		w.put("a.bin", noise(1<<19))
		w.damage()
		path := "/v1/project/" + w.projectID + "/files/a.bin"
		got := w.get(path, w.project).refused(500, sandlot.CodeBlobCorrupt)
		for _, name := range []string{"ETag", "Content-Disposition", "Accept-Ranges"} {
			if got.header.Get(name) != "" {
				t.Errorf("%s: %s", name, got.header.Get(name))
			}
		}
		w.get(path, w.project, with("Range", "bytes=5-9")).refused(500, sandlot.CodeBlobCorrupt)
		expect.Equal(t, "HEAD", w.send("HEAD", path, w.project, nil).status, 500)
	})
	t.Run("one that ends early breaks off", func(t *testing.T) {
		w := settled(t)
		w.put("a.bin", noise(1<<19))
		w.Blobs.Opening = func(_ context.Context, _ sandlot.Blob, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
			r, err := open()
			if err != nil {
				return nil, err
			}
			return struct {
				io.Reader
				io.Closer
			}{io.LimitReader(r, 1000), r}, nil
		}
		r := httptest.NewRequest("GET", "/v1/project/"+w.projectID+"/files/a.bin", nil)
		r.Header.Set("Authorization", "Bearer "+w.project)
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the answer looks whole")
			}
		}()
		w.api.ServeHTTP(httptest.NewRecorder(), r)
	})
}
