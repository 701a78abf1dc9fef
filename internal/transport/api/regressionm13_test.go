package api

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sandlot"
)

// TestRegressionM13SecretsDoNotGoOnline: files that by their names hold secrets are left out of archives and files, or refused alone until they are
// forced; keys of other services are told of and not repeated.
func TestRegressionM13SecretsDoNotGoOnline(t *testing.T) {
	t.Parallel()
	w := settled(t)
	secrets := []string{".env", ".npmrc", ".netrc", ".aws/credentials", ".ssh/config", "id_ed25519", "server.pem", ".sandlot.json"}
	var listed []any
	packed := []string{"index.html", page}
	for _, name := range secrets {
		listed = append(listed, obj{"filename": "site/" + name, "text": "x"})
		packed = append(packed, name, "x")
	}
	key := "sk-ant-" + "api03-" + strings.Repeat("x", 30)
	listed = append(listed, obj{"filename": "site/index.html", "text": page}, obj{"filename": "site/a.js", "text": "let a\nlet key = '" + key + "'"})
	got := w.post("/v1/publish", w.account, obj{"files": listed}).wants(201)
	if n := len(got.body["files"].([]any)); n != 2 || !got.warned("left_out") || !got.warned("secret") || !strings.Contains(got.text, "a.js, line 2") || strings.Contains(got.text, key) {
		t.Errorf("%d files: %s", n, got.text)
	}
	got = w.post("/v1/publish", w.account, zipped(t, packed...), with("Content-Type", "application/zip"), lax).wants(201)
	if n := len(got.body["files"].([]any)); n != 1 || !got.warned("left_out") {
		t.Errorf("%d files: %s", n, got.text)
	}
	for _, name := range secrets {
		told := obj{"project_id": w.projectID, "filename": name, "text": "A=1"}
		w.unchanged(func() {
			no := w.post("/v1/update", w.account, told).refused(400, sandlot.CodeInvalidFilename)
			if !saysField(no.str("hint"), "force=true") {
				t.Errorf("%s", no.text)
			}
			w.post("/v1/uploads", w.account, obj{"project_id": w.projectID, "filename": name}).refused(400, sandlot.CodeInvalidFilename)
		})
	}
	w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": ".env", "text": "A=1", "force": true}).wants(200)
	w.bytes(w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.pem", "force": true}), "x").wants(200)
}

// TestRegressionM13AHintLeavesOutWhatItComplainedOf: the same archive would be refused again.
func TestRegressionM13AHintLeavesOutWhatItComplainedOf(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var b bytes.Buffer
	a := tar.NewWriter(&b)
	for _, h := range []*tar.Header{{Name: "index.html", Mode: 0o644}, {Name: "a b/li*nk", Typeflag: tar.TypeSymlink, Linkname: "x"}} {
		if err := a.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ body, kind, want string }{
		{b.String(), "application/x-tar", `--exclude='a b/li\*nk'`},
		{zipped(t, "index.html", page, "a|b.js", "x"), "application/zip", `--exclude='a|b.js'`},
		{zipped(t, "index.html", page, "js/a.js", w.account), "application/zip", "--exclude=js/a.js"},
	} {
		got := w.send("POST", "/v1/publish", w.account, c.body, with("Content-Type", c.kind), lax)
		if codes := []int{400, 422}; !slices.Contains(codes, got.status) || !strings.Contains(got.str("hint"), fmt.Sprintf("tar -cz %s -C", c.want)) {
			t.Errorf("%s", got.text)
		}
	}
}
