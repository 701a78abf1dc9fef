package api

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"sandlot"
)

// readsAs sends an update and checks what became of it.
func (w *world) readsAs(body obj, filename, content string) answer {
	w.t.Helper()
	got := w.post("/v1/update", w.account, body, lax).wants(200)
	if got.str("filename") != filename || got.str("sha256") != sum(content) || !got.warned("read_as") {
		w.t.Errorf("stored as %q, with read_as: %v, want %q: %s", got.str("filename"), got.warned("read_as"), filename, got.text)
	}
	return got
}

func TestRegression20NamesWithOneReadingAreAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for sent, want := range map[string]string{"./a.js": "a.js", "/b.js": "b.js", `js\c.js`: "js/c.js", `.\js\d.js`: "js/d.js", "/js/e.js": "js/e.js"} {
		w.readsAs(obj{"project_id": w.projectID, "filename": sent, "content": "YQ=="}, want, "a")
	}
	t.Run("for a deletion and an upload too", func(t *testing.T) {
		w.in(t)
		if got := w.post("/v1/delete-file", w.account, obj{"project_id": w.projectID, "filename": "./a.js"}).wants(200); got.str("deleted") != "a.js" || !got.warned("read_as") {
			t.Errorf("%s", got.text)
		}
		got := w.post("/v1/update", w.account, part("u", 1, "x", obj{"project_id": w.projectID, "filename": "./big.bin", "total_parts": 1})).wants(200)
		if got.str("filename") != "big.bin" || !got.warned("read_as") {
			t.Errorf("%s", got.text)
		}
	})
	for sent, want := range map[string]string{
		"/home/user/project/game.js": "game.js", "/" + "Users/kim/maze/js/a.js": "js/a.js", `C:\maze\js\a.js`: "js/a.js", "/tmp/a.js": "a.js", "/root/maze/a.js": "a.js",
		"/var/www/a.js": "a.js", "/etc/passwd": "passwd", "/mnt/data/a.js": "a.js",
	} {
		t.Run("refused, for it tells no root: "+sent, func(t *testing.T) {
			w.in(t)
			w.unchanged(func() {
				got := w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": sent, "content": "YQ=="}).refused(400, sandlot.CodeInvalidFilename)
				if !strings.Contains(got.str("hint"), "Which folder is the root") || !strings.Contains(got.str("hint"), ": "+want+"\n") {
					t.Errorf("the hint does not propose %s: %s", want, got.str("hint"))
				}
			})
		})
	}
	t.Run("refused, for it has two readings", func(t *testing.T) {
		w.in(t)
		for _, name := range []string{"../a.js", "a/./b", "a//b", "my%20logo.png", "game.js?v=2", "//srv/x", "a/"} {
			w.unchanged(func() {
				w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": name, "content": "YQ=="}).refused(400, sandlot.CodeInvalidFilename)
			})
		}
	})
}

func TestRegression20EncodingsInOtherSpellingsAreAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	odd := "<b>?>~</b>~?"
	for spelling, content := range map[string]string{
		"BASE64": b64(odd), "Base-64-URL": "", "base64-url": url64(odd), "b64": b64(odd), "gzip": b64(gz(odd)), "GZIP+BASE64": b64(gz(odd)),
		"base64+gzip": b64(gz(odd)), "gzip/base64url": url64(gz(odd)), "gzip, base64": b64(gz(odd)), " base64 ": b64(odd), "gz": url64(gz(odd)),
	} {
		if content == "" {
			continue
		}
		w.readsAs(obj{"project_id": w.projectID, "filename": "a.txt", "content": content, "content_encoding": spelling}, "a.txt", odd)
	}
	t.Run("in the parts of an upload", func(t *testing.T) {
		w.in(t)
		zipped := gz(page)
		w.post("/v1/publish", w.account, part("u", 1, zipped[:15], obj{"content_encoding": "GZIP", "total_parts": 2}), lax).wants(202)
		if got := w.post("/v1/publish", w.account, part("u", 2, zipped[15:], nil)).wants(201); got.body["files"].([]any)[0].(obj)["sha256"] != sum(page) {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("refused", func(t *testing.T) {
		w.in(t)
		for _, e := range []string{"br+base64", "utf-8", "plain", "gzip+gzip", "hex", "none"} {
			w.unchanged(func() {
				w.post("/v1/publish", w.account, obj{"content": page64, "content_encoding": e}).refused(400, sandlot.CodeInvalidField)
			})
		}
	})
}

func TestRegression20NumbersAsTextAreAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	got := w.post("/v1/publish", w.account, obj{"upload_id": "u", "part": "1", "total_parts": "2", "content": b64(page[:9])}, lax).wants(202)
	if !got.warned("read_as") {
		t.Errorf("%s", got.text)
	}
	w.post("/v1/publish", w.account, obj{"upload_id": "u", "part": " 2 ", "last": "true", "content": b64(page[9:])}, lax).wants(201)
	w.readsAs(obj{"project_id": w.projectID, "filename": "a", "content": "YQ==", "if_version": "2", "size": "1"}, "a", "a")
	w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "a", "content": "YQ==", "if_version": "2"}).refused(412, sandlot.CodeVersionConflict)
	for _, n := range []string{"one", "1.5", "1e0", "0x1", "1,000", "", "01"} {
		w.unchanged(func() {
			w.post("/v1/publish", w.account, obj{"upload_id": "v", "part": n, "content": page64}).refused(400, sandlot.CodeInvalidField)
		})
	}
}

