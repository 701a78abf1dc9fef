package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot"
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

// TestRowsUpload has the refusals of the reading of fields; internal/domain/publish has the rest.
func TestRowsUpload(t *testing.T) {
	t.Parallel()
	refuses(t, settled(t), []row{
		{n: 59, name: "part 0", body: part("u", 0, "a", nil), status: 400, code: sandlot.CodeInvalidField},
		{n: 60, name: "part without upload_id", body: obj{"part": 1, "content": "YQ=="}, status: 400, code: sandlot.CodeMissingField},
		{n: 61, name: "part 2 before part 1", body: part("u", 2, noise(64<<10), nil), status: 422, code: sandlot.CodePart1First},
		{n: 67, name: "no part at all", body: part("u", 1, "a", obj{"total_parts": 0}), status: 400, code: sandlot.CodeInvalidField},
		{n: 67, name: "two totals", body: part("u", 1, "a", obj{"total_parts": 3, "parts": 4}), status: 400, code: sandlot.CodeInvalidField},
		{n: 69, name: "an empty upload_id", body: part("", 1, "a", nil), status: 400, code: sandlot.CodeMissingField},
	})
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
			late := w.post("/v1/publish", w.account, part("u", 1, page[:20], nil)).refused(409, sandlot.CodeUploadCompleted)
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
	t.Run("row 63: without a key or its upload_token it is upload_exists", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", "", part("u", 1, page, obj{"email": someone})).wants(202)
		w.unchanged(func() {
			w.post("/v1/publish", "", part("u", 1, "other", obj{"email": someone})).refused(409, sandlot.CodeUploadExists)
		})
		token := w.post("/v1/publish", "", part("v", 1, page, obj{"email": someone})).wants(202).str("upload_token")
		w.post("/v1/publish", token, part("v", 1, page+"2", obj{"email": someone})).wants(202)
	})
	t.Run("row 68: one upload too many is quota_exceeded", func(t *testing.T) {
		w := settled(t, func(s *settings) { s.cfg.MaxUploads = 2 })
		w.post("/v1/publish", w.account, part("a", 1, "x", nil)).wants(202)
		w.post("/v1/publish", w.account, part("b", 1, "x", nil)).wants(202)
		w.unchanged(func() {
			got := w.post("/v1/publish", w.account, part("c", 1, "x", nil)).refused(429, sandlot.CodeQuotaExceeded)
			if got.header.Get("Retry-After") == "" || got.body["retry_after"] == nil {
				t.Errorf("no Retry-After: %s", got.text)
			}
		})
	})
	t.Run("row 70: each part is a base64 text of its own", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/publish", w.account, part("u", 1, "x", nil)).wants(202)
		w.unchanged(func() {
			w.post("/v1/publish", w.account, obj{"upload_id": "u", "part": 2, "content": "QUJDQ"}).refused(400, sandlot.CodeInvalidContent)
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
			w.post("/v1/update", w.project, part("v", 1, "ab", obj{"project_id": w.projectID})).refused(400, sandlot.CodeMissingField)
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

// TestRegressionM20PartsWithoutANumberAreToldHowTheyEnd: an agent that sends parts as the specification alone shows them reads the answer's hint.
func TestRegressionM20PartsWithoutANumberAreToldHowTheyEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account = w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
	if got := w.post("/v1/publish", w.account, part("u", 1, page, nil)).wants(202); !strings.Contains(got.str("hint"), "total_parts") || !strings.Contains(got.str("hint"), "curl ") {
		t.Errorf("the hint is %q", got.str("hint"))
	}
	if got := w.post("/v1/publish", w.account, part("u", 2, page, obj{"total_parts": 3})).wants(202); got.body["hint"] != nil {
		t.Errorf("with the number known the hint is %q", got.str("hint"))
	}
}
