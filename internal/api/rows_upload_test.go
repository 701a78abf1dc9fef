package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/publish"
)

// part is the body of a call of an upload.
func part(id string, n int, content string, more obj) obj {
	body := obj{"upload_id": id, "part": n, "content": b64(content)}
	for name, v := range more {
		body[name] = v
	}
	return body
}

const longID = "0123456789abcdefghijklmnop"

func TestRowsUpload(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var rows []row
	add := func(n int, name string, status int, code publish.Code, body any) {
		rows = append(rows, row{n: n, name: name, body: body, status: status, code: code})
	}
	for _, n := range []int{0, -1, 1e9, 10001} {
		add(59, fmt.Sprint("part ", n), 400, publish.CodeInvalidField, part("u", n, "a", nil))
	}
	add(60, "part without upload_id", 400, publish.CodeMissingField, obj{"part": 1, "content": "YQ=="})
	add(60, "upload_id alone", 400, publish.CodeMissingField, obj{"upload_id": "u"})
	add(60, "upload_id with content, without part", 400, publish.CodeMissingField, obj{"upload_id": "u", "content": "YQ=="})
	add(61, "part 2 before part 1", 422, publish.CodePart1First, part("u", 2, noise(64<<10), nil))
	add(61, "total before part 1", 422, publish.CodePart1First, obj{"upload_id": "u", "total_parts": 2})
	add(67, "no part at all", 400, publish.CodeInvalidField, part("u", 1, "a", obj{"total_parts": 0}))
	add(67, "part 4 of 3", 422, publish.CodePart1First, part("u", 4, "a", obj{"total_parts": 3}))
	add(67, "two totals", 400, publish.CodeInvalidField, part("u", 1, "a", obj{"total_parts": 3, "parts": 4}))
	for name, id := range map[string]string{"of blanks": " a b", "of 1 MB": strings.Repeat("a", 1<<19), "empty": "", "with NUL": "a\x00"} {
		status, code := 400, publish.CodeInvalidField
		if id == "" {
			code = publish.CodeMissingField
		}
		add(69, "an upload_id "+name, status, code, part(id, 1, "a", nil))
	}
	refuses(t, w, rows)
}

