package api

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// oneExport is an export of one project of so many versions, with a file of so many bytes, which packs well.
func oneExport(t *testing.T, versions, size int) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	entry := func(name string, data []byte) obj {
		w, err := z.Create(name)
		expect.OK(t, err)
		_, err = w.Write(data)
		expect.OK(t, err)
		sum := sha256.Sum256(data)
		return obj{"filename": name, "path": name, "size": len(data), "sha256": hex.EncodeToString(sum[:])}
	}
	files := []obj{entry("index.html", []byte("<h1>Sky")), entry("zeros.bin", make([]byte, size))}
	list := []obj{}
	for n := range versions {
		list = append(list, obj{"version": n + 1, "created_at": "2026-01-02T03:04:05Z", "primary_file": "index.html", "files": files})
	}
	text, err := json.Marshal(obj{"format": 2, "projects": []obj{{"project_id": "sky-abc123", "primary_file": "index.html", "files": files, "versions": list}}})
	expect.OK(t, err)
	entry("manifest.json", text)
	expect.OK(t, z.Close())
	return out.String()
}

// TestAnImportCostsWhatItBrings: not only what is sent, which may be packed to very little.
func TestAnImportCostsWhatItBrings(t *testing.T) {
	t.Parallel()
	const budget = 1 << 20
	for name, c := range map[string]struct {
		versions, size, most int
		each                 bool // whether each import has an account of its own
	}{
		"bytes, by one account":                   {1, 200_000, 5, false},
		"bytes, by many accounts of a network":    {1, 200_000, 5, true},
		"versions, by one account":                {900, 10, 4, false},
		"versions, by many accounts of a network": {900, 10, 4, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := limitedWorld(t, admission.Config{Bytes: admission.Rate{Count: budget, Per: time.Hour, Burst: budget}})
			data := oneExport(t, c.versions, c.size)
			if len(data) > budget/20 {
				t.Fatalf("%d bytes are sent", len(data))
			}
			key := ""
			for n := 0; ; n++ {
				if key == "" || c.each {
					key = w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
				}
				var a answer
				full := w.Query("SELECT count(*) FROM projects")
				if a = w.post("/v1/import", key, data, asZIP); strings.Contains(a.text, `"error":"`+string(sandlot.CodeRateLimited)+`"`) {
					expect.Same(t, "projects then", w.Query("SELECT count(*) FROM projects"), full)
					if n == 0 {
						t.Error("none was taken")
					}
					return
				}
				if a.wants(200); a.body["imported"] != 1.0 || n == c.most {
					t.Fatalf("import %d: %s", n+1, a.text)
				}
			}
		})
	}
}
