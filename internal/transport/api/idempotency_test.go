package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// uuid is an Idempotency-Key as the document proposes it; guessable is one that
// others may choose as well.
const (
	uuid      = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	guessable = "1"
)

func under(key string) func(*http.Request) { return with("Idempotency-Key", key) }

// onceCall is a POST that may be sent again.
type onceCall struct {
	path, key string
	body      obj
}

func TestIdempotencyComparesWhatARequestAsksNotHowItIsSent(t *testing.T) {
	t.Parallel()
	w := settled(t)
	first := w.post("/v1/publish", w.account, obj{"title": "Same", "lang": "en", "content": page64}, under(uuid)).wants(201)
	body, kind := form(page, "lang", "en", "title", "Same")
	for name, send := range map[string]func() answer{
		"a form": func() answer { return w.post("/v1/publish", w.account, body, kind, under(uuid)) },
		"base64url": func() answer {
			return w.post("/v1/publish", w.account, obj{"title": "Same", "lang": "en", "content": url64(page), "content_encoding": "base64url"}, under(uuid))
		},
		"gzip": func() answer {
			return w.post("/v1/publish", w.account, obj{"title": "Same", "lang": "en", "content": b64(gz(page)), "content_encoding": "gzip+base64"}, under(uuid))
		},
		"another order, with white space and null": func() answer {
			return w.post("/v1/publish", w.account, ` { "lang" : "en", "email":null, "content":"`+page64+`", "title":"\u0053ame" }`, lax, under(uuid))
		},
	} {
		w.unchanged(func() {
			if got := send().wants(201); got.text != first.text || got.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: %s, not %s", name, got.text, first.text)
			}
		})
	}
	t.Run("if_version and If-Match", func(t *testing.T) {
		w.in(t)
		first := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "a", "content": page64, "if_version": 2}, under(uuid)).wants(200)
		got := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "a", "content": page64}, with("If-Match", `"2"`), under(uuid)).wants(200)
		if got.text != first.text {
			t.Errorf("%s, not %s", got.text, first.text)
		}
	})
	t.Run("the names of total_parts, and the case of sha256", func(t *testing.T) {
		w.in(t)
		first := w.post("/v1/publish", w.account, part("u", 1, page, obj{"total_parts": 1, "sha256": sum(page)}), under(uuid+"u")).wants(201)
		got := w.post("/v1/publish", w.account, part("u", 1, page, obj{"total_chunks": 1, "sha256": strings.ToUpper(sum(page))}), under(uuid+"u")).wants(201)
		if got.text != first.text {
			t.Errorf("%s, not %s", got.text, first.text)
		}
	})
}

func TestIdempotencyKeyHeader(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for path, body := range w.posts() {
		key := map[bool]string{true: "", false: w.account}[path == "/v1/signup"]
		var rows []row
		for name, values := range map[string][]string{
			"an empty Idempotency-Key": {""}, "one of 256": {strings.Repeat("x", 256)}, "a space in it": {"a b"}, "not ASCII": {"ключ"}, "two": {"a", "b"},
		} {
			rows = append(rows, row{0, path + " " + name, path, key, body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("Idempotency-Key", values...)}})
		}
		rows = append(rows, row{36, path + " a key as the Idempotency-Key", path, key, body, 400, sandlot.CodeKeyNotInHeader, []func(*http.Request){under(w.account)}})
		refuses(t, w, rows)
	}
	for _, value := range []string{"x", strings.Repeat("~", 255), `"quoted"`} {
		first := w.post("/v1/signup", "", obj{}, under(value)).wants(201)
		if w.post("/v1/signup", "", obj{}, under(value)).wants(201).text != first.text {
			t.Errorf("%.10s: another answer", value)
		}
	}
	t.Run("web pages may send it and read the mark", func(t *testing.T) {
		h := w.in(t).send("OPTIONS", "/v1/publish", "", nil).header
		if !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Idempotency-Key") || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "Idempotent-Replayed") {
			t.Errorf("%v", h)
		}
	})
}

func TestIdempotencyRecordsHoldNoKeyInClear(t *testing.T) {
	t.Parallel()
	w := settled(t)
	keys := []string{uuid}
	for _, c := range []onceCall{
		{path: "/v1/publish", body: obj{"email": someone, "content": page64}},
		{path: "/v1/signup", body: obj{}},
		{path: "/v1/publish", key: w.account, body: part("u", 1, page, obj{"last": true})},
	} {
		got := w.post(c.path, c.key, c.body, under(uuid+c.path[3:]+c.key[:min(1, len(c.key))])).wants(201)
		for _, field := range []string{"api_key", "project_api_key"} {
			if k := got.str(field); k != "" {
				keys = append(keys, k, k[4:14], k[20:])
			}
		}
	}
	if _, err := w.DB.Publish().IdempotencyRecord(t.Context(), sandlot.Digest{}, time.Now()); err == nil || len(w.Query("SELECT count(*) FROM idempotency")) != 1 || w.Query("SELECT count(*) FROM idempotency")[0] != "5" {
		t.Fatalf("kept %v", w.Query("SELECT count(*) FROM idempotency"))
	}
	files, err := filepath.Glob(filepath.Join(w.Dir, "sandlot.db*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%v %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		expect.OK(t, err)
		for _, k := range keys {
			if strings.Contains(string(data), k) {
				t.Errorf("%s holds %.8s... in clear", filepath.Base(name), k)
			}
		}
	}
}