func TestRegression20ADataPrefixOfAFittingTypeIsAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for name, kind := range map[string]string{
		"a.png": "image/png", "a.js": "application/javascript", "b.js": "text/javascript;charset=utf-8", "a.css": "text/css", "a.jpg": "image/jpg", "a.bin": "image/png",
		"b.png": "", "c.png": "application/octet-stream", "a.svg": "image/svg+xml", "a.json": "text/plain", "a.mp3": "audio/mp3", "a.ico": "image/x-icon",
	} {
		w.readsAs(obj{"project_id": w.projectID, "filename": name, "content": "data:" + kind + ";base64," + b64("x"+name)}, name, "x"+name)
	}
	for _, body := range []string{
		`{"content":"data:text/html;base64,` + page64 + `"}`, `{"content":"DATA:Text\/HTML;charset=utf-8;base64,` + page64 + `","content_encoding":"base64"}`,
		`{"content_encoding":"gzip","content":"data:application/gzip;base64,` + b64(gz(page)) + `"}`,
	} {
		if got := w.post("/v1/publish", w.account, body, lax).wants(201); !got.warned("read_as") || got.body["files"].([]any)[0].(obj)["sha256"] != sum(page) {
			t.Errorf("%s", got.text)
		}
	}
	w.unchanged(func() {
		for _, content := range []string{"data:image/png;base64," + page64, "data:text/html," + page64, "data:text/plain;base64," + page64} {
			w.post("/v1/publish", w.account, obj{"content": content}).refused(400, sandlot.CodeInvalidContent)
		}
		got := w.post("/v1/update", w.account, obj{"project_id": w.projectID, "content": "data:text/html;base64," + page64, "filename": "a.png"}).refused(400, sandlot.CodeInvalidContent)
		if !strings.Contains(got.str("hint"), "If the type is right") || !strings.Contains(got.str("hint"), "If the name is right") {
			t.Errorf("the hint has not both readings: %s", got.str("hint"))
		}
	})
}

func TestRegression20AnyAddressOfAProjectIsAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	version := w.get("/v1/project/"+w.projectID, w.account).str("version_url")
	for _, address := range []string{
		w.projectID + ".localhost:8080", w.projectID + ".localhost:8080/", "localhost:8080/p/" + w.projectID, "localhost:8080/~/" + w.projectID + "/", w.projectID + "/",
		version, strings.TrimSuffix(strings.TrimPrefix(version, "http://"), "/"), "http://localhost:8080/p/" + w.projectID + "/", "//" + w.projectID + ".localhost:8080/",
	} {
		if got := w.readsAs(obj{"project_id": address, "filename": "a", "content": "YQ=="}, "a", "a"); got.str("project_id") != w.projectID {
			t.Errorf("%s: %s", address, got.text)
		}
		if got := w.post("/v1/delete-file", w.project, obj{"project_id": address, "filename": "a"}).wants(200); !got.warned("read_as") {
			t.Errorf("%s: %s", address, got.text)
		}
	}
	for _, address := range []string{w.projectID, "http://" + w.projectID + ".localhost:8080/", "http://localhost:8080/p/" + w.projectID} {
		if got := w.post("/v1/update", w.account, obj{"project_id": address, "filename": "a", "content": "YQ=="}).wants(200); got.warned("read_as") {
			t.Errorf("an address that was answered is warned of: %s", got.text)
		}
	}
	for _, address := range []string{w.projectID + ".evil.example", "evil.example/p/" + w.projectID, w.projectID + ".localhost", "p/" + w.projectID + "x"} {
		w.unchanged(func() {
			w.post("/v1/update", w.account, obj{"project_id": address, "filename": "a", "content": "YQ=="}).refused(404, sandlot.CodeProjectNotFound)
		})
	}
}

func TestRegression20BlanksAroundAnAddressAreAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for path, body := range map[string]obj{"/v1/publish": {"content": page64}, "/v1/signup": {}} {
		body["email"] = " kim@example.com\n"
		if got := w.post(path, "", body).wants(201); got.str("email") != "kim@example.com" || !got.warned("read_as") {
			t.Errorf("%s", got.text)
		}
	}
	got := w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "a", "content": "YQ==", "email": "\tkim@example.com "}).wants(200)
	if who := w.get("/v1/whoami", w.account); !got.warned("read_as") || who.str("email") != "kim@example.com" {
		t.Errorf("%s\n%s", got.text, who.text)
	}
	w.post("/v1/publish", "", obj{"content": page64, "email": "  "}).refused(400, sandlot.CodeEmailRequired)
	w.post("/v1/publish", "", obj{"content": page64, "email": "kim @example.com"}).refused(400, sandlot.CodeInvalidEmail)
}

// fileForm is a form whose parts are files.
func fileForm(parts ...[3]string) (body string, contentType func(*http.Request)) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, p := range parts {
		if p[1] == "" {
			w.WriteField(p[0], p[2])
			continue
		}
		header := map[string][]string{"Content-Disposition": {fmt.Sprintf(`form-data; name="%s"; filename="%s"`, p[0], p[1])}}
		part, _ := w.CreatePart(header)
		part.Write([]byte(p[2]))
	}
	w.Close()
	return out.String(), func(r *http.Request) { lax(r); r.Header.Set("Content-Type", w.FormDataContentType()) }
}

func TestRegression20AFormTakesTheFileUnderItsOwnName(t *testing.T) {
	t.Parallel()
	w := settled(t)
	project := [3]string{"project_id", "", w.projectID}
	body, kind := fileForm([3]string{"file", "game.html", page})
	if got := w.post("/v1/publish", w.account, body, kind).wants(201); !got.warned("read_as") || got.body["files"].([]any)[0].(obj)["sha256"] != sum(page) {
		t.Errorf("%s", got.text)
	}
	for _, name := range []string{"content", "file"} {
		for sent, want := range map[string]string{"style.css": "style.css", "js/a.js": "js/a.js", "./b.js": "b.js"} {
			body, kind := fileForm(project, [3]string{name, sent, sent})
			if got := w.post("/v1/update", w.account, body, kind).wants(200); got.str("filename") != want || got.str("sha256") != sum(sent) || !got.warned("read_as") {
				t.Errorf("%s", got.text)
			}
		}
	}
	body, kind = fileForm(project, [3]string{"filename", "", "named.css"}, [3]string{"content", "other.css", "x"})
	if got := w.post("/v1/update", w.account, body, kind).wants(200); got.str("filename") != "named.css" || got.warned("read_as") {
		t.Errorf("%s", got.text)
	}
	for name, parts := range map[string][][3]string{
		"two files":                    {project, {"content", "a.css", "x"}, {"file", "b.css", "y"}},
		"a part of an upload":          {project, {"upload_id", "", "u"}, {"part", "", "1"}, {"content", "xaa", "x"}},
		"standard input has no name":   {project, {"content", "-", "x"}},
		"a path of the machine":        {project, {"content", "/home/me/maze/a.css", "x"}},
		"a text that only says a name": {project, {"file", "", "a.css"}},
	} {
		body, kind := fileForm(parts...)
		w.unchanged(func() {
			if got := w.post("/v1/update", w.account, body, kind); got.status != 400 {
				t.Errorf("%s: %d %s", name, got.status, got.text)
			}
		})
	}
	body, kind = fileForm(project, [3]string{"content", w.account, "x"})
	w.post("/v1/update", w.account, body, kind).refused(400, sandlot.CodeKeyNotInHeader)
}

func TestRegression20DecorationNeverFails(t *testing.T) {
	t.Parallel()
	w := settled(t)
	got := w.post("/v1/publish", "", obj{"content": page64, "email": someone, "title": 2048, "handle": 7, "lang": 5}, lax).wants(201)
	if got.str("title") != "2048" || !got.warned("read_as") || !got.warned("lang_dropped") {
		t.Errorf("%s", got.text)
	}
	for _, v := range []any{true, []int{1}, obj{"en": "x"}} {
		got := w.post("/v1/publish", w.account, obj{"content": page64, "title": v, "lang": v, "handle": v}, lax).wants(201)
		if got.str("title") != "Sky Hopper" || !got.warned("title_dropped") || !got.warned("lang_dropped") {
			t.Errorf("%v: %s", v, got.text)
		}
	}
	for lang, want := range map[string]string{"de_DE.UTF-8": "de-DE", "pt_BR.utf8": "pt-BR", "fr_FR@euro": "fr-FR"} {
		got := w.post("/v1/publish", w.account, obj{"content": page64, "lang": lang}).wants(201)
		if read := w.get("/v1/project/"+got.str("project_id"), ""); read.str("lang") != want || !got.warned("lang_changed") {
			t.Errorf("%s: %s", lang, read.text)
		}
	}
	if got := w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "a", "content": "YQ==", "title": 3.14}, lax).wants(200); got.str("title") != "3.14" {
		t.Errorf("%s", got.text)
	}
}
