package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// manifest is what a script reads of the manifest of an export.
type manifest struct {
	Projects []struct {
		ID       string `json:"project_id"`
		Versions []struct {
			Version int  `json:"version"`
			Erased  bool `json:"erased"`
			Files   []struct {
				Filename string `json:"filename"`
				SHA256   string `json:"sha256"`
			} `json:"files"`
		} `json:"versions"`
	} `json:"projects"`
}

// cameIn EXPORT REPORT downloads every file of every version that an export has from where the report of an import says that its
// project is, at $URL with $SANDLOT_KEY, and compares the hashes.
func cameIn(ts *testscript.TestScript, _ bool, args []string) {
	var m manifest
	ts.Check(json.Unmarshal(entryOf(ts, args[0], "manifest.json"), &m))
	var report struct {
		Projects []struct {
			From string `json:"from"`
			ID   string `json:"project_id"`
		} `json:"projects"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &report))
	here := map[string]string{}
	for _, p := range report.Projects {
		here[p.From] = p.ID
	}
	compared := 0
	for _, p := range m.Projects {
		for _, v := range p.Versions {
			for _, f := range v.Files {
				at := fmt.Sprintf("%s/v1/project/%s/files/%s?version=%d", ts.Getenv("URL"), here[p.ID], url.PathEscape(f.Filename), v.Version)
				if got := hashAt(ts, at); got != f.SHA256 {
					ts.Fatalf("%s has the hash %s, and the export says %s", at, got, f.SHA256)
				}
				compared++
			}
		}
	}
	if ts.Logf("%d files of %d projects compared", compared, len(m.Projects)); compared == 0 {
		ts.Fatalf("the export has no versions")
	}
}

// hashAt is the hash of what an address of the API answers.
func hashAt(ts *testscript.TestScript, at string) string {
	req, err := http.NewRequest(http.MethodGet, at, http.NoBody)
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+ts.Getenv("SANDLOT_KEY"))
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s", at, resp.Status)
	}
	h := sha256.New()
	_, err = io.Copy(h, resp.Body)
	ts.Check(err)
	return hex.EncodeToString(h.Sum(nil))
}

// entryOf is what an archive has under a name.
func entryOf(ts *testscript.TestScript, archive, name string) []byte {
	z, err := zip.OpenReader(ts.MkAbs(archive))
	ts.Check(err)
	defer z.Close()
	f, err := z.Open(name)
	ts.Check(err)
	defer f.Close()
	data, err := io.ReadAll(f)
	ts.Check(err)
	return data
}

// forge FROM TO ENTRY [OLD NEW] copies an archive, with the text of one entry changed wherever OLD is in it; without
// these it is left out.
func forge(ts *testscript.TestScript, _ bool, args []string) {
	from, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer from.Close()
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer out.Close()
	to := zip.NewWriter(out)
	for _, e := range from.File {
		if e.Name != args[2] {
			ts.Check(to.Copy(e))
			continue
		}
		if len(args) < 5 {
			continue
		}
		was := string(entryOf(ts, args[0], e.Name))
		is := strings.ReplaceAll(was, args[3], args[4])
		if is == was {
			ts.Fatalf("%s has no %q", e.Name, args[3])
		}
		w, err := to.Create(e.Name)
		ts.Check(err)
		_, err = io.WriteString(w, is)
		ts.Check(err)
	}
	ts.Check(to.Close())
}