func TestRowsUploadLife(t *testing.T) {
	t.Parallel()
	t.Run("parts in any order after the first make one project", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("u", 1, page[:20], obj{"title": "In Parts"})).wants(202)
		got := w.post("/v1/publish", w.account, part("u", 3, page[40:], obj{"last": true})).wants(202)
		if fmt.Sprint(got.body["received_parts"], got.body["missing_parts"], got.body["total_parts"]) != "[1 3] [2] 3" {
			t.Errorf("%s", got.text)
		}
		done := w.post("/v1/publish", w.account, part("u", 2, page[20:40], nil)).wants(201)
		if file := done.body["files"].([]any)[0].(obj); file["sha256"] != sum(page) || done.str("title") != "In Parts" {
			t.Errorf("%s", done.text)
		}
		again := w.post("/v1/publish", w.account, part("u", 2, page[20:40], nil)).wants(201)
		if again.str("project_id") != done.str("project_id") || again.str("project_api_key") != done.str("project_api_key") {
			t.Errorf("the answer to the completing part again is another: %s", again.text)
		}
		w.unchanged(func() {
			late := w.post("/v1/publish", w.account, part("u", 1, page[:20], nil)).refused(409, publish.CodeUploadCompleted)
			if late.str("project_id") != done.str("project_id") || late.str("url") != done.str("url") {
				t.Errorf("row 66: the finished upload does not name its project: %s", late.text)
			}
		})
	})
	t.Run("the total may be told afterwards", func(t *testing.T) {
		w := settled(t)
		if got := w.post("/v1/publish", w.account, part("u", 1, page, nil)).wants(202); !got.warned("total_unknown") || got.body["total_parts"] != nil {
			t.Errorf("%s", got.text)
		}
		w.post("/v1/publish", w.account, obj{"upload_id": "u", "total_chunks": 1}).wants(201)
	})
	t.Run("row 62: the later bytes replace the earlier", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("u", 1, page[:20], nil)).wants(202)
		for _, s := range []string{"wrong", "wrong", page[40:]} {
			w.post("/v1/publish", w.account, part("u", 3, s, nil)).wants(202)
		}
		done := w.post("/v1/publish", w.account, part("u", 2, page[20:40], obj{"total": 3})).wants(201)
		if file := done.body["files"].([]any)[0].(obj); file["sha256"] != sum(page) {
			t.Errorf("%s", done.text)
		}
	})
	t.Run("row 63: part 1 again replaces what it said, with a key", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("u", 1, "x", obj{"title": "One"})).wants(202)
		w.post("/v1/publish", w.account, part("u", 1, page, obj{"title": "Two"})).wants(202)
		if got := w.post("/v1/publish", w.account, obj{"upload_id": "u", "parts": 1}).wants(201); got.str("title") != "Two" {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("row 63: without a key or its upload_token it is upload_exists", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", "", part("u", 1, page, obj{"email": someone})).wants(202)
		w.unchanged(func() {
			w.post("/v1/publish", "", part("u", 1, "other", obj{"email": someone})).refused(409, publish.CodeUploadExists)
		})
		token := w.post("/v1/publish", "", part("v", 1, page, obj{"email": someone})).wants(202).str("upload_token")
		w.post("/v1/publish", token, part("v", 1, page+"2", obj{"email": someone})).wants(202)
	})
	t.Run("row 65: the upload_id of another is another upload", func(t *testing.T) {
		w := settled(t)
		other := w.post("/v1/signup", "", obj{}).str("api_key")
		w.post("/v1/publish", w.account, part("u", 1, page, nil)).wants(202)
		w.unchanged(func() {
			w.post("/v1/publish", other, part("u", 2, "x", nil)).refused(422, publish.CodePart1First)
		})
	})
	t.Run("row 67: the total cannot change", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("u", 1, "x", obj{"total_parts": 3})).wants(202)
		w.unchanged(func() {
			w.post("/v1/publish", w.account, part("u", 2, "x", obj{"total_parts": 5})).refused(422, publish.CodePartOutOfRange)
			w.post("/v1/publish", w.account, part("u", 4, "x", nil)).refused(422, publish.CodePartOutOfRange)
		})
	})
	t.Run("row 68: parts beyond the limit of a file are refused", func(t *testing.T) {
		w := settled(t)
		for n := 1; n <= 5; n++ {
			w.post("/v1/publish", w.account, part("u", n, noise(limit), nil)).wants(202)
		}
		w.unchanged(func() {
			w.post("/v1/publish", w.account, part("u", 6, noise(limit), nil)).refused(413, publish.CodeContentTooLarge)
		})
	})
	t.Run("row 68: one upload too many is quota_exceeded", func(t *testing.T) {
		w := settled(t, func(s *settings) { s.cfg.MaxUploads = 2 })
		w.post("/v1/publish", w.account, part("a", 1, "x", nil)).wants(202)
		w.post("/v1/publish", w.account, part("b", 1, "x", nil)).wants(202)
		w.unchanged(func() {
			got := w.post("/v1/publish", w.account, part("c", 1, "x", nil)).refused(429, publish.CodeQuotaExceeded)
			if got.header.Get("Retry-After") == "" || got.body["retry_after"] == nil {
				t.Errorf("no Retry-After: %s", got.text)
			}
		})
	})
	t.Run("row 69: an upload_id is no path", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("../../x", 1, page, obj{"last": true})).wants(201)
	})
	t.Run("row 70: one gzip stream cut in two", func(t *testing.T) {
		w := settled(t)
		zipped := gz(page)
		w.post("/v1/publish", w.account, part("u", 1, zipped[:15], obj{"content_encoding": "gzip+base64", "total_parts": 2})).wants(202)
		got := w.post("/v1/publish", w.account, part("u", 2, zipped[15:], nil)).wants(201)
		if file := got.body["files"].([]any)[0].(obj); file["sha256"] != sum(page) {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("row 70: each part is a base64 text of its own", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("u", 1, "x", nil)).wants(202)
		w.unchanged(func() {
			w.post("/v1/publish", w.account, obj{"upload_id": "u", "part": 2, "content": "QUJDQ"}).refused(400, publish.CodeInvalidContent)
		})
	})
	t.Run("a chunked update needs its filename with part 1 only", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/update", w.project, part("u", 1, "ab", obj{"project_id": w.projectID, "filename": "big.bin"})).wants(202)
		got := w.post("/v1/update", w.project, part("u", 2, "cd", obj{"project_id": w.projectID, "last": true})).wants(200)
		if got.str("filename") != "big.bin" || got.str("sha256") != sum("abcd") || got.body["created"] != true {
			t.Errorf("%s", got.text)
		}
		w.unchanged(func() {
			w.post("/v1/update", w.project, part("v", 1, "ab", obj{"project_id": w.projectID})).refused(400, publish.CodeMissingField)
		})
	})
	t.Run("row 86: an upload_id is bound to the socket's network, whatever a header says", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", "", part("u", 1, page, obj{"email": someone})).wants(202)
		spoof := func(r *http.Request) {
			r.Header.Set("X-Forwarded-For", strings.Repeat("203.0.113.7, ", 1000)+"203.0.113.8")
		}
		w.post("/v1/publish", "", part("u", 2, page, obj{"last": true}), spoof).wants(201)
	})
}

func TestRowsUploadRace(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.post("/v1/publish", w.account, part("u", 1, page[:20], obj{"total_parts": 2})).wants(202)
	before := len(w.get("/v1/whoami", w.account).body["projects"].([]any))
	var wg sync.WaitGroup
	answers := make([]answer, 50)
	for i := range answers {
		wg.Go(func() { answers[i] = w.post("/v1/publish", w.account, part("u", 2, page[20:], nil)) })
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, a := range answers {
		ids[a.wants(201).str("project_id")] = true
	}
	if after := len(w.get("/v1/whoami", w.account).body["projects"].([]any)); after != before+1 || len(ids) != 1 {
		t.Errorf("row 64: 50 last parts made %d projects, and named %d", after-before, len(ids))
	}
}
