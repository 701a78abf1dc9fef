package api

import (
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
